"""What passes between a worker process and the thread that looks after it: small messages, no arrays of examples.

    parent                              child
      pickled function and source         Ready | Unfit
      Known(spec)
      Load(turn, tasks with places)       Done(outcomes)
      Load(turn, [task without place])    Found(spec, several) ... Done(outcomes)
      Changed, pickled function and source
      Known, Place | None                 (writes the example there; None: not wanted)

Rule 1: a task with a place is one example, and goes straight there. A task without one asks for a place for each
        example that it produces, with the example's spec.
Rule 2: objects that no memory can be shared for (text, say) travel in the answer. They are pickled by themselves: one
        that cannot be pickled, or unpickled, is a failure of its item and leaves the pipe as it is.
"""

from __future__ import annotations

import dataclasses
import pickle
import traceback
from typing import Any, Dict, List, Optional, Union

from queuecompat.loader.failures import last_line
from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.order.sampler import Item

__all__ = [
    "Changed",
    "Done",
    "Failure",
    "Found",
    "Known",
    "Load",
    "Misfit",
    "Outcome",
    "Place",
    "Ready",
    "RemoteTracebackError",
    "Stopped",
    "Task",
    "Unfit",
    "Written",
    "pickled",
    "unpickled",
]


class RemoteTracebackError(Exception):
    """The traceback of a worker process, as text: the cause of the exception that it raised."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


@dataclasses.dataclass(frozen=True)
class Place:
    """*row* of the block of *rows* rows that begins at *offset* of a segment."""

    segment: str
    offset: int
    rows: int
    row: int


@dataclasses.dataclass(frozen=True)
class Task:
    item: Item
    place: Optional[Place]


@dataclasses.dataclass(frozen=True)
class Known:
    """The spec of every example."""

    spec: ExampleSpec


@dataclasses.dataclass(frozen=True)
class Changed:
    """What follows is the pickled function and source from here on."""


@dataclasses.dataclass(frozen=True)
class Load:
    """*turn* numbers the passes: a worker leaves out what belongs to one that has ended."""

    turn: int
    seed: int
    tasks: List[Task]


@dataclasses.dataclass(frozen=True)
class Ready:
    """The worker has what it needs."""


@dataclasses.dataclass(frozen=True)
class Found:
    """An example without a place: its spec, and those of its leaves that are objects."""

    spec_and_objects: bytes  # pickled
    several: bool


@dataclasses.dataclass(frozen=True)
class Written:
    """The example is in its place, and these are its pickled objects; empty where it has none."""

    objects: bytes


@dataclasses.dataclass(frozen=True)
class Misfit:
    """The example has a different spec from all others, *spec* as text, and was not written."""

    spec: str
    several: bool


@dataclasses.dataclass(frozen=True)
class Stopped:
    """The example is not wanted any more, or all examples of the item have been sent."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """What ``load`` raised: the exception, if it can travel, and how its traceback reads."""

    pickled: Optional[bytes]
    line: str
    text: str

    @classmethod
    def of(cls, failure: BaseException) -> Failure:
        text = "".join(traceback.format_exception(type(failure), failure, failure.__traceback__))
        try:
            pickled: Optional[bytes] = pickle.dumps(failure)
            pickle.loads(pickled or b"")
        except Exception:
            pickled = None  # its arguments cannot travel; its text does
        return cls(pickled, last_line(failure), text)

    def exception(self) -> BaseException:
        """The exception as this process can have it, with the worker's traceback as its cause."""
        try:
            failure = pickle.loads(self.pickled) if self.pickled else RuntimeError(self.line)
        except Exception:
            failure = RuntimeError(self.line)  # its class is not here
        failure.__cause__ = RemoteTracebackError(self.text)
        return failure


@dataclasses.dataclass(frozen=True)
class Unfit:
    """The worker could not unpickle what it was to do, or ``worker_init`` failed."""

    failure: Failure
    is_unpickled: bool = False


def pickled(objects: Any) -> bytes:
    return pickle.dumps(objects) if objects else b""


def unpickled(data: bytes) -> Any:
    return pickle.loads(data) if data else []


# How a task ended.
Outcome = Union[Written, Misfit, Stopped, Failure]


@dataclasses.dataclass(frozen=True)
class Done:
    """One outcome for each task, the seconds that they took, and those of each stage."""

    outcomes: List[Outcome]
    seconds: float
    stages: Dict[str, float]

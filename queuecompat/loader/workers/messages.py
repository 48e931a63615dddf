"""The messages between a worker process (child) and the thread that controls it (parent). They are small: arrays of
numbers go through shared memory.

    parent                              child
      pickled function and source         Ready | Unfit
      Known(spec)
      Load(turn, tasks with places)       Done(outcomes)
      Load(turn, [task without place])    Found(spec, several) ... Done(outcomes)
      Changed, pickled function and source
      Known, Place | None                 (answers Found; the child writes the example there; None: not wanted)

Rule 1: a task with a place produces one example, which the child writes there. For a task without a place, the child
        sends the spec of each example that it produces, and is answered with a place for it.
Rule 2: Python objects (text, say), which shared memory cannot hold, are part of the child's messages. They are pickled
        separately, so that an object that cannot be pickled or unpickled is a failure of its item, and the pipe stays
        usable.
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
    """The traceback of an exception in a worker process, as text; it is the ``__cause__`` of that exception here."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


@dataclasses.dataclass(frozen=True)
class Place:
    """A place for an example: row number *row* of the block that has *rows* rows and begins at byte *offset* of the
    segment named *segment*."""

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
    """Tells the child the spec of every example."""

    spec: ExampleSpec


@dataclasses.dataclass(frozen=True)
class Changed:
    """Announces that the next message is a new pickled function and source, to be used from then on."""


@dataclasses.dataclass(frozen=True)
class Load:
    """Asks the child to load the items of *tasks*. *turn* is the number of the pass: a child does not load items of a
    pass that has ended."""

    turn: int
    seed: int
    tasks: List[Task]


@dataclasses.dataclass(frozen=True)
class Ready:
    """The child has unpickled the function and the source, and ``worker_init`` has succeeded."""


@dataclasses.dataclass(frozen=True)
class Found:
    """The child has an example without a place: its spec, and those of its arrays that hold objects."""

    spec_and_objects: bytes  # pickled
    several: bool


@dataclasses.dataclass(frozen=True)
class Written:
    """The example is written in its place. *objects* are its pickled arrays of objects; empty if it has none."""

    objects: bytes


@dataclasses.dataclass(frozen=True)
class Misfit:
    """The example was not written, because it differs from the others: its spec is *spec* (as text), or it is one of
    *several* of its item."""

    spec: str
    several: bool


@dataclasses.dataclass(frozen=True)
class Stopped:
    """The item's examples are not wanted any more, or all of them have been sent."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """The exception that ``load`` raised.

    Attributes:
      pickled: the pickled exception, or None if it cannot be pickled and unpickled.
      line: the last line of its traceback.
      text: the whole traceback.
    """

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
            pickled = None  # it cannot be pickled; its text is sent all the same
        return cls(pickled, last_line(failure), text)

    def exception(self) -> BaseException:
        """Returns the exception, or a ``RuntimeError`` with its text if it cannot be unpickled here. Its ``__cause__``
        is the worker's traceback."""
        try:
            failure = pickle.loads(self.pickled) if self.pickled else RuntimeError(self.line)
        except Exception:
            failure = RuntimeError(self.line)  # its class cannot be imported in this process
        failure.__cause__ = RemoteTracebackError(self.text)
        return failure


@dataclasses.dataclass(frozen=True)
class Unfit:
    """The child could not unpickle the function and the source; or, if *is_unpickled*, ``worker_init`` failed."""

    failure: Failure
    is_unpickled: bool = False


def pickled(objects: Any) -> bytes:
    return pickle.dumps(objects) if objects else b""


def unpickled(data: bytes) -> Any:
    return pickle.loads(data) if data else []


# The result of a task.
Outcome = Union[Written, Misfit, Stopped, Failure]


@dataclasses.dataclass(frozen=True)
class Done:
    """The end of a ``Load``: one outcome for each task, the seconds that they took together, and those per stage."""

    outcomes: List[Outcome]
    seconds: float
    stages: Dict[str, float]

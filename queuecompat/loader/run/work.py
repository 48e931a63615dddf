"""What a run over the data and its workers have in common: the items in work, and what workers of any kind can do."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, Optional, Protocol

import numpy as np

from queuecompat.loader.calls import Call
from queuecompat.loader.memory.blocks import Block, Memory, bytes_needed
from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.order.sampler import NOTHING, Item
from queuecompat.loader.stream.examples import Example

__all__ = ["InferredSpec", "NotWantedError", "PoolConfig", "Work", "WorkerPool"]


_SMALL = 1024  # bytes


class NotWantedError(Exception):
    """Raised in a worker that wants to add an example to a pass that has ended."""


@dataclasses.dataclass(frozen=True)
class PoolConfig:
    """What a pool of workers of any kind is made with.

    Attributes:
      call, seed: what workers call, and the seed of its random numbers.
      count: of workers.
      items_at_once: the most that one worker begins with at once.
      made_at: the user's line, for messages.
      allocated: allocates the consumer's memory; None for ordinary memory.
    """

    call: Call
    seed: int
    count: int
    items_at_once: int
    made_at: str
    allocated: Optional[Callable[[int], Memory]] = None


class WorkerPool(Protocol):
    """Workers of one kind."""

    close_timeout: float  # seconds for items that are not needed any more
    kill_timeout: float  # seconds for workers to end after ``force``

    def workers(self) -> List[Callable[[Any], None]]:
        """What the thread of each worker does, with an ``EpochRun``."""

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Memory for *rows* examples."""

    def interrupt(self) -> None:
        """The pass has ended; nothing new will be wanted of it."""

    @property
    def for_consumer(self) -> Optional[Callable[[Block], Block]]:
        """From a block to that block, or a copy of it: what the consumer gets for good. None: always the block."""

    def begin_epoch(self, epoch: int) -> None:
        """The items of *epoch* are begun from here on."""

    def at_work(self, works: List[Work]) -> List[Work]:
        """Of *works*, which were begun, those that are being loaded now."""

    def end_pass(self) -> None:
        """The pass has ended, and its threads with it, but for those that hang."""

    def force(self, works: List[Work]) -> None:
        """The close timeout expired while *works* were still being loaded."""


@dataclasses.dataclass
class InferredSpec:
    """What the first example has shown, for all passes of a loader: *model* is the name of that example's item,
    and *objects* are those of its arrays that hold Python objects."""

    spec: Optional[ExampleSpec] = None
    several: Optional[bool] = None
    model: str = ""
    objects: List[np.ndarray] = dataclasses.field(default_factory=list)

    @property
    def is_small(self) -> bool:
        """Whether examples take little memory. What objects take is not known."""
        return self.spec is not None and not self.objects and bytes_needed(self.spec, 1) <= _SMALL


class Work:
    """An item that a worker has begun with.

    Attributes:
      place: the row its example goes to, where that is known.
      examples: that it produced so far.
      value: what the source has for it.
      since: when it was begun.
    """

    __slots__ = ("examples", "item", "number", "place", "since", "value")

    def __init__(self, number: int, item: Item, since: float) -> None:
        self.number = number
        self.item = item
        self.place: Optional[Example] = None
        self.examples = 0
        self.value: Any = NOTHING
        self.since = since

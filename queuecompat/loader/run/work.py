"""The types that a run and its workers share: an item being loaded, and the protocol of worker pools."""

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
    """Raised in a worker that tries to add an example to a pass that has ended."""


@dataclasses.dataclass(frozen=True)
class PoolConfig:
    """The configuration of a worker pool of any kind.

    Attributes:
      call, seed: the call that workers make for each item, and the seed of its random numbers.
      count: the number of workers.
      items_at_once: the maximum number of items that one worker claims at once.
      made_at: the user's line, for messages.
      allocated: allocates the memory of the consumer's batches; None for ordinary memory.
    """

    call: Call
    seed: int
    count: int
    items_at_once: int
    made_at: str
    allocated: Optional[Callable[[int], Memory]] = None


class WorkerPool(Protocol):
    """The protocol of a worker pool: workers of one kind, and the memory into which they write."""

    close_timeout: float  # seconds that ``close`` waits for items in progress, whose examples are not needed any more
    kill_timeout: float  # seconds for workers to end after ``force``
    prepares: bool  # whether workers call ``worker_init``; each then calls ``worker_prepared`` of every run, once

    def workers(self) -> List[Callable[[Any], None]]:
        """Returns the function that the thread of each worker runs; its argument is the ``EpochRun``."""

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Returns a block for *rows* examples of *spec*."""

    def interrupt(self) -> None:
        """Called when a pass ends: items that are not begun yet need not be loaded."""

    @property
    def for_consumer(self) -> Optional[Callable[[Block], Block]]:
        """A function that returns the block that the consumer may keep: the given block, or a copy of it. None if it is
        always the given block."""

    def begin_epoch(self, epoch: int) -> None:
        """Called before the first item of *epoch* is begun."""

    def in_progress(self, works: List[Work]) -> List[Work]:
        """Returns those of *works*, which have been handed to workers, that are being loaded now."""

    def end_pass(self) -> None:
        """Called when a pass and its threads have ended, except for threads that hang."""

    def force(self, loading: str) -> None:
        """Called when the close timeout has expired, and workers still run; *loading* names what is being loaded."""


@dataclasses.dataclass
class InferredSpec:
    """What the first example has shown; shared by all passes of a loader.

    Attributes:
      spec: the spec of all examples; None before the first example. Set after the other fields.
      several: whether items produce any number of examples (an iterator); None before the first example.
      model: the text that names the first example's item, for messages.
      objects: the arrays of the first example that hold Python objects.
    """

    spec: Optional[ExampleSpec] = None
    several: Optional[bool] = None
    model: str = ""
    objects: List[np.ndarray] = dataclasses.field(default_factory=list)

    @property
    def is_small(self) -> bool:
        """Whether an example takes at most 1 KiB. False if it has Python objects, whose size is not known."""
        return self.spec is not None and not self.objects and bytes_needed(self.spec, 1) <= _SMALL


class Work:
    """An item that a worker has begun.

    Attributes:
      number: the item's number in the stream.
      place: the block and row into which its example is written; None if not known yet.
      examples: the number of examples that it has produced so far.
      value: the item's value in the source; ``NOTHING`` until it is fetched.
      since: the time at which it was begun, by ``time.perf_counter``.
    """

    __slots__ = ("examples", "item", "number", "place", "since", "value")

    def __init__(self, number: int, item: Item, since: float) -> None:
        self.number = number
        self.item = item
        self.place: Optional[Example] = None
        self.examples = 0
        self.value: Any = NOTHING
        self.since = since

"""The steps that hold elements, or count them: TF1's queue, what takes its place, and batches."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.ir.plan import Step

__all__ = ["EVENTS", "Batch", "Bucket", "Count", "Growth", "Prefetch", "Queue", "Shuffle"]


@dataclasses.dataclass(frozen=True)
class Queue(Step):
    """TF1's queue as the user asked for it. *min_after_dequeue* None: first in, first out.

    *queue*: the key of its stage, which the buffers that take its place keep.
    """

    capacity: int
    min_after_dequeue: Optional[int] = None
    seed: Optional[int] = None
    num_threads: int = 1
    queue: str = ""


# What an element does when it is counted: it comes into a queue, leaves it, or is what the program itself draws.
EVENTS = ("entered", "left", "delivered")


@dataclasses.dataclass(frozen=True)
class Count(Step):
    """Passes everything on and counts how many elements came by: rows, after a Batch (*batched*).

    *queue*: the key of the stage whose elements are counted; *event*: what they do, one of ``EVENTS``.
    *every*: with more than 1 it counts ahead, so many elements at a time.
    *room*: counted besides each time, of a queue that has this capacity and counts as full.
    *is_gated*: what is counted goes through the gate of its session; *is_timed*: the time of the count is kept.
    """

    queue: str
    event: str
    batched: bool
    every: int = 1
    room: int = 0
    is_gated: bool = False
    is_timed: bool = False


@dataclasses.dataclass(frozen=True)
class Growth:
    """How a shuffle buffer begins before it is full: it keeps *least* elements, and draws from one more.

    It grows when the first *steady* elements have been drawn. *own*: the keys of queues and readers of the program,
    where what comes in comes from; while there is nothing in them it outputs what it has, down to *least*.
    """

    least: int
    steady: int
    own: Tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Shuffle(Step):
    """A pool of *buffer* elements from which one is drawn at random.

    *start*: the number of the start that decides where *seed* does not. *queue*: the key of the stage it mixes for.
    *growth* None: the first one is drawn when the pool is full.
    *by_windows*: every *buffer* consecutive elements are a window, which is mixed as a whole; in what order is a
    function of the seed or start and of the number of the window.
    """

    buffer: int
    seed: Optional[int] = None
    growth: Optional[Growth] = None
    queue: str = ""
    start: Optional[int] = None
    by_windows: bool = False

    @property
    def needed(self) -> int:
        """How many elements come in before the first ones that the consumer waits for go out."""
        return self.buffer if self.growth is None else self.growth.least + self.growth.steady

    def sized(self, buffer: int) -> Shuffle:
        """The same with *buffer* elements, and without growth where there is no room for it."""
        growth = self.growth if self.growth is not None and self.growth.least + 1 < buffer else None
        return dataclasses.replace(self, buffer=buffer, growth=growth)


@dataclasses.dataclass(frozen=True)
class Batch(Step):
    """*size* elements stacked; *padded*: each first grown to the largest of its batch.

    *refills*: the elements come as rows already, of any number: batches that have lost some, or whole epochs.
    """

    size: int
    drop_remainder: bool = True
    padded: bool = False
    refills: bool = False


@dataclasses.dataclass(frozen=True)
class Bucket(Step):
    """Batches of elements that belong together: the last component of an element is the number of its bucket.

    Outputs the number, and the other components of *sizes[number]* elements stacked (*padded* as in ``Batch``);
    an element whose number is no bucket's is dropped. At the end the buckets give what they hold, in their
    order, or nothing (*drop_remainder*). *capacity*: batches ahead of the consumer, TF1's queue of batches; *queue*:
    the key of its stage.
    """

    sizes: Tuple[int, ...]
    drop_remainder: bool
    padded: bool
    capacity: int
    queue: str = ""

    @property
    def held(self) -> int:
        """The most elements that wait for the rest of their batch."""
        return sum(size - 1 for size in self.sizes) + 1


@dataclasses.dataclass(frozen=True)
class Prefetch(Step):
    """Up to *count* elements made ahead of the consumer: batches (*batched*), or what a queue outputs one by one.

    *queue*: the key of the stage whose queue it takes the place of.
    """

    count: int
    batched: bool = True
    queue: str = ""

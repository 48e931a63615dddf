"""The steps that hold or count elements: TF1's queue, the buffers that replace it, and batches."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan.ir.plan import Step

__all__ = ["EVENTS", "Batch", "Bucket", "Count", "Growth", "Prefetch", "Queue", "Shuffle"]


@dataclasses.dataclass(frozen=True)
class Queue(Step):
    """TF1's queue as the user requested it; the passes replace it by other buffers.

    Attributes:
      capacity: in elements; negative: unbounded.
      min_after_dequeue: as in TF1; None: the queue is first in, first out.
      seed: the seed of a shuffling queue; None: no seed.
      num_threads: how many threads TF1 would use to fill the queue.
      queue: the key of the queue's stage; the buffers that replace the queue keep it.
    """

    capacity: int
    min_after_dequeue: Optional[int] = None
    seed: Optional[int] = None
    num_threads: int = 1
    queue: str = ""


# When an element is counted: as it enters a queue, leaves it, or is delivered to the program itself.
EVENTS = ("entered", "left", "delivered")


@dataclasses.dataclass(frozen=True)
class Count(Step):
    """Passes all elements on unchanged and counts them.

    Attributes:
      queue: the key of the stage whose elements are counted.
      event: what is counted, one of ``EVENTS``.
      batched: whether the rows of each element (a batch) are counted; otherwise each element counts as 1.
      every: the counter is raised by this number at once, before that many elements pass; 1: for each element.
      room: a number that is added to every count, so that a queue of this capacity is always reported as full.
      is_gated: whether the counted elements pass the gate of the session, which can end them.
      is_timed: whether the time of each count is recorded.
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
    """How a shuffle buffer outputs elements before it is full.

    Attributes:
      least: the buffer keeps this many elements; each draw picks from these and one more.
      steady: the number of elements that are drawn before the buffer begins to grow.
      own: the keys of the program's own queues, readers and iterators that the elements come from. While these are
        empty, the buffer outputs elements that it holds until *least* are left, rather than wait.
      ahead: how many elements a thread of the buffer's computes ahead, and keeps. While there is none, the buffer does
        not wait either.
    """

    least: int
    steady: int
    own: Tuple[str, ...] = ()
    ahead: int = 0


@dataclasses.dataclass(frozen=True)
class Shuffle(Step):
    """A shuffle buffer, as that of ``Dataset.shuffle``.

    Attributes:
      buffer: the size, in elements.
      seed: decides the order; None: *start* does, or nothing.
      growth: how elements are output before the buffer is full; None: the first is output when it is full.
      queue: the key of the stage whose queue the buffer replaces.
      start: the number of the start (``starts``) that decides the order where there is no seed; None: the order differs
        for each iterator.
      by_windows: whether the input is cut into windows of *buffer* consecutive elements, each shuffled as a whole. The
        order of a window is then a function of the seed or start and of the window's number.
    """

    buffer: int
    seed: Optional[int] = None
    growth: Optional[Growth] = None
    queue: str = ""
    start: Optional[int] = None
    by_windows: bool = False

    @property
    def needed(self) -> int:
        """How many elements must come in before the consumer has its first element (with *growth*: its first batch)."""
        return self.buffer if self.growth is None else self.growth.least + self.growth.steady

    def sized(self, buffer: int) -> Shuffle:
        """Returns this shuffle with a buffer of *buffer* elements; without growth if that leaves no room to grow."""
        growth = self.growth if self.growth is not None and self.growth.least + 1 < buffer else None
        return dataclasses.replace(self, buffer=buffer, growth=growth)


@dataclasses.dataclass(frozen=True)
class Batch(Step):
    """Stacks *size* elements.

    Attributes:
      size: the batch size, in elements.
      drop_remainder: whether a smaller last batch is dropped.
      padded: whether each element is padded to the largest shape of its batch (TF1's ``dynamic_pad``).
      refills: whether the input elements are already stacks of rows, of any number (batches that have lost rows, or
        whole epochs), which this step re-cuts into batches of *size* rows.
    """

    size: int
    drop_remainder: bool = True
    padded: bool = False
    refills: bool = False


@dataclasses.dataclass(frozen=True)
class Bucket(Step):
    """Batches elements by bucket; the last component of each input element is the number of its bucket.

    Outputs the bucket's number, followed by the other components of ``sizes[number]`` elements, stacked. Elements
    whose number is out of range are dropped. At the end of the data the buckets output the elements that they still
    hold, in the order of the buckets, or drop them (*drop_remainder*).

    Attributes:
      sizes: the batch size of each bucket, in elements.
      drop_remainder: whether partial batches are dropped at the end of the data.
      padded: as in ``Batch``.
      capacity: the capacity of TF1's queue of batches: how many batches may be made ahead of the consumer.
      queue: the key of the stage.
    """

    sizes: Tuple[int, ...]
    drop_remainder: bool
    padded: bool
    capacity: int
    queue: str = ""

    @property
    def held(self) -> int:
        """The maximum number of elements that wait for the rest of their batch."""
        return sum(size - 1 for size in self.sizes) + 1


@dataclasses.dataclass(frozen=True)
class Prefetch(Step):
    """Computes up to *count* elements ahead of the consumer.

    Attributes:
      count: the size of the buffer: batches if *batched*, otherwise single elements of a queue.
      batched: whether the elements are batches.
      queue: the key of the stage whose queue this step replaces.
    """

    count: int
    batched: bool = True
    queue: str = ""

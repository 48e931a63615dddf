"""From items that are loaded in any order to batches in one order.

Workers begin with items, add examples to them and end them, whenever they like. The examples join the stream in
the items' order, go through the shuffle buffer, and every *batch_size* of them are a batch.

Rule 1: what is in a batch depends on the order of the items and on what they gave, and on nothing else.
Rule 2: an item that gives one example has its row in a batch before it is loaded. Only when an item before it
        was left out is that row the wrong one, and the batch has to be gathered from others.
Rule 3: no more examples exist than ``Limits`` allow. The first item that is not complete goes on as long as the
        consumer takes batches, whatever waits after it: there is no deadlock.

No threads and no locks: the caller holds the lock. What is legal when is in ``lifecycle.py``.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import Callable, Deque, Dict, Iterable, List, Optional, Tuple

from queuecompat.loader.blocks import Block
from queuecompat.loader.sampler import Item
from queuecompat.loader.shuffle_buffer import ShuffleBuffer

__all__ = ["Batch", "Cursor", "Example", "Limits", "Stream"]

_GATHERED = 2  # batches that are put together before they are asked for


@dataclasses.dataclass(eq=False)
class Example:
    """One example: the *number*-th of its item, in *row* of *block*."""

    item: Item
    number: int
    block: Block
    row: int


@dataclasses.dataclass(frozen=True)
class Cursor:
    """A place between two batches, from which the stream can be taken up again.

    Attributes:
      epoch, offset: the first item to load.
      skip: how many of its examples are left out, because they are in earlier batches and not needed any more.
      serial: how many examples had joined the stream before that.
      drawn: how many are in earlier batches.
    """

    epoch: int
    offset: int = 0
    skip: int = 0
    serial: int = 0
    drawn: int = 0


@dataclasses.dataclass(eq=False)
class Batch:
    """*count* examples in order, and where the stream goes on after them; *block* once they are together in one."""

    examples: List[Example]
    cursor: Cursor
    count: int = 0
    block: Optional[Block] = None
    is_begun: bool = False  # a worker gathers it

    def __post_init__(self) -> None:
        self.count = len(self.examples)
        first = self.examples[0].block
        if all(e.block is first and e.row == row for row, e in enumerate(self.examples)):
            self.gathered_in(first)

    def gathered_in(self, block: Block) -> None:
        """From now on *block* has the examples; the rows in which they were are free."""
        self.block = block
        self.examples = []


@dataclasses.dataclass(frozen=True)
class Limits:
    """How many examples may be where.

    Attributes:
      window: begun and not taken, where items give one example each. Where they give several, items begun.
      pool: in the shuffle buffer, where items give several.
      pending: complete, and waiting for items before theirs.
      batches: complete, and neither taken nor put together. More than those wait for the consumer.
    """

    batch_size: int
    window: int
    pool: int
    pending: int
    batches: int

    @property
    def loaded(self) -> int:
        """All of them, where items give several."""
        return self.pool + self.pending + self.batches * self.batch_size

    @classmethod
    def within(cls, capacity: int, batch_size: int, min_after_dequeue: int, *, shuffle: bool, ahead: int = 0) -> Limits:
        """Shares *capacity* out. The shuffle buffer gets what two more batches leave, at least *min_after_dequeue*.

        Of those that wait for items before theirs, there may be *ahead* at least, so that all workers are busy.
        Not counted are the batch that is filled (or being copied from) and the one that the consumer has.
        """
        pool = min(capacity, max(1, min_after_dequeue, capacity - 3 * batch_size)) if shuffle else 0
        rest = max(0, capacity - batch_size - pool)
        batches = max(1, rest // batch_size - 1)
        # Memory is there by the batch: a part of one would be a whole one.
        window = max(1, capacity // batch_size, -(-ahead // batch_size)) * batch_size
        return cls(batch_size, window, pool, max(ahead, rest - batches * batch_size), batches)


class _Entry:
    """An item that was begun and has not joined the stream as a whole."""

    __slots__ = ("epoch", "failure", "is_complete", "waiting")

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.waiting: List[Example] = []
        self.is_complete = False
        self.failure: Optional[BaseException] = None


class Stream:
    """The bookkeeping of one pass.

    Args:
      buffer: makes the shuffle buffer for examples, given its depth; items that give one each need none.
      drop_remainder: leaves a last batch out that is not full.
      cursor: where the stream is taken up.
    """

    def __init__(
        self, limits: Limits, buffer: Callable[[int], ShuffleBuffer[Example]], *, drop_remainder: bool, cursor: Cursor
    ) -> None:
        self._limits = limits
        self._make_buffer = buffer
        self._buffer = buffer(0)
        self._drop_remainder = drop_remainder
        self._skip = cursor.skip
        # Whether items give any number of examples, or one each; None until the first has shown it.
        self.several: Optional[bool] = None
        self._entries: Dict[int, _Entry] = {}
        self._begun = 0  # items
        self._left_out = 0  # items that gave nothing
        self._head = 0  # the first item that has not joined as a whole
        self._row = -1  # the last row given away, counted over all batches
        self._pending = 0  # examples of items after the head
        self._taken = 0  # examples
        self.loaded = 0  # examples that exist and were not taken
        self._joined: Optional[Example] = None  # the last one
        self._assembling: List[Example] = []
        self._batches: Deque[Batch] = collections.deque()
        self._has_source_ended = False
        self._is_drained = False
        self.failure: Optional[BaseException] = None
        # Of the epoch whose items join now.
        self._epoch = cursor.epoch
        self._epoch_items = 0
        self._epoch_has_examples = cursor.offset > 0 or cursor.skip > 0  # before the cursor, perhaps
        self._failure_of_epoch: Optional[Callable[[int, int], BaseException]] = None

    def judge_epochs(self, failure: Callable[[int, int], BaseException]) -> None:
        """An epoch, and the number of its items, none of which had an example: the stream ends with this *failure*."""
        self._failure_of_epoch = failure

    def decide(self, several: bool) -> None:
        """From now on it is known whether items give *several* examples."""
        if self.several is None:
            self.several = several
            self._buffer = self._make_buffer(self._limits.pool if several else 0)

    # What workers do.

    def may_begin(self) -> bool:
        if self.several is None:
            return not self._entries  # the first item shows what items give
        if self.several:
            return self._begun - self._head < self._limits.window and self._pending <= self._limits.pending
        return self._begun - self._left_out - self._taken < self._limits.window

    def begin(self, epoch: int = 0) -> int:
        """A worker takes an item of *epoch*; returns the item's number in this stream."""
        self._entries[self._begun] = _Entry(epoch)
        self._begun += 1
        return self._begun - 1

    def row_for(self, number: int) -> Optional[int]:
        """The row of item *number*, counted over all batches, as long as every item gives one example.

        None if another item has that row: one was left out since, and everything after it moves up.
        """
        row = number - self._left_out
        if self.several is not False or row <= self._row:
            return None
        self._row = row
        return row

    def may_add(self, number: int) -> bool:
        if not self.several:
            return True
        if number == self._head:
            return not self._buffer.is_full or len(self._batches) < self._limits.batches
        # The second limit is for those that have joined meanwhile, faster than the consumer takes them.
        return self._pending < self._limits.pending and self.loaded < self._limits.loaded

    def add(self, number: int, example: Example) -> None:
        """Item *number* gave *example*."""
        self._entries[number].waiting.append(example)
        self._pending += number != self._head
        self.loaded += 1
        self._advance()

    def add_only(self, examples: Iterable[Tuple[int, Example]]) -> None:
        """Items gave these examples, by number, and give no more."""
        for number, example in examples:
            entry = self._entries[number]
            entry.waiting.append(example)
            entry.is_complete = True
            self._pending += number != self._head
            self.loaded += 1
        self._advance()

    def end(self, number: int) -> None:
        """Item *number* gives no more."""
        self._entries[number].is_complete = True
        self._advance()

    def leave_out(self, number: int) -> None:
        """Item *number* could not be loaded, and the stream goes on without it."""
        self._left_out += 1
        self.end(number)

    def break_at(self, number: int, failure: BaseException) -> None:
        """The stream ends where the rest of item *number* would join it."""
        self._entries[number].failure = failure
        self._advance()

    def end_source(self) -> None:
        """No more items will be begun."""
        self._has_source_ended = True
        self._advance()

    # How examples become batches.

    def _advance(self) -> None:
        """Lets everything join whose turn it is."""
        while self.failure is None and self._head in self._entries:
            entry = self._entries[self._head]
            if entry.epoch != self._epoch:
                self._end_epoch(entry.epoch)
                continue
            if entry.waiting:
                for example in entry.waiting:
                    self._join(example)
                entry.waiting = []
            self.failure = entry.failure
            if not entry.is_complete:
                return
            del self._entries[self._head]
            self._head += 1
            self._epoch_items += 1
            if self._head in self._entries:
                self._pending -= len(self._entries[self._head].waiting)
        if self._has_source_ended and not self._entries and self.failure is None:
            self._end_epoch(self._epoch)
            if self.failure is None:
                self._drain()

    def _end_epoch(self, following: int) -> None:
        """All items of the epoch have joined. One without any example ends the stream: it would train on nothing."""
        if self._epoch_items and not self._epoch_has_examples and self._failure_of_epoch is not None:
            self.failure = self._failure_of_epoch(self._epoch, self._epoch_items)
        self._epoch, self._epoch_items, self._epoch_has_examples = following, 0, False

    def _drain(self) -> None:
        for example in self._buffer.drain():
            self._assemble(example)
        if self._assembling and not self._drop_remainder:
            self._close_batch()
        self.loaded -= len(self._assembling)
        self._assembling = []
        self._is_drained = True

    def _join(self, example: Example) -> None:
        self._epoch_has_examples = True
        if self._skip:
            self._skip -= 1
            self.loaded -= 1
            return
        self._joined = example
        before = len(self._buffer) + 1
        pushed_out = self._buffer.push(example)
        # Of a stream that is taken up again, what its earlier batches had is dropped here.
        self.loaded -= before - len(self._buffer) - len(pushed_out)
        for one in pushed_out:
            self._assemble(one)

    def _assemble(self, example: Example) -> None:
        self._assembling.append(example)
        if len(self._assembling) == self._limits.batch_size:
            self._close_batch()

    def _close_batch(self) -> None:
        self._batches.append(Batch(self._assembling, self._cursor()))
        self._assembling = []

    def _cursor(self) -> Cursor:
        """Where the stream is taken up after what was drawn so far."""
        oldest = self._buffer.oldest()
        serial, drawn = self._buffer.serial, self._buffer.drawn
        if oldest is not None:
            # What came since then and is in the buffer no more is loaded again, only to be dropped.
            serial, first = oldest
            return Cursor(first.item.epoch, first.item.offset, first.number, serial, drawn)
        assert self._joined is not None
        item, number = self._joined.item, self._joined.number
        if self.several:
            return Cursor(item.epoch, item.offset, number + 1, serial, drawn)
        return Cursor(item.epoch, item.offset + 1, 0, serial, drawn)

    # Batches that have to be put together.

    def batch_to_gather(self) -> Optional[Batch]:
        """The next one; it is the caller's then. One at a time: its examples exist twice meanwhile."""
        for place, batch in enumerate(self._batches):
            if batch.block is None:
                if batch.is_begun or place >= _GATHERED:
                    return None
                batch.is_begun = True
                return batch
        return None

    # What the consumer does.

    def has_batch(self) -> bool:
        return bool(self._batches) and self._batches[0].block is not None

    def take(self) -> Batch:
        batch = self._batches.popleft()
        self._taken += batch.count
        self.loaded -= batch.count
        return batch

    def forget(self) -> None:
        """What is here is not needed any more: its memory is free."""
        self._entries.clear()
        self._assembling.clear()
        self._batches.clear()
        self._buffer = self._make_buffer(0)
        self.loaded = 0

    @property
    def is_over(self) -> bool:
        """Whether everything was taken, and no batch will come any more."""
        return not self._batches and (self._is_drained or self.failure is not None)

    @property
    def is_complete(self) -> bool:
        """Whether workers have nothing left to do."""
        ended = self._is_drained or self.failure is not None
        return ended and all(batch.block is not None or batch.is_begun for batch in self._batches)

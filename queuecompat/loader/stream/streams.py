"""Makes batches in a fixed order from items that are loaded in any order.

Workers begin items, add examples to them and end them, in any order and at any time. The examples join the stream in
the order of the items and go through the shuffle buffer; every *batch_size* of them make a batch.

Rule 1: the content of a batch depends only on the order of the items and on the examples that they produced.
Rule 2: an item that produces one example has its row in a batch before it is loaded. That row is wrong only if an
        earlier item was left out; then the examples of the batch have to be copied together from several blocks.
Rule 3: no more examples exist than ``Limits`` allows. The first item that is not complete may add examples as long as
        the consumer takes batches, however many examples of later items wait: there is no deadlock.

No threads and no locks: the caller holds the lock. ``lifecycle.py`` says which call is legal when.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from typing import Callable, Deque, Dict, Iterable, List, Optional, Sequence, Tuple

from queuecompat.loader.order.buffer import Buffer
from queuecompat.loader.order.order import skips_too_much
from queuecompat.loader.order.sampler import Item
from queuecompat.loader.stream.buckets import Buckets
from queuecompat.loader.stream.examples import After, Batch, Cursor, Example
from queuecompat.loader.stream.limits import Limits

__all__ = ["Stream"]

_GATHERED = 2  # the number of batches that are assembled before the consumer asks for them


class _Entry:
    """An item that was begun and has not completely joined the stream.

    Attributes:
      waiting: its examples that have not joined yet, or None.
      is_complete: whether it produces no more examples.
      is_left_out: whether it failed and is skipped.
      failure: the failure that ends the stream at this item, or None.
    """

    __slots__ = ("epoch", "failure", "is_complete", "is_left_out", "waiting")

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.waiting: Optional[List[Example]] = None
        self.is_complete = False
        self.is_left_out = False
        self.failure: Optional[BaseException] = None


class Stream:
    """The bookkeeping of one pass: items, examples and batches.

    Args:
      buffer: makes the shuffle buffer (or delay line) for examples, given its depth; the depth is 0 if items produce
        one example each.
      drop_remainder: whether a last batch that is not full is dropped.
      cursor: the place at which the stream begins, or resumes.
      buckets: the number of buckets, or 0 for batches of consecutive examples. With buckets, the last array of an
        example is the number of its bucket.
      finishes: whether batches need finishing.
    """

    def __init__(
        self,
        limits: Limits,
        buffer: Callable[[int], Buffer[Example]],
        *,
        drop_remainder: bool,
        cursor: Cursor,
        buckets: int = 0,
        finishes: bool = False,
    ) -> None:
        self._limits = limits
        self._make_buffer = buffer
        self._buffer = buffer(0)
        self._drop_remainder = drop_remainder
        self._buckets: Optional[Buckets[Example]] = (
            Buckets(buckets, limits.batch_size, cursor.released) if buckets else None
        )
        self._finishes = finishes
        self._ready_ahead = max(_GATHERED, limits.window // limits.batch_size) if finishes else _GATHERED
        self._dropped = 0  # examples of a resumed stream that buckets have dropped, since they are in earlier batches
        self._examples_in_batches = cursor.drawn  # including those before *cursor*
        # Constant as long as examples become batches as they join: how many more had joined than were in batches.
        self._joined_surplus = cursor.serial - cursor.drawn
        self._skip = cursor.skip
        # Whether items produce any number of examples, or one each; None until the first example has shown it.
        self.several: Optional[bool] = None
        self._entries: Dict[int, _Entry] = {}  # by the item's number in this stream
        self.begun = 0  # the number of items begun
        self._left_out = 0  # the number of items that failed and are skipped
        self._head = 0  # the number of the first item that has not completely joined
        self._last_assigned_row = -1  # the last row assigned, counted over all batches
        self._pending = 0  # the number of waiting examples of items after the head
        self._taken = 0  # the number of examples that the consumer has taken
        self.loaded = 0  # the number of examples that exist and that the consumer has not taken
        self._joined: Optional[Example] = None  # the last example that joined
        self._assembling: List[Example] = []
        self._batches: Deque[Batch] = collections.deque()
        self._is_straight = False  # examples become batches as they join
        self._has_source_ended = False
        self._is_drained = False
        self.failure: Optional[BaseException] = None
        # The epoch whose items join now, the number of its items, and whether it has an example so far.
        self._epoch = cursor.epoch
        self._epoch_items = 0
        self._epoch_has_examples = cursor.offset > 0 or cursor.skip > 0  # before the cursor there may have been some
        self._failure_of_epoch: Optional[Callable[[int, int], BaseException]] = None

    def judge_epochs(self, failure: Callable[[int, int], BaseException]) -> None:
        """Makes the stream end with ``failure(epoch, items)`` if no item of an epoch produces an example; *items* is
        the number of the epoch's items."""
        self._failure_of_epoch = failure

    def decide(self, several: bool, *, are_small: bool = False) -> None:
        """Tells the stream whether items produce *several* examples, and whether these are small. Only the first call
        has an effect."""
        if self.several is None:
            if are_small and not several:
                self._limits = dataclasses.replace(self._limits, window=self._limits.window_of_small)
            self.several = several
            depth = self._limits.pool if several and self._buckets is None else 0
            self._buffer = self._make_buffer(depth)
            self._is_straight = not depth and self._buckets is None
            if self._skip and not several:
                self.failure = skips_too_much(self._skip)

    # What workers do.

    def may_begin(self) -> bool:
        if self.several is None:
            return len(self._entries) < self._limits.window  # the first item will show what items produce
        if self.several:
            return self.begun - self._head < self._limits.window and self._pending <= self._limits.pending
        return self.free_places > 0

    @property
    def has_next_a_row(self) -> bool:
        """Whether ``row_for`` has a row for the next item that is begun, and so for all items after it."""
        return self.begun - self._left_out > self._last_assigned_row

    @property
    def free_places(self) -> int:
        """The number of items that may be begun now, if each produces one example."""
        held = self.begun - self._left_out - self._dropped - self._taken
        return self._limits.window + self._limits.waiting - held

    def begin(self, epoch: int = 0) -> int:
        """Begins an item of *epoch* for a worker; returns the item's number in this stream."""
        self._entries[self.begun] = _Entry(epoch)
        self.begun += 1
        return self.begun - 1

    def begin_all(self, items: Sequence[Item]) -> int:
        """Begins *items* for a worker; returns the number of the first. The others have the numbers after it."""
        first = self.begun
        for number, item in enumerate(items, first):
            self._entries[number] = _Entry(item.epoch)
        self.begun = first + len(items)
        return first

    def is_head(self, number: int) -> bool:
        """Returns whether all items before *number* have completely joined the stream."""
        return number == self._head

    def row_for(self, number: int, count: int = 1) -> Optional[int]:
        """Returns the row of item *number*, counted over all batches, if every item produces one example. The *count* -
        1 items after it have the rows after it.

        Returns None if the row is already assigned to a different item: an earlier item was left out since, so all
        items after it move up by one row.
        """
        row = number - self._left_out
        if self.several is not False or row <= self._last_assigned_row:
            return None
        self._last_assigned_row = row + count - 1
        return row

    def may_add(self, number: int) -> bool:
        if not self.several:
            return True
        if number == self._head:
            return not self._buffer.is_full or len(self._batches) < self._limits.batches
        # The second limit bounds the examples that have joined faster than the consumer takes them.
        return self._pending < self._limits.pending and self.loaded < self._limits.loaded

    def add(self, number: int, example: Example) -> None:
        """Adds *example*, which item *number* has produced."""
        entry = self._entries[number]
        if entry.waiting is None:
            entry.waiting = []
        entry.waiting.append(example)
        self._pending += number != self._head
        self.loaded += 1
        self._advance()

    def add_only(self, examples: Iterable[Tuple[int, Example]]) -> None:
        """Adds the only example of each of several items, as pairs of the item's number and its example, and ends the
        items."""
        for number, example in examples:
            entry = self._entries[number]
            entry.waiting = [example]
            entry.is_complete = True
            self._pending += number != self._head
            self.loaded += 1
        self._advance()

    def end(self, number: int) -> None:
        """Notes that item *number* produces no more examples."""
        self._entries[number].is_complete = True
        self._advance()

    def leave_out(self, number: int) -> None:
        """Notes that item *number* failed; the stream goes on without it."""
        self._left_out += 1
        self._entries[number].is_left_out = True
        self.end(number)

    def break_at(self, number: int, failure: BaseException) -> None:
        """Ends the stream with *failure* at the point where the rest of item *number* would join it."""
        self._entries[number].failure = failure
        self._advance()

    def end_source(self) -> None:
        """Notes that no more items will be begun."""
        self._has_source_ended = True
        self._advance()

    # How examples become batches.

    def _advance(self) -> None:
        """Lets all examples join whose items are next in order; after the last item, drains the buffer."""
        while self.failure is None and self._head in self._entries:
            entry = self._entries[self._head]
            if entry.epoch != self._epoch:
                self._end_epoch(entry.epoch)
                continue
            if entry.waiting:
                for example in entry.waiting:
                    self._join(example)
                entry.waiting = None
            self.failure = entry.failure
            if not entry.is_complete:
                return
            if self._skip and not entry.is_left_out:
                self.failure = skips_too_much(self._skip)
                return
            self._skip = 0
            del self._entries[self._head]
            self._head += 1
            self._epoch_items += 1
            if self._head in self._entries:
                self._pending -= len(self._entries[self._head].waiting or ())
        if self._has_source_ended and not self._entries and self.failure is None:
            self._end_epoch(self._epoch)
            if self.failure is None:
                self._drain()

    def _end_epoch(self, following: int) -> None:
        """Notes that all items of the current epoch have joined, and *following* is the next epoch. An epoch without
        any example ends the stream with a failure, since the model would be trained on nothing."""
        if self._epoch_items and not self._epoch_has_examples and self._failure_of_epoch is not None:
            self.failure = self._failure_of_epoch(self._epoch, self._epoch_items)
        self._epoch, self._epoch_items, self._epoch_has_examples = following, 0, False

    def _drain(self) -> None:
        for example in self._buffer.drain():
            self._assemble(example)
        # One bucket after another, so that the cursor after each batch accounts for what is still in the buckets.
        for examples in self._buckets.rest() if self._buckets is not None else iter([self._assembling]):
            if examples and not self._drop_remainder:
                self._close_batch(examples)
            else:
                self.loaded -= len(examples)
        self._assembling = []
        self._is_drained = True

    def _join(self, example: Example) -> None:
        self._epoch_has_examples = True
        if self._skip:
            self._skip -= 1
            self.loaded -= 1
            return
        self._joined = example
        if self._is_straight:
            self._assembling.append(example)
            if len(self._assembling) == self._limits.batch_size:
                examples, self._assembling = self._assembling, []
                self._close_batch(examples)
            return
        before = len(self._buffer) + 1
        pushed_out = self._buffer.push(example)
        # In a resumed stream the buffer drops the examples that are in earlier batches.
        self.loaded -= before - len(self._buffer) - len(pushed_out)
        for one in pushed_out:
            self._assemble(one)

    def _assemble(self, example: Example) -> None:
        if self._buckets is not None:
            bucket = int(example.block.arrays[-1][example.row])
            is_in, examples = self._buckets.add(bucket, self._buffer.serial - 1, example)
            self._dropped += not is_in
            self.loaded -= not is_in
            if examples:
                self._close_batch(examples)
            return
        self._assembling.append(example)
        if len(self._assembling) == self._limits.batch_size:
            examples, self._assembling = self._assembling, []
            self._close_batch(examples)

    def _close_batch(self, examples: List[Example]) -> None:
        first = self._examples_in_batches
        self._examples_in_batches = drawn = first + len(examples)
        if self._is_straight and not self.several:
            last = examples[-1].item
            after: After = (last.epoch, last.offset + 1, 0, drawn + self._joined_surplus, drawn)
        else:
            after = self._after()
        self._batches.append(Batch(examples, after, first, self._finishes))

    def _after(self) -> Cursor:
        """Returns the cursor after the last example that is in a batch so far."""
        serial, drawn = self._buffer.serial, self._examples_in_batches
        oldest = None
        if self._is_straight:
            serial = drawn + self._joined_surplus
        else:
            oldest = self._buffer.oldest() if self._buckets is None else self._buckets.oldest()
        if oldest is not None:
            # The stream resumes at the oldest example that waits. Later ones that are in batches are loaded again, and
            # dropped.
            serial, first = oldest
            released = self._buckets.released_since(serial) if self._buckets is not None else ()
            return Cursor(first.item.epoch, first.item.offset, first.number, serial, drawn, released)
        assert self._joined is not None
        item, number = self._joined.item, self._joined.number
        if self.several:
            return Cursor(item.epoch, item.offset, number + 1, serial, drawn)
        return Cursor(item.epoch, item.offset + 1, 0, serial, drawn)

    # Batches that have to be assembled or finished.

    def batch_to_gather(self) -> Optional[Batch]:
        """Returns the next batch to assemble or finish, which is the caller's from now on; None if there is none now.

        Only one batch is assembled at a time, since its examples exist twice meanwhile.
        """
        for place, batch in enumerate(self._batches):
            if place >= self._ready_ahead or (batch.block is None and (batch.is_begun or place >= _GATHERED)):
                return None
            if not batch.is_ready and not batch.is_begun:
                batch.is_begun = True
                return batch
        return None

    # What the consumer does.

    def has_batch(self) -> bool:
        if not self._batches:
            return False
        batch = self._batches[0]
        return batch.block is not None and not batch.needs_finishing

    @property
    def waiting(self) -> int:
        """The number of batches that wait for the consumer, ready or not."""
        return len(self._batches)

    def take(self) -> Batch:
        batch = self._batches.popleft()
        self.count_taken(batch.count)
        return batch

    def fetched(self, most: int) -> List[Batch]:
        """Returns up to *most* next batches that are ready; they count as waiting until ``count_taken`` is called."""
        batches: List[Batch] = []
        # Not if items produce several examples: ``may_add`` depends on the number of batches that are here.
        if self.several:
            return batches
        for batch in itertools.islice(self._batches, most):
            if batch.block is None or batch.needs_finishing or batch.value is not None:  # the value may be an error
                break
            batches.append(batch)
        for _ in batches:
            self._batches.popleft()
        return batches

    def count_taken(self, examples: int) -> None:
        """Notes that the consumer has taken *examples* more examples."""
        self._taken += examples
        self.loaded -= examples

    def forget(self) -> None:
        """Drops all examples and batches, so that their memory is released."""
        self._entries.clear()
        self._assembling = []
        self._joined = None
        if self._buckets is not None:
            self._buckets = Buckets(self._limits.waiting // self._limits.batch_size, self._limits.batch_size)
        self._batches.clear()
        self._buffer = self._make_buffer(0)
        self.loaded = 0

    @property
    def is_bucketed(self) -> bool:
        """Whether an example's row in a batch is not known before it is loaded."""
        return self._buckets is not None

    @property
    def is_over(self) -> bool:
        """Whether all batches were taken, and no more will come."""
        return not self._batches and (self._is_drained or self.failure is not None)

    @property
    def is_complete(self) -> bool:
        """Whether workers have nothing left to do."""
        ended = self._is_drained or self.failure is not None
        return ended and all(batch.is_ready or batch.is_begun for batch in self._batches)

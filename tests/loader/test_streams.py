"""The core without threads: whatever the order in which items are loaded, the batches are those of a plain model."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from queuecompat.loader.memory.blocks import BufferPool
from queuecompat.loader.memory.structures import spec_of
from queuecompat.loader.order import randomness
from queuecompat.loader.order.sampler import Item
from queuecompat.loader.order.shuffle_buffer import ShuffleBuffer
from queuecompat.loader.stream.examples import Batch, Cursor, Example
from queuecompat.loader.stream.limits import Limits
from queuecompat.loader.stream.streams import Stream

SPEC = spec_of(None, [np.zeros((), np.int64)])
FAILS = -1  # an item that is left out


def make_buffer(depth: int, cursor: Cursor = Cursor(0)) -> ShuffleBuffer[Any]:  # noqa: B008
    return ShuffleBuffer(
        depth,
        functools.partial(randomness.pool_slots, 1, 0),
        drain_order=functools.partial(randomness.drain_order, 1, 0),
        serial=cursor.serial,
        drawn=cursor.drawn,
    )


def meaning(gives: List[int], several: bool, depth: int, batch_size: int, drop_remainder: bool) -> List[List[int]]:
    """The batches, from what each item gives: no limits, no workers, one list after another."""
    stream = [
        100 * item + number
        for item, count in enumerate(gives)
        if count != FAILS
        for number in range(count if several else 1)
    ]
    buffer = make_buffer(depth)
    out = [example for one in stream for example in buffer.push(one)] + list(buffer.drain())
    batches = [out[start : start + batch_size] for start in range(0, len(out), batch_size)]
    return [batch for batch in batches if len(batch) == batch_size or not drop_remainder]


class Workers(RuleBasedStateMachine):
    """Workers and a consumer who do anything that is allowed, in any order."""

    @initialize(
        gives=st.lists(st.sampled_from([FAILS, FAILS, 0, 1, 1, 1, 2, 5]), max_size=40),
        several=st.booleans(),
        shuffle=st.booleans(),
        batch_size=st.integers(1, 5),
        capacity=st.integers(1, 30),
        data=st.data(),
    )
    def begin(
        self, gives: List[int], several: bool, shuffle: bool, batch_size: int, capacity: int, data: st.DataObject
    ) -> None:
        minimum = data.draw(st.integers(0, capacity - 1))
        drop = data.draw(st.booleans())
        self.gives, self.several, self.batch_size, self.capacity = gives, several, batch_size, capacity
        self.limits = Limits.within(capacity, batch_size, minimum, shuffle=shuffle)
        self.stream = Stream(self.limits, make_buffer, drop_remainder=drop, cursor=Cursor(0))
        self.heap = BufferPool()
        self.rows: Dict[int, Any] = {}
        self.left: Dict[int, int] = {}  # examples that a begun item has still to give
        self.places: Dict[int, Optional[Example]] = {}
        self.gathering: Optional[Batch] = None
        self.taken: List[List[int]] = []
        self.has_ended = False
        depth = self.limits.pool if several else 0
        self.expected = meaning(gives, several, depth, batch_size, drop)

    # What may be done now.

    def can_begin(self) -> bool:
        return len(self.places) < len(self.gives) and self.stream.may_begin()

    def can_end_source(self) -> bool:
        return len(self.places) == len(self.gives) and not self.has_ended

    def can_go_on(self) -> List[int]:
        return [number for number, count in self.left.items() if count <= 0 or self.stream.may_add(number)]

    # Who does it.

    @precondition(lambda self: self.can_begin())
    @rule()
    def a_worker_begins(self) -> None:
        number = self.stream.begin()
        assert number == len(self.places)
        row = self.stream.row_for(number) if self.stream.several is False else None
        self.places[number] = self._in_row(number, row) if row is not None else None
        count = self.gives[number]
        self.left[number] = count if self.several or count == FAILS else 1

    @precondition(lambda self: self.can_go_on())
    @rule(data=st.data())
    def a_worker_goes_on(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.can_go_on()))
        count = self.left[number]
        if count > 0:
            self._give(number)
            self.left[number] -= 1
        else:
            del self.left[number]
            (self.stream.end if count == 0 else self.stream.leave_out)(number)

    @precondition(lambda self: self.can_end_source())
    @rule()
    def the_source_ends(self) -> None:
        self.stream.end_source()
        self.has_ended = True

    @precondition(lambda self: self.gathering is None)
    @rule()
    def a_worker_begins_to_gather(self) -> None:
        self.gathering = self.stream.batch_to_gather()

    @precondition(lambda self: self.gathering is not None)
    @rule()
    def a_worker_ends_gathering(self) -> None:
        assert self.gathering is not None
        assert self.stream.batch_to_gather() is None  # one at a time
        block = self.heap.take(SPEC, self.batch_size)
        for row, example in enumerate(self.gathering.examples):
            block.copy_row(row, example.block, example.row)
        self.gathering.gathered_in(block)
        self.gathering = None

    @precondition(lambda self: self.stream.has_batch())
    @rule()
    def the_consumer_takes(self) -> None:
        batch = self.stream.take()
        assert batch.block is not None
        self.taken.append(batch.block.batch(batch.count, stays_valid=True).tolist())

    @invariant()
    def what_was_taken_is_what_the_model_gives(self) -> None:
        if hasattr(self, "stream"):
            assert self.taken == self.expected[: len(self.taken)]
            assert 0 <= self.stream.loaded <= self.capacity + 2 * self.batch_size

    @invariant()
    def somebody_can_always_do_something_until_all_is_taken(self) -> None:
        if hasattr(self, "stream"):
            busy = self.can_begin() or self.can_go_on() or self.can_end_source() or self.stream.has_batch()
            if not busy and self.gathering is None:
                batch = self.stream.batch_to_gather()
                if batch is not None:
                    batch.is_begun = False
                else:
                    assert self.stream.is_over and self.stream.is_complete
                    assert self.taken == self.expected

    def _give(self, number: int) -> None:
        if self.stream.several is None:
            self.stream.decide(self.several)
        item = Item(0, number, number)
        given = self.gives[number] - self.left[number] if self.several else 0
        example = self.places[number] or self._late_place(number, given)
        example.block.write(example.row, [np.int64(100 * number + given)[...]])
        self.stream.add(number, Example(item, given, example.block, example.row))

    def _late_place(self, number: int, given: int) -> Example:
        row = None if self.several else self.stream.row_for(number)
        if row is not None:
            return self._in_row(number, row)
        return Example(Item(0, number, number), given, self.heap.take(SPEC, 1), 0)

    def _in_row(self, number: int, row: int) -> Example:
        block, within = divmod(row, self.batch_size)
        if block not in self.rows:
            self.rows = {block: self.heap.take(SPEC, self.batch_size)}
        return Example(Item(0, number, number), 0, self.rows[block], within)


TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=120, stateful_step_count=150, deadline=None)


@pytest.mark.parametrize("left", range(0, 60, 7))
def test_a_resumed_shuffle_buffer_continues_with_the_same_examples(left: int) -> None:
    whole = make_buffer(10)
    out: List[int] = []
    cursors = {}
    for number in range(50):
        out += whole.push(number)
        cursors[len(out)] = (whole.oldest() or (0, 0))[0]
    for number in whole.drain():
        out.append(number)
        cursors[len(out)] = (whole.oldest() or (50, 0))[0]
    left = min(left, 50)
    again = make_buffer(10, Cursor(0, serial=cursors[left], drawn=left))
    rest = [given for number in range(cursors[left], 50) for given in again.push(number)] + list(again.drain())
    assert rest == out[left:]
    assert sorted(out) == list(range(50))


def test_a_shuffle_buffer_of_size_zero_keeps_the_order() -> None:
    buffer = make_buffer(0)
    assert [given for number in range(5) for given in buffer.push(number)] == [0, 1, 2, 3, 4]


def test_a_shuffle_buffer_mixes_over_its_size() -> None:
    buffer = make_buffer(100)
    out = [given for number in range(5000) for given in buffer.push(number)]
    distances = np.abs(np.array(out) - np.arange(len(out)))
    assert 50 < distances.mean() < 200
    assert buffer.is_full


def test_only_batches_that_were_begun_before_an_item_failed_have_to_be_gathered() -> None:
    """Every one after it used to be possible, too: all rows are off by one from there on."""
    limits = Limits.within(12, 4, 0, shuffle=False)
    stream = Stream(limits, make_buffer, drop_remainder=False, cursor=Cursor(0))
    heap, rows, begun, taken, gathered = BufferPool(), {}, [], [], 0
    while len(taken) < 20:
        while stream.may_begin():
            number = stream.begin()
            row = stream.row_for(number)
            if stream.several is None:
                stream.decide(False)
                row = stream.row_for(number)
            if row is not None and row // 4 not in rows:
                rows[row // 4] = heap.take(SPEC, 4)
            place = (heap.take(SPEC, 1), 0) if row is None else (rows[row // 4], row % 4)
            begun.append((number, place))
            if number == 0:
                break
        number, (block, within) = begun.pop(0)
        if number == 5:
            stream.leave_out(number)
        else:
            block.write(within, [np.int64(number)[...]])
            stream.add(number, Example(Item(0, number, number), 0, block, within))
            stream.end(number)
        batch = stream.batch_to_gather()
        if batch is not None:
            gathered += 1
            whole = heap.take(SPEC, 4)
            for row, example in enumerate(batch.examples):
                whole.copy_row(row, example.block, example.row)
            batch.gathered_in(whole)
        while stream.has_batch():
            taken.append(stream.take().block.batch(4, stays_valid=True).tolist())
    numbers = [number for number in range(81) if number != 5]
    assert taken == [numbers[start : start + 4] for start in range(0, 80, 4)]
    assert 1 <= gathered <= 12 // 4 + 1

"""What the loader costs, in steps and in processor time: never in seconds on the clock."""

from __future__ import annotations

import threading
import time
from typing import Any, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader import epoch_run, randomness
from queuecompat.loader.permutations import ComputedOrder
from tests.loader.sources import LONG, lists

pytestmark = pytest.mark.timeout(120)


def test_every_worker_has_an_item_where_the_capacity_was_left_open() -> None:
    """With batches of one, 16 workers used to share a capacity of three."""
    together = threading.Barrier(8)

    def load(item: int) -> int:
        if item:  # the first is loaded alone: it shows what examples look like
            together.wait(LONG)
        return item

    assert lists(BackgroundLoader(range(17), load, batch_size=1, num_workers=8)) == [[item] for item in range(17)]


def test_the_order_and_the_state_do_not_depend_on_how_many_are_loaded_ahead() -> None:
    def make(num_workers: int) -> BackgroundLoader:
        return BackgroundLoader(iter_of(40), batch_size=1, shuffle=True, seed=3, num_workers=num_workers, num_epochs=2)

    class iter_of:  # noqa: N801
        def __init__(self, count: int) -> None:
            self._count = count

        def __iter__(self) -> Any:
            return iter(range(self._count))

    few, many = make(1), make(16)
    first = next(iter(few))
    assert next(iter(many)).tolist() == first.tolist()
    state = few.state_dict()
    assert state == many.state_dict()
    many.load_state_dict(state)
    few.load_state_dict(state)
    assert lists(many) == lists(few)


def test_the_oldest_of_a_shuffle_buffer_is_found_in_a_time_that_does_not_grow_with_it() -> None:
    """It used to be searched for at every batch: 118 items a second, with 100,000."""

    def seconds(depth: int) -> float:
        buffer = shuffle_buffer(depth)
        for number in range(2 * depth):
            buffer.push(number)
        since = time.process_time()
        for number in range(2000):
            buffer.push(number)
            buffer.oldest()
        return time.process_time() - since

    small, large = seconds(100), seconds(100_000)
    assert large < 20 * small  # a thousand times more elements


def shuffle_buffer(depth: int) -> Any:
    from queuecompat.loader.shuffle_buffer import ShuffleBuffer

    def slots(block: int, count: int, depth: int) -> np.ndarray:
        return randomness.pool_slots(1, 0, block, count, depth)

    return ShuffleBuffer(depth, slots, drain_order=lambda count: np.arange(count))


class _Counted:
    """A sequence that counts how often it is asked."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.asked: List[int] = []

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> int:
        self.asked.append(index)
        return index


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_sequence_is_gone_on_with_without_a_walk_over_what_came_before(shuffle: bool) -> None:
    source = _Counted(3_000_000)
    loader = BackgroundLoader(source, batch_size=4, shuffle=shuffle, seed=1, num_workers=1)
    state = {**loader.state_dict(), "offset": 2_999_996}
    loader.load_state_dict(state)
    since = time.process_time()
    (batch,) = lists(loader)
    # To walk over three millions of items took seconds; to draw their order, tens of milliseconds.
    assert time.process_time() - since < 1
    assert sorted(source.asked) == sorted(batch)


def test_a_hundred_million_items_are_shuffled_without_a_stop() -> None:
    """All of their order used to be drawn before the first batch: 800 MB, and seconds."""
    since = time.process_time()
    loader = BackgroundLoader(range(100_000_000), batch_size=1000, shuffle=True, seed=1, num_workers=1)
    batches = iter(loader)
    seen = [number for _ in range(5) for number in next(batches).tolist()]
    batches.close()
    assert time.process_time() - since < 2
    assert len(set(seen)) == 5000
    assert abs(np.mean(seen) / 50_000_000 - 1) < 0.05


def test_a_state_of_an_order_that_was_drawn_is_no_state_of_one_that_is_computed() -> None:
    count = randomness.MOST_STORED
    drawn, computed = (BackgroundLoader(range(n), batch_size=4, shuffle=True).state_dict() for n in (count, count + 1))
    assert (drawn["version"], computed["version"]) == (1, 2)
    assert BackgroundLoader(range(count + 1), batch_size=4).state_dict()["version"] == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 17, 255, 256, 257, 1000, 4095, 4096, 4097, 10_000])
def test_a_computed_order_has_every_number_once(count: int) -> None:
    order = ComputedOrder(count, np.arange(8, dtype=np.uint64) + np.uint64(count))
    numbers = [order[position] for position in range(count)]
    assert sorted(numbers) == list(range(count))
    assert [order[position] for position in reversed(range(count))] == numbers[::-1]
    if count > 200:
        other = ComputedOrder(count, np.arange(8, dtype=np.uint64) + np.uint64(count + 1))
        same = np.mean([other[position] == number for position, number in enumerate(numbers)])
        assert same < 0.05


def test_a_computed_order_is_as_random_as_a_drawn_one() -> None:
    """Where a number comes says nothing of the number, of its neighbours, nor of its bits."""
    count = 1 << 16
    order = ComputedOrder(count - 3, np.random.default_rng(5).integers(1 << 63, size=8, dtype=np.uint64))
    numbers = order.numbers(np.arange(count - 3, dtype=np.uint64)).astype(np.float64)
    places = np.arange(count - 3)
    limit = 4 / np.sqrt(count)  # four standard deviations
    assert abs(np.corrcoef(numbers, places)[0, 1]) < limit
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < limit
    bits = (numbers.astype(np.int64)[:, None] >> np.arange(16)) & 1
    place_bits = (places[:, None] >> np.arange(16)) & 1
    assert np.abs(np.corrcoef(bits.T, place_bits.T)[:16, 16:]).max() < 1.5 * limit


def test_items_that_take_microseconds_are_told_as_done_by_the_dozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each used to take the lock several times, which cost more than the item: 56 to 78 microseconds of time."""
    told: List[int] = []
    finish = epoch_run.EpochRun.finish

    def counted(self: Any, works: Any, **kinds: Any) -> None:
        told.append(len(works))
        finish(self, works, **kinds)

    monkeypatch.setattr(epoch_run.EpochRun, "finish", counted)
    lists(BackgroundLoader(range(20_000), batch_size=200, num_workers=2))
    assert sum(told) == 20_000
    assert len(told) < 20_000 / 8


def test_items_that_take_longer_are_begun_one_by_one_so_that_all_workers_have_some() -> None:
    together = threading.Barrier(4)

    def load(item: int) -> int:
        if item:
            together.wait(LONG)  # each needs the three others, on workers of their own
        return item

    lists(BackgroundLoader(range(41), load, batch_size=8, num_workers=4))

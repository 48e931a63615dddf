"""What the loader costs, in steps and in processor time: never in seconds on the clock."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Iterator, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.memory.blocks import BufferPool
from queuecompat.loader.memory.structures import leaves_of, spec_of
from queuecompat.loader.order import randomness
from queuecompat.loader.order.permutations import ComputedOrder
from queuecompat.loader.order.sampler import Item
from queuecompat.loader.run import epoch_run, reserve
from queuecompat.loader.run.reserve import Reserve
from queuecompat.loader.stream.examples import Cursor, Example
from queuecompat.loader.stream.limits import Limits
from queuecompat.loader.stream.streams import Stream
from queuecompat.loader.workers import thread_pool
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


@pytest.mark.parametrize("several", [False, True], ids=["one each", "several"])
@pytest.mark.parametrize(("num_workers", "batch_size"), [(1, 1), (2, 1), (16, 1), (16, 8), (3, 2), (2, 5)])
def test_two_examples_a_worker_are_loaded_ahead_by_default(num_workers: int, batch_size: int, several: bool) -> None:
    """16 workers and batches of one: 261 items a second of 5 ms each, and 1,398 with a capacity of 64."""
    begun = threading.Semaphore(0)
    count = 0

    def load(item: int) -> Any:
        nonlocal count
        begun.release()
        count += 1
        example = np.zeros(2000, np.uint8)  # not a small one, of which more are loaded
        return iter([example]) if several else example

    loader = BackgroundLoader(range(1000), load, batch_size=batch_size, num_workers=num_workers)
    least = 2 * num_workers
    with loader:
        batches = iter(loader)
        for _ in range(least):
            assert begun.acquire(timeout=LONG)
        batches.close()
    if not several:
        # Memory is there by the batch.
        assert count <= max(3 * batch_size, -(-least // batch_size) * batch_size)
        assert loader.statistics().capacity == max(3 * batch_size, least)


def test_a_capacity_that_was_asked_for_is_kept_whatever_the_number_of_workers() -> None:
    loaded: List[int] = []

    def load(item: int) -> np.ndarray:
        loaded.append(item)
        return np.zeros(2000, np.uint8)

    with BackgroundLoader(range(100), load, batch_size=1, capacity=4, num_workers=8) as loader:
        batches = iter(loader)
        next(batches)
        batches.close()
        assert len(loaded) <= 5


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
    from queuecompat.loader.order.shuffle_buffer import ShuffleBuffer

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
def test_resuming_a_sequence_does_not_iterate_over_the_items_before_the_position(shuffle: bool) -> None:
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


@pytest.fixture
def quick_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine, or a busy one, an item of a microsecond may take too long to be loaded by the dozen."""
    monkeypatch.setattr(thread_pool, "_SECONDS_AT_ONCE", LONG)
    monkeypatch.setattr(reserve, "_SECONDS_AHEAD", LONG)


@pytest.mark.usefixtures("quick_items")
def test_fast_items_are_reported_as_done_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_items_slower_than_those_before_them_are_reported_one_by_one() -> None:
    """They were begun by the dozen, since the others took microseconds, and were all told after the last of them."""
    taken = [threading.Event() for _ in range(320)]

    def load(item: int) -> int:
        if item >= 300:
            since = time.perf_counter()
            while time.perf_counter() - since < 0.005:
                pass
            assert item == 300 or taken[item - 1].wait(LONG)
        return item

    for (item,) in BackgroundLoader(range(320), load, batch_size=1, num_workers=1):
        taken[item].set()


def test_items_that_take_longer_are_begun_one_by_one_so_that_all_workers_have_some() -> None:
    together = threading.Barrier(4)

    def load(item: int) -> int:
        if item:
            together.wait(LONG)  # each needs the three others, on workers of their own
        return item

    lists(BackgroundLoader(range(41), load, batch_size=8, num_workers=4))


@pytest.mark.usefixtures("quick_items")
def test_tiny_batches_are_fetched_by_the_dozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each used to take the lock, and to wake up all workers: 35 to 51 microseconds an item in batches of one."""
    taken: List[int] = []
    told: List[int] = []
    take, finish = epoch_run.EpochRun._take_from_stream, epoch_run.EpochRun.finish

    def counted(self: Any, asked: float) -> Any:
        taken.append(1)
        return take(self, asked)

    def counted_items(self: Any, works: Any, **kinds: Any) -> None:
        told.append(len(works))
        finish(self, works, **kinds)

    monkeypatch.setattr(epoch_run.EpochRun, "_take_from_stream", counted)
    monkeypatch.setattr(epoch_run.EpochRun, "finish", counted_items)
    loader = BackgroundLoader(range(20_000), batch_size=1, num_workers=2)
    assert lists(loader) == [[item] for item in range(20_000)]
    assert sum(told) == 20_000
    assert len(taken) < 20_000 / 4 and len(told) < 20_000 / 4
    assert loader.statistics().batches == 20_000


@pytest.mark.usefixtures("quick_items")
@pytest.mark.parametrize(("batch_size", "most"), [(1, 26), (64, 12)])
def test_a_trivial_item_is_a_few_calls(batch_size: int, most: float) -> None:
    """On all threads together: they were 79 and 40, then 64 and 34, of which each takes 0.2 to 0.3 microseconds."""
    calls = [0]

    def count(frame: Any, event: str, argument: Any) -> None:
        # Python 3.12 has no frames for comprehensions.
        calls[0] += event == "call" and frame.f_code.co_name != "<listcomp>"

    loader = BackgroundLoader(range(3200), same, batch_size=batch_size, num_workers=1)
    before = sys.getprofile()
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        taken = sum(len(batch) for batch in loader)
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]
    assert taken == 3200
    assert calls[0] / taken < most


def same(item: int) -> int:
    return item


def test_small_examples_are_loaded_ahead_by_64_where_the_capacity_was_left_open() -> None:
    def ahead(**kinds: Any) -> int:
        loader = BackgroundLoader(range(3), batch_size=1, num_workers=1, **kinds)
        lists(loader)
        return loader.statistics().capacity

    assert ahead() == 64
    assert ahead(capacity=5) == 5
    assert ahead(load=lambda item: np.zeros(2000, np.uint8)) == 3
    assert ahead(load=lambda item: "text of any length") == 3
    assert ahead(load=lambda item: iter([item])) == 3


def test_batches_that_were_fetched_ahead_count_as_waiting_until_the_reserve_is_used_up() -> None:
    """The bound on memory holds for them."""
    stream = small_stream(window=8)
    items = list(fill(stream))
    assert len(items) == 8
    stream.take()
    fetched = stream.fetched(3)
    assert [batch.first for batch in fetched] == [1, 2, 3]
    assert stream.loaded == 7
    assert len(list(fill(stream))) == 1  # in the place of the one that was taken
    stream.count_taken(3)
    assert len(list(fill(stream))) == 3


def test_no_more_is_fetched_ahead_than_a_consumer_takes_in_a_millisecond_and_three_quarters_of_what_waits() -> None:
    reserve = Reserve()
    reserve.worth_fetching(10.0, 64)
    assert reserve.worth_fetching(10.01, 64) == 0  # ten milliseconds for a batch
    assert reserve.worth_fetching(10.01 + 1.1e-4, 64) == 9
    assert reserve.worth_fetching(10.01 + 1.11e-4, 64) == 48


def small_stream(*, window: int) -> Stream:
    limits = Limits(batch_size=1, window=window, pool=0, pending=window, batches=1)
    stream = Stream(limits, lambda depth: shuffle_buffer(0), drop_remainder=False, cursor=Cursor(0))
    stream.decide(several=False)
    return stream


def fill(stream: Stream) -> Iterator[int]:
    """Begins and ends items as long as there is room."""
    spec = spec_of(*leaves_of(0))
    while stream.may_begin():
        number = stream.begin()
        stream.row_for(number)
        stream.add_only([(number, Example(Item(0, number, number), 0, BufferPool().take(spec, 1), 0))])
        yield number

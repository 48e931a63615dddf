"""Workers in every order that matters, forced by events."""

from __future__ import annotations

import threading
from typing import Any, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.run import epoch_run
from tests.loader.sources import LONG, lists


def test_the_last_item_of_a_batch_may_be_ready_first() -> None:
    ends = [threading.Event() for _ in range(6)]
    ends[5].set()

    def load(item: int) -> int:
        if item:  # the first is loaded alone: it shows what examples look like
            # Each of the others waits for the one after it.
            assert ends[item + 1].wait(LONG)
            ends[item].set()
        return item

    assert lists(BackgroundLoader(range(5), load, batch_size=5, num_workers=4)) == [[0, 1, 2, 3, 4]]


def test_items_with_several_examples_may_end_in_any_order() -> None:
    ends = [threading.Event() for _ in range(4)]
    ends[3].set()

    def load(item: int) -> Any:
        yield 10 * item
        assert ends[item + 1].wait(LONG)
        ends[item].set()
        yield 10 * item + 1

    # Without a capacity twice as many examples as workers may wait for items before theirs: all of items 1 and 2.
    assert lists(BackgroundLoader(range(3), load, batch_size=2, num_workers=3)) == [
        [0, 1],
        [10, 11],
        [20, 21],
    ]


def test_no_more_is_loaded_than_the_capacity_until_a_batch_is_taken() -> None:
    loaded: List[int] = []
    is_full = threading.Semaphore(0)
    wait = epoch_run.EpochRun._wait_as_worker

    def load(item: int) -> int:
        loaded.append(item)
        return item

    def waits(self: Any) -> None:
        is_full.release()
        wait(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epoch_run.EpochRun, "_wait_as_worker", waits)
        with BackgroundLoader(range(100), load, batch_size=4, capacity=12, num_workers=1) as loader:
            batches = iter(loader)
            # Nothing else can be waited for by the only worker.
            assert is_full.acquire(timeout=LONG)
            assert loaded == list(range(12))
            next(batches)
            assert is_full.acquire(timeout=LONG)
            assert len(loaded) in (12, 16)  # the first may be told before it has seen the room
            if len(loaded) == 12:
                assert is_full.acquire(timeout=LONG)
            assert loaded == list(range(16))


def test_a_failure_does_not_overtake_the_items_before_it() -> None:
    has_failed = threading.Event()

    def load(item: int) -> int:
        if item == 3:
            has_failed.set()
            raise ValueError("three")
        assert has_failed.wait(LONG)
        return item

    batches = iter(BackgroundLoader(range(8), load, batch_size=1, num_workers=4, capacity=8))
    # The first shows what examples look like; nobody else begins before.
    has_failed.set()
    assert [next(batches).tolist() for _ in range(3)] == [[0], [1], [2]]
    with pytest.raises(RuntimeError, match="ValueError: three"):
        next(batches)


def test_an_item_skipped_after_later_items_are_ready_moves_them_up() -> None:
    others = threading.Barrier(4)

    def load(item: int) -> int:
        if 1 <= item <= 4:
            others.wait(LONG)  # all four are being loaded
        if item == 1:
            assert are_loaded.wait(LONG)
            raise ValueError("one")
        if item == 4:
            are_loaded.set()
        return item

    are_loaded = threading.Event()
    loader = BackgroundLoader(range(12), load, batch_size=4, num_workers=4, on_error="skip")
    assert lists(loader) == [[0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]]


def test_the_source_is_asked_by_one_worker_at_a_time() -> None:
    class Source:
        def __init__(self) -> None:
            self._lock = threading.Lock()

        def __iter__(self) -> Any:
            for number in range(200):
                assert self._lock.acquire(blocking=False)
                self._lock.release()
                yield number

    (batch,) = BackgroundLoader(Source(), batch_size=200, num_workers=8)
    assert batch.tolist() == list(range(200))


def test_an_internal_error_in_a_worker_reaches_the_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: Any) -> None:
        raise MemoryError("none left")

    monkeypatch.setattr("queuecompat.loader.memory.blocks._allocated", no_memory)
    with pytest.raises((MemoryError, RuntimeError), match="none left"):
        lists(BackgroundLoader(range(8), lambda item: np.zeros(100), batch_size=4))

"""The cache in memory: what is kept, for how much memory, and what it never changes."""

from __future__ import annotations

import pickle
import threading
from typing import Any, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader import MemoryCache
from tests.loader import loads
from tests.loader.sources import LONG, lists


class Decoder:
    """Counts its calls; an item is that many numbers."""

    def __init__(self) -> None:
        self.decoded: List[int] = []

    def __call__(self, item: int) -> np.ndarray:
        self.decoded.append(item)
        return np.full(100, item, np.uint8)


def test_items_are_decoded_once_and_augmented_again_each_epoch() -> None:
    decoder = Decoder()
    cache = MemoryCache(decoder, max_bytes=10_000)

    def load(item: int, rng: np.random.Generator) -> Any:
        return cache(item)[:2].astype(np.float64) + rng.random()

    first, second = (np.stack(list(BackgroundLoader(range(20), load, batch_size=20, seed=s))) for s in (1, 2))
    assert sorted(decoder.decoded) == list(range(20))
    assert np.array_equal(np.floor(first), np.floor(second)) and not np.array_equal(first, second)
    assert cache.statistics().hits == 20 and cache.statistics().misses == 20


def test_a_full_cache_keeps_what_it_has_and_the_rest_is_loaded_each_time() -> None:
    decoder = Decoder()
    cache = MemoryCache(decoder, max_bytes=650)
    for _ in range(3):
        for item in range(10):
            assert cache(item).tolist() == [item] * 100
            assert cache.statistics().bytes <= 650
    assert cache.statistics().items == 6
    assert len(decoder.decoded) == 10 + 4 + 4
    cache.clear()
    assert cache.statistics().bytes == 0
    cache(9)
    assert cache.statistics().items == 1


def test_what_is_cached_is_a_copy_that_cannot_be_written_into() -> None:
    used_again = np.zeros(4)
    cache = MemoryCache(lambda item: {"pair": (used_again, [used_again]), "name": "x"}, max_bytes=1000)
    cache(1)
    used_again[:] = 7
    kept = cache(1)
    assert kept["pair"][0].tolist() == kept["pair"][1][0].tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        kept["pair"][0][0] = 1


def test_an_item_that_two_threads_decode_at_once_is_counted_once() -> None:
    together = threading.Barrier(2)

    def decode(item: int) -> np.ndarray:
        together.wait(LONG)
        return np.zeros(10, np.uint8)

    cache = MemoryCache(decode, max_bytes=1000)
    threads = [threading.Thread(target=cache, args=(1,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert (cache.statistics().items, cache.statistics().bytes) == (1, 10)


def test_a_failure_is_not_cached() -> None:
    failures = [OSError("busy")]

    def decode(item: int) -> int:
        if failures:
            raise failures.pop()
        return item

    cache = MemoryCache(decode, max_bytes=1000)
    with pytest.raises(OSError):
        cache(3)
    assert cache(3) == 3


def test_worker_processes_get_the_function_and_not_what_is_cached() -> None:
    cache = MemoryCache(loads.same, max_bytes=1 << 20)
    empty = len(pickle.dumps(cache))
    cache(1)
    assert len(pickle.dumps(cache)) == empty
    assert lists(BackgroundLoader(range(4), cache, batch_size=4, workers="processes", num_workers=1)) == [[0, 1, 2, 3]]


def test_items_without_a_hash_need_a_key() -> None:
    with pytest.raises(TypeError, match=r"QC601 .*key"):
        MemoryCache(len, max_bytes=10)([1, 2])
    assert MemoryCache(len, max_bytes=100, key=str)([1, 2]) == 2
    for wrong in ({"max_bytes": 0}, {"max_bytes": "1 GB"}):
        with pytest.raises(ValueError, match="QC601"):
            MemoryCache(len, **wrong)

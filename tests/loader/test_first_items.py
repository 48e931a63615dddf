"""The first items are loaded side by side, as all others; which of them shows what examples look like is settled."""

from __future__ import annotations

import functools
import os
import pathlib
import threading
from typing import Any, Dict, Iterator, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.errors import QueueCompatRuntimeError
from tests.loader.sources import LONG, lists

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("several", [False, True])
def test_every_worker_has_one_of_the_first_items(several: bool) -> None:
    """The first used to be loaded alone: with a worker for each item of a batch, the first batch took twice as long."""
    together = threading.Barrier(8)

    def load(item: int) -> int:
        if item < 8:
            together.wait(LONG)
        return item

    def load_several(item: int) -> Iterator[int]:
        yield load(item)

    loader = BackgroundLoader(range(16), load_several if several else load, batch_size=8, num_workers=8)
    assert lists(loader) == [list(range(8)), list(range(8, 16))]


def read_or_write(path: str, item: int) -> int:
    """Items 0 and 1 meet: opening one end of a pipe waits for the other."""
    if item < 2:
        os.close(os.open(path, [os.O_RDONLY, os.O_WRONLY][item]))
    return item


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_worker_processes_have_the_first_items_side_by_side(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    loader = BackgroundLoader(
        range(6), functools.partial(read_or_write, path), batch_size=3, num_workers=2, workers="processes", timeout=LONG
    )
    assert lists(loader) == [[0, 1, 2], [3, 4, 5]]


class Backwards:
    """Of four items that are loaded at once, the last is ready first. Each returns ``made[item]``, or raises it."""

    def __init__(self, made: List[Any]) -> None:
        self._made = made
        self._ready = [threading.Event() for _ in made]

    def __call__(self, item: int) -> Any:
        if item + 1 < len(self._made):
            assert self._ready[item + 1].wait(LONG)
        self._ready[item].set()
        if isinstance(self._made[item], Exception):
            raise self._made[item]
        return self._made[item]


def test_the_first_item_is_the_model_however_fast_the_others_are() -> None:
    load = Backwards([np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(3)])
    with pytest.raises(QueueCompatRuntimeError, match=r"item 2 .*\[3\].*item 0 .*\[2\]") as caught:
        lists(BackgroundLoader(range(4), load, batch_size=1, num_workers=4))
    assert caught.value.code == "QC607"


@pytest.mark.parametrize("kinds", [{}, {"bucket_by": np.sum, "bucket_boundaries": [100]}])
def test_the_first_batch_is_in_order_however_fast_its_items_are(kinds: Dict[str, Any]) -> None:
    load = Backwards([np.full(2, item) for item in range(4)])
    (batch,) = BackgroundLoader(range(4), load, batch_size=4, num_workers=4, **kinds)
    assert batch[:, 0].tolist() == [0, 1, 2, 3]


def test_of_items_that_fail_the_next_one_is_the_model() -> None:
    load = Backwards([ValueError("no"), ValueError("nor"), np.zeros(2), np.zeros(2)])
    loader = BackgroundLoader(range(4), load, batch_size=2, num_workers=4, on_error="skip")
    assert [batch.shape for batch in loader] == [(2, 2)]
    assert [one.index for one in sorted(loader.skipped, key=lambda one: one.index)] == [0, 1]
    with pytest.raises(QueueCompatRuntimeError, match=r"load failed on item 0 "):
        lists(BackgroundLoader(range(4), Backwards([ValueError("no"), 1, 2, 3]), batch_size=2, num_workers=4))


def test_a_pass_that_is_closed_while_the_others_wait_for_the_first_leaves_no_thread() -> None:
    before = threading.active_count()
    begun, release = threading.Semaphore(0), threading.Event()

    def load(item: int) -> int:
        begun.release()
        if item == 0:
            assert release.wait(LONG)
        return item

    batches = iter(BackgroundLoader(range(8), load, batch_size=2, num_workers=3))
    for _ in range(3):
        assert begun.acquire(timeout=LONG)
    closing = threading.Thread(target=batches.close)
    closing.start()
    release.set()
    closing.join(LONG)
    assert threading.active_count() <= before

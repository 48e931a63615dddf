"""A function that each worker calls before it loads anything."""

from __future__ import annotations

import threading
from typing import Any, List

import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError
from queuecompat.loader.workers.thread_pool import ThreadPool
from tests.loader import loads
from tests.loader.sources import lists, workers_of_loaders


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_each_worker_is_prepared_with_its_number(workers: str) -> None:
    kinds: Any = dict(workers=workers, num_workers=2, worker_init=loads.remembers_its_number, num_epochs=2)
    with BackgroundLoader(range(20), loads.number_of_the_worker, batch_size=4, **kinds) as loader:
        for _ in range(2):  # processes are kept, threads are new ones
            assert {number for batch in lists(loader) for number in batch} <= {0, 1}


def test_every_thread_is_prepared_once_a_pass() -> None:
    numbers: List[int] = []
    together = threading.Barrier(3)

    def prepare(number: int) -> None:
        together.wait(60)
        numbers.append(number)

    loader = BackgroundLoader(range(8), batch_size=2, num_workers=3, worker_init=prepare)
    assert lists(loader) == lists(loader)
    assert sorted(numbers) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_worker_that_cannot_be_prepared_ends_the_iteration(workers: str) -> None:
    kinds: Any = dict(workers=workers, num_workers=1, worker_init=loads.has_no_connection, on_error="skip")
    with pytest.raises(LoadError, match=r"QC643 worker_init failed: ConnectionError: worker 0 has none") as caught:
        lists(BackgroundLoader(range(8), loads.same, batch_size=2, **kinds))
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert workers_of_loaders() == []


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_one_worker_of_several_that_cannot_be_prepared_ends_a_pass_of_one_item(workers: str) -> None:
    kinds: Any = dict(workers=workers, num_workers=2, worker_init=loads.has_no_second_connection)
    with BackgroundLoader([1], loads.same, batch_size=1, **kinds) as loader:
        batches = iter(loader)
        # The batch itself may come first: the failing worker is the slower one.
        with pytest.raises(LoadError, match=r"QC643 worker_init failed: ConnectionError: worker 1 has none"):
            assert [batch.tolist() for batch in batches] == [[1]]
    assert workers_of_loaders() == []


def test_a_worker_that_is_never_prepared_is_an_error_after_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ThreadPool, "close_timeout", 0.1)
    ends = threading.Event()

    def prepare(number: int) -> None:
        if number == 1:
            assert ends.wait(60)

    loader = BackgroundLoader([1], batch_size=1, num_workers=2, worker_init=prepare, timeout=0.2)
    says = r"being loaded: no item \(1 worker still in worker_init\)"
    with pytest.warns(RuntimeWarning, match="QC616 .*" + says), pytest.raises(LoadError, match="QC632 .*" + says):
        list(loader)
    ends.set()


def test_a_loop_that_is_left_does_not_wait_for_workers_that_are_being_prepared() -> None:
    ends = threading.Event()

    def prepare(number: int) -> None:
        if number == 1:
            assert ends.wait(60)

    with BackgroundLoader([1, 2], batch_size=1, num_workers=2, worker_init=prepare) as loader:
        for batch in loader:
            assert batch.tolist() == [1]
            ends.set()
            break
    assert workers_of_loaders() == []


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .*5 for worker_init"):
        BackgroundLoader([1], batch_size=1, worker_init=5)  # type: ignore[arg-type]

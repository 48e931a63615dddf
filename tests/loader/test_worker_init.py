"""A function that each worker calls before it loads anything."""

from __future__ import annotations

import threading
from typing import Any, List

import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError
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


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .*5 for worker_init"):
        BackgroundLoader([1], batch_size=1, worker_init=5)  # type: ignore[arg-type]

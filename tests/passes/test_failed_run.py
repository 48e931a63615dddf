"""Whether everything that comes fails: told from the numbers of what failed."""

from __future__ import annotations

from typing import Iterable, Optional

import pytest

from queuecompat._plan import failed_run
from queuecompat._plan.failed_run import FailedRun


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_run, "LEAST", 30)
    monkeypatch.setattr(failed_run, "MOST", 1000)


def last(run: FailedRun, numbers: Iterable[int], records: int) -> Optional[int]:
    """What is said of the last of *numbers*, of elements of which so many *records* are different."""
    said = None
    for number in numbers:
        said = run.add(number, [number % records])
    return said


def test_the_same_few_records_over_and_over_are_hopeless() -> None:
    assert last(FailedRun(), range(29), 5) is None
    assert last(FailedRun(), range(30), 5) == 30


def test_three_passes_over_more_records_are_hopeless() -> None:
    assert last(FailedRun(), range(299), 100) is None
    assert last(FailedRun(), range(300), 100) == 300


def test_different_records_are_not_hopeless_up_to_a_bound() -> None:
    assert last(FailedRun(), range(999), 10_000) is None
    assert last(FailedRun(), range(1000), 10_000) == 1000


def test_one_element_that_did_not_fail_resets_the_count() -> None:
    numbers = [number for number in range(5000) if number % 20 != 7]
    run = FailedRun()
    assert not any(run.add(number, [number % 20]) for number in numbers)


def test_failures_out_of_order_are_failures_all_the_same() -> None:
    numbers = [number ^ 3 for number in range(32)]
    assert last(FailedRun(), numbers, 4) == 32


def test_after_an_element_that_did_not_fail_counting_starts_again() -> None:
    run = FailedRun()
    assert last(run, range(20), 4) is None
    assert last(run, range(25, 25 + 1001 + 29), 4) is not None


def test_records_of_batches_are_counted_and_not_the_batches() -> None:
    run = FailedRun()
    assert [run.add(number, [1, 2, 3, 4, 5]) for number in range(6)] == [None] * 5 + [30]


def test_of_records_that_are_not_known_only_the_bound_counts() -> None:
    run = FailedRun()
    assert [run.add(number, [None]) for number in range(1000)] == [None] * 999 + [1000]


def test_a_new_iterator_starts_counting_again() -> None:
    run = FailedRun()
    last(run, range(2000, 2020), 4)  # all of them ahead of what has not been told
    assert last(run, range(29), 4) is None

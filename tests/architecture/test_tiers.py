"""Tests that CI runs only on the newest TensorFlow exist, and do not test TensorFlow itself; and CI's deadline."""

from __future__ import annotations

import time

import pytest

from tests.tiers import HERE, ONCE, is_run_once, skip_if_time_is_over


@pytest.mark.parametrize("name", ONCE)
def test_a_name_in_the_list_is_that_of_a_test(name: str) -> None:
    assert (HERE / name).exists()
    assert is_run_once(HERE / name)


@pytest.mark.parametrize("name", ["clusters", "dataset", "gold", "loader", "migrate", "pipelines", "service"])
def test_what_runs_on_tensorflow_is_tested_on_both(name: str) -> None:
    assert not is_run_once(HERE / name)
    assert not [one for one in ONCE if one.startswith(name) and name != "migrate"]


def test_what_begins_after_the_end_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_TESTS_UNTIL", str(time.time() + 60))
    skip_if_time_is_over()
    monkeypatch.setenv("QUEUECOMPAT_TESTS_UNTIL", str(time.time() - 1))
    with pytest.raises(pytest.skip.Exception, match="no time for it"):
        skip_if_time_is_over()

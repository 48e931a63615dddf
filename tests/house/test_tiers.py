"""What CI runs on the newest TensorFlow alone is there, and is not what tests TensorFlow itself."""

from __future__ import annotations

import pytest

from tests.tiers import HERE, ONCE, is_run_once


@pytest.mark.parametrize("name", ONCE)
def test_a_name_in_the_list_is_that_of_a_test(name: str) -> None:
    assert (HERE / name).exists()
    assert is_run_once(HERE / name)


@pytest.mark.parametrize("name", ["clusters", "dataset", "gold", "loader", "migrate", "pipelines", "service"])
def test_what_runs_on_tensorflow_is_tested_on_both(name: str) -> None:
    assert not is_run_once(HERE / name)
    assert not [one for one in ONCE if one.startswith(name) and name != "migrate"]

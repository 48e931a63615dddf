"""The loader's benchmarks run, and their results are not much worse than the measured ones."""

from __future__ import annotations

import os

from tests.bench.loader import slow_step, transport


def test_shared_memory_takes_a_fraction_of_the_time_of_a_pickled_pipe() -> None:
    ours, theirs = transport.measured(batches=14, dtype="uint8")
    # A tenth and less on an idle machine; beside other tests only the direction holds.
    assert ours * (3 if "QUEUECOMPAT_TIMINGS" in os.environ else 1) < theirs


def test_a_slow_training_step_hardly_notices_the_loader() -> None:
    loaded, alone, verdict = slow_step.measured(seconds=0.05, steps=16)
    assert alone > 0.3 * loaded  # 95 % and more on an idle machine
    assert verdict

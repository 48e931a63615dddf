"""What a loader says about itself."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.metrics.statistics import Statistics
from tests.loader import loads
from tests.loader.sources import LONG, lists, workers_of_loaders


def test_returned_examples_are_counted_over_all_passes() -> None:
    loader = BackgroundLoader(range(10), loads.skips_some, batch_size=4, capacity=12, on_error="skip")
    assert loader.statistics().verdict == "too few batches for a verdict"
    lists(loader)
    lists(loader)
    counted = loader.statistics()
    assert (counted.examples, counted.batches, counted.skipped, counted.capacity) == (14, 4, 6, 12)
    assert counted.queue_now == 0
    assert 0 <= counted.queue_lowest <= counted.queue_mean <= counted.capacity
    assert counted.examples_per_second > 0


def test_waiting_of_the_model_is_distinguished_from_waiting_of_the_data() -> None:
    asked = threading.Semaphore(0)

    def load_when_asked(item: int) -> int:
        assert asked.acquire(timeout=LONG)
        return item

    loader = BackgroundLoader(range(4), load_when_asked, batch_size=1, num_workers=1)
    batches = iter(loader)
    for _ in range(4):
        # Whoever asks finds nothing, and waits until it is loaded.
        threading.Timer(0.05, asked.release).start()
        next(batches)
    assert loader.statistics().verdict.startswith("the model waits for data")
    batches.close()

    pause = threading.Event()
    loader = BackgroundLoader(range(40), batch_size=1, num_workers=1, capacity=4)
    for _ in loader:
        pause.wait(0.01)  # the model's own work
    assert loader.statistics().verdict.startswith("data waits for the model")
    assert loader.statistics().consumer_waited < loader.statistics().workers_waited


def test_the_verdict_is_a_line_of_the_text() -> None:
    counted = Statistics(64, 4, 1, 2.0, 0.1, 1.0, 0.2, 3, 0, 1.5, 12)
    assert counted.verdict == "the model waits for data (50% of the time)"
    assert str(counted).splitlines()[-1].strip() == counted.verdict
    assert "32 examples/s" in str(counted)


def test_a_bar_shows_how_far_it_is_and_leaves_no_thread(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    loader = BackgroundLoader(range(10), batch_size=4, progress=True, num_epochs=2)
    lists(loader)
    assert "20.0/20.0" in capsys.readouterr().err
    assert threading.active_count() == before
    for _ in loader:
        break
    assert not workers_of_loaders()


def test_a_bar_of_unknown_length_counts(capsys: pytest.CaptureFixture[str]) -> None:
    def load(item: int) -> Any:
        return iter([item] * 3)

    lists(BackgroundLoader(range(10), load, batch_size=4, progress=True))
    assert "30" in capsys.readouterr().err

"""How long a recording lasts, and what a look costs."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest
import tensorflow

import queuecompat
import queuecompat.v1 as tf
from queuecompat._session.steps import sessions
from queuecompat._session.streams.throughput import Stats
from queuecompat.reporting import sampling
from queuecompat.reporting.collecting import _delivered_between
from queuecompat.reporting.pipelines import Seen, batches_during
from queuecompat.reporting.sampling import BATCHES, LEAST, LONGEST, LONGEST_OF_SLOW, Recording, Sampler


def window(size: int = 1, **batches: float) -> float:
    """Of a recording after a second in which pipelines delivered so many batches of that *size*."""

    def seen(when: float) -> Dict[int, Seen]:
        return {
            number: Seen(Stats(size * int(when * one), requests=int(when * one), answers=int(when * one)), {})
            for number, one in enumerate(batches.values())
        }

    sampler = Sampler(lambda: None, _delivered_between)
    for when in (0.0, 3.0, 4.0):
        sampler._keep(when, seen(when))
    return sampler._window


@pytest.mark.parametrize(
    ("batches", "seconds"),
    [
        (dict(one=400), BATCHES / 400),
        (dict(one=400, two=250), BATCHES / 250),
        (dict(one=100_000), LEAST),
        # Two whole batches of one that is slow, as far as these are few examples.
        (dict(one=8), 0.25),
        (dict(one=1), LONGEST_OF_SLOW),
        (dict(one=8, size=2001), LONGEST),
        # One that is never asked does not count; where no batch came, it is not known how long one takes.
        (dict(one=400, never=0), BATCHES / 400),
        (dict(one=0.4), LONGEST),
    ],
)
def test_a_recording_lasts_for_some_batches_of_the_slowest_pipeline(batches: Any, seconds: float) -> None:
    assert window(**batches) == pytest.approx(seconds)


def test_the_first_look_of_all_is_enough_for_a_recording() -> None:
    sampler = Sampler(lambda: None, _delivered_between)
    sampler._keep(0.0, {})
    assert sampler._window == LONGEST


@pytest.mark.parametrize(
    ("before", "after", "batches"),
    [
        # Answers, and when the last one came. The recording lasts for 1 s, and begins and ends between two answers.
        ((10, 5.0), (14, 6.0), 4.0),
        ((10, 5.0), (14, 5.8), 5.0),
        ((10, 5.0), (11, 7.0), 0.5),
        ((10, 5.0), (10, 5.0), None),
        ((0, 0.0), (3, 0.5), None),
        (None, (3, 0.5), None),
    ],
)
def test_batches_are_counted_while_a_recording_goes_on(before: Any, after: Any, batches: Any) -> None:
    def seen(one: Any) -> Any:
        return one and {7: Seen(Stats(count=one[0], requests=one[0], answers=one[0], seconds=one[1]), {})}

    assert batches_during(Recording([], 1.0, seen(before), seen(after)), 7) == (batches and pytest.approx(batches))


def test_a_look_is_one_step_for_each_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_INTERVAL", 3600.0)
    report = queuecompat.report()
    with tensorflow.Graph().as_default(), tf.Session() as session:
        number = tf.train.range_input_producer(100).dequeue()
        batch = tf.train.shuffle_batch([number], 5, 50, 20)
        tf.train.start_queue_runners(session)
        session.run(batch)
        steps: List[Any] = []
        run = sessions.run_unattended
        monkeypatch.setattr(sessions, "run_unattended", lambda *given: steps.append(given) or run(*given))
        looked_at = report._look()
        # Of the producer, which nothing asks, and of the batch.
        assert len(steps) == len(looked_at) == 2
        seen = [one for one in looked_at.values() if one.stats.count]
    assert [(one.stats.requests, one.stats.answers) for one in seen] == [(1, 1)] and all(seen[0].held.values())

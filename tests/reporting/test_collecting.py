"""``queuecompat.report()``: in a program of one's own, while it runs and afterwards."""

from __future__ import annotations

import json
import pathlib
import time
from typing import Any, Tuple

import pytest
import tensorflow

import queuecompat
import queuecompat.v1 as tf


@pytest.fixture
def report() -> Any:
    return queuecompat.report()


@pytest.fixture
def batch(report: Any) -> Any:
    with tensorflow.Graph().as_default():
        number = tf.train.range_input_producer(100).dequeue()
        yield tf.train.batch([number], 5)


def test_it_has_the_figures_so_far_and_then_all(report: Any, batch: Any, tmp_path: pathlib.Path) -> None:
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        for step in range(4):
            session.run(batch)
            time.sleep(0.25 if step else 0)  # the loop's own work, and long enough to be measured
        assert [one.stats.count for one in report.pipelines] == [20]
        session.run(batch)
    [one] = report.pipelines
    assert (one.name, one.stats.count, one.batches) == ("batch", 25, 5)
    assert one.verdict == "compute-bound"
    # The time to the first batch is no part of the time after it.
    assert 0.7 < one.stats.seconds < 60 and one.stats.waited <= one.stats.seconds
    assert "25 examples in 5 batches" in str(report)
    assert one.steps[0].startswith("produce")
    report.write(tmp_path / "report.html")
    report.write(tmp_path / "report.json")
    assert report._repr_html_() in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["pipelines"][0]["delivered"] == 25


@pytest.mark.parametrize(
    ("allows_smaller", "is_many", "delivered"),
    [(False, False, (10, 2)), (True, False, (13, 3)), (False, True, (25, 5)), (True, True, (26, 6))],
)
def test_a_request_that_meets_the_end_of_the_data_is_not_counted_as_a_batch(
    report: Any, allows_smaller: bool, is_many: bool, delivered: Tuple[int, int]
) -> None:
    """It used to be counted as one: "9,984 examples in 313 batches" of 32."""
    with tensorflow.Graph().as_default():
        number = tf.train.range_input_producer(13, num_epochs=1).dequeue()
        rows = tf.stack([number, number]) if is_many else number
        batch = tf.train.batch([rows], 5, enqueue_many=is_many, allow_smaller_final_batch=allows_smaller)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            tf.train.start_queue_runners(session)
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    session.run(batch)
    [one] = report.pipelines
    assert (one.stats.count, one.batches) == delivered and one.stats.requests == delivered[1] + 1
    assert f"{delivered[0]} examples in {delivered[1]} batches, " in str(report)


def test_one_that_delivered_nothing_says_why(report: Any, tmp_path: pathlib.Path) -> None:
    with tensorflow.Graph().as_default():
        batch = tf.train.batch([tf.train.range_input_producer(4, num_epochs=1).dequeue()], 5)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            tf.train.start_queue_runners(session)
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(batch)
    reason = "its data ended before there were 5 elements, which a batch needs"
    assert str(report).endswith(f"\n    delivered nothing: {reason}")
    report.write(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["pipelines"][0]["why_nothing"] == reason


def test_it_is_written_in_two_forms_only(report: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"\.html or \.json"):
        report.write(tmp_path / "report.txt")
    with pytest.raises(ValueError, match="does not exist"):
        report.write(tmp_path / "none" / "report.html")


def test_the_first_batch_is_timed_apart(report: Any) -> None:
    """A slow first element is no wait of the loop's."""
    with tensorflow.Graph().as_default():
        delays = iter([0.6] + [0.0] * 100)

        def slow() -> int:
            time.sleep(next(delays))
            return 1

        one = tf.train.batch([tf.py_func(slow, [], tf.int64)], 1, shapes=[[]])
        with tf.Session() as session:
            tf.train.start_queue_runners(session)
            for _ in range(3):
                session.run(one)
        [found] = report.pipelines
    assert found.stats.first >= 0.6 and found.stats.seconds < 0.5
    assert found.has_python

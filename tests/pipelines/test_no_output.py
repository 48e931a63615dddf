"""A pipeline whose data end before it has delivered anything: its program is told why, once, and does not fail."""

from __future__ import annotations

import logging
from typing import Any, List, Optional

import pytest
import tensorflow

import queuecompat.v1 as tf


def batch(rows: int, size: int, allows_smaller: bool = False) -> Any:
    number = tf.train.range_input_producer(rows, num_epochs=1).dequeue()
    return tf.train.batch([number], size, allow_smaller_final_batch=allows_smaller)


def drained(drawn: Any, coordinator: Optional[tf.train.Coordinator] = None, *, stops: bool = False) -> int:
    """How many steps a session has of *drawn*, to its end; *stops*: the coordinator stops it before the first."""
    steps = 0
    with tf.Session(graph=drawn.graph) as session:
        session.run(session.graph.get_operation_by_name("initialise"))
        threads = tf.train.start_queue_runners(session, coordinator)
        if stops:
            assert coordinator is not None
            coordinator.request_stop()
            coordinator.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                session.run(drawn)
                steps += 1
    return steps


def told(caplog: Any) -> List[str]:
    return [one.getMessage() for one in caplog.records if "delivered nothing" in one.getMessage()]


@pytest.mark.parametrize(
    ("rows", "allows_smaller", "reason"),
    [
        (3, False, "its data ended before there were 5 elements, which a batch needs"),
        (0, False, "its data ended before there were 5 elements, which a batch needs"),
        (0, True, "its data ended before the first element"),
    ],
)
def test_a_pipeline_that_delivered_nothing_is_reported_once_with_its_line(
    caplog: Any, rows: int, allows_smaller: bool, reason: str
) -> None:
    # A program of which every step was left out used to look as one that was done.
    caplog.set_level(logging.WARNING, "queuecompat")
    with tensorflow.Graph().as_default():
        drawn = batch(rows, 5, allows_smaller)
        tf.group(tf.local_variables_initializer(), name="initialise")
        assert [drained(drawn), drained(drawn)] == [0, 0]
    [message] = told(caplog)
    assert message.endswith(f", delivered nothing: {reason}") and "test_no_output.py:" in message


def test_a_pipeline_that_delivered_a_batch_is_not_reported(caplog: Any) -> None:
    with tensorflow.Graph().as_default():
        whole, rest = batch(7, 5), batch(3, 5, allows_smaller=True)
        tf.group(tf.local_variables_initializer(), name="initialise")
        assert [drained(whole), drained(rest)] == [1, 1]
    assert not told(caplog)


def test_where_the_program_stopped_it_the_data_are_not_blamed(caplog: Any) -> None:
    with tensorflow.Graph().as_default():
        drawn = batch(3, 5)
        tf.group(tf.local_variables_initializer(), name="initialise")
        assert drained(drawn, tf.train.Coordinator(), stops=True) == 0
    assert not told(caplog)

"""Samplers: compiled, each example once, and the wished proportions.

A proportion p of n examples has the standard error sqrt(p (1 - p) / n). A test allows five of them: a right sampler
misses that less than once in a million runs.
"""

from __future__ import annotations

import logging
from typing import Any, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, started

training = tf.contrib.training
STANDARD_ERRORS = 5.0


def numbers(limit: int = 20, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=num_epochs, shuffle=False).dequeue()


def check_compiled() -> None:
    explanation = queuecompat.explain()
    assert not explanation.native
    assert explanation.compiled


def check_near(counts: Any, proportions: List[float]) -> None:
    total, expected = np.sum(counts), np.asarray(proportions)
    errors = np.sqrt(expected * (1 - expected) / total)
    assert (np.abs(counts / total - expected) <= STANDARD_ERRORS * errors).all(), counts / total


def counted(labels: Any, classes: int, steps: int, skip: int = 0) -> Any:
    return np.bincount(np.concatenate(drain(labels, skip + steps)[skip:]), minlength=classes)


# -- rejection -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_examples_are_kept_by_their_probability(threads: int) -> None:
    number = numbers(4, None)
    (kept,) = training.rejection_sample(
        [number], lambda given: tf.cast(given[0], tf.float32) / 3, 100, queue_threads=threads
    )
    check_compiled()
    check_near(counted(kept, 4, 50), [0, 1 / 6, 2 / 6, 3 / 6])


def test_what_is_kept_of_a_finite_source_is_as_many_as_expected() -> None:
    rows, probability = 4000, 0.25
    (kept,) = training.rejection_sample([numbers(rows)], lambda given: probability, 1)
    given = np.concatenate(drain(kept))
    assert sorted(set(given)) == given.tolist()
    check_near(np.array([len(given), rows - len(given)]), [probability, 1 - probability])


def test_rows_are_kept_one_by_one() -> None:
    number = numbers(30)
    rows = tf.range(4) + 4 * number
    one, two = training.rejection_sample(
        [rows, tf.as_string(rows)], lambda given: tf.cast(given[0] % 2, tf.float32), 5, enqueue_many=True
    )
    check_compiled()
    steps = drain([one, two])
    assert np.concatenate([a for a, _ in steps]).tolist() == list(range(1, 120, 2))
    assert all(a.tolist() == [int(text) for text in b] for a, b in steps)


def test_a_batch_size_may_be_fed() -> None:
    (kept,) = training.rejection_sample([numbers(10)], lambda given: 1.0, tf.placeholder_with_default(3, []))
    assert not queuecompat.explain().native
    assert np.concatenate(drain(kept)).tolist() == list(range(9))


# -- stratification --------------------------------------------------------------------------


def labelled(num_epochs: Any = None) -> Any:
    """Ten numbers; six are of class 0, three of class 1, one is of class 2."""
    number = numbers(10, num_epochs)
    return number, tf.cast(number >= 6, tf.int32) + tf.cast(number >= 9, tf.int32)


WISHED = [0.2, 0.5, 0.3]


@pytest.mark.parametrize("threads", [1, 3])
def test_classes_have_the_wished_proportions(threads: int) -> None:
    number, label = labelled()
    _, labels = training.stratified_sample(
        [number], label, WISHED, 100, init_probs=[0.6, 0.3, 0.1], threads_per_queue=threads
    )
    check_compiled()
    check_near(counted(labels, 3, 50), WISHED)


def test_rows_have_the_wished_proportions() -> None:
    queue = tf.train.range_input_producer(10, shuffle=False)
    number = queue.dequeue_many(7)
    label = tf.cast(number >= 6, tf.int32) + tf.cast(number >= 9, tf.int32)
    _, labels = training.stratified_sample([number], label, WISHED, 100, [0.6, 0.3, 0.1], enqueue_many=True)
    check_compiled()
    check_near(counted(labels, 3, 50), WISHED)


@pytest.mark.parametrize("enqueue_many", [True, False])
def test_without_initial_proportions_they_are_estimated(enqueue_many: bool) -> None:
    queue = tf.train.range_input_producer(10, shuffle=False)
    number = queue.dequeue_many(3) if enqueue_many else queue.dequeue()
    label = tf.cast(number >= 6, tf.int32) + tf.cast(number >= 9, tf.int32)
    _, labels = training.stratified_sample([number], label, WISHED, 100, enqueue_many=enqueue_many)
    check_compiled()
    # By then some 3000 have been seen, so that the smoothing weighs one part in a hundred.
    check_near(counted(labels, 3, 20, skip=10), WISHED)


def test_an_estimate_counts_each_example_once() -> None:
    """TF1 counted others than it gave, and gave 428 of these 1000."""
    number = numbers(1000)
    (data,), _ = training.stratified_sample([number], number % 2, [0.5, 0.5], 1)
    (seen,) = tf.global_variables()
    given = []
    with started() as sess:
        with pytest.raises(real.errors.OutOfRangeError):
            while True:
                given.append(int(sess.run(data)[0]))
        assert sess.run(seen).tolist() == [510, 510]
    assert given == sorted(set(given))
    assert len(given) > 900


def test_data_and_labels_stay_together() -> None:
    number, label = labelled(num_epochs=50)
    (values, texts), labels = training.stratified_sample(
        [number, tf.as_string(number)], label, WISHED, 10, init_probs=[0.6, 0.3, 0.1]
    )
    for given, text, classes in drain([values, texts, labels]):
        assert ((given >= 6).astype(int) + (given >= 9) == classes).all()
        assert given.tolist() == [int(one) for one in text]


def test_a_label_that_is_not_a_class_is_named() -> None:
    number = numbers(9)
    _, labels = training.stratified_sample([number], number, [0.5, 0.5], 2, init_probs=[0.5, 0.5])
    with started() as sess, pytest.raises(real.errors.InvalidArgumentError, match=r"\[0, 2\)"):
        sess.run(labels)
        sess.run(labels)


def test_probabilities_that_are_computed_are_checked_at_run_time() -> None:
    number = numbers(9)
    wished = tf.placeholder_with_default([0.5, 0.25], [2])
    _, labels = training.stratified_sample([number], number % 2, wished, 2, init_probs=[0.5, 0.5])
    with started() as sess, pytest.raises(real.errors.InvalidArgumentError):
        sess.run(labels)


def test_a_sampler_that_throws_most_away_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    number, label = labelled()
    with caplog.at_level(logging.WARNING, "queuecompat"):
        training.stratified_sample([number], label, WISHED, 2, init_probs=[0.6, 0.3, 0.1])
        training.stratified_sample([number], label, WISHED, 2, init_probs=WISHED)
    # Of class 2 all are kept, and they are a tenth of the data and three of the sample.
    assert [record.getMessage() for record in caplog.records] == [
        "stratified_sample: about 67 of 100 examples will be dropped"
    ]

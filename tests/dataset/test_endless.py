"""Datasets without an end in loops that ask for one."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train

# TensorFlow's AutoGraph, on Python 3.13.
pytestmark = pytest.mark.filterwarnings("ignore:.*Support for arbitrary keyword arguments:DeprecationWarning")


def dataset(num_epochs: Optional[int] = None) -> tf.data.Dataset:
    def inputs() -> Any:
        number = train.range_input_producer(10, num_epochs=num_epochs, shuffle=False).dequeue()
        return train.batch([tf.cast(number, tf.float32)[None], tf.cast(number, tf.float32)], 2)

    return queuecompat.as_dataset(inputs)


def first_values(elements: tf.data.Dataset) -> list:
    return [int(labels[0]) for _, labels in elements]


def model() -> tf.keras.Model:
    made = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    return made


def fit(data: tf.data.Dataset, **arguments: Any) -> Any:
    """Three batches at most: an endless epoch is stopped."""

    class Stop(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 8:
                raise StopIteration

    try:
        return model().fit(data, verbose=0, shuffle=False, callbacks=[Stop()], **arguments)
    except (StopIteration, ValueError):  # some versions of Keras refuse it themselves
        return None


def test_fit_without_steps_warns_once_and_says_what_to_write() -> None:
    endless = dataset()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        asks = _cardinality_in_fit(endless)
        assert asks == tf.data.INFINITE_CARDINALITY
        fit(endless)
        fit(endless)
    texts = [str(one.message) for one in warned if "QC513" in str(one.message)]
    assert len(texts) == 1
    assert "fit() got an endless dataset and no steps_per_epoch" in texts[0]
    assert "queuecompat.steps(dataset, n)" in texts[0]


def test_a_dataset_that_is_derived_from_an_endless_one_warns_too_and_only_one_of_them() -> None:
    """After .map() or .prefetch() there was no warning: Keras got a different object."""
    endless = dataset()
    derived = endless.map(lambda rows, labels: (rows * 2, labels)).prefetch(1).with_options(tf.data.Options())
    assert isinstance(derived, tf.data.Dataset)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        _cardinality_in_fit(derived)
        fit(derived)
        fit(endless.shuffle(2))
        _cardinality_in_fit(derived.take(3))
    texts = [str(one.message) for one in warned if "QC513" in str(one.message)]
    assert len(texts) == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "QC513")
        assert len(fit(dataset().map(lambda *row: row), steps_per_epoch=2).history["loss"]) == 1
        _cardinality_in_fit(dataset().take(3).map(lambda *row: row))


def _cardinality_in_fit(data: tf.data.Dataset) -> Any:
    """As Keras asks for it."""

    def fit(steps_per_epoch: Optional[int] = None) -> Any:
        return data.cardinality()

    return fit()


def test_fit_with_steps_and_datasets_with_an_end_warn_of_nothing() -> None:
    endless = dataset()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "QC513")
        assert len(fit(endless, steps_per_epoch=2, epochs=2).history["loss"]) == 2
        assert len(fit(queuecompat.steps(endless, 2), epochs=2).history["loss"]) == 2
        assert len(fit(dataset(num_epochs=1), epochs=2).history["loss"]) == 2
        assert endless.cardinality() == tf.data.INFINITE_CARDINALITY


def test_each_pass_over_steps_goes_on_where_the_last_one_stopped() -> None:
    some = queuecompat.steps(dataset(), 3)
    assert some.cardinality() == 3
    assert [first_values(some) for _ in range(3)] == [[0, 2, 4], [6, 8, 0], [2, 4, 6]]
    assert some.element_spec == dataset().element_spec


@pytest.mark.parametrize("end", [None, 12])
def test_a_loop_over_steps_that_is_left_early_loses_no_element(end: Optional[int]) -> None:
    """tf.data had taken some ahead: they were lost, or the next pass failed with a FailedPreconditionError."""
    some = queuecompat.steps(dataset(end), 5)
    found = []
    for _ in range(10):
        for _, labels in some:
            found.append(int(labels[0]))
            if len(found) % 2 == 0:
                break
    assert found == [0, 2, 4, 6, 8] * 4


def test_steps_of_a_dataset_with_an_end_end_with_it() -> None:
    some = queuecompat.steps(dataset(num_epochs=1), 3)
    assert [first_values(some) for _ in range(3)] == [[0, 2, 4], [6, 8], []]


def test_steps_leave_autograph_nothing_to_warn_of(caplog: pytest.LogCaptureFixture) -> None:
    """It could not read two functions of one line, and logged that for each."""
    logger = tf.get_logger()
    logger.addHandler(caplog.handler)
    try:
        queuecompat.steps(dataset(), 3)
    finally:
        logger.removeHandler(caplog.handler)
    assert "AutoGraph" not in caplog.text


@pytest.mark.parametrize("count", [0, 2.0, "3", None, True, 1 << 63])
def test_a_count_that_is_no_number_of_steps_is_refused(count: Any) -> None:
    with pytest.raises(ValueError, match=f"QC516 .* got {count!r} for count"):
        queuecompat.steps(dataset(), count)


def test_steps_of_something_else_than_a_dataset_are_refused() -> None:
    """It was an AttributeError of the list's iterator."""
    with pytest.raises(TypeError, match=r"QC516 .* got \[1, 2\] for dataset"):
        queuecompat.steps([1, 2], 3)  # type: ignore[arg-type]

"""``BackgroundLoader.as_dataset``."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError
from tests.loader import loads
from tests.loader.sources import LONG, Countable, lists, workers_of_loaders


def values(dataset: tf.data.Dataset) -> Any:
    return lists(dataset.as_numpy_iterator())


def test_a_dataset_has_the_batches_of_the_loader_and_each_iterator_is_a_pass() -> None:
    kinds: Any = dict(batch_size=4, shuffle=True, seed=1)
    dataset = BackgroundLoader(range(10), loads.random_numbers, **kinds).as_dataset()
    loader = BackgroundLoader(range(10), loads.random_numbers, **kinds)
    for _ in range(3):
        assert values(dataset) == lists(loader)


@pytest.mark.parametrize(
    ("kinds", "rows", "cardinality"),
    [
        ({}, None, 3),
        ({"drop_remainder": True}, 4, 2),
        ({"num_epochs": None}, 4, tf.data.INFINITE_CARDINALITY),
        ({"source": Countable(10)}, None, tf.data.UNKNOWN_CARDINALITY),
        ({"load": loads.some}, None, tf.data.UNKNOWN_CARDINALITY),
        ({"on_error": "skip"}, None, tf.data.UNKNOWN_CARDINALITY),
    ],
)
def test_what_is_known_beforehand_is_known_to_the_dataset(kinds: Any, rows: Any, cardinality: int) -> None:
    dataset = BackgroundLoader(**{"source": range(1, 11), "load": loads.same, "batch_size": 4, **kinds}).as_dataset()
    assert dataset.element_spec == tf.TensorSpec((rows,), tf.int64)
    assert dataset.cardinality().numpy() == cardinality
    assert [list(batch.shape) for batch in dataset.take(2)] == [[4], [4]]


@pytest.mark.parametrize("kinds", [{}, {"examples_per_item": 2}, {"batch_transform": loads.same}])
def test_a_function_that_returns_an_iterator_has_a_dataset_of_unknown_length(kinds: Any) -> None:
    # That it returns several examples is not known before the first one; as_dataset raised an error.
    dataset = BackgroundLoader(range(4), lambda item: iter([item, item]), batch_size=4, **kinds).as_dataset()
    assert dataset.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY
    assert sorted(number for batch in values(dataset) for number in batch) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_nestings_come_as_tensors_of_their_kind() -> None:
    dataset = BackgroundLoader(range(2), loads.nested, batch_size=2).as_dataset()
    assert dataset.element_spec == {
        "pair": loads.Pair(
            tf.TensorSpec((None, 2, 3), tf.float32),
            (tf.TensorSpec((None,), tf.int64), tf.TensorSpec((None,), tf.float64)),
        ),
        "name": tf.TensorSpec((None,), tf.string),
    }
    (batch,) = dataset
    assert batch["name"].numpy().tolist() == [b"item 0", b"item 1"]
    assert batch["pair"].image.numpy()[:, 0, 0].tolist() == [0, 1]


def test_tensors_that_are_kept_stay_as_they_are_whatever_copy_says() -> None:
    loader = BackgroundLoader(range(400), batch_size=4, capacity=8, copy=False)
    kept = list(loader.as_dataset())
    assert [tensor.numpy().tolist() for tensor in kept] == [list(range(n, n + 4)) for n in range(0, 400, 4)]


def test_a_value_that_is_not_a_tensor_is_refused() -> None:
    with pytest.raises(QueueCompatTypeError, match="QC618 load returns a set"):
        BackgroundLoader(range(4), lambda item: {"a": {item}}, batch_size=2).as_dataset()


def test_a_source_without_an_example_has_no_dataset() -> None:
    with pytest.raises(LoadError, match="QC603 epoch 0 has no items"):
        BackgroundLoader([], batch_size=2).as_dataset()
    with pytest.raises(QueueCompatTypeError, match="QC619 the form of a batch"):
        kinds: Any = dict(batch_size=2, drop_remainder=True, collate=list)
        BackgroundLoader(range(1), **kinds).as_dataset()
    with pytest.raises(LoadError, match="QC605"):
        BackgroundLoader([0], loads.ends_of_file, batch_size=2).as_dataset()


def test_an_iterator_source_is_refused_by_as_dataset() -> None:
    with pytest.raises(QueueCompatValueError, match="QC604 as_dataset"):
        BackgroundLoader(iter([1]), batch_size=2).as_dataset()


def test_an_error_of_load_reaches_the_loop_over_the_dataset() -> None:
    dataset = BackgroundLoader(range(12), loads.fails_on_six, batch_size=4).as_dataset()
    batches = iter(dataset)
    next(batches)
    with pytest.raises(tf.errors.OpError, match="QC605 load failed on item 6"):
        next(batches)


def test_a_dataset_that_is_left_early_leaves_no_workers() -> None:
    loader = BackgroundLoader(range(10_000), batch_size=4)
    for _ in loader.as_dataset():
        break
    gc.collect()
    for thread in workers_of_loaders():
        thread.join(LONG)
    assert not workers_of_loaders()


def test_keras_trains_on_it() -> None:
    def load(item: int, rng: np.random.Generator) -> Any:
        image = rng.normal(size=3).astype(np.float32)
        return image, image.sum()

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    with BackgroundLoader(range(256), load, batch_size=32, shuffle=True, seed=0) as loader:
        history = model.fit(loader.as_dataset(), epochs=5, verbose=0, shuffle=False)
    losses = history.history["loss"]
    assert losses[-1] < losses[0] / 2

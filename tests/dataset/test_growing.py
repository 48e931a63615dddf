"""Pools that grow, in a dataset."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from tests.pipelines.gate import Gate

tf1 = tf.compat.v1
MINIMUM, BATCH = 20, 5


def batches(gate: Gate, seed: Any = None, lists: int = 1) -> tf.Tensor:
    def one() -> Any:
        number = train.range_input_producer(10**6, shuffle=False).dequeue()
        passed = tf1.py_func(gate.passed, [number], tf.int32)
        passed.set_shape([])
        return [passed]

    if lists == 1:
        return train.shuffle_batch(one(), BATCH, capacity=100_000, min_after_dequeue=MINIMUM, seed=seed)
    return train.shuffle_batch_join(
        [one() for _ in range(lists)], BATCH, capacity=100_000, min_after_dequeue=MINIMUM, seed=seed
    )


@pytest.mark.parametrize("lists", [1, 2])
@pytest.mark.parametrize("seed", [None, 3])
def test_the_first_batch_needs_min_after_dequeue_elements_and_a_batch(seed: Any, lists: int) -> None:
    """It used to need the capacity: a hundred thousand calls."""
    with Gate(MINIMUM + BATCH) as gate:
        iterator = iter(queuecompat.as_dataset(lambda: batches(gate, seed, lists), strict=True))
        assert next(iterator).shape == [BATCH]
        gate.let_pass(10**9)


def test_every_iteration_has_a_shuffle_buffer_of_its_own() -> None:
    def input_fn() -> tf.Tensor:
        number = train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        made = tf1.py_func(lambda number: number, [number], tf.int32)
        made.set_shape([])
        return train.shuffle_batch([made], 1, capacity=20, min_after_dequeue=5)

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    assert "begins with 5 and grows" in str(queuecompat.explain(dataset))
    together = [sorted(int(one[side][0]) for one in tf.data.Dataset.zip((dataset, dataset))) for side in (0, 1)]
    assert together == [list(range(40))] * 2


def test_a_buffer_whose_position_tfdata_saves_itself_is_filled_first() -> None:
    def input_fn() -> tf.Tensor:
        number = train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        return train.shuffle_batch([tf.fill([3], number)], 1, capacity=20, min_after_dequeue=5, enqueue_many=True)

    text = str(queuecompat.explain(queuecompat.as_dataset(input_fn, strict=True)))
    assert "buffer of" in text
    assert "grows" not in text


def test_the_program_of_a_growing_buffer_says_that_its_own_is_filled_first() -> None:
    def input_fn() -> tf.Tensor:
        number = train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        noise = tf1.random_uniform([], 0, 10, dtype=tf.int32, seed=3)
        return train.shuffle_batch([number + noise], 1, capacity=20, min_after_dequeue=5)

    code = str(queuecompat.explain(queuecompat.as_dataset(input_fn, strict=True), code=True))
    assert "begins with 5 and grows" in code
    assert "the first element comes when this buffer is full" in code


@pytest.mark.parametrize("steps", [1, 4, 8])
@pytest.mark.parametrize("lists", [1, 2])
def test_a_restored_iterator_draws_what_the_first_would_have_drawn(steps: int, lists: int, tmp_path: Any) -> None:
    """No seed was given: what decided the order is in the checkpoint, for a pool that grows, too."""

    def input_fn() -> tf.Tensor:
        def one() -> Any:
            number = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
            made = tf1.py_func(lambda number: number, [number], tf.int32)
            made.set_shape([])
            return [made]

        kinds = {"capacity": 20, "min_after_dequeue": 5}
        if lists == 1:
            return train.shuffle_batch(one(), 3, **kinds)
        return train.shuffle_batch_join([one(), one()], 3, **kinds)

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    assert "begins with 5 and grows" in str(queuecompat.explain(dataset))
    iterator = iter(dataset)
    before = [next(iterator).numpy().tolist() for _ in range(steps)]
    path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "position"))
    rest = [batch.numpy().tolist() for batch in iterator]
    later = iter(queuecompat.as_dataset(input_fn, strict=True))
    tf.train.Checkpoint(iterator=later).read(path)
    assert [batch.numpy().tolist() for batch in later] == rest
    assert len(before + rest) == 10 * lists

"""``explain(code=True)`` writes arrays that follow a rule as the expression that makes them: no argument is needed."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from queuecompat._backends.program.regular import regular_array

MADE = [
    "np.arange(448, dtype='int64')",
    "np.arange(0, 384, 2, dtype='int64')",
    "np.arange(7, -13, -5, dtype='int32')",
    "np.arange(20, dtype='int16').reshape([4, 5])",
    "np.full([3, 40], 1.5, 'float32')",
    "np.full([300], True, 'bool')",
    "np.zeros([20, 20, 3], 'float64')",
    "np.repeat(np.arange(3, 63, 10, dtype='int32'), 4)",
    "np.tile(np.arange(5, dtype='uint8'), 40)",
    "np.add.outer(np.arange(0, 2304, 96, dtype='int64'), np.arange(0, 144, 72, dtype='int64')).reshape([48])",
    "np.tile(np.add.outer(np.arange(5, 305, 100, dtype='int64'), np.arange(3, dtype='int64')).reshape(-1), 9)",
    "np.repeat(np.tile(np.arange(0, 8, 2, dtype='int64'), 3), 6).reshape([12, 6])",
]


@pytest.mark.parametrize("text", MADE)
def test_an_array_that_follows_a_rule_is_written_as_that_rule(text: str) -> None:
    assert regular_array(eval(text)) == text


@pytest.mark.parametrize(
    "value",
    [
        np.arange(600.0),
        np.array([np.nan] * 20),
        np.array([np.inf] * 20),
        np.array([-0.0] * 20),
        np.array([b"word"] * 20),
        np.append(np.arange(63), 64),
        np.append(np.tile(np.arange(8), 4), 3),
        np.arange(256, dtype=np.uint8),  # its end is no number of that type
        np.arange(60, 0, -2, dtype=np.uint8),
        np.array([0, 2**63, 0, 2**63], np.uint64),
        np.random.RandomState(1).randint(0, 99, 300),
        np.zeros([0, 3]),
    ],
    ids=lambda value: f"{value.dtype} {value[:3]}",
)
def test_any_other_array_is_data(value: np.ndarray) -> None:
    assert regular_array(value) is None


def run_alone(code: str) -> tf.data.Dataset:
    """The dataset of a program, of which nothing but its text is known."""
    names: Dict[str, Any] = {}
    exec(code, names)
    return names["dataset"]()


# A batch of 8 has more runs than would be written number by number.
@pytest.mark.parametrize("size, batch", [(4, 3), (28, 8), (31, 2)])
def test_the_offsets_of_a_random_crop_are_no_arguments(size: int, batch: int) -> None:

    def crops() -> Any:
        row = train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        image = tf.reshape(tf.range(32 * 32 * 3), [32, 32, 3]) + row
        return train.batch([image, tf.compat.v1.random_crop(image, [size, size, 3], seed=5)], batch)

    dataset = queuecompat.as_dataset(crops, strict=True)
    program = queuecompat.explain(dataset, code=True)
    assert "on whole batches" in str(queuecompat.explain(dataset)) and "RaggedGather" in str(program)
    assert not program.arguments and "def dataset():" in str(program) and max(map(len, str(program).split("\n"))) < 400
    given, wanted = list(run_alone(str(program))), list(dataset)
    assert len(given) == len(wanted) == 12 // batch
    for ours, theirs in zip(given, wanted):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_an_array_that_several_ops_use_is_written_once() -> None:
    def shifted() -> Any:
        # So large that a slice takes it by reference.
        grey = tf.constant(np.full([40, 30, 30], 0.5, np.float32))
        row = train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        return train.batch([tf.gather(grey, row) + tf.gather(grey, row + 1)], 4)

    program = queuecompat.explain(queuecompat.as_dataset(shifted, strict=True), code=True)
    assert not program.arguments and str(program).count("np.full([40, 30, 30], 0.5, 'float32')") == 1
    assert [batch.numpy().tolist() for batch in run_alone(str(program))] == [np.ones([4, 30, 30]).tolist()] * 3

"""Standardized images have TF 1.15's bits: its order of sums, written out in NumPy, is the reference."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from tests.image.running import PICTURES, values

SHAPES = [(1, 1, 1), (2, 2, 1), (3, 3, 1), (9, 1, 1), (5, 7, 3), (24, 24, 3), (64, 43, 3), (64, 44, 3), (91, 91, 1)]


def sum_of_tf1(numbers: np.ndarray, start: int = 0) -> np.float32:
    """One after the other, as the module's first page says."""
    count = len(numbers)
    if count > 8192:
        split = -(-(start + -(-count // 2)) // 8) * 8 - start
        return sum_of_tf1(numbers[:split], start) + sum_of_tf1(numbers[split:], start + split)
    whole = count // 8 * 8
    lanes, rest = np.zeros(8, np.float32), np.float32(0)
    for packet in numbers[:whole].reshape(-1, 8):
        lanes += packet
    for number in numbers[whole:]:
        rest += number
    lanes = lanes[:4] + lanes[4:]
    return rest + ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]))


def standardized_by_tf1(image: np.ndarray) -> np.ndarray:
    count = np.float32(image.size)
    centred = image - sum_of_tf1(image.ravel()) / count
    deviation = np.sqrt(sum_of_tf1(np.square(centred).ravel()) / count)
    return centred / np.maximum(deviation, 1 / np.sqrt(count))


def picture(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.RandomState(shape[0]).rand(*shape).astype(np.float32) * 255


@pytest.mark.parametrize("shape", [*SHAPES, (299, 299, 3)], ids=str)
def test_an_image_of_any_size_has_tf1s_bits(shape: tuple[int, ...]) -> None:
    image = picture(shape)
    fed = tf.compat.v1.placeholder_with_default(image, shape)
    assert np.array_equal(values(ops.per_image_standardization(fed))[0], standardized_by_tf1(image))


def test_the_reference_is_not_what_tensorflow_does_today() -> None:
    """Or else nothing here would be worth testing."""
    image = picture((24, 24, 3))
    today = tf.compat.v1.image.per_image_standardization(tf.compat.v1.placeholder_with_default(image, image.shape))
    assert not np.array_equal(values(today)[0], standardized_by_tf1(image))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_image_of_a_batch_has_the_bits_of_the_image_alone(shape: tuple[int, ...]) -> None:
    batch = np.stack([picture(shape), picture(shape)[::-1], picture(shape) / 7])
    fed = tf.compat.v1.placeholder_with_default(batch, [None, *shape])
    expected = np.stack([standardized_by_tf1(image) for image in batch])
    assert np.array_equal(values(ops.per_image_standardization(fed))[0], expected)


def test_more_threads_change_nothing() -> None:
    image = picture((299, 299, 3))
    result = ops.per_image_standardization(tf.compat.v1.placeholder_with_default(image, image.shape))
    for threads in (1, 8):
        config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.compat.v1.Session(config=config) as session:
            assert np.array_equal(session.run(result), standardized_by_tf1(image))


def test_an_image_of_one_colour_becomes_all_zeros() -> None:
    assert not values(ops.per_image_standardization(np.full([4, 4, 3], 9.0, np.float32)))[0].any()


def test_whitening_takes_integers_unscaled_and_returns_floats() -> None:
    white = ops.per_image_whitening(PICTURES)
    assert white.dtype == tf.float32
    found = values(white)[0]
    expected = np.stack([standardized_by_tf1(image.astype(np.float32)) for image in PICTURES])
    assert np.array_equal(found, expected)
    assert abs(found.mean(axis=(1, 2, 3))).max() < 1e-5
    assert abs(found.std(axis=(1, 2, 3)) - 1).max() < 1e-5


def test_a_size_that_the_graph_does_not_know_differs_in_the_last_bits_at_most() -> None:
    image = picture((24, 24, 3))
    unknown = tf.compat.v1.placeholder_with_default(image, [None, None, 3])
    result = ops.per_image_standardization(unknown)
    assert result.shape.as_list() == [None, None, 3]
    assert np.allclose(values(result)[0], standardized_by_tf1(image), rtol=0, atol=1e-5)


def test_an_image_without_channels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(9, 8\); it needs height, width and channels"):
        ops.per_image_standardization(PICTURES[0, :, :, 0])

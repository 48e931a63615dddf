"""Windows at positions of their own (random crops), mirrored and cast, have the bits of one image after the other."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, List, Sequence

import numpy as np
import pytest
import tensorflow as tf

from queuecompat._analysis.batched import form
from tests.batched.rowwise import assert_same, slice_of

tf1 = tf.compat.v1


@pytest.fixture(autouse=True)
def cuts_are_made_for_a_single_op(monkeypatch: Any) -> None:
    monkeypatch.setattr(form, "SMALLEST_SHARE", 0)


def extremes(dtype: Any, shape: Sequence[int]) -> np.ndarray:
    """Numbers of the whole range of *dtype*, its ends and those that are no numbers among them."""
    random = np.random.RandomState(1)
    if dtype == np.float32:
        images = (random.randn(*shape) * 1e30).astype(dtype)
        special = [np.nan, np.inf, -np.inf, -0.0, 1e-45]
    else:
        limits = np.iinfo(dtype)
        images = random.randint(limits.min, int(limits.max) + 1, shape).astype(dtype)
        special = [limits.min, limits.max]
    images.reshape([-1])[: 2 * len(special)] = special * 2
    return images


def each_window(height: int, width: int, size: Sequence[int]) -> np.ndarray:
    """All positions of a window, and for each, all four ways to mirror it: int32 ``[n, 4]``."""
    rows, columns = range(height - size[0] + 1), range(width - size[1] + 1)
    return np.array(list(itertools.product(rows, columns, (0, 1), (0, 1))), np.int32)


def if_true(condition: Any, axes: List[int], image: Any) -> Any:
    return tf.cond(tf.equal(condition, 1), lambda: tf.reverse(image, axes), lambda: image)


def cropped(image: Any, place: Any, size: Sequence[int]) -> Any:
    return tf.slice(image, tf.concat([place[:2] % tf.constant([9, 9]), [0]], 0), [*size, image.shape[2]])


# What is done with a window; its place has the position, and whether it is mirrored left-right and up-down.
ORDERS: Dict[str, Callable[[Any, Any], Any]] = {
    "mirrored, then cast": lambda w, place: tf.cast(if_true(place[2], [1], w), tf.float32),
    "cast, then mirrored": lambda w, place: if_true(place[2], [1], tf.cast(w, tf.float32)),
    "mirrored upside down": lambda w, place: tf.cast(if_true(place[2], [0], w), tf.float32),
    "mirrored twice": lambda w, place: if_true(place[3], [0], tf.cast(if_true(place[2], [1], w), tf.float32)),
    "turned": lambda w, place: tf.cast(if_true(place[2], [0, 1], w), tf.float32),
}
OTHERS: Dict[str, Callable[[Any, Any], Any]] = {
    "only mirrored": lambda w, place: if_true(place[2], [1], w),
    "only cast": lambda w, place: tf.cast(w, tf.float32),
    "cast to float64": lambda w, place: tf.cast(if_true(place[2], [1], w), tf.float64),
    "channels mirrored": lambda w, place: tf.cast(if_true(place[2], [2], w), tf.float32),
    "used twice": lambda w, place: (tf.cast(if_true(place[2], [1], w), tf.float32), tf.cast(w, tf.int32) + 1),
}
GEOMETRIES = [((7, 6), (4, 5)), ((2, 9), (1, 1)), ((6, 6), (6, 2)), ((3, 5), (2, 5)), ((32, 32), (28, 28))]


def types_of(build: Callable[..., Any], arrays: Sequence[np.ndarray]) -> List[str]:
    tail = assert_same(build, arrays).tail
    return [op.type for op in tail._ops]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.float32])
@pytest.mark.parametrize("order", ORDERS)
def test_images_are_cut_out_mirrored_and_cast_by_one_op(order: str, dtype: Any) -> None:
    places = each_window(7, 6, (4, 5))
    images = extremes(dtype, [len(places), 7, 6, 3])
    types = types_of(lambda x, place: ORDERS[order](cropped(x, place, (4, 5)), place), [images, places])
    assert "CropAndResize" in types and "RaggedGather" not in types


@pytest.mark.parametrize(("whole", "size"), GEOMETRIES)
def test_every_window_of_an_image_is_exact(whole: Sequence[int], size: Sequence[int]) -> None:
    places = each_window(*whole, size)
    images = extremes(np.uint8, [len(places), *whole, 4])
    types = types_of(lambda x, place: ORDERS["mirrored twice"](cropped(x, place, size), place), [images, places])
    assert "CropAndResize" in types


@pytest.mark.parametrize("what", OTHERS)
def test_other_uses_of_a_window_copy_its_numbers(what: str) -> None:
    places = each_window(7, 6, (4, 5))
    images = extremes(np.uint8, [len(places), 7, 6, 3])
    types = types_of(lambda x, place: OTHERS[what](cropped(x, place, (4, 5)), place), [images, places])
    assert "RaggedGather" in types


def test_windows_that_are_used_in_several_ways_are_copied_once() -> None:
    places = each_window(7, 6, (4, 5))
    images = extremes(np.uint8, [len(places), 7, 6, 1])

    def build(x: Any, place: Any) -> Any:
        window = cropped(x, place, (4, 5))
        return window, if_true(place[2], [1], window), tf.cast(if_true(place[3], [0], window), tf.float32)

    assert types_of(build, [images, places]).count("RaggedGather") == 1


@pytest.mark.parametrize("shape", [(7, 6, 1), (1, 6, 3), (7, 6, 2)], ids=["one channel", "one line", "two channels"])
def test_images_for_which_one_op_is_slower_or_not_exact_are_computed_step_by_step(shape: Sequence[int]) -> None:
    size = (min(shape[0], 4), 5)
    places = each_window(*shape[:2], size)
    images = extremes(np.uint8, [len(places), *shape])
    types = types_of(lambda x, place: ORDERS["mirrored, then cast"](cropped(x, place, size), place), [images, places])
    assert "CropAndResize" not in types and "RaggedGather" in types


def test_a_window_that_lies_outside_fails() -> None:
    images = extremes(np.uint8, [3, 7, 6, 3])
    places = np.array([[0, 0, 0, 0], [8, 0, 1, 0], [0, 1, 1, 0]], np.int32)
    body, _ = slice_of(
        lambda x, place: ORDERS["mirrored, then cast"](cropped(x, place, (4, 5)), place), [images, places]
    )
    tail = body.in_batches().tail
    inputs = [tf1.placeholder(source.dtype) for source in tail.sources]
    given = {np.uint8: images, np.int32: places}
    with tf1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="outside of its element"):
        session.run(list(tail.function()(*inputs)), {one: given[one.dtype.as_numpy_dtype] for one in inputs})

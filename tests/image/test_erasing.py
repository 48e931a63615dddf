"""Cutout paints one square on each image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from tests.image.running import PICTURES, is_even, values

WHITE = np.full([300, 6, 5, 3], 255, np.uint8)


def extent(covered: np.ndarray) -> Any:
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1


def test_each_image_loses_one_square_and_nothing_else() -> None:
    for cut in values(ops.cutout(WHITE, 3, seed=1), runs=2):
        for image in cut:
            covered = image[..., 0] == 0
            top, bottom, left, right = extent(covered)
            assert covered[top:bottom, left:right].all()
            assert covered.sum() == (bottom - top) * (right - left)
            assert (bottom - top == 3 or top == 0 or bottom == 6) and (right - left == 3 or left == 0 or right == 5)
            assert np.array_equal(image[..., 1], image[..., 0])
            assert np.array_equal(image[..., 2], image[..., 0])


def test_every_pixel_is_equally_likely_to_be_the_centre() -> None:
    square = np.ones([300, 5, 5, 1], np.uint8)  # of equal sides: row and column must not be one draw
    cut = np.concatenate(values(ops.cutout(square, 1, seed=2), runs=20))
    assert is_even((cut[..., 0] == 0).sum(axis=0))
    assert (cut[..., 0] == 0).sum() == len(cut)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_square_lies_around_its_centre(size: int) -> None:
    drawn = [ops.cutout(np.ones([400, 9, 9, 1], np.float32), side, seed=3) for side in (1, size)]
    centres, squares = (value[..., 0] == 0 for value in values(drawn)[0])
    for centre, square in zip(centres, squares):
        (row,), (column,) = np.nonzero(centre)
        top, bottom, left, right = extent(square)
        assert (top, left) == (max(row - size // 2, 0), max(column - size // 2, 0))
        assert (bottom, right) == (min(row - size // 2 + size, 9), min(column - size // 2 + size, 9))


@pytest.mark.parametrize("image", [PICTURES, PICTURES[0], PICTURES.astype(np.float32)], ids=["batch", "one", "floats"])
def test_the_square_may_be_painted_in_any_colour(image: np.ndarray) -> None:
    painted = values(ops.cutout(image, 4, fill=[1, 2, 3], seed=4))[0]
    assert painted.dtype == image.dtype
    changed = (painted != image).any(axis=-1)
    assert changed.any()
    assert (painted[changed] == [1, 2, 3]).all()


def test_a_size_of_nothing_or_of_everything_is_taken() -> None:
    nothing, everything = values([ops.cutout(PICTURES, 0), ops.cutout(PICTURES, tf.constant(99))])[0]
    assert np.array_equal(nothing, PICTURES)
    assert not everything.any()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="size is -1; it must not be negative"):
        ops.cutout(PICTURES, -1)
    with pytest.raises(ValueError, match=r"neither \[height, width, channels\] nor"):
        ops.cutout(PICTURES[0, 0], 1)
    with pytest.raises(TypeError):
        ops.cutout(PICTURES, 1, fill=0.5)

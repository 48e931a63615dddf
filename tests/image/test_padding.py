"""Reflections around an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from tests.image.running import PICTURES, values


@pytest.mark.parametrize(
    ("padding", "margins"),
    [(2, [(2, 2), (2, 2)]), ([1, 3], [(1, 1), (3, 3)]), ([[1, 0], [2, 3]], [(1, 0), (2, 3)]), (0, [(0, 0), (0, 0)])],
    ids=str,
)
def test_the_border_mirrors_the_image(padding: Any, margins: Any) -> None:
    one, batch = values([ops.pad_reflect(PICTURES[0], padding), ops.pad_reflect(PICTURES, padding)])[0]
    assert np.array_equal(one, np.pad(PICTURES[0], [*margins, (0, 0)], "reflect"))
    assert np.array_equal(batch, np.pad(PICTURES, [(0, 0), *margins, (0, 0)], "reflect"))


def test_the_padded_shape_is_known() -> None:
    unknown = tf.compat.v1.placeholder(tf.uint8, [None, None, 8, 3])
    assert ops.pad_reflect(unknown, 4).shape.as_list() == [None, None, 16, 3]


@pytest.mark.parametrize("padding", [-1, [1, 2, 3], 1.5, "a", [[1], [2]]], ids=str)
def test_a_padding_of_another_form_is_refused(padding: Any) -> None:
    with pytest.raises(ValueError, match="it must be a number of pixels"):
        ops.pad_reflect(PICTURES, padding)


def test_a_padding_as_large_as_the_image_is_refused() -> None:
    with pytest.raises(ValueError, match="the image has width 8, not more than its padding of 8"):
        ops.pad_reflect(PICTURES, 8)
    unknown = tf.compat.v1.placeholder_with_default(PICTURES, [None, None, None, 3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(ops.pad_reflect(unknown, 8))

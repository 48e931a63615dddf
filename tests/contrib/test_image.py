"""``tf.contrib.image``: the very functions of ``queuecompat.image``, warps that compile, names that are gone."""

from __future__ import annotations

import numpy as np
import pytest

import queuecompat
import queuecompat.image
import queuecompat.v1 as tf
from tests.pipelines.running import drain

contrib = tf.contrib.image


@pytest.mark.parametrize("name", sorted(set(contrib.__all__) & set(queuecompat.image.__all__)))
def test_what_both_have_is_one_function(name: str) -> None:
    assert getattr(contrib, name) is getattr(queuecompat.image, name)


def test_warps_and_components_are_compiled_with_the_pipeline() -> None:
    images = np.random.RandomState(0).rand(6, 5, 4, 1).astype(np.float32)
    image = tf.train.slice_input_producer([images], num_epochs=1, shuffle=False)[0]
    moved = contrib.dense_image_warp(image[tf.newaxis], tf.fill([1, 5, 4, 2], 1.0))[0]
    areas = contrib.connected_components(image[..., 0] > 0.5)
    warped, numbers = drain(tf.train.batch([moved, areas], 6))[0]
    assert not queuecompat.explain().native
    assert np.array_equal(warped[:, 1:, 1:], images[:, :-1, :-1])
    assert ((numbers > 0) == (images[..., 0] > 0.5)).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_components_do_not_reach_around_the_border(axis: int) -> None:
    image = np.zeros((3, 3), np.int32)
    image[0, 0], image[(2, 0) if axis == 0 else (0, 2)] = 1, 1
    with tf.Session() as sess:
        assert sess.run(contrib.connected_components(image)).max() == 2


def test_a_spline_has_a_gradient_at_its_points() -> None:
    points = tf.constant([[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]])
    values = contrib.interpolate_spline(points, points, points, order=1)
    with tf.Session() as sess:
        assert np.isfinite(sess.run(tf.gradients(values, points)[0])).all()


@pytest.mark.parametrize("name", ["single_image_random_dot_stereograms", "random_hsv_in_yiq", "adjust_hsv_in_yiq", "x"])
def test_a_removed_name_says_why(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"QC511 'tf\.contrib\.image\.{name}' was not found: \w+"):
        getattr(contrib, name)

"""Drawn colours: one number for a batch as in TF1, or one for each image."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from tests.image.running import PICTURES, values

FLOATS = PICTURES.astype(np.float32) / 255

DRAWN: Dict[str, Callable[..., Any]] = {
    "brightness": lambda image, **kw: ops.random_brightness(image, 0.4, **kw),
    "contrast": lambda image, **kw: ops.random_contrast(image, 0.2, 1.8, **kw),
    "saturation": lambda image, **kw: ops.random_saturation(image, 0.2, 1.8, **kw),
    "hue": lambda image, **kw: ops.random_hue(image, 0.4, **kw),
}
# What the number drawn for an image does, said by TF1's own op.
GIVEN: Dict[str, Callable[[Any, Any], Any]] = {
    "brightness": lambda image, number: ops.adjust_brightness(image, number * 0.8 - 0.4),
    "contrast": lambda image, number: ops.adjust_contrast(image, number * 1.6 + 0.2),
    "saturation": lambda image, number: ops.adjust_saturation(image, number * 1.6 + 0.2),
    "hue": lambda image, number: ops.adjust_hue(image, number * 0.8 - 0.4),
}
EXACT = {"brightness", "contrast"}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_batch_draws_one_number_as_in_tf1(kind: str) -> None:
    same = np.stack([FLOATS[0]] * 3)
    for found in values(DRAWN[kind](same, seed=1), runs=3):
        assert np.array_equal(found[0], found[1])
        assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("kind", DRAWN)
def test_each_image_of_a_batch_draws_its_own_number_if_asked(kind: str) -> None:
    numbers = tf.random.uniform([6], seed=2)
    expected = tf.stack([GIVEN[kind](FLOATS[row], numbers[row]) for row in range(6)])
    ours = DRAWN[kind](FLOATS, seed=2, per_image=True)
    for here, there in values([ours, expected], runs=3):
        assert np.allclose(here, there, rtol=0, atol=2e-6)
        assert len(np.unique(np.round(here - FLOATS, 3), axis=0)) == 6


@pytest.mark.parametrize("kind", sorted(EXACT))
def test_bytes_are_changed_as_tf1_would_change_each_of_them(kind: str) -> None:
    numbers = tf.random.uniform([6], seed=2)
    expected = tf.stack([GIVEN[kind](PICTURES[row], numbers[row]) for row in range(6)])
    for here, there in values([DRAWN[kind](PICTURES, seed=2, per_image=True), expected], runs=3):
        assert here.dtype == np.uint8
        assert abs(here.astype(int) - there).max() <= 1


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("rank", [3, 4])
def test_one_image_draws_the_same_number_either_way(kind: str, rank: int) -> None:
    image = FLOATS[0] if rank == 3 else FLOATS[:1]
    for here, there in values([DRAWN[kind](image, seed=3), DRAWN[kind](image, seed=3, per_image=True)], runs=3):
        assert np.allclose(here, there, rtol=0, atol=2e-6)


def test_brightness_is_drawn_evenly_from_its_whole_range() -> None:
    black = np.zeros([200, 1, 1, 1], np.float32)
    drawn = np.sort(np.concatenate(values(ops.random_brightness(black, 0.5, seed=4, per_image=True), runs=10)).ravel())
    assert abs(drawn - np.linspace(-0.5, 0.5, drawn.size)).max() < 0.05


def test_gamma_is_a_power_drawn_for_each_image() -> None:
    grey = np.full([500, 1, 1, 1], 0.5, np.float32)
    powers = np.log(values(ops.random_gamma(grey, 0.5, 2.0, seed=5))[0].ravel()) / np.log(0.5)
    assert abs(np.sort(powers) - np.linspace(0.5, 2.0, 500)).max() < 0.1


def test_ranges_that_make_no_sense_are_refused() -> None:
    for per_image in (False, True):
        with pytest.raises(ValueError):
            ops.random_brightness(FLOATS, -0.1, per_image=per_image)
        with pytest.raises(ValueError):
            ops.random_contrast(FLOATS, 0.9, 0.1, per_image=per_image)
        with pytest.raises(ValueError):
            ops.random_saturation(FLOATS, -0.1, 0.1, per_image=per_image)
        with pytest.raises(ValueError):
            ops.random_hue(FLOATS, 0.6, per_image=per_image)
    with pytest.raises(ValueError, match=r"upper is 1\.0; it must be greater than lower=1\.5"):
        ops.random_gamma(FLOATS, 1.5, 1.0)


HALVES = np.array([[[0.1, 0.5, 0.9], [0.3, 0.2, 0.7]], [[1, 0, 0.6], [0.25, 0.85, 0.45]]], np.float16)
# What TensorFlow 1.15.5 computed.
OF_HALVES = {
    "contrast": [-0.1189, 0.5786, 1.0664, 0.2212, 0.0687, 0.7266, 1.4111, -0.2712, 0.5562, 0.1361, 1.1738, 0.3010],
    "saturation": [0.5801, 0.7397, 0.8999, 0.5400, 0.5, 0.7002, 1, 0.6001, 0.8398, 0.6099, 0.8501, 0.6899],
    "hue": [0.6597, 0.1000, 0.8999, 0.7002, 0.2000, 0.5, 1, 0.6001, 0, 0.25, 0.5303, 0.8501],
}


def test_float16_has_the_numbers_of_tf1_but_for_its_last_bit() -> None:
    """TensorFlow 2 has no kernels for it, except on a GPU."""
    adjusted = [
        ops.adjust_contrast(HALVES, 1.7),
        ops.adjust_saturation(tf.constant(HALVES), 0.4),
        ops.adjust_hue(HALVES, 0.2),
    ]
    for found, expected in zip(values(adjusted, runs=1)[0], OF_HALVES.values()):
        assert found.dtype == np.float16
        assert np.allclose(found.ravel(), expected, rtol=0, atol=1.1e-3)


@pytest.mark.parametrize("per_image", [False, True])
@pytest.mark.parametrize("kind", DRAWN)
def test_float16_is_changed_as_float32_is(kind: str, per_image: bool) -> None:
    halves = FLOATS.astype(np.float16)
    pairs = [DRAWN[kind](one, seed=1, per_image=per_image) for one in (halves, halves.astype(np.float32))]
    for here, there in values(pairs, runs=2):
        assert here.dtype == np.float16
        assert np.allclose(here, there, rtol=2e-3, atol=2e-3)

"""Rotations and translations: what TF1's contrib made is a gold case; here is what they mean, and what is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from queuecompat import image as ops
from tests.image.running import PICTURES, values

SQUARES = np.random.RandomState(1).randint(1, 255, [5, 7, 7, 3]).astype(np.uint8)


def test_a_quarter_turn_is_counter_clockwise() -> None:
    turned, rotated = values([ops.rot90(SQUARES), ops.rotate(SQUARES, np.pi / 2)])[0]
    assert np.array_equal(turned, rotated)


def test_a_translation_moves_right_and_down() -> None:
    (moved,) = values(ops.translate(PICTURES, [2, 1]))
    assert np.array_equal(moved[:, 1:, 2:], PICTURES[:, :-1, :-2])
    assert not moved[:, :1].any()
    assert not moved[:, :, :2].any()


def test_composed_transforms_do_one_after_the_other() -> None:
    turn = ops.angles_to_projective_transforms(np.pi / 2, 7.0, 7.0)
    move = ops.translations_to_projective_transforms([2.0, 0.0])
    at_once = ops.transform(SQUARES[0], ops.compose_transforms(turn, move))
    in_steps = ops.transform(ops.transform(SQUARES[0], turn), move)
    here, there = values([at_once, in_steps])[0]
    assert np.array_equal(here, there)


def test_each_image_of_a_batch_turns_by_its_own_angle() -> None:
    same = np.stack([SQUARES[0]] * 8)
    (turned,) = values(ops.random_rotate(same, 3.0, seed=1))
    assert len({image.tobytes() for image in turned}) == 8


def test_a_batch_of_one_turns_and_moves_as_its_image_alone() -> None:
    turned = [ops.random_rotate(image, 1.0, "BILINEAR", seed=2) for image in (SQUARES[:1], SQUARES[0])]
    moved = [ops.random_translate(image, 3, seed=3) for image in (SQUARES[:1], SQUARES[0])]
    for pair in (turned, moved):
        for batch, alone in values(pair, runs=4):
            assert np.array_equal(batch[0], alone)


def test_random_angles_fill_their_range_evenly() -> None:
    """The angle is read back from the slope of a ramp of values after the turn."""
    ramp = np.broadcast_to(np.arange(41, dtype=np.float32)[:, np.newaxis], [300, 41, 41, 1])
    (turned,) = values(ops.random_rotate(ramp, 1.0, "BILINEAR", seed=4))
    to_the_right = turned[:, 20, 25, 0] - turned[:, 20, 15, 0]
    downwards = turned[:, 25, 20, 0] - turned[:, 15, 20, 0]
    angles = np.sort(np.arctan2(-downwards, to_the_right))
    assert abs(angles - np.linspace(-1, 1, 300)).max() < 0.15


def test_random_translations_cover_the_whole_range_in_each_direction() -> None:
    point = np.zeros([400, 15, 15, 1], np.float32)
    point[:, 7, 7] = 1
    (moved,) = values(ops.random_translate(point, [5, 2], seed=5))
    _, rows, columns, _ = np.nonzero(moved)
    assert set(rows.tolist()) == set(range(5, 10))
    assert set(columns.tolist()) == set(range(2, 13))


@pytest.mark.parametrize("interpolation", ["NEAREST", "bilinear"])
@pytest.mark.parametrize("image", [PICTURES, PICTURES[0], PICTURES.astype(np.float32)], ids=["batch", "one", "floats"])
def test_rotation_by_zero_and_translation_by_zero_change_nothing(image: np.ndarray, interpolation: str) -> None:
    results = [ops.random_rotate(image, 0.0, interpolation), ops.random_translate(image, 0, interpolation)]
    for result in values(results)[0]:
        assert np.array_equal(result, image)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ops.rotate(PICTURES > 9, 0.1), TypeError, "images of bool cannot be transformed; tf.cast"),
        (lambda: ops.rotate(PICTURES[None], 0.1), TypeError, "pass .height, width."),
        (lambda: ops.rotate(PICTURES, [[0.1]]), TypeError, "one angle for each image"),
        (lambda: ops.translate(PICTURES, 1.0), TypeError, "translations have shape"),
        (lambda: ops.transform(PICTURES, [1.0] * 8, output_shape=[3]), ValueError, "two numbers, height and width"),
        (lambda: ops.random_rotate(PICTURES, -0.1), ValueError, "must not be negative"),
        (lambda: ops.random_translate(PICTURES[0, 0], 1), ValueError, "neither"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_arguments_say_what_would_be_right(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()

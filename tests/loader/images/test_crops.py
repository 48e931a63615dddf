"""Crops: which windows, and what is written."""

from __future__ import annotations

import collections
from typing import Tuple
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecompat.loader.images import crops
from queuecompat.loader.images.crops import Window, centre_window, mirrored, random_window, write_crop

from .specimens import photograph


def test_random_windows_are_everywhere_equally_often_and_half_are_mirrored() -> None:
    rng = np.random.default_rng(0)
    drawn = collections.Counter(random_window((6, 5), (4, 4), mirror=True, rng=rng) for _ in range(12_000))
    assert {(w.top, w.left) for w in drawn} == {(top, left) for top in range(3) for left in range(2)}
    assert len(drawn) == 12
    assert all(800 < count < 1200 for count in drawn.values())  # 1000 expected; six deviations are 180


def test_without_mirroring_nothing_is_mirrored_and_the_places_stay_the_same() -> None:
    with_it = [random_window((60, 50), (4, 4), mirror=True, rng=np.random.default_rng(n)) for n in range(100)]
    without = [random_window((60, 50), (4, 4), mirror=False, rng=np.random.default_rng(n)) for n in range(100)]
    assert [window[:2] for window in with_it] == [window[:2] for window in without]
    assert not any(window.is_mirrored for window in without)


@pytest.mark.parametrize(
    ("image", "window"),
    [((6, 6), (1, 1)), ((7, 9), (1, 2)), ((4, 4), (0, 0)), ((3, 2), (0, -1)), ((2, 9), (-1, 2))],
)
def test_the_centre_leaves_as_much_on_every_side(image: Tuple[int, int], window: Tuple[int, int]) -> None:
    assert centre_window(image, (4, 4)) == Window(*window)


@given(
    height=st.integers(1, 9),
    width=st.integers(1, 9),
    rows=st.integers(1, 9),
    columns=st.integers(1, 9),
    seed=st.integers(0, 99),
    blue_first=st.booleans(),
    with_mean=st.booleans(),
    with_opencv=st.booleans(),
)
def test_a_crop_is_the_result_of_plain_slicing(
    height: int, width: int, rows: int, columns: int, seed: int, blue_first: bool, with_mean: bool, with_opencv: bool
) -> None:
    image, crop = photograph()[:height, :width], (rows, columns)
    window = random_window((height, width), crop, mirror=True, rng=np.random.default_rng(seed))
    mean = np.random.default_rng(seed).random((*crop, 3), np.float32) if with_mean else None
    out = np.full((*crop, 3), np.nan, np.float32)
    with mock.patch.object(crops, "is_usable", return_value=with_opencv):
        write_crop(image, window, mean=mean, out=out, blue_first=blue_first)

    padding = [(max(rows - height, 0) // 2, rows), (max(columns - width, 0) // 2, columns), (0, 0)]
    # NaN marks what lies outside of the image.
    around = np.pad(image.astype(np.float32), padding, constant_values=np.nan)
    top, left = max(window.top, 0), max(window.left, 0)
    part = around[top : top + rows, left : left + columns]
    if window.is_mirrored:
        inside = ~np.isnan(part[..., 0])
        across = np.flatnonzero(inside.any(axis=0))
        part[:, across] = part[:, across[::-1]].copy()
    if blue_first:
        part = part[..., ::-1]
    expected = part - (0 if mean is None else mean)
    np.testing.assert_array_equal(out, np.nan_to_num(expected, nan=0.0))


def test_a_mirror_image_is_of_the_same_part() -> None:
    window = Window(3, 5)
    assert mirrored(window) == Window(3, 5, True)
    assert mirrored(mirrored(window)) == window
    first, second = np.empty((4, 4, 3), np.float32), np.empty((4, 4, 3), np.float32)
    write_crop(photograph(), window, mean=None, out=first)
    write_crop(photograph(), mirrored(window), mean=None, out=second)
    np.testing.assert_array_equal(first, second[:, ::-1])
    assert not np.array_equal(first, second)

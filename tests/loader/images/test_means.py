"""Means: given, read, measured, and what lies under a crop."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from queuecompat import errors
from queuecompat.loader.images.crops import Window
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.means import Mean, Sums, given_mean, load_mean, mean_of_sums, save_mean
from queuecompat.loader.images.reading import BadImageError

from .specimens import encoded, photograph

ITEM = ListedImage("a.jpg", 0, "list.txt:3")


@pytest.mark.parametrize("mean", [7, [7, 7, 7], np.full(3, 7.0)])
def test_one_number_or_three_lie_under_every_crop(mean: Any) -> None:
    under = Mean(given_mean(mean), (2, 4)).under(ITEM, (50, 60), Window(7, 8, True))
    np.testing.assert_array_equal(under, np.full((2, 4, 3), 7, np.float32))


def test_of_a_mean_image_each_crop_gets_its_own_part_mirrored_with_it() -> None:
    values = np.random.default_rng(0).random((5, 6, 3), np.float32)
    mean = Mean(values, (2, 4))
    np.testing.assert_array_equal(mean.under(ITEM, (5, 6), Window(1, 2)), values[1:3, 2:6])
    np.testing.assert_array_equal(mean.under(ITEM, (5, 6), Window(1, 2, True)), values[1:3, 2:6][:, ::-1])


def test_a_mean_image_of_the_crops_size_is_the_same_under_every_crop() -> None:
    values = np.random.default_rng(0).random((2, 4, 3), np.float32)
    np.testing.assert_array_equal(Mean(values, (2, 4)).under(ITEM, (50, 60), Window(1, 2, True)), values)


def test_an_image_of_another_size_than_the_mean_image_is_named() -> None:
    with pytest.raises(BadImageError, match=r"QC628 'a.jpg' has 5x7 pixels, but the mean image has 5x6"):
        Mean(np.zeros((5, 6, 3), np.float32), (2, 4)).under(ITEM, (5, 7), Window(0, 0))


@pytest.mark.parametrize("mean", ["cat", [1, 2], np.zeros((4, 4)), np.zeros((4, 4, 1)), [1, 2, np.nan], None, {}])
def test_what_is_no_mean_is_refused(mean: Any) -> None:
    with pytest.raises(errors.QueueCompatValueError, match="QC630 ImageListLoader got mean="):
        given_mean(mean)


def test_a_mean_image_smaller_than_the_crop_is_refused() -> None:
    with pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*5x6.* smaller than the crop, 6x6"):
        Mean(np.zeros((5, 6, 3), np.float32), (6, 6))


def test_a_saved_mean_comes_back(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mean.npy"
    values = np.random.default_rng(0).random((5, 6, 3), np.float32)
    save_mean(file, values)
    np.testing.assert_array_equal(load_mean(file), values)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_no_mean_is_refused(tmp_path: pathlib.Path) -> None:
    text, several = tmp_path / "mean.txt", tmp_path / "several.npz"
    text.write_text("1 2 3")
    np.savez(several, a=np.zeros(3))
    for file in (text, several):
        with pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*not a \.npy file|QC630 .*several arrays"):
            load_mean(file)


def listed(directory: pathlib.Path, image: np.ndarray) -> ListedImage:
    file = directory / f"{len(list(directory.iterdir()))}.png"
    file.write_bytes(encoded(image, "PNG"))
    return ListedImage(str(file), 0, "list.txt:3")


def test_the_mean_of_channels_counts_every_pixel_once(tmp_path: pathlib.Path) -> None:
    images = [photograph(), photograph()[:9, :7], photograph()[10:50]]
    sums = [Sums(None, None)(listed(tmp_path, image)) for image in images]
    measured = mean_of_sums([np.stack(sums[:2]), np.stack(sums[2:])])
    pixels = np.concatenate([image.reshape(-1, 3) for image in images]).astype(np.float64)
    assert measured.dtype == np.float32
    np.testing.assert_array_equal(measured, pixels.mean(axis=0).astype(np.float32))


def test_the_mean_image_is_the_mean_of_each_pixel(tmp_path: pathlib.Path) -> None:
    images = [photograph(), photograph()[::-1], photograph()[:, ::-1]]
    load = Sums((64, 80), None)
    measured = mean_of_sums([np.stack([load(listed(tmp_path, image)) for image in images])])
    np.testing.assert_array_equal(measured, np.mean(images, axis=0, dtype=np.float64).astype(np.float32))


def test_images_of_two_sizes_have_no_mean_image(tmp_path: pathlib.Path) -> None:
    with pytest.raises(BadImageError, match=r"QC628 .* has 9x7 pixels, but the mean image has 64x80"):
        Sums((64, 80), None)(listed(tmp_path, photograph()[:9, :7]))

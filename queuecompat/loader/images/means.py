"""The mean that is subtracted from every image: passed, read from a file, or measured.

Rule 1: a mean is one number, one number for each channel, or an image. A mean image of the crop's size is subtracted
        from every crop. Of a mean image of the size of the whole images, the part under the crop is subtracted,
        mirrored if the crop is.
Rule 2: measured sums are whole numbers, so they do not depend on the order of adding or on the number of workers.
Rule 3: a mean has its channels in the order in which the loader returns images.

This module reads no list of images: ``measuring`` passes it the sums.
"""

from __future__ import annotations

import os
from typing import Any, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.images.crops import Window, fits
from queuecompat.loader.images.dimensions import MAX_PIXELS, size_text
from queuecompat.loader.images.image_list import ListedImage, PathLike
from queuecompat.loader.images.reading import bad_image, read_image
from queuecompat.loader.images.resizing import Part
from queuecompat.replacing import replaced

__all__ = ["Mean", "Sums", "given_mean", "load_mean", "mean_of_sums", "save_mean"]

Size = Tuple[int, int]


class Mean:
    """A mean, stored so that it is subtracted from a crop in one pass.

    Attributes:
      values: float32 ``[3]`` or ``[height, width, 3]``.
    Raises:
      ValueError: the mean is an image smaller than the crop (QC630).
    """

    def __init__(self, values: np.ndarray, crop: Size) -> None:
        if values.ndim == 3 and not fits(values.shape[:2], crop):
            raise _unusable(f"an image of {size_text(values.shape)}", f"it is smaller than the crop, {size_text(crop)}")
        self.values = values
        self._crop = crop
        # Expanded to the crop's size: NumPy subtracts three numbers from an image ten times slower than an image.
        self._under_any: Optional[np.ndarray] = None
        if values.ndim == 1 or values.shape[:2] == crop:
            self._under_any = np.ascontiguousarray(np.broadcast_to(values, (*crop, 3)))

    def under(self, image: ListedImage, size: Size, place: Union[Window, Part]) -> np.ndarray:
        """Returns the part of the mean under the crop at *place* of an image of *size*, float32 ``[*crop, 3]``.

        Raises:
          BadImageError: the mean is an image of neither the crop's size nor *size* (QC628).
        """
        if self._under_any is not None:
            return self._under_any
        if self.values.shape[:2] != size:
            raise bad_image(image, "QC628", size=size_text(size), mean=size_text(self.values.shape))
        assert isinstance(place, Window), "a loader with random parts has no such mean"
        rows, columns = self._crop
        part = self.values[place.top : place.top + rows, place.left : place.left + columns]
        return part[:, ::-1] if place.is_mirrored else part


def given_mean(mean: Any) -> np.ndarray:
    """Returns a mean that the user passed as float32 ``[3]`` or ``[height, width, 3]``.

    Raises:
      ValueError: it is not a number, three numbers or an image; or not finite (QC630).
    """
    try:
        values = np.asarray(mean, np.float32)
    except (TypeError, ValueError):
        values = np.empty(0, np.float32)
    if values.ndim == 0:
        values = np.full(3, values, np.float32)
    if values.shape != (3,) and not (values.ndim == 3 and values.shape[2] == 3):
        raise _unusable(repr(mean)[:80], "it must be a number, three numbers, or an array [height, width, 3]")
    if not np.isfinite(values).all():
        raise _unusable(repr(mean)[:80], "it contains values that are not finite")
    return values


def load_mean(file: PathLike) -> np.ndarray:
    """Reads a mean that ``save_mean`` or ``numpy.save`` wrote.

    Raises:
      ValueError: the file does not hold a mean (QC630).
    """
    try:
        values = np.load(os.fspath(file), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise _unusable(os.fspath(file), f"it is not a .npy file: {error}") from error
    if not isinstance(values, np.ndarray):
        raise _unusable(os.fspath(file), "it holds several arrays")
    return given_mean(values)


def save_mean(file: PathLike, values: np.ndarray) -> None:
    """Writes a mean. The file gets its name only when it is complete, so that no reader sees a part of it."""
    with replaced(os.fspath(file)) as out:
        np.save(out, values)


class Sums:
    """A ``load`` function that returns the sums from which a mean is measured. For workers of any kind.

    Args:
      size: height and width of all images, to measure a mean image; None to measure one number per channel.
      decoder_names, max_pixels, resize: as in ``read_image``.
    """

    def __init__(
        self,
        size: Optional[Size],
        decoder_names: Optional[Sequence[str]],
        max_pixels: Optional[int] = MAX_PIXELS,
        resize: Union[int, Size, None] = None,
    ) -> None:
        self._resize = resize
        self._size = size
        self._decoder_names = decoder_names
        self._max_pixels = max_pixels

    def __call__(self, item: ListedImage) -> np.ndarray:
        """Returns int64 ``[4]``: the sum of each channel and the number of pixels; or, for a mean image, the pixels.

        Raises:
          BadImageError: as ``read_image``; or the image is not of *size* (QC628).
        """
        image = read_image(item, self._decoder_names, self._max_pixels, self._resize)
        height, width, _ = image.shape
        if self._size is None:
            # uint32 holds the sum of a column of up to 16 million rows.
            columns = image.reshape(height, width * 3).sum(axis=0, dtype=np.uint32)
            return np.append(columns.reshape(width, 3).sum(axis=0, dtype=np.int64), height * width)
        if (height, width) != self._size:
            raise bad_image(item, "QC628", size=size_text((height, width)), mean=size_text(self._size))
        return image


def mean_of_sums(batches: Iterable[np.ndarray]) -> Optional[np.ndarray]:
    """Returns the mean of all images whose ``Sums`` are in *batches*, float32 ``[3]`` or ``[height, width, 3]``; None
    if there are no images.

    Each pixel has the same weight, so a large image counts more than a small one.
    """
    total, images = np.zeros(1, np.int64), 0
    for batch in batches:
        total = total + batch.sum(axis=0, dtype=np.int64)
        images += len(batch)
    if not images:
        return None
    mean = total[:3] / total[3] if total.ndim == 1 else total / images
    return mean.astype(np.float32)


def _unusable(given: str, problem: str) -> errors.QueueCompatError:
    return errors.error(errors.QueueCompatValueError, "QC630", argument="mean", given=given, problem=problem)

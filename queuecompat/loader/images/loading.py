"""The ``load`` functions of ``ImageListLoader``: from a listed image to its examples. Run by the workers.

Rule 1: an example is a function of the item, the generator and the arguments alone, so it is the same in any worker.
Rule 2: instances are pickled for worker processes, so they hold only numbers, arrays, names and the user's functions.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator, Optional, Tuple, Union

import numpy as np

from queuecompat.loader.calls import LoadsSeveral
from queuecompat.loader.images.crops import Window, centre_window, clear_outside, fits, random_window, write_crop
from queuecompat.loader.images.dimensions import MAX_PIXELS, size_text
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.means import Mean
from queuecompat.loader.images.pixels import PLAIN, PixelFormat
from queuecompat.loader.images.reading import bad_image, read_image
from queuecompat.loader.images.resizing import Area, Part, random_part, resized
from queuecompat.loader.memory_cache import MemoryCache
from queuecompat.loader.metrics.stages import stage

__all__ = ["CropConfig", "LoadCentre", "LoadCentreAtRandom", "LoadCrop", "LoadCrops"]

Example = Tuple[np.ndarray, Any]
Place = Union[Window, Part]


@dataclasses.dataclass(frozen=True)
class CropConfig:
    """The configuration by which examples are made of images.

    Attributes:
      crop: height and width, in pixels.
      mean: the mean that is subtracted, or None.
      mirror: whether crops for training are mirrored half of the time.
      pad: whether an image smaller than the crop is surrounded with zeros; if not, it is an error.
      blue_first: whether the order of channels is BGR instead of RGB.
      decoders: the names of the decoders that may be used, or None for all.
      max_pixels: the maximum number of pixels that a file may claim to have, or have after *resize*; None for no limit.
      resize: the length of the shorter side, or height and width, to which each image is resized first; or None.
      area: the random parts of images that are resized to the crop; None for crops that are not resized.
      pixels: the steps from the pixels of a crop to an example.
      cache: the cache of decoded and resized images, or None.
    """

    crop: Tuple[int, int]
    mean: Optional[Mean] = None
    mirror: bool = True
    pad: bool = False
    blue_first: bool = False
    decoders: Optional[Tuple[str, ...]] = None
    max_pixels: Optional[int] = MAX_PIXELS
    resize: Union[int, Tuple[int, int], None] = None
    area: Optional[Area] = None
    pixels: PixelFormat = PLAIN
    cache: Optional[MemoryCache] = None

    def with_cache(self, max_bytes: int) -> CropConfig:
        return dataclasses.replace(self, cache=MemoryCache(self.decoded, max_bytes=max_bytes, key=_path))

    def pixels_of(self, item: ListedImage) -> np.ndarray:
        """Returns the pixels of an image, which may be of any size. They must not be changed, and may be in memory that
        the next call on this thread overwrites, or in the cache.

        Raises:
          BadImageError: as ``read_image``.
        """
        return self.decoded(item) if self.cache is None else self.cache(item)

    def decoded(self, item: ListedImage) -> np.ndarray:
        """Like ``pixels_of``, without the cache."""
        return read_image(item, self.decoders, self.max_pixels, self.resize)

    def read(self, item: ListedImage) -> np.ndarray:
        """Like ``pixels_of``, but checks that the image is large enough.

        Raises:
          BadImageError: as ``read_image``; or the image is smaller than the crop (QC627), and is not padded.
        """
        image = self.pixels_of(item)
        if self.area is None and not self.pad and not fits(image.shape[:2], self.crop):
            raise bad_image(item, "QC627", size=size_text(image.shape), crop=size_text(self.crop))
        return image

    def random_place(self, image: np.ndarray, *, mirror: bool, rng: np.random.Generator) -> Place:
        """Returns the random part of *image* that becomes a crop."""
        if self.area is not None:
            return random_part(_size(image), self.area, mirror=mirror, rng=rng)
        return random_window(_size(image), self.crop, mirror=mirror, rng=rng)

    def example(
        self,
        item: ListedImage,
        image: np.ndarray,
        place: Place,
        out: Optional[Example] = None,
        rng: Optional[np.random.Generator] = None,
    ) -> Example:
        """Returns one crop, in the format of ``pixels``, and its label. The crop is written into *out*, if not None."""
        with stage("augment"):
            return self._example(item, image, place, out, rng)

    def _example(
        self,
        item: ListedImage,
        image: np.ndarray,
        place: Place,
        out: Optional[Example],
        rng: Optional[np.random.Generator],
    ) -> Example:
        crop = np.empty(self.pixels.shape(self.crop), self.pixels.dtype) if out is None else out[0]
        mean = None if self.mean is None else self.mean.under(item, _size(image), place)
        if self.pixels.is_plain and isinstance(place, Window):
            write_crop(image, place, mean=mean, out=crop, blue_first=self.blue_first)
        else:
            part = self._cut(image, place)
            self.pixels.write(part, mean=mean, blue_first=self.blue_first, rng=rng, out=crop)
            if isinstance(place, Window) and self.pixels.transform is None:
                clear_outside(_size(image), place, self.pixels.as_rows(crop))
        return crop, item.label

    def _cut(self, image: np.ndarray, place: Place) -> np.ndarray:
        """Returns the crop as uint8 ``[*crop, 3]``, red first."""
        if isinstance(place, Part):
            part = resized(image, self.crop, place.box)
            return part[:, ::-1] if place.is_mirrored else part
        part = np.empty((*self.crop, 3), np.uint8)
        write_crop(image, place, mean=None, out=part)
        return part


@dataclasses.dataclass(frozen=True)
class LoadCentre:
    """For testing: returns the crop from the middle of an image."""

    config: CropConfig

    def __call__(self, item: ListedImage, *, out: Optional[Example] = None) -> Example:
        image = self.config.read(item)
        return self.config.example(item, image, centre_window(_size(image), self.config.crop), out)


@dataclasses.dataclass(frozen=True)
class LoadCentreAtRandom:
    """Like ``LoadCentre``, for a transform that takes random numbers."""

    config: CropConfig

    def __call__(self, item: ListedImage, rng: np.random.Generator, *, out: Optional[Example] = None) -> Example:
        image = self.config.read(item)
        return self.config.example(item, image, centre_window(_size(image), self.config.crop), out, rng)


@dataclasses.dataclass(frozen=True)
class LoadCrop:
    """For training: returns one crop from a random place, mirrored half of the time if the config says so."""

    config: CropConfig

    def __call__(self, item: ListedImage, rng: np.random.Generator, *, out: Optional[Example] = None) -> Example:
        image = self.config.read(item)
        place = self.config.random_place(image, mirror=self.config.mirror, rng=rng)
        return self.config.example(item, image, place, out, rng)


@dataclasses.dataclass(frozen=True)
class LoadCrops(LoadsSeveral):
    """For training: yields *count* crops from random places and, if the config mirrors, their mirror images. The image
    is decoded once."""

    config: CropConfig
    count: int

    @property
    def examples_per_item(self) -> int:
        return self.count * (1 + self.config.mirror)

    def __call__(self, item: ListedImage, rng: np.random.Generator) -> Iterator[Example]:
        # A copy, because between two examples this thread may decode a different image into the same memory.
        image = self.config.read(item).copy()
        for _ in range(self.count):
            place = self.config.random_place(image, mirror=False, rng=rng)
            yield self.config.example(item, image, place, rng=rng)
            if self.config.mirror:
                yield self.config.example(item, image, place._replace(is_mirrored=True), rng=rng)


def _path(item: ListedImage) -> str:
    return item.path


def _size(image: np.ndarray) -> Tuple[int, int]:
    return image.shape[0], image.shape[1]

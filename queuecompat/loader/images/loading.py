"""From a listed image to its examples: what the background loader's workers run.

Rule 1: what an example is follows from the item, the generator and the arguments alone; so it is the
        same in any worker.
Rule 2: instances go to processes by pickle: numbers, arrays and names only.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from queuecompat.loader.images.crops import Window, centre_window, fits, mirrored, random_window, write_crop
from queuecompat.loader.images.dimensions import MAX_PIXELS
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.means import Mean
from queuecompat.loader.images.reading import bad_image, read_image

__all__ = ["CropConfig", "LoadCentre", "LoadCrop", "LoadCrops"]

Example = Tuple[np.ndarray, Any]


@dataclasses.dataclass(frozen=True)
class CropConfig:
    """How examples are made.

    Attributes:
      crop: height and width, in pixels.
      mean: what is subtracted, or None.
      mirror: whether crops for training are mirrored half of the time.
      pad: whether an image smaller than the crop stands in the middle of zeros; else it is an error.
      blue_first: the order of channels.
      decoders: names of the decoders that may be used, or None for all.
      max_pixels: the most that a file may claim to have, or None.
    """

    crop: Tuple[int, int]
    mean: Optional[Mean] = None
    mirror: bool = True
    pad: bool = False
    blue_first: bool = False
    decoders: Optional[Tuple[str, ...]] = None
    max_pixels: Optional[int] = MAX_PIXELS

    def read(self, item: ListedImage) -> np.ndarray:
        """The pixels, in memory of this thread.

        Raises:
          BadImageError: as ``read_image``; or the image is smaller than the crop (QC627).
        """
        image = read_image(item, self.decoders, self.max_pixels)
        if not self.pad and not fits(image.shape[:2], self.crop):
            raise bad_image(item, "QC627", size=_by(image.shape), crop=_by(self.crop))
        return image

    def example(self, item: ListedImage, image: np.ndarray, window: Window, out: Optional[Example] = None) -> Example:
        """One crop, float32 ``[*crop, 3]``, and its label; the crop in the memory of *out*, if that is given."""
        crop = np.empty((*self.crop, 3), np.float32) if out is None else out[0]
        mean = None if self.mean is None else self.mean.under(item, image.shape[:2], window)
        write_crop(image, window, mean=mean, out=crop, blue_first=self.blue_first)
        return crop, item.label


@dataclasses.dataclass(frozen=True)
class LoadCentre:
    """For testing: the crop from the middle."""

    config: CropConfig

    def __call__(self, item: ListedImage, *, out: Optional[Example] = None) -> Example:
        image = self.config.read(item)
        return self.config.example(item, image, centre_window(image.shape[:2], self.config.crop), out)


@dataclasses.dataclass(frozen=True)
class LoadCrop:
    """For training: one crop from anywhere, mirrored or not."""

    config: CropConfig

    def __call__(self, item: ListedImage, rng: np.random.Generator, *, out: Optional[Example] = None) -> Example:
        image = self.config.read(item)
        window = random_window(image.shape[:2], self.config.crop, mirror=self.config.mirror, rng=rng)
        return self.config.example(item, image, window, out)


@dataclasses.dataclass(frozen=True)
class LoadCrops:
    """For training: *count* crops from anywhere and, if the making mirrors, their mirror images; decoded once."""

    config: CropConfig
    count: int

    def __call__(self, item: ListedImage, rng: np.random.Generator) -> Iterator[Example]:
        # A copy: between two examples this thread may read another image into its memory.
        image = self.config.read(item).copy()
        for _ in range(self.count):
            window = random_window(image.shape[:2], self.config.crop, mirror=False, rng=rng)
            yield self.config.example(item, image, window)
            if self.config.mirror:
                yield self.config.example(item, image, mirrored(window))


def _by(size: Tuple[int, ...]) -> str:
    return f"{size[0]}x{size[1]}"

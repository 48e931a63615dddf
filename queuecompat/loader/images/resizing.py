"""Resizes an image, or a random part of it.

Rule 1: Pillow resizes the image, bilinearly, with averaging if the image becomes smaller. Always Pillow, because the
        result must not depend on which decoder is installed.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Tuple, Union

import numpy as np

__all__ = ["Area", "Part", "random_part", "resized", "size_of"]

Size = Tuple[int, int]
Box = Tuple[float, float, float, float]
_TRIES = 10


class Part(NamedTuple):
    """A part of an image that is resized to a crop: left, top, right and bottom, in pixels; mirrored or not."""

    box: Box
    is_mirrored: bool = False


class Area(NamedTuple):
    """The range from which random parts are chosen: the smallest and largest share of the image's area (*shares*), and
    the smallest and largest width divided by height (*ratios*)."""

    shares: Tuple[float, float]
    ratios: Tuple[float, float]


def size_of(image: Size, resize: Union[int, Size]) -> Size:
    """Returns height and width after resizing. If *resize* is a number, it is the length of the shorter side, and the
    longer side is scaled in proportion."""
    if not isinstance(resize, int):
        return resize
    shorter = min(image)
    height, width = (max(1, round(side * resize / shorter)) for side in image)
    return height, width


def resized(image: np.ndarray, size: Size, box: Optional[Box] = None) -> np.ndarray:
    """Returns *image*, or its part in *box*, resized to *size*: uint8 ``[*size, 3]``."""
    if box is None and image.shape[:2] == size:
        return image
    from PIL import Image

    height, width = size
    source = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(source.resize((width, height), Image.Resampling.BILINEAR, box=box))


def random_part(image: Size, area: Area, *, mirror: bool, rng: np.random.Generator) -> Part:
    """Returns a random part in the ranges of *area*; if no part fits after ten tries, the largest part from the middle
    with a ratio in the range."""
    height, width = image
    low, high = map(math.log, area.ratios)
    is_mirrored = mirror and rng.random() < 0.5
    for _ in range(_TRIES):
        pixels = rng.uniform(*area.shares) * height * width
        ratio = math.exp(rng.uniform(low, high))
        rows, columns = round(math.sqrt(pixels / ratio)), round(math.sqrt(pixels * ratio))
        if 0 < rows <= height and 0 < columns <= width:
            top, left = int(rng.integers(height - rows + 1)), int(rng.integers(width - columns + 1))
            return Part((left, top, left + columns, top + rows), is_mirrored)
    ratio = min(max(width / height, area.ratios[0]), area.ratios[1])
    rows, columns = min(height, max(1, round(width / ratio))), min(width, max(1, round(height * ratio)))
    top, left = (height - rows) // 2, (width - columns) // 2
    return Part((left, top, left + columns, top + rows), is_mirrored)

"""Images of other sizes: the whole of one, or a random part of it.

Rule 1: Pillow resizes, whichever decoder is installed: what an image becomes must not depend on that. Bilinear, and
        averaged where the image becomes smaller.
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
    """A part of an image that becomes a crop: left, top, right and bottom, in pixels; mirrored or not."""

    box: Box
    is_mirrored: bool = False


class Area(NamedTuple):
    """From which parts a random one is chosen: its share of the image's area, and width divided by height."""

    shares: Tuple[float, float]
    ratios: Tuple[float, float]


def size_of(image: Size, resize: Union[int, Size]) -> Size:
    """Height and width that *resize* asks for: of the shorter side, the other in proportion; or of both."""
    if not isinstance(resize, int):
        return resize
    shorter = min(image)
    height, width = (max(1, round(side * resize / shorter)) for side in image)
    return height, width


def resized(image: np.ndarray, size: Size, box: Optional[Box] = None) -> np.ndarray:
    """uint8 ``[*size, 3]``: the *box* of *image*, or the whole."""
    if box is None and image.shape[:2] == size:
        return image
    from PIL import Image

    height, width = size
    source = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(source.resize((width, height), Image.Resampling.BILINEAR, box=box))


def random_part(image: Size, area: Area, *, mirror: bool, rng: np.random.Generator) -> Part:
    """A part of such a share and ratio, anywhere; where none fits after some tries, the largest from the middle."""
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

"""Chooses the part of an image that becomes an example, and writes it in one pass.

Rule 1: a window is chosen by pure functions of the image's size and a generator. Each window takes three draws, even if
        they are not needed, so that one choice never shifts the random numbers of the next.
Rule 2: pixels go from the decoder's memory to the example's in one pass: they are cut, mirrored and converted to
        float32, and the mean is subtracted. Nothing as large as the image is allocated.

Axes are ``[height, width, channels]``, in pixels.
"""

from __future__ import annotations

import threading
from typing import NamedTuple, Optional, Tuple

import numpy as np

from queuecompat.loader.images.decoders import is_usable

__all__ = ["Window", "centre_window", "clear_outside", "fits", "mirrored", "random_window", "write_crop"]

Size = Tuple[int, int]


class Window(NamedTuple):
    """A crop: its first row and column in the image, and whether it is mirrored left to right.

    A negative row or column means that the image is smaller than the crop, and is placed inside of it.
    """

    top: int
    left: int
    is_mirrored: bool = False


def fits(image: Size, crop: Size) -> bool:
    return image[0] >= crop[0] and image[1] >= crop[1]


def random_window(image: Size, crop: Size, *, mirror: bool, rng: np.random.Generator) -> Window:
    """Returns a random window; all places are equally likely. If *mirror*, it is mirrored half of the time.

    Along an axis in which the image is smaller than the crop, the image is placed in the middle.
    """
    # Three calls: to draw an array of three, NumPy releases Python's lock, which another worker then takes.
    rows, columns, side = rng.random(), rng.random(), rng.random()
    below, beside = image[0] - crop[0], image[1] - crop[1]
    top = int(rows * (below + 1)) if below >= 0 else _half(below)
    left = int(columns * (beside + 1)) if beside >= 0 else _half(beside)
    return Window(top, left, mirror and side < 0.5)


def centre_window(image: Size, crop: Size) -> Window:
    """Returns the window in the middle; if the rest is odd, the larger part is at the bottom and at the right."""
    return Window(_half(image[0] - crop[0]), _half(image[1] - crop[1]))


def _half(rest: int) -> int:
    return rest // 2 if rest >= 0 else -(-rest // 2)


def mirrored(window: Window) -> Window:
    """Returns the mirror image of *window*: the same part of the image."""
    return window._replace(is_mirrored=not window.is_mirrored)


def write_crop(
    image: np.ndarray, window: Window, *, mean: Optional[np.ndarray], out: np.ndarray, blue_first: bool = False
) -> None:
    """Writes one crop of *image* into *out*.

    Args:
      image: uint8 ``[height, width, 3]``, red first.
      mean: float32 of *out*'s shape, subtracted after mirroring; None subtracts nothing.
      out: float32 or uint8 ``[crop height, crop width, 3]``. Set to 0 outside of the image.
      blue_first: whether *out* has the channels in the order BGR.
    """
    height, width, _ = out.shape
    if not fits(image.shape[:2], (height, width)):
        out[...] = 0
        inside = _inside(window.top, image.shape[0], height), _inside(window.left, image.shape[1], width)
        out, mean = out[inside], None if mean is None else mean[inside]
        window = Window(max(window.top, 0), max(window.left, 0), window.is_mirrored)
    part = image[window.top : window.top + height, window.left : window.left + width]
    if window.is_mirrored or blue_first:
        part = _turned(part, -1 if window.is_mirrored else 1, -1 if blue_first else 1)
    if mean is None:
        np.copyto(out, part)
    else:
        np.subtract(part, mean, out=out)


def clear_outside(image: Size, window: Window, out: np.ndarray) -> None:
    """Sets the crop *out* to 0 outside of the image, since subtracting a mean may have changed the padding.

    Args:
      image: height and width of the image.
    """
    crop = out.shape[0], out.shape[1]
    if not fits(image, crop):
        rows, columns = _inside(window.top, image[0], crop[0]), _inside(window.left, image[1], crop[1])
        out[: rows.start or 0] = out[rows.stop :] = 0
        out[:, : columns.start or 0] = out[:, columns.stop :] = 0


def _inside(first: int, image: int, crop: int) -> slice:
    """Returns the place of the image in the crop along one axis."""
    return slice(0, crop) if image >= crop else slice(-first, -first + image)


_of_this_thread = threading.local()


def _turned(part: np.ndarray, column_step: int, channel_step: int) -> np.ndarray:
    """Returns *part* with its columns or channels in reverse order (a step of -1), in memory of this thread."""
    memory: Optional[np.ndarray] = getattr(_of_this_thread, "memory", None)
    if memory is None or memory.shape != part.shape:
        memory = _of_this_thread.memory = np.empty(part.shape, np.uint8)
    if channel_step == 1 and is_usable("cv2"):
        import cv2

        cv2.flip(part, 1, dst=memory)
        return memory
    # One channel at a time: NumPy would copy a reversed image in runs of three bytes, and take five times as long.
    turned = part[:, ::column_step, ::channel_step]
    for channel in range(part.shape[2]):
        np.copyto(memory[:, :, channel], turned[:, :, channel])
    return memory

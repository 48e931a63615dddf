"""The image functions that ``scipy.misc`` had in 2018 and SciPy has removed: files, sizes and rotation, by Pillow.

Recorded from SciPy 1.1.0: ``tests/v1/test_scipy_images.py``. Its surprises are kept: arrays that are not uint8 are
scaled to 0..255 by their own smallest and largest value, and the first axis of length 3 is taken for the channels.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

__all__ = ["bytescale", "fromimage", "imread", "imresize", "imrotate", "imsave", "toimage"]

# Pillow's constants for its resampling filters.
_INTERPOLATIONS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
_CHANNELS = {"RGB": 3, "YCbCr": 3, "RGBA": 4, "CMYK": 4}
_SHAPE = "'arr' does not have a suitable array shape for any mode."
_MODE = "Mode is unknown or incompatible with input array shape."


def imread(name: Any, flatten: bool = False, mode: Optional[str] = None) -> np.ndarray:
    """Reads the pixels of an image file.

    Args:
      name: a path or an open file.
      flatten: return floats with one channel.
      mode: Pillow's mode, such as ``"RGB"``, to convert to.
    """
    from PIL import Image

    return fromimage(Image.open(name), flatten=flatten, mode=mode)


def imsave(name: Any, arr: Any, format: Optional[str] = None) -> None:
    """Writes ``[height, width]`` or ``[height, width, 3 or 4]`` to a path or file, scaled as by ``bytescale``."""
    toimage(arr, channel_axis=2).save(name, *([] if format is None else [format]))


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: Optional[str] = None) -> np.ndarray:
    """Resizes an image.

    Args:
      size: an int, in per cent; a float, a factor; or ``(height, width)``.
    """
    image = toimage(arr, mode=mode)
    if isinstance(size, (int, np.signedinteger, float, np.floating)):
        factor = size if isinstance(size, (float, np.floating)) else size / 100.0
        wanted = tuple(int(length * factor) for length in image.size)
    else:
        wanted = (size[1], size[0])
    return fromimage(image.resize(wanted, resample=_INTERPOLATIONS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Rotates an image by *angle* degrees counter-clockwise; the size of the image stays the same."""
    return fromimage(toimage(arr).rotate(angle, resample=_INTERPOLATIONS[interp]))


def fromimage(im: Any, flatten: bool = False, mode: Optional[str] = None) -> np.ndarray:
    """Returns the pixels of a Pillow image; palette indices are converted to colours, and bits to 0 and 255."""
    from PIL import Image

    if not isinstance(im, Image.Image):
        raise TypeError("Input is not a PIL image.")
    if mode is not None:
        im = im.convert(mode)
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def bytescale(
    data: np.ndarray, cmin: Optional[float] = None, cmax: Optional[float] = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """Returns *data* as uint8: *cmin* to *cmax* (default: its range) become *low* to *high*; uint8 stays as it is."""
    if data.dtype == np.uint8:
        return data
    if high > 255:
        raise ValueError("`high` should be less than or equal to 255.")
    if low < 0:
        raise ValueError("`low` should be greater than or equal to 0.")
    if high < low:
        raise ValueError("`high` should be greater than or equal to `low`.")
    least = data.min() if cmin is None else cmin
    extent = (data.max() if cmax is None else cmax) - least
    if extent < 0:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - least) * (float(high - low) / (extent or 1)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Optional[float] = None,
    cmax: Optional[float] = None,
    pal: Optional[Sequence[Sequence[int]]] = None,
    mode: Optional[str] = None,
    channel_axis: Optional[int] = None,
) -> Any:
    """Returns a Pillow image of an array; values are scaled as by ``bytescale`` unless the *mode* is ``"F"``.

    Args:
      pal: colours ``[256, 3]`` of a gray image.
      channel_axis: the axis of the channels; default: the first axis of length 3, or else 4.
    """
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _of_one_channel(data, (cmin, cmax, high, low), pal, mode)
    if data.ndim != 3 or not (3 in data.shape or 4 in data.shape):
        raise ValueError(_SHAPE)
    axis = channel_axis
    if axis is None:
        axis = data.shape.index(3 if 3 in data.shape else 4)
    count = data.shape[axis]
    if count not in (3, 4):
        raise ValueError("Channel axis dimension is not valid.")
    pixels = np.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    mode = mode or ("RGB" if count == 3 else "RGBA")
    if mode not in _CHANNELS:
        raise ValueError(_MODE)
    if _CHANNELS[mode] != count:
        raise ValueError("Invalid array shape for mode.")
    return _image(mode, pixels)


def _of_one_channel(
    data: np.ndarray,
    scale: Tuple[Optional[float], Optional[float], int, int],
    palette: Optional[Sequence[Sequence[int]]],
    mode: Optional[str],
) -> Any:
    if mode == "F":
        return _image(mode, data.astype(np.float32))
    if mode in (None, "L", "P"):
        image = _image("L", bytescale(data, *scale))
        if palette is not None or mode == "P":
            colours = [[gray] * 3 for gray in range(256)] if palette is None else palette
            image.putpalette(np.asarray(colours, np.uint8).tobytes())
        return image
    if mode == "I":
        cmin, cmax, high, low = scale
        least = data.min() if cmin is None else cmin
        largest = data.max() if cmax is None else cmax
        return _image(mode, ((data * 1.0 - least) * (high - low) / (largest - least) + low).astype(np.uint32))
    raise ValueError(_MODE)


def _image(mode: str, pixels: np.ndarray) -> Any:
    from PIL import Image

    return Image.frombytes(mode, (pixels.shape[1], pixels.shape[0]), pixels.tobytes())

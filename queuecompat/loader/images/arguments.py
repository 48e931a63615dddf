"""The arguments of ``ImageListLoader``, checked."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.images.decoders import DECODERS, is_usable
from queuecompat.loader.images.image_list import PathLike
from queuecompat.loader.images.pixels import PixelFormat
from queuecompat.loader.images.resizing import Area
from queuecompat.loader.settings import shown, whole_number

__all__ = [
    "area_argument",
    "cache_argument",
    "check_order",
    "check_words",
    "count_argument",
    "crops_argument",
    "pixel_format",
    "refused",
    "resize_argument",
    "size_argument",
    "wants_mean",
]


def wants_mean(subtract_mean: bool, mean: Any, mean_file: Optional[PathLike]) -> bool:
    """Returns whether a mean is subtracted; raises QC630 if these arguments contradict each other."""
    if isinstance(mean, str):
        check_words(mean=mean)
    is_open = mean is None or (isinstance(mean, str) and mean == "channels")
    if not subtract_mean and not (is_open and mean_file is None):
        raise refused("subtract_mean", False, "a mean is passed as well; leave one of them out")
    if mean_file is not None and not isinstance(mean, str):
        raise refused("mean_file", mean_file, "a mean is passed as well; leave one of them out")
    return subtract_mean


_WORDS = {
    "channels": ("RGB", "BGR"),
    "classes": ("sorted",),
    "crops_apart": ("shuffle", "delay"),
    "decoders": tuple(row.name for row in DECODERS),
    "layout": ("HWC", "CHW"),
    "mean": ("channels", "image"),
    "small": ("raise", "pad"),
}


def check_words(**arguments: Any) -> None:
    for argument, given in arguments.items():
        for word in [given] if isinstance(given, str) else given or ():
            if word not in _WORDS[argument]:
                raise refused(argument, given, "it must be " + " or ".join(map(repr, _WORDS[argument])))


def check_order(**arguments: Any) -> None:
    """Raises QC630 for a set, since the numbers of its images or classes would change from run to run."""
    for argument, given in arguments.items():
        if isinstance(given, (set, frozenset)):
            raise refused(argument, given, f"a set has a different order in each run; pass sorted({argument})")


def size_argument(crop: Union[int, Sequence[int]], argument: str = "crop") -> Tuple[int, int]:
    side = whole_number(crop)
    try:
        height, width = (side, side) if side is not None else map(whole_number, crop)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        height = width = None
    if height is None or width is None or height < 1 or width < 1:
        raise refused(argument, crop, "it must be a height and a width, in pixels")
    return height, width


def count_argument(argument: str, given: Any) -> Optional[int]:
    """Returns *given*, an integer of any type, as an ``int``; None stays None.

    Raises:
      QueueCompatValueError: QC630, it is not a whole number, or less than 1.
    """
    count = None if given is None else whole_number(given)
    if given is not None and (count is None or count < 1):
        raise refused(argument, given, "it must be a whole number of at least 1")
    return count


def refused(argument: str, given: object, problem: str) -> errors.QueueCompatError:
    fields = {"argument": argument, "given": shown(given), "problem": problem}
    return errors.error(errors.QueueCompatValueError, "QC630", **fields)


def crops_argument(crops_per_image: Any, crops_apart: str, is_train: bool) -> Optional[int]:
    """Returns the number of crops per image, checked; None for one crop."""
    check_words(crops_apart=crops_apart)
    count = count_argument("crops_per_image", crops_per_image)
    if crops_apart == "delay" and count is None:
        raise refused("crops_apart", crops_apart, "it works only with crops_per_image=")
    if count is not None and not is_train:
        raise refused("crops_per_image", count, "it works only in training (is_train=True)")
    return count


def cache_argument(cache_bytes: Any, workers: Any) -> int:
    if workers != "threads":
        raise refused("cache_bytes", cache_bytes, "it works only with workers='threads', which share memory")
    return count_argument("cache_bytes", cache_bytes) or 0


def resize_argument(resize: Any) -> Union[int, Tuple[int, int], None]:
    """Returns *resize*, checked: the length of the shorter side, or height and width, in pixels; or None."""
    if resize is None:
        return None
    _check_pillow("resize", resize)
    if whole_number(resize) is not None:
        return count_argument("resize", resize)
    return size_argument(resize, "resize")


def area_argument(area: Any, ratio: Any, is_train: bool) -> Optional[Area]:
    if area is None:
        if ratio is not None:
            raise refused("crop_ratio", ratio, "it works only with crop_area=")
        return None
    if not is_train:
        raise refused("crop_area", area, "it works only in training; for tests, set the size with resize=")
    _check_pillow("crop_area", area)
    shares = _range("crop_area", area, most=1.0)
    return Area(shares, _range("crop_ratio", (3 / 4, 4 / 3) if ratio is None else ratio, most=float("inf")))


def _range(argument: str, given: Any, *, most: float) -> Tuple[float, float]:
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low = high = 0.0
    if not 0 < low <= high <= most or high == float("inf"):
        needed = f"a minimum and a maximum greater than 0{' and at most 1' if most == 1 else ''}"
        raise refused(argument, given, f"it must be {needed}")
    return low, high


def _check_pillow(argument: str, given: Any) -> None:
    if not is_usable("PIL"):
        raise refused(argument, given, "images are resized with Pillow: python -m pip install pillow")


def pixel_format(transform: Any, scale: Any, std: Any, dtype: Any, layout: str) -> PixelFormat:
    if transform is not None and not callable(transform):
        raise refused("transform", transform, "it must be a function")
    check_words(layout=layout)
    name = np.dtype(dtype).name if isinstance(dtype, (str, type, np.dtype)) else str(dtype)
    if name not in ("float32", "uint8"):
        raise refused("dtype", dtype, "it must be 'float32' or 'uint8'")
    factor, deviations = _factor(scale), _deviations(std)
    if name == "uint8" and (factor != 1 or deviations is not None):
        raise refused("dtype", dtype, "scale and std convert the pixels to floats")
    return PixelFormat(transform, factor, deviations, name, layout)


def _factor(scale: Any) -> float:
    try:
        factor = float(scale)
    except (TypeError, ValueError):
        factor = 0.0
    if not 0 < abs(factor) < float("inf"):
        raise refused("scale", scale, "it must be a number other than 0")
    return factor


def _deviations(std: Any) -> Optional[Tuple[float, ...]]:
    if std is None:
        return None
    try:
        values = np.broadcast_to(np.asarray(std, np.float64), (3,))
    except (TypeError, ValueError):
        values = np.zeros(3)
    if not ((values > 0) & np.isfinite(values)).all():
        raise refused("std", std, "it must be a number greater than 0, or one for each channel")
    return tuple(values.tolist())

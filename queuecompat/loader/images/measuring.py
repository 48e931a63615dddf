"""The mean that a loader subtracts: the one given, the one in a file, or one measured over the whole list.

Measuring is one pass of a ``BackgroundLoader``, with the user's workers, progress bar and ways with bad images.
"""

from __future__ import annotations

import logging
import os
from typing import Any, Dict, Optional, Tuple

import numpy as np

from queuecompat import errors
from queuecompat.loader.background import BackgroundLoader
from queuecompat.loader.failures import LoadError
from queuecompat.loader.images.image_list import ImageList, PathLike, no_image
from queuecompat.loader.images.loading import CropConfig
from queuecompat.loader.images.means import Sums, given_mean, load_mean, mean_of_sums, save_mean
from queuecompat.loader.images.reading import BadImageError
from queuecompat.plurals import counted

__all__ = ["UNASKED", "mean_to_subtract"]


class _Unasked(str):
    __slots__ = ()


UNASKED = _Unasked("channels")  # what no user has given

_LOG = logging.getLogger("queuecompat")
_IMAGES_A_SUM = 16
# What the user said about loading that is true of measuring, too.
_OPTIONS = ("num_workers", "workers", "on_error", "max_errors", "timeout", "progress")


def mean_to_subtract(
    mean: Any, mean_file: Optional[PathLike], images: ImageList, config: CropConfig, options: Dict[str, Any]
) -> np.ndarray:
    """The mean, float32 ``[3]`` or ``[height, width, 3]``: see ``ImageListLoader`` for *mean* and *mean_file*.

    Args:
      options: passed to ``BackgroundLoader``.
    """
    if mean is UNASKED and mean_file is None:
        # It may take hours, and was not asked for.
        text = "ImageListLoader measures the mean of %s of %s, in a pass over all of them; mean_file= keeps it"
        text += " for the next time, mean= sets one, and subtract_mean=False subtracts none"
        _LOG.warning(text, counted(len(images), "image"), images.name)
    if not isinstance(mean, str):
        return given_mean(mean)
    if mean_file is not None and os.path.exists(mean_file):
        return _read(mean_file, mean)
    if mean_file is not None:
        _require_folder(os.fspath(mean_file))
    values = _measured(mean, images, config, {name: options[name] for name in _OPTIONS if name in options})
    if mean_file is not None:
        save_mean(mean_file, values)
    return values


def _require_folder(mean_file: str) -> None:
    """Raises where the file could not be written, before hours of measuring."""
    folder = os.path.dirname(os.path.abspath(mean_file))
    if not os.access(folder, os.W_OK):
        problem = f"{folder!r} is no folder that this process may write into"
        raise _refused(repr(mean_file), problem)


def _read(mean_file: PathLike, mean: str) -> np.ndarray:
    """The mean of the file, which is of the kind that was asked for, if one was."""
    values = load_mean(mean_file)
    kind = "channels" if values.ndim == 1 else "image"
    if mean is not UNASKED and mean != kind:
        problem = f"it holds a mean of the kind {kind!r}, and {mean!r} was asked for"
        raise _refused(os.fspath(mean_file), problem)
    return values


def _refused(mean_file: str, problem: str) -> errors.QueueCompatError:
    """The error with all of the path, however long it is."""
    fields = {"argument": "mean_file", "given": mean_file, "problem": problem}
    return errors.error(errors.QueueCompatValueError, "QC630", **fields)


def _measured(mean: str, images: ImageList, config: CropConfig, options: Dict[str, Any]) -> np.ndarray:
    size = _first_size(images, config, options) if mean == "image" else None
    load = Sums(size, config.decoders, config.max_pixels, config.resize)
    try:
        with BackgroundLoader(images, load, batch_size=_IMAGES_A_SUM, copy=False, **options) as loader:
            values = mean_of_sums(loader)
    except LoadError as problem:
        if problem.code != "QC620":
            raise
        readable = f"{images.name}, of those that can be read,"
        raise no_image(readable) from problem
    assert values is not None
    return values[..., ::-1].copy() if config.blue_first else values


def _first_size(images: ImageList, config: CropConfig, options: Dict[str, Any]) -> Optional[Tuple[int, int]]:
    """Of the first image; of the first that can be read, if the others are to be skipped."""
    for item in images:
        try:
            height, width, _ = config.pixels_of(item).shape
            return height, width
        except BadImageError:
            if options.get("on_error") != "skip":
                break  # the pass over the list raises it, too, with the item
    return None

"""Finds the mean that a loader subtracts: the one passed, the one in a file, or one measured over the whole list.

Measuring is one pass of a ``BackgroundLoader``, with the user's options for workers, progress bar and bad images.
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


UNASKED = _Unasked("channels")  # the default of the argument ``mean``, which differs from "channels" by identity

_LOG = logging.getLogger("queuecompat")
_IMAGES_A_SUM = 16
# The user's options for loading that apply to measuring, too.
_OPTIONS = ("num_workers", "workers", "on_error", "max_errors", "timeout", "progress")


def mean_to_subtract(
    mean: Any, mean_file: Optional[PathLike], images: ImageList, config: CropConfig, options: Dict[str, Any]
) -> np.ndarray:
    """Returns the mean, float32 ``[3]`` or ``[height, width, 3]``: see ``ImageListLoader`` for *mean* and *mean_file*.

    Args:
      options: the user's options for ``BackgroundLoader``, of which those in ``_OPTIONS`` are used.
    """
    if mean is UNASKED and mean_file is None:
        # Computing it may take hours, and the user did not ask for it.
        text = "ImageListLoader computes the mean of %s of %s, in a pass over all of them; mean_file= keeps it"
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
    """Raises QC630 if the file could not be written. Called before measuring, which may take hours."""
    folder = os.path.dirname(os.path.abspath(mean_file))
    if not os.access(folder, os.W_OK):
        problem = f"{folder!r} is not a folder that this process may write to"
        raise _refused(repr(mean_file), problem)


def _read(mean_file: PathLike, mean: str) -> np.ndarray:
    """Returns the mean in the file; raises QC630 if the user asked for a mean of a different kind."""
    values = load_mean(mean_file)
    kind = "channels" if values.ndim == 1 else "image"
    if mean is not UNASKED and mean != kind:
        problem = f"it holds a mean of the kind {kind!r}, but {mean!r} was requested"
        raise _refused(os.fspath(mean_file), problem)
    return values


def _refused(mean_file: str, problem: str) -> errors.QueueCompatError:
    """Returns the error with the whole path, which ``refused`` would shorten."""
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
    """Returns the size of the first image; with ``on_error="skip"``, of the first image that can be read. None if it
    cannot be read."""
    for item in images:
        try:
            height, width, _ = config.pixels_of(item).shape
            return height, width
        except BadImageError:
            if options.get("on_error") != "skip":
                break  # the pass over the list will raise the error, with the item
    return None

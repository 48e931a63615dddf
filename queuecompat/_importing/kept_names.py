"""Functions that exist in TensorFlow 1 and 2 under one name, but with different arguments or a different meaning.

    tf.squeeze(x, squeeze_dims=[0])      only TensorFlow 1's accepts this: TensorFlow 1's is called
    tf.squeeze(x, axis=[0])              both accept this: TensorFlow 2's is called
    tf.summary.image("images", images)   TensorFlow 2's writes to a file: TensorFlow 1's is called, and returns a tensor
    tf.image.per_image_standardization   TensorFlow 2's has other last bits, and another type: TensorFlow 1's is called

Rule: TensorFlow 2's function is called wherever it accepts the arguments. The exceptions are in ``_MEANT``: calls that
TensorFlow 1's function accepts, and that would silently do something else in TensorFlow 2.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Optional

__all__ = ["Summaries", "either"]

# The only class that is called with TensorFlow 1's arguments. Other classes are left alone, since programs use them
# with isinstance.
_CLASSES = ("name_scope",)


def either(name: str, kept: Any, old: Callable[[], Any], is_on: Callable[[], bool]) -> Any:
    """Returns *kept*, TensorFlow 2's *name*, or a function that chooses between it and TensorFlow 1's.

    They are combined if both are functions, and different ones.

    Args:
      name: the name with its path below ``tf``.
      old: returns TensorFlow 1's function; raises AttributeError or ImportError if there is none.
      is_on: returns whether the current call is made in an input function; otherwise TensorFlow 2's function is called
        in any case.
    """
    if not inspect.isfunction(kept) and name not in _CLASSES:
        return kept
    try:
        found = old()
    except (AttributeError, ImportError):
        return kept
    if found is kept or not callable(found):
        return kept
    is_meant = _MEANT.get(name, lambda *arguments, **named: not _takes(kept, arguments, named))

    @functools.wraps(kept)
    def function(*arguments: Any, **named: Any) -> Any:
        is_old = is_on() and _takes(found, arguments, named) and is_meant(*arguments, **named)
        return (found if is_old else kept)(*arguments, **named)

    return function


class Summaries(types.ModuleType):
    """``tf.summary`` for an input function: calls that TensorFlow 1's functions accept go to them, and return a tensor.

    Args:
      kept: TensorFlow 2's module.
      old: TensorFlow 1's module.
      is_on: as in ``either``.
    """

    def __init__(self, kept: types.ModuleType, old: types.ModuleType, is_on: Callable[[], bool]) -> None:
        super().__init__(kept.__name__, kept.__doc__)
        self._kept, self._old, self._is_on = kept, old, is_on

    def __getattr__(self, name: str) -> Any:
        kept = getattr(self._kept, name, None)
        if name.startswith("__") or (kept is not None and name not in _SUMMARIES):
            return getattr(self._kept, name)
        old: Optional[Any] = getattr(self._old, name)
        return old if kept is None else either(f"summary.{name}", kept, lambda: old, self._is_on)


def _takes(function: Any, arguments: Any, named: Any) -> bool:
    try:
        inspect.signature(function).bind(*arguments, **named)
    except (TypeError, ValueError):
        return False
    return True


def _always(*arguments: Any, **named: Any) -> bool:
    return True


_SUMMARIES = ("audio", "histogram", "image", "scalar", "text")
# TensorFlow 2 computes these in a different order, with other last bits. Also, its per_image_standardization returns
# floats for integer images, and its sample_distorted_bounding_box ignores the graph's seed.
_OTHER_BITS = (
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "per_image_standardization",
    "random_contrast",
    "random_hue",
    "random_saturation",
    "sample_distorted_bounding_box",
)
_MEANT = {
    **{f"image.{name}": _always for name in _OTHER_BITS},
    **{f"summary.{name}": _always for name in _SUMMARIES},
}

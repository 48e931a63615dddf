"""Functions that TensorFlow 2 kept with other arguments, or with another meaning, for a function of TensorFlow 1.

    tf.squeeze(x, squeeze_dims=[0])      TensorFlow 2's refuses the call, TensorFlow 1's takes it: TensorFlow 1's
    tf.squeeze(x, axis=[0])              both take it: TensorFlow 2's
    tf.summary.image("images", images)   in TensorFlow 2 this writes to a file: TensorFlow 1's, a tensor
    tf.image.per_image_standardization   the last bits differ, and the type of the result: TensorFlow 1's

Rule: TensorFlow 2's function is called wherever it takes the arguments. The exceptions are those of ``_MEANT``: there a
      call that TensorFlow 1's function takes would do something else in TensorFlow 2, silently.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Optional

__all__ = ["Summaries", "either"]

# The one class that is called with TensorFlow 1's arguments; others are told apart by isinstance.
_CLASSES = ("name_scope",)


def either(name: str, kept: Any, old: Callable[[], Any], is_on: Callable[[], bool]) -> Any:
    """*kept*, TensorFlow 2's *name*; where it is a function that TensorFlow 1 had with other arguments, both in one.

    Args:
      name: with its path below ``tf``.
      old: finds TensorFlow 1's; raises AttributeError or ImportError if there is none.
      is_on: whether the call is one of the input function's; if not, it is TensorFlow 2's in any case.
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
    """``tf.summary`` for an input function: what TensorFlow 1's functions take goes to them, and becomes a tensor.

    Args:
      kept: TensorFlow 2's module.
      old: TensorFlow 1's.
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
# TensorFlow 2 computes them in a different order, to other last bits; of integers, per_image_standardization returns
# floats in TensorFlow 2; and its sample_distorted_bounding_box does not know the seed of the graph.
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

"""Adds methods to a dataset so that datasets derived from it have them as well.

The class of the dataset object is replaced. TensorFlow would not accept a wrapper as a dataset, and methods set on the
object would keep it alive.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

__all__ = ["subclass"]

# The methods that derive a dataset.
_DERIVING = (
    "apply",
    "batch",
    "cache",
    "concatenate",
    "enumerate",
    "filter",
    "flat_map",
    "interleave",
    "map",
    "padded_batch",
    "prefetch",
    "ragged_batch",
    "rebatch",
    "repeat",
    "shard",
    "shuffle",
    "skip",
    "take",
    "take_while",
    "unbatch",
    "with_options",
)

# Those of them whose result may end before the original dataset does.
_MAY_END_SOONER = ("apply", "take", "take_while")


def subclass(kind: Any, derive: Callable[..., Any], **methods: Callable[..., Any]) -> type:
    """Returns a subclass of *kind* with these *methods*.

    Args:
      derive: called with a derived dataset, the dataset that it was derived from, and whether both have the same end;
        returns the dataset to pass to the program.
    """
    deriving = {name: _deriving(getattr(kind, name), derive) for name in _DERIVING if hasattr(kind, name)}
    return type(kind.__name__, (kind,), {**deriving, **methods, "__module__": kind.__module__})


def _deriving(method: Callable[..., Any], derive: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        return derive(method(self, *args, **kwargs), self, method.__name__ not in _MAY_END_SOONER)

    return function

"""Datasets with methods of ours, which the datasets that are derived from them have as well.

The class of the dataset is replaced: TensorFlow would not take a wrapper for a dataset, and methods of the object would
keep it alive.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

__all__ = ["subclass"]

# What makes a dataset of one.
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

# Of those, what may end before what it is made of.
_MAY_END_SOONER = ("apply", "take", "take_while")


def subclass(kind: Any, derive: Callable[..., Any], **methods: Callable[..., Any]) -> type:
    """A class of datasets of *kind* with these *methods*.

    Args:
      derive: called with a dataset that is made of one of them, that one, and whether the end of the first is the end
        of the other as well; returns what the program gets.
    """
    deriving = {name: _deriving(getattr(kind, name), derive) for name in _DERIVING if hasattr(kind, name)}
    return type(kind.__name__, (kind,), {**deriving, **methods, "__module__": kind.__module__})


def _deriving(method: Callable[..., Any], derive: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        return derive(method(self, *args, **kwargs), self, method.__name__ not in _MAY_END_SOONER)

    return function

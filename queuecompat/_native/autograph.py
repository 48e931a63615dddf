"""Keeps AutoGraph from converting functions of this package.

TensorFlow 2 converts the functions passed to ``tf.map_fn``, ``tf.scan`` and Keras layers, and everything that they
call. If they call this package, that would be all its code from a call to its tensors: a second of work, and a warning
about what cannot be converted.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar, cast

import tensorflow as tf

__all__ = ["unconverted"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def unconverted(function: _Function) -> _Function:
    """*function*, which AutoGraph does not convert wherever it is called, nor what it calls."""
    return cast(_Function, tf.autograph.experimental.do_not_convert(function))

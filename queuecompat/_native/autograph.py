"""Functions of ours that AutoGraph leaves alone.

What ``tf.map_fn``, ``tf.scan`` and a Keras layer are given, TensorFlow 2 converts, and all that it calls. Of ours that
would be the whole way from a call to its tensors: a second of work, and a warning of what cannot be converted.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar, cast

import tensorflow as tf

__all__ = ["unconverted"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def unconverted(function: _Function) -> _Function:
    """*function*, which runs as it is wherever it is called, as does what it calls."""
    return cast(_Function, tf.autograph.experimental.do_not_convert(function))

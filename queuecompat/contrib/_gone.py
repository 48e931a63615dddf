"""Modules of ``tf.contrib`` that are not here, and where to look instead."""

from __future__ import annotations

__all__ = ["absent"]

_INSTEAD = {
    "eager": "eager execution is TensorFlow 2's own way: import tensorflow as tf",
    "opt": "tensorflow-addons had most of its optimizers; tf.keras.optimizers has the rest",
    "tensorboard": "pip install tensorboard, and use tensorboard.plugins",
}


def absent(name: str) -> str:
    """What the AttributeError for ``contrib.<name>`` says."""
    if name in _INSTEAD:
        return f"tf.contrib.{name} is not part of TensorFlow 2: {_INSTEAD[name]}"
    return f"tf.contrib.{name} is not part of TensorFlow 2, and queuecompat has no replacement for it"

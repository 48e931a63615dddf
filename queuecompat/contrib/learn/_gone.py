"""Names of ``tf.contrib.learn`` that are not here, and where to look instead."""

from __future__ import annotations

from queuecompat import api

__all__ = ["absent"]

_MODEL = "it was part of the models, not of their input; tf.keras.Model accepts what the readers here return"


def absent(name: str) -> str:
    """What the AttributeError for ``contrib.learn.<name>`` says."""
    why = api.gone("tf.contrib.learn").get(name, _MODEL)
    return f"tf.contrib.learn.{name} is not part of TensorFlow 2, nor of queuecompat: {why}"

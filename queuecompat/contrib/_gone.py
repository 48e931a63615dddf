"""Modules of ``tf.contrib`` that are not here, and where to look instead.

Every module of TF 1.15's ``tf.contrib`` is either a folder or file beside this one or a row of ``queuecompat.api``.
"""

from __future__ import annotations

from queuecompat import api

__all__ = ["absent"]


def absent(name: str) -> str:
    """What the AttributeError for ``contrib.<name>`` says."""
    why = api.gone("tf.contrib").get(name)
    if why:
        return f"tf.contrib.{name} is not part of TensorFlow 2: {why}"
    return f"tf.contrib.{name} is not part of TensorFlow 2, and queuecompat has no replacement for it"

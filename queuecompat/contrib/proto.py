"""``tf.contrib.proto``, which is in ``tf.io``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = ("decode_proto", "encode_proto")
_PLACES = {name: f"io.{name}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

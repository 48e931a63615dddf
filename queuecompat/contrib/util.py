"""``tf.contrib.util``: what of it is in ``tf``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = ("constant_value", "make_ndarray", "make_tensor_proto")
_PLACES = {
    "constant_value": "get_static_value",
    "make_ndarray": "make_ndarray",
    "make_tensor_proto": "make_tensor_proto",
}

__all__ = list(_NAMES)


def _absent(name: str) -> str:
    return "it was about the ops of other programs, and TensorFlow 2 has no public one"


__getattr__, __dir__ = aliases(__name__, _PLACES, _absent)

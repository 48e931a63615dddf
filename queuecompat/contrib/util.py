"""``tf.contrib.util``: the names that ``tf`` still has."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = ("constant_value", "make_ndarray", "make_tensor_proto")
_PLACES = {
    "constant_value": "get_static_value",
    "make_ndarray": "make_ndarray",
    "make_tensor_proto": "make_tensor_proto",
}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

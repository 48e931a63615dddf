"""``tf.contrib.keras``, the first name of ``tf.keras``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "activations", "applications", "backend", "callbacks", "constraints", "datasets", "initializers", "layers",
    "losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils",
)  # fmt: skip
# ``contrib.keras.python.keras`` is where its files were.
_PLACES = {"keras": "compat.v1.keras", **{name: f"compat.v1.keras.{name}" for name in _NAMES}}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

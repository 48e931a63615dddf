"""``tf.contrib.stateless``, whose functions are in ``tf.random``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "stateless_multinomial", "stateless_random_normal", "stateless_random_uniform", "stateless_truncated_normal",
)  # fmt: skip
_PLACES = {name: f"compat.v1.random.{name.replace('random_', '')}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

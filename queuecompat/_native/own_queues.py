"""Whether the whole program runs on TensorFlow's own queues, for comparison. A setting of the process.

Does not import TensorFlow, for the same reason as ``strictness``.
"""

from __future__ import annotations

__all__ = ["are_asked_for", "ask_for"]

_are_asked_for = False


def are_asked_for() -> bool:
    return _are_asked_for


def ask_for(on: bool) -> None:
    """Sets whether pipelines that are built from now on run on TensorFlow's own queues."""
    global _are_asked_for
    _are_asked_for = on

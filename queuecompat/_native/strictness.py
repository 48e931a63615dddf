"""Strict mode: a pipeline that cannot be compiled is an error where it is built. Of the process, not of a thread.

No TensorFlow here: a program that is started in strict mode may never need it.
"""

from __future__ import annotations

__all__ = ["is_strict", "set_strict"]

_is_strict = False


def is_strict() -> bool:
    return _is_strict


def set_strict(on: bool) -> None:
    """From now on, or no longer."""
    global _is_strict
    _is_strict = on

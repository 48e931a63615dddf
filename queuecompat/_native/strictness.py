"""Strict mode: a pipeline that cannot be compiled is an error where it is built.

A setting of the process, not of a thread.

Does not import TensorFlow, which a program that is started in strict mode may never need.
"""

from __future__ import annotations

__all__ = ["is_strict", "set_strict"]

_is_strict = False


def is_strict() -> bool:
    return _is_strict


def set_strict(on: bool) -> None:
    """Turns strict mode on or off."""
    global _is_strict
    _is_strict = on

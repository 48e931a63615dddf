"""Whether the whole program is to run on TensorFlow's own queues, so that it can be compared with. Of the process.

No TensorFlow here, as in ``strictness``.
"""

from __future__ import annotations

__all__ = ["are_asked_for", "ask_for"]

_are_asked_for = False


def are_asked_for() -> bool:
    return _are_asked_for


def ask_for(on: bool) -> None:
    """From now on no pipeline is compiled, or those that can be are compiled again."""
    global _are_asked_for
    _are_asked_for = on

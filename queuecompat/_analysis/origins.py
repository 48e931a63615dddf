"""Where an op comes from that stands in a graph of the compiler's: the user's op, and the user's line.

What a pass makes of the user's ops has their names; what it puts beside one of them stands below the name of that one
and a scope of ``_SCOPES``.
"""

from __future__ import annotations

from typing import Any, Sequence

from queuecompat.errors import line_of

__all__ = ["IN_BATCHES", "IN_WINDOW", "is_of_window", "made_at", "remember_origins", "users_name"]

# Of the form for whole batches, and of what decodes the window of a crop: an error of what is there is the op's.
IN_BATCHES = "in_batches"
IN_WINDOW = "in_window"
_SCOPES = (IN_BATCHES, IN_WINDOW)
_ATTRIBUTE = "_queuecompat_origins"


def users_name(name: str) -> str:
    """The name of the user's op for which the op called *name* was made."""
    for scope in _SCOPES:
        name = name.partition(f"/{scope}/")[0]
    return name


def is_of_window(op: Any) -> bool:
    """Whether *op* is none of the user's, but was put beside one to decode the window of a crop."""
    return f"/{IN_WINDOW}/" in op.name


def remember_origins(graph: Any, ops: Sequence[Any]) -> None:
    """*graph* was made of *ops*, of one graph of the user's or of one that was made of that."""
    setattr(graph, _ATTRIBUTE, {op.name: getattr(op.graph, _ATTRIBUTE, {}).get(op.name, op) for op in ops})


def made_at(op: Any) -> str:
    """``train.py:41``, the user's line that made *op*; the name of *op* where none did."""
    return line_of(getattr(op.graph, _ATTRIBUTE, {}).get(users_name(op.name), op)) or str(op.name)

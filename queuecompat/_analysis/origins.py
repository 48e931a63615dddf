"""Finds the user's op, and the user's source line, for an op in a graph of the compiler's.

What a pass derives from a user's op keeps its name. Ops that are added for it have names below that name and one of the
scopes in ``_SCOPES``.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterable, Optional, Sequence

from queuecompat.errors import line_of

__all__ = ["IN_BATCHES", "IN_WINDOW", "is_of_window", "made_at", "remember_origins", "users_name", "users_op"]

# Scopes of the form for whole batches, and of the ops that decode the window of a crop: an error of an op there is
# reported as an error of the user's op.
IN_BATCHES = "in_batches"
IN_WINDOW = "in_window"
_SCOPES = (IN_BATCHES, IN_WINDOW)
# TensorFlow's own optimizer, Grappler, renames an op that it puts before a cast, and adds the type of its input.
_BEFORE_CAST = re.compile(r"ArithmeticOptimizer/ReorderCastLikeAndValuePreserving_[a-z0-9]+_(?=[^/]+$)")
# In a function, TensorFlow adds a number to the name of an op that an output of the function has too.
_NUMBER = re.compile(r"_\d+$")
_ATTRIBUTE = "_queuecompat_origins"


def users_name(name: str) -> str:
    """Returns the name of the user's op that the op called *name* was made for."""
    for scope in _SCOPES:
        name = name.partition(f"/{scope}/")[0]
    return _BEFORE_CAST.sub("", name)


def users_op(graph: Any, names: Iterable[str]) -> Optional[Any]:
    """Returns the op of the user's *graph* that the first of the ops called *names* was made for; None: none was."""
    for name in map(users_name, names):
        for known in (name, _NUMBER.sub("", name)):
            with contextlib.suppress(KeyError, ValueError):  # ValueError: the name of a function's op
                return graph.get_operation_by_name(known)
    return None


def is_of_window(op: Any) -> bool:
    """Whether *op* was added to decode the window of a crop, and is not one of the user's."""
    return f"/{IN_WINDOW}/" in op.name


def remember_origins(graph: Any, ops: Sequence[Any]) -> None:
    """Records that *graph* was made from *ops*, which are in the user's graph or in one that was made from it."""
    setattr(graph, _ATTRIBUTE, {op.name: getattr(op.graph, _ATTRIBUTE, {}).get(op.name, op) for op in ops})


def made_at(op: Any) -> str:
    """Returns the user's line that made *op*, such as ``train.py:41``; the name of *op* if no line is known."""
    return line_of(getattr(op.graph, _ATTRIBUTE, {}).get(users_name(op.name), op)) or str(op.name)

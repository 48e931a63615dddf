"""Resolves names of tensors in a saved graph, as a user writes them."""

from __future__ import annotations

import difflib
from typing import Any

from queuecompat._raising.saved_graphs import SavedGraph
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["full_name", "not_found"]

_DRAWS = ("QueueDequeueManyV2", "QueueDequeueUpToV2", "QueueDequeueV2")
# The maximum number of draws that an error names.
_SHOWN = 5


def full_name(graph: SavedGraph, name: Any, what: str) -> str:
    """Returns the full name of a tensor, with the number of the output (``op:0``), from what the user wrote.

    Args:
      name: the name of a tensor or of an op.
      what: the argument in which the user wrote it, such as "fetches".
    Raises:
      QueueCompatValueError: QC518, the graph has no op of that name.
    """
    text = name if isinstance(name, str) else repr(name)
    op, colon, number = text.partition(":")
    if not isinstance(name, str) or op not in graph.nodes or (colon and not number.isdecimal()):
        raise not_found(graph, text, what)
    return f"{op}:{int(number)}" if colon else f"{op}:0"


def not_found(graph: SavedGraph, name: str, what: str) -> Exception:
    """Returns the error (QC518) for a tensor that is not in *graph*; it names similar tensors, and the last draws."""
    close = difflib.get_close_matches(name.partition(":")[0], graph.nodes, 3)
    drawn = [node.name for node in graph.nodes.values() if node.op in _DRAWS]
    shown = ", ".join(f"'{one}:0'" for one in dict.fromkeys([*close, *drawn[-_SHOWN:]]))
    return error(
        QueueCompatValueError, "QC518", path=graph.path, name=name, what=what, names=shown or "it has no queues"
    )

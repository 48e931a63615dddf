"""Calls of this package's functions that made many ops, remembered with the graph, to be written as calls again.

``explain(code=True)`` writes ops; some functions make so many that their lines could not be read.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Tuple

__all__ = ["KnownCall", "call_of", "remember"]

_ATTRIBUTE = "_queuecompat_known_calls"


@dataclasses.dataclass(frozen=True)
class KnownCall:
    """One call.

    Attributes:
      function: what writes it again is called so.
      result: the name of the tensor that it returned.
      shape: of an element that goes in, and of one that comes out.
    """

    function: str
    result: str
    shape: Tuple[int, ...]


def remember(function: str, given: Any, result: Any, shape: Tuple[int, ...]) -> None:
    """*function* made the ops from *given* to *result*, tensors of a graph."""
    if not hasattr(result.graph, _ATTRIBUTE):
        setattr(result.graph, _ATTRIBUTE, {})
    known: Dict[str, KnownCall] = getattr(result.graph, _ATTRIBUTE)
    call = KnownCall(function, result.name, shape)
    waiting = [result.op]
    while waiting:
        op = waiting.pop()
        if op.name not in known and op.name != given.op.name:
            known[op.name] = call
            waiting += [tensor.op for tensor in op.inputs if tensor.name != given.name]


def call_of(op: Any) -> Any:
    """The call that made *op*, a ``KnownCall``; None: none is known."""
    return getattr(op.graph, _ATTRIBUTE, {}).get(op.name)

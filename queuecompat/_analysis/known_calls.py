"""Calls of this package's functions that made many ops, remembered with the graph, to be written as calls again.

``explain(code=True)`` writes ops; some functions make so many that their lines could not be read. So does what decodes
the window of a crop.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Sequence, Tuple

__all__ = ["KnownCall", "KnownWindow", "call_of", "remember", "remember_windows", "windows_of"]

_ATTRIBUTE = "_queuecompat_known_calls"
_WINDOWS = "_queuecompat_known_windows"


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


@dataclasses.dataclass(frozen=True)
class KnownWindow:
    """The window of a JPEG that is decoded: the names of tensors, and the attributes of the decoder.

    *contents*, *begin* and *size* go in (the last two as into ``tf.slice``); *output* comes out, and *shape*, that of
    the whole image.
    """

    contents: str
    begin: str
    size: str
    output: str
    shape: str
    attributes: Tuple[Tuple[str, Any], ...]


def remember_windows(graph: Any, windows: Sequence[KnownWindow]) -> None:
    """*windows* are decoded in *graph*."""
    setattr(graph, _WINDOWS, tuple(windows))


def windows_of(op: Any) -> Sequence[KnownWindow]:
    """The windows that are decoded in the graph of *op*; none for what stands in place of a loop or a branch."""
    return getattr(getattr(op, "graph", None), _WINDOWS, ())

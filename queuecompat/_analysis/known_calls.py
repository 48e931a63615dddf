"""Records which calls of this package's functions made many ops, so that generated code can show the call instead.

``explain(code=True)`` writes a line for each op; some functions make so many ops that they would be unreadable. The ops
that decode the window of a crop are recorded for the same reason.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Sequence, Tuple

__all__ = ["KnownCall", "KnownWindow", "call_of", "remember_call", "remember_windows", "windows_of"]

_ATTRIBUTE = "_queuecompat_known_calls"
_WINDOWS = "_queuecompat_known_windows"


@dataclasses.dataclass(frozen=True)
class KnownCall:
    """One call of a function.

    Attributes:
      function: the name under which the call is written in generated code.
      result: the name of the tensor that it returned.
      shape: the static shape of an element, before and after the call.
    """

    function: str
    result: str
    shape: Tuple[int, ...]


def remember_call(function: str, given: Any, result: Any, shape: Tuple[int, ...]) -> None:
    """Records that *function* made the ops between the tensors *given* and *result*."""
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
    """Returns the ``KnownCall`` that made *op*; None if none is known."""
    return getattr(op.graph, _ATTRIBUTE, {}).get(op.name)


@dataclasses.dataclass(frozen=True)
class KnownWindow:
    """A decoded window of a JPEG: the names of its tensors, and the attributes of the decoder.

    Attributes:
      contents, begin, size: the inputs; the last two as for ``tf.slice``.
      output: the decoded window.
      shape: the shape of the whole image.
    """

    contents: str
    begin: str
    size: str
    output: str
    shape: str
    attributes: Tuple[Tuple[str, Any], ...]


def remember_windows(graph: Any, windows: Sequence[KnownWindow]) -> None:
    """Records that *windows* are decoded in *graph*."""
    setattr(graph, _WINDOWS, tuple(windows))


def windows_of(op: Any) -> Sequence[KnownWindow]:
    """Returns the windows decoded in the graph of *op*; none for a node that stands for a loop or a branch."""
    return getattr(getattr(op, "graph", None), _WINDOWS, ())

"""Replaces the ops that one call of the program made by a single node, which is written as one line.

Rule 1: a call is replaced as a whole or not at all: one tensor goes in and one comes out, both of the shape that the
        call knows. If a pass has separated the ops of a call, they are written one by one.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from queuecompat._analysis.known_calls import KnownCall, KnownWindow, windows_of

__all__ = ["Called", "with_calls", "with_windows"]

# The default arguments of ``tf.io.decode_jpeg``, which are not written.
_DEFAULTS = {"channels": 0, "dct_method": "", "fancy_upscaling": True, "try_recover_truncated": False}


@dataclasses.dataclass(frozen=True)
class Called:
    """Stands for the ops of one call; has the attributes of an op that the writer uses.

    Attributes:
      function: the helper that computes the same; see ``helpers``.
      arguments: the helper's arguments after *inputs*, as text.
      replaces: the op that computes the result, if the program may have a name for it.
    """

    name: str
    function: str
    replaces: Tuple[Any, ...]
    inputs: Tuple[Any, ...]
    outputs: Tuple[Any, ...]
    control_inputs: Tuple[Any, ...] = ()
    type: str = "Called"
    arguments: str = ""


def with_calls(ordered: Sequence[Any], results: Sequence[Any], calls: Mapping[str, KnownCall]) -> List[Any]:
    """*ordered*, the ops of a function that computes *results*, with each complete call replaced by one node.

    Args:
      calls: the known calls, by the names of their ops.
    """
    found: Dict[str, Called] = {}
    inside: Set[str] = set()
    for call in dict.fromkeys(calls[op.name] for op in ordered if op.name in calls):
        ops = [op for op in ordered if calls.get(op.name) == call and op.type != "Const"]
        node = _node(call, ops, ordered, results)
        if node is not None:
            found[node.replaces[0].name] = node
            inside.update(op.name for op in ops)
    return [found.get(op.name, op) for op in ordered if op.name in found or op.name not in inside]


def _node(call: KnownCall, ops: Sequence[Any], ordered: Sequence[Any], results: Sequence[Any]) -> Optional[Called]:
    names = {op.name for op in ops}
    given = {t.name: t for op in ops for t in op.inputs if t.op.name not in names and t.op.type != "Const"}
    used = [tensor for op in ordered if op.name not in names for tensor in op.inputs]
    left = {t.name: t for t in [*used, *results] if hasattr(t, "op") and t.op.name in names}
    if len(given) != 1 or len(left) != 1 or any(op.control_inputs for op in ops):
        return None
    (before,), (after,) = given.values(), left.values()
    if not all(_is_of_shape(tensor, call.shape) for tensor in (before, after)):
        return None
    return Called(after.op.name, call.function, (after.op,), (before,), (after,))


def _is_of_shape(tensor: Any, shape: Tuple[int, ...]) -> bool:
    return tensor.shape.rank is not None and tensor.shape.as_list()[-len(shape) :] == list(shape)


def with_windows(ops: Sequence[Any], results: Sequence[Any]) -> List[Any]:
    """*ops*, of a function that computes *results*, with two calls for the ops that decode a window of a JPEG."""
    windows = windows_of(ops[0]) if ops else ()
    found = {op.name: op for op in ops}
    tensors = {tensor.name: tensor for op in ops for tensor in (*op.inputs, *op.outputs)}
    nodes = [node for window in windows if window.shape in tensors for node in _of_window(window, tensors)]
    if not nodes:
        return list(ops)
    found.update((node.name, node) for node in nodes)
    needed: Dict[str, Any] = {}
    waiting = [getattr(one, "op", one).name for one in results]
    while waiting:
        name = waiting.pop()
        if name in found and name not in needed:
            needed[name] = found[name]
            waiting += [tensor.op.name for tensor in found[name].inputs]
            waiting += [one.name for one in found[name].control_inputs]
    return [found[op.name] for op in ops if op.name in needed]


def _of_window(window: KnownWindow, tensors: Mapping[str, Any]) -> Iterator[Called]:
    contents, shape = tensors[window.contents], tensors[window.shape]
    said = dict(window.attributes)
    channels = f", channels={said['channels']}" if said["channels"] else ""
    # The shape is not a value of the user's program, so it has no name there.
    yield Called(shape.op.name, "jpeg_shape", (), (contents,), (shape,), arguments=channels)
    if window.output in tensors:
        output = tensors[window.output]
        inputs = (contents, tensors[window.begin], tensors[window.size])
        values = {name: value.decode() if isinstance(value, bytes) else value for name, value in said.items()}
        how = "".join(f", {name}={value!r}" for name, value in values.items() if value != _DEFAULTS[name])
        yield Called(output.op.name, "jpeg_window", (output.op,), inputs, (output,), arguments=how)

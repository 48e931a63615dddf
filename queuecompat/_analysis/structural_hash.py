"""Recognises slices that compute the same, whatever the names of their ops.

The inputs of a join are often built by the same Python lines, and then their graphs differ in names only. So a slice is
described without names: ops are numbered in the order in which a walk from the outputs meets them. Functions that ops
call (a branch of ``tf.cond``, the body of a loop) are described the same way. Equal descriptions mean equal results, or
the same distribution of results where a random op has no seed. Different descriptions prove nothing.
"""

from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, Mapping, Optional, Sequence, Tuple

import tensorflow as tf

__all__ = ["structural_hash"]

# An op with this attribute stands for an object (a variable, a table, a queue). Two such ops are two objects, even if
# all else is equal, so their names are part of the description.
_OF_THINGS = "shared_name"
# Attributes that do not change the result: colocation, which a slice drops anyway, and names for error messages.
_NOTES = ("_class", "_user_specified_name")
# The attribute with the name of a TensorFlow 1 loop, which each of its Enter ops has.
_LOOP = "frame_name"


def structural_hash(
    ops: Iterable[tf.Operation],
    outputs: Sequence[tf.Tensor],
    *,
    known: Mapping[str, Hashable],
    first: Sequence[tf.Operation] = (),
    library: Optional[Any] = None,
) -> Hashable:
    """Returns a value that is equal for two slices only if they compute the same.

    Args:
      ops: the operations of the slice.
      outputs: the tensors that it returns, in order.
      known: from the names of tensors that come from outside to values that identify them.
      first: those of *ops* that must run before the sources are drawn.
      library: the functions that *ops* call; None: they call none.
    """
    inside = {op.name: op for op in ops}
    met: Dict[str, int] = {}
    waiting = [tensor.op for tensor in reversed(outputs)] + list(first)
    while waiting:
        op = waiting.pop()
        if op.name in inside and op.name not in met:
            met[op.name] = len(met)
            waiting += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    attributes = _Attributes(library)
    described = tuple(_described(inside[name], met, known, attributes) for name in met)
    return (described, tuple(_place(tensor, met, known) for tensor in outputs), tuple(met[op.name] for op in first))


def _described(
    op: tf.Operation, met: Mapping[str, int], known: Mapping[str, Hashable], attributes: _Attributes
) -> Hashable:
    """Describes *op* by everything that decides what it computes; *met* has the numbers of other ops."""
    return (
        op.type,
        op.name if _OF_THINGS in op.node_def.attr else "",
        tuple(_place(tensor, met, known) for tensor in op.inputs),
        tuple(sorted(met[before.name] for before in op.control_inputs if before.name in met)),
        attributes.described(op.node_def.attr),
    )


def _place(tensor: tf.Tensor, met: Mapping[str, int], known: Mapping[str, Hashable]) -> Hashable:
    return known[tensor.name] if tensor.name in known else (met[tensor.op.name], tensor.value_index)


class _Attributes:
    """Describes attributes without names: functions by their content, loops by numbers."""

    def __init__(self, library: Optional[Any]) -> None:
        self._definitions = {one.signature.name: one for one in library.function} if library is not None else {}
        self._functions: Dict[str, Hashable] = {}
        self._loops: Dict[bytes, int] = {}

    def described(self, attributes: Mapping[str, Any]) -> Hashable:
        """Describes the *attributes* of an op, a call or a function."""
        return tuple((key, self._attribute(key, attributes[key])) for key in sorted(attributes) if key not in _NOTES)

    def _attribute(self, key: str, value: Any) -> Hashable:
        if key == _LOOP:
            return self._loops.setdefault(value.s, len(self._loops))
        if value.HasField("func"):
            return self._call(value.func)
        if value.list.func:
            return tuple(self._call(one) for one in value.list.func)
        return value.SerializeToString(deterministic=True)

    def _call(self, call: Any) -> Hashable:
        if call.name not in self._functions:
            self._functions[call.name] = call.name  # for a recursive function
            definition = self._definitions.get(call.name)
            if definition is not None:
                self._functions[call.name] = self._function(definition)
        return (self._functions[call.name], self.described(call.attr))

    def _function(self, definition: Any) -> Hashable:
        signature = definition.signature
        numbers: Dict[str, Hashable] = {one.name: ("argument", n) for n, one in enumerate(signature.input_arg)}
        numbers.update((node.name, n) for n, node in enumerate(definition.node_def))
        nodes = tuple(
            (
                node.op,
                node.name if _OF_THINGS in node.attr else "",
                tuple(_input(name, numbers) for name in node.input),
                self.described(node.attr),
            )
            for node in definition.node_def
        )
        returned = tuple(_input(definition.ret[one.name], numbers) for one in signature.output_arg)
        waits = tuple(sorted(str(numbers[name]) for name in definition.control_ret.values()))
        types = tuple((one.type, one.type_attr) for one in (*signature.input_arg, *signature.output_arg))
        return (nodes, returned, waits, types, self.described(definition.attr))


def _input(name: str, numbers: Mapping[str, Hashable]) -> Tuple[Hashable, ...]:
    """Parses ``node:output:0`` or ``^node``, an input in a function's body, with a number for the node's name."""
    node, *output = name.lstrip("^").split(":")
    return (name.startswith("^"), numbers[node], *output)

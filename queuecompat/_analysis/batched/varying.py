"""Finds the ops of a slice that have to be rewritten: their results differ between elements, or they wait for such ops.

A constant is the same for all elements. But a constant that the program made in a block of ``tf.control_dependencies``
waits for the check or effect of that block, and it may be the only link between that check and the ops that use the
constant: TensorFlow adds the control input only to those ops of the block that do not depend on others in it.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Sequence, Set

import numpy as np

from queuecompat._analysis.batched.branches import Guards
from queuecompat._analysis.batched.folding import static_value
from queuecompat._analysis.effects import effects_of
from queuecompat._analysis.library import calls_functions
from queuecompat._analysis.regions import is_pivot

__all__ = ["Removable", "Varying", "varying"]

# For a tensor with a static shape, the outputs of these ops are known.
_SHAPES = ("Rank", "Shape", "Size")


@dataclasses.dataclass(frozen=True)
class Varying:
    """The names of ops that have to be rewritten.

    Attributes:
      names: all of them.
      fixed: those of them that output the same for all elements but wait for an op that must run for each of them.
    """

    names: Set[str]
    fixed: Set[str]

    def __contains__(self, name: object) -> bool:
        return name in self.names


class Removable:
    """Decides whether ops that do not vary can be left out: no check and no side effect depends on them.

    Args:
      ops: the ops of the slice.
      varies: the names of the ops that vary. The set may still grow, as long as ops are added in topological order.
    """

    def __init__(self, ops: Sequence[Any], varies: Set[str]) -> None:
        self._inside = {op.name for op in ops}
        self._varies = varies
        self._known: Dict[str, bool] = {}

    def is_removable(self, op: Any) -> bool:
        """Whether *op*, which does not vary, can be left out."""
        if op.name not in self._inside:
            return True  # a stage: its element has been drawn
        if op.name not in self._known:
            self._known[op.name] = True  # so that a loop in the graph ends
            holds = op.type != "Assert" or _is_known_to_hold(op.inputs[0])
            effects = op.type != "Assert" and effects_of([op], None).has_effects
            before = [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            is_fine = holds and not effects and not calls_functions(op.node_def)
            self._known[op.name] = is_fine and all(map(self.may_be_left_out, before))
        return self._known[op.name]

    def may_be_left_out(self, op: Any) -> bool:
        """Whether *op* does not vary and is removable."""
        return op.name not in self._varies and self.is_removable(op)


def varying(ops: Sequence[Any], sources: Sequence[Any], guards: Guards) -> Varying:
    """Returns those of *ops*, which are in order, that must be rewritten if *sources* have a row for each element."""
    names: Set[str] = set()
    fixed: Set[str] = set()
    tensors = {tensor.name for tensor in sources}
    removable = Removable(ops, names)
    for op in ops:
        is_known = op.type in _SHAPES and op.inputs[0].shape.is_fully_defined()
        is_random = "seed" in op.node_def.attr and "seed2" in op.node_def.attr
        # Even if both inputs are constants, a predicate that varies chooses between them.
        decides = (
            {name for tensor in op.inputs for name, _ in guards.of_tensor(tensor)} if op.type == "Merge" else set()
        )
        of_rows = any(tensor.name in tensors for tensor in op.inputs)
        if not is_known and (is_random or decides & tensors or of_rows):
            names.add(op.name)
            tensors.update(tensor.name for tensor in op.outputs)
            continue
        waits = any(not is_pivot(before) and not removable.may_be_left_out(before) for before in op.control_inputs)
        if waits or any(tensor.op.name in fixed for tensor in op.inputs):
            names.add(op.name)
            fixed.add(op.name)
    return Varying(names, fixed)


def _is_known_to_hold(condition: Any) -> bool:
    value = static_value(condition)
    return value is not None and bool(np.all(value))

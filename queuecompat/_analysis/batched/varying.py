"""Which ops of a slice have to be rewritten: those of which an element may differ from the next, and those that wait.

A constant is the same for all elements. But one that the program made in a block of ``tf.control_dependencies`` waits,
and what uses it may have no other tie to the check or the effect that stands there: TensorFlow puts the control input
on those ops of the block alone that nothing else in it comes before.
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

__all__ = ["Harmless", "Varying", "varying"]

# Of a tensor with a static shape, what these output is known.
_SHAPES = ("Rank", "Shape", "Size")


@dataclasses.dataclass(frozen=True)
class Varying:
    """The names of ops.

    Attributes:
      names: of those that have to be rewritten.
      fixed: of those among them that output the same for all elements, and wait for what has to run for each of them.
    """

    names: Set[str]
    fixed: Set[str]

    def __contains__(self, name: object) -> bool:
        return name in self.names


class Harmless:
    """Of ops that do not vary, whether nothing happens if they are not run: no check and no effect hangs on them.

    Args:
      ops: the slice's.
      varies: the names of those that vary; may grow, as long as what an op waits for comes before it.
    """

    def __init__(self, ops: Sequence[Any], varies: Set[str]) -> None:
        self._inside = {op.name for op in ops}
        self._varies = varies
        self._known: Dict[str, bool] = {}

    def is_harmless(self, op: Any) -> bool:
        """Whether *op*, which does not vary, is."""
        if op.name not in self._inside:
            return True  # a stage: its element is there
        if op.name not in self._known:
            self._known[op.name] = True  # a loop
            holds = op.type != "Assert" or _is_known_to_hold(op.inputs[0])
            effects = op.type != "Assert" and effects_of([op], None).has_effects
            before = [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            is_fine = holds and not effects and not calls_functions(op.node_def)
            self._known[op.name] = is_fine and all(map(self.may_be_left_out, before))
        return self._known[op.name]

    def may_be_left_out(self, op: Any) -> bool:
        """Whether *op* does not vary, and is harmless."""
        return op.name not in self._varies and self.is_harmless(op)


def varying(ops: Sequence[Any], sources: Sequence[Any], guards: Guards) -> Varying:
    """Those of *ops*, which are in order, that have to be rewritten if *sources* have a row for each element."""
    names: Set[str] = set()
    fixed: Set[str] = set()
    tensors = {tensor.name for tensor in sources}
    harmless = Harmless(ops, names)
    for op in ops:
        is_known = op.type in _SHAPES and op.inputs[0].shape.is_fully_defined()
        is_random = "seed" in op.node_def.attr and "seed2" in op.node_def.attr
        # Of two constants it may choose by what varies.
        decides = (
            {name for tensor in op.inputs for name, _ in guards.of_tensor(tensor)} if op.type == "Merge" else set()
        )
        of_rows = any(tensor.name in tensors for tensor in op.inputs)
        if not is_known and (is_random or decides & tensors or of_rows):
            names.add(op.name)
            tensors.update(tensor.name for tensor in op.outputs)
            continue
        waits = any(not is_pivot(before) and not harmless.may_be_left_out(before) for before in op.control_inputs)
        if waits or any(tensor.op.name in fixed for tensor in op.inputs):
            names.add(op.name)
            fixed.add(op.name)
    return Varying(names, fixed)


def _is_known_to_hold(condition: Any) -> bool:
    value = static_value(condition)
    return value is not None and bool(np.all(value))

"""Finds the branches of ``tf.cond`` that an op is in: its guard.

A guard is a tuple of pairs, outermost branch first: the name of the predicate tensor, and whether it must be true. In
TensorFlow 1's graphs a value enters a branch through a ``Switch`` and leaves it through a ``Merge``; a constant in a
branch is tied to it only by a control input.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

__all__ = ["LOOPS", "Guard", "Guards", "in_order"]

Guard = Tuple[Tuple[str, bool], ...]

# The op types of TensorFlow 1's loops, besides those of branches.
LOOPS = ("Enter", "Exit", "LoopCond", "NextIteration", "RefEnter", "RefExit", "RefNextIteration")


class Guards:
    """The guards of *ops*, which must be in topological order."""

    def __init__(self, ops: Sequence[Any]) -> None:
        self._of_ops: Dict[str, Guard] = {}
        self._of_tensors: Dict[str, Guard] = {}
        self._inside = {op.name for op in ops}
        for op in ops:
            self._add(op)

    def of(self, op: Any) -> Guard:
        return self._of_ops.get(op.name, ())

    def of_tensor(self, tensor: Any) -> Guard:
        return self._of_tensors.get(tensor.name, self.of(tensor.op))

    def without_detours(self, tensor: Any) -> Any:
        """Returns the tensor that *tensor* passes on, going back through Identity and Switch ops."""
        while tensor.op.type in ("Identity", "Switch") and tensor.op.name in self._inside:
            tensor = tensor.op.inputs[0]
        return tensor

    def _add(self, op: Any) -> None:
        inputs = [self.of_tensor(tensor) for tensor in op.inputs]
        if op.type == "Merge" and len(inputs) == 2:
            # This leaves the branch that is different for the two inputs.
            self._of_ops[op.name] = tuple(one for one in inputs[0] if one in inputs[1])
            return
        guard = _union([*inputs, *(self.of(before) for before in op.control_inputs)])
        self._of_ops[op.name] = guard
        if op.type == "Switch":
            decides = self.without_detours(op.inputs[1]).name
            for output, side in zip(op.outputs, (False, True)):
                self._of_tensors[output.name] = _union([guard, ((decides, side),)])


def _union(guards: Iterable[Guard]) -> Guard:
    return tuple(dict.fromkeys(one for guard in guards for one in guard))


def in_order(ops: Sequence[Any], inside: Optional[Mapping[str, Any]] = None) -> List[Any]:
    """Returns *ops* in topological order; the order within a loop is arbitrary.

    Args:
      inside: *ops* by the names that other ops refer to them by; None: by their own names.
    """
    inside = {op.name: op for op in ops} if inside is None else inside
    done: Dict[str, Any] = {}
    seen = set()
    waiting = [(op, False) for op in reversed(ops)]
    while waiting:
        op, is_ready = waiting.pop()
        if is_ready:
            done[op.name] = op
        elif op.name not in seen:
            seen.add(op.name)
            waiting.append((op, True))
            before = [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            waiting.extend((inside[one.name], False) for one in before if one.name in inside)
    return list(done.values())

"""Finds the ops that compute given tensors, walking back through the user's graph to the stages before them.

Rule 1: The walk ends at a frontier (``frontier``). The control inputs of a source are included, since TensorFlow 1 ran
        them with each dequeue.
Rule 2: Some tensors are captured instead of copied: resource handles, which identify one object, and constants that are
        too large to exist twice.
Rule 3: An op that cannot run in a dataset raises ``CannotCompileError`` here, before anything is built.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Sequence, Set

import tensorflow as tf

from queuecompat._analysis.frontier import Frontier
from queuecompat._analysis.op_copy import EXTERNAL_ARRAY_OP
from queuecompat._analysis.tensors import is_reference
from queuecompat.errors import CannotCompileError

__all__ = ["Reached", "nearest_sources", "reached_from"]

# In bytes. A larger constant is captured by reference; a smaller one is cheaper to copy.
LARGE_CONSTANT_BYTES = 64 * 1024
# The assumed size in bytes of each string in a constant: that of a file name.
STRING_BYTES = 64
_FED = ("Placeholder", "PlaceholderV2")
_DRAWS = ("QueueDequeue", "ReaderRead", "IteratorGetNext", "Unstage", "BarrierTake")


class Reached:
    """The result of the search; each dictionary is by name.

    Attributes:
      sources: the stage outputs that are used.
      captured: the tensors that are taken by reference.
      ops: the ops to copy.
      first: those of *ops* that are control inputs of the sources.
    """

    def __init__(self, frontier: Frontier, draws: Sequence[tf.Operation]) -> None:
        self.sources: Dict[str, tf.Tensor] = {}
        self.captured: Dict[str, tf.Tensor] = {}
        self.ops: Dict[str, tf.Operation] = {}
        self.first: Dict[str, tf.Operation] = {}
        self._frontier = frontier
        self._inside = {op.name for op in draws}
        self._waiting: List[tf.Operation] = []

    def search_from(self, outputs: Sequence[tf.Tensor]) -> None:
        for tensor in outputs:
            self._reach(tensor)
        while self._waiting:
            self._visit(self._waiting.pop())
        # A draw that a source waits for is a source itself: once its element is there, nothing is left to wait for.
        self.first = {name: op for name, op in self.first.items() if name in self.ops}

    def _reach(self, tensor: tf.Tensor) -> None:
        op, frontier = tensor.op, self._frontier
        if op.name in self._inside:
            self._waiting.append(op)
            return
        if op.type.startswith(_DRAWS) and not frontier.is_source(tensor) and not frontier.adopt(op):
            raise CannotCompileError("QC202", tensor=tensor.name, kind=op.type)
        if frontier.is_source(tensor):
            if frontier.is_drawn_sometimes(tensor):
                raise CannotCompileError("QC208", tensor=tensor.name)
            self.sources[tensor.name] = tensor
            self.first.update((before.name, before) for before in frontier.waits_for(tensor))
            self._waiting.extend(frontier.waits_for(tensor))
        elif _must_be_captured(tensor) or frontier.is_captured(tensor):
            self.captured[tensor.name] = tensor
        elif op.name not in self.ops:
            self._waiting.append(op)

    def _visit(self, op: tf.Operation) -> None:
        of_stage = [tensor for tensor in op.outputs if self._frontier.is_source(tensor)]
        if op.name not in self._inside and (of_stage or (op.type.startswith(_DRAWS) and op.outputs)):
            of_stage = list(op.outputs)
            self._reach(of_stage[0])  # reached by a control edge: the element is drawn, though no op uses its value
        if op.name in self.ops or (of_stage and op.name not in self._inside):
            return
        if op.type in _FED:
            raise CannotCompileError("QC201", tensor=op.outputs[0].name)
        self.ops[op.name] = op
        for tensor in op.inputs:
            self._reach(tensor)
        self._waiting.extend(op.control_inputs)


def reached_from(outputs: Sequence[tf.Tensor], frontier: Frontier, draws: Sequence[tf.Operation] = ()) -> Reached:
    """Finds what computes *outputs*, tensors of one graph.

    A draw from a queue, reader or iterator of the program's own becomes a stage, and so a source, where possible.

    Args:
      draws: draws that are to be among the ops instead, with everything that they wait for.
    Raises:
      CannotCompileError: QC201, a placeholder without default is needed; QC202, an element would be taken from a queue,
        reader or iterator that cannot become a stage; QC208, a draw stands inside ``tf.cond`` or ``tf.while_loop``;
        QC212, a variable or an op is on another task than the sources.
    """
    found = Reached(frontier, draws)
    found.search_from(outputs)
    handles = [tensor for tensor in found.captured.values() if tensor.dtype == tf.resource]
    references = [op.outputs[0] for op in found.ops.values() if is_reference(op)]
    sources = [*found.sources.values(), *(draw.outputs[0] for draw in draws)]
    inside = {draw.name for draw in draws}
    frontier.require_near(sources, handles + references, (op for op in found.ops.values() if op.name not in inside))
    return found


def nearest_sources(ops: Iterable[tf.Operation], frontier: Frontier) -> List[tf.Tensor]:
    """Returns the nearest stage outputs that *ops* depend on, by data or control edges."""
    found: Dict[str, tf.Tensor] = {}
    seen: Set[str] = set()
    waiting = list(ops)
    while waiting:
        op = waiting.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        here = [tensor for tensor in op.outputs if frontier.is_source(tensor)]
        found.update((tensor.name, tensor) for tensor in here)
        if not here:
            waiting.extend([tensor.op for tensor in op.inputs] + list(op.control_inputs))
    return list(found.values())


def _must_be_captured(tensor: tf.Tensor) -> bool:
    """Whether *tensor* must be captured: a copy of its op would be a different object, or too large."""
    if tensor.dtype == tf.resource:
        return not tensor.op.inputs
    if tensor.op.type == EXTERNAL_ARRAY_OP:
        return True
    if tensor.op.type == "Const":
        size = STRING_BYTES if tensor.dtype == tf.string else tensor.dtype.size
        return (tensor.shape.num_elements() or 0) * size > LARGE_CONSTANT_BYTES
    return False

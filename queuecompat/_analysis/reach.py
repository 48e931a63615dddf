"""What computes the tensors that are wanted: back through the user's graph to the stages before them.

Rule 1: a search ends at a frontier (``frontier``). A control input of a source belongs to what was found as well: TF1
        ran it with each dequeue.
Rule 2: what has an identity is not copied but captured: resource handles, and constants too large
        to live twice.
Rule 3: what cannot be lifted raises ``CannotCompileError`` here, before anything was built.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Sequence, Set

import tensorflow as tf

from queuecompat._analysis.frontier import Frontier
from queuecompat._analysis.op_copy import EXTERNAL_ARRAY_OP
from queuecompat.errors import CannotCompileError

__all__ = ["Reached", "is_reference", "reached_from", "sources_behind"]

# A constant larger than this is captured by reference; smaller ones are cheaper as a copy.
LARGE_CONSTANT_BYTES = 64 * 1024
# What a string is taken for, without looking: a file name.
STRING_BYTES = 64
_FED = ("Placeholder", "PlaceholderV2")
_DRAWS = ("QueueDequeue", "ReaderRead", "IteratorGetNext", "Unstage", "BarrierTake")


class Reached:
    """What was found, each by its name.

    Attributes:
      sources: the stage outputs that are taken.
      captured: the tensors that are taken by reference.
      ops: what has to be copied.
      first: those of *ops* that the sources wait for.
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
        # A draw that a source waits for is a source itself: where its element is, the wait is over.
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
        elif _has_identity(tensor) or frontier.is_captured(tensor):
            self.captured[tensor.name] = tensor
        elif op.name not in self.ops:
            self._waiting.append(op)

    def _visit(self, op: tf.Operation) -> None:
        of_stage = [tensor for tensor in op.outputs if self._frontier.is_source(tensor)]
        if op.name not in self._inside and (of_stage or (op.type.startswith(_DRAWS) and op.outputs)):
            of_stage = list(op.outputs)
            self._reach(of_stage[0])  # a control input: the element is taken, though no op reads it
        if op.name in self.ops or (of_stage and op.name not in self._inside):
            return
        if op.type in _FED:
            raise CannotCompileError("QC201", tensor=op.outputs[0].name)
        self.ops[op.name] = op
        for tensor in op.inputs:
            self._reach(tensor)
        self._waiting.extend(op.control_inputs)


def reached_from(outputs: Sequence[tf.Tensor], frontier: Frontier, draws: Sequence[tf.Operation] = ()) -> Reached:
    """What computes *outputs*, tensors of one graph.

    A draw from a queue, reader or iterator that is not ours becomes a stage, and so a source, where it can.

    Args:
      draws: such draws that are to be among the ops, with all that they wait for.
    Raises:
      CannotCompileError: QC201, a placeholder without default is needed; QC202, an element would be
        taken from a queue, reader or iterator that is not ours; QC208, a draw stands inside
        ``tf.cond`` or ``tf.while_loop``; QC212, a variable or an op is on another task than the sources.
    """
    found = Reached(frontier, draws)
    found.search_from(outputs)
    handles = [tensor for tensor in found.captured.values() if tensor.dtype == tf.resource]
    references = [op.outputs[0] for op in found.ops.values() if is_reference(op)]
    sources = [*found.sources.values(), *(draw.outputs[0] for draw in draws)]
    inside = {draw.name for draw in draws}
    frontier.require_near(sources, handles + references, (op for op in found.ops.values() if op.name not in inside))
    return found


def sources_behind(ops: Iterable[tf.Operation], frontier: Frontier) -> List[tf.Tensor]:
    """The stage outputs that *ops* depend on in any way; the search ends there."""
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


def _has_identity(tensor: tf.Tensor) -> bool:
    """Whether a copy of *tensor*'s op would be another thing, or cost too much."""
    if tensor.dtype == tf.resource:
        return not tensor.op.inputs
    if tensor.op.type == EXTERNAL_ARRAY_OP:
        return True
    if tensor.op.type == "Const":
        size = STRING_BYTES if tensor.dtype == tf.string else tensor.dtype.size
        return (tensor.shape.num_elements() or 0) * size > LARGE_CONSTANT_BYTES
    return False


def is_reference(op: tf.Operation) -> bool:
    """Whether *op* stands for a state that its copy finds by its name."""
    return not op.inputs and any(tensor.dtype != tensor.dtype.base_dtype for tensor in op.outputs)

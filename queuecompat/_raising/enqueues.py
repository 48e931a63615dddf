"""Finds out what an op that a runner repeats enqueues into a queue: which tensors, and under which condition."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Set, Tuple

import tensorflow as tf

from queuecompat.errors import CannotCompileError

__all__ = ["Enqueue", "enqueue_into"]

_DRAWS = ("QueueDequeue", "ReaderRead")
_ENQUEUES = ("QueueEnqueueManyV2", "QueueEnqueueV2")


class Enqueue(NamedTuple):
    """One enqueue op of a queue.

    Attributes:
      op: the enqueue op.
      tensors: the components that it enqueues.
      keep_input: a scalar bool; the elements are enqueued only if it is true. None: always.
    """

    op: tf.Operation
    tensors: Tuple[tf.Tensor, ...]
    keep_input: Optional[tf.Tensor] = None

    @property
    def is_many(self) -> bool:
        """Whether each row of the tensors is an element."""
        return self.op.type == "QueueEnqueueManyV2"


def enqueue_into(queue: tf.Operation, repeated: tf.Operation) -> Optional[Enqueue]:
    """Returns what *repeated*, an op that a runner repeats, enqueues into *queue*; None: it does not use this queue.

    Raises:
      CannotCompileError: QC209, it fills the queue in a way that cannot be compiled.
    """
    if repeated.type in _ENQUEUES:
        into = repeated.inputs[0].op.name == queue.name
        return Enqueue(repeated, tuple(repeated.inputs)[1:]) if into else None
    before = list(_before(repeated))
    if all(op.name != queue.name for op in before):
        return None
    enqueues = [op for op in before if op.type in _ENQUEUES]
    found = _conditional(repeated, enqueues[0], queue) if len(enqueues) == 1 else None
    if found is None:
        what = f"filled by more than an enqueue ('{repeated.name}')"
        raise CannotCompileError("QC209", tensor=queue.name, what=what)
    return found


def _conditional(merge: tf.Operation, op: tf.Operation, queue: tf.Operation) -> Optional[Enqueue]:
    """Returns *op* if it is in the true branch of the cond of *merge*, as in TF1's ``maybe_batch``; otherwise None.

    That is ``tf.cond(keep_input, enqueue, no_op)``.
    """
    switches = [given.op for given in op.inputs]
    if merge.type != "Merge" or op.control_inputs or any(switch.type != "Switch" for switch in switches):
        return None
    conditions = {_condition(switch) for switch in switches}
    is_branch_of_true = all(given.name.endswith(":1") for given in op.inputs)
    if len(conditions) != 1 or not is_branch_of_true or switches[0].inputs[0].op.name != queue.name:
        return None
    tensors = tuple(switch.inputs[0] for switch in switches[1:])
    return Enqueue(op, tensors, queue.graph.get_tensor_by_name(conditions.pop()))


def _condition(switch: tf.Operation) -> str:
    """Returns the name of the tensor that is the condition of *switch*."""
    tensor = switch.inputs[1]
    while tensor.op.type == "Identity" and not tensor.op.control_inputs:
        tensor = tensor.op.inputs[0]
    name: str = tensor.name
    return name


def _before(op: tf.Operation) -> Iterator[tf.Operation]:
    """Yields *op* and all ops that it depends on, up to draws from queues and readers."""
    seen: Set[str] = set()
    waiting: List[tf.Operation] = [op]
    while waiting:
        one = waiting.pop()
        if one.name not in seen:
            seen.add(one.name)
            yield one
            if one.type.startswith(_DRAWS):
                continue
            waiting += [given.op for given in one.inputs]
            waiting += one.control_inputs

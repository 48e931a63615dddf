"""Connects slices with stages: the step that runs a slice on the elements of stages, and consumers outside of plans.

A slice ends at the tensors of stages; ``registry.Pipelines`` is the frontier that knows these tensors.
"""

from __future__ import annotations

from typing import Callable, Iterable, List, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._analysis.reach import nearest_sources
from queuecompat._analysis.slicing import Slice
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage

__all__ = ["note_external_consumers", "note_external_use", "run_step", "upstream_of"]


def upstream_of(body: Slice, pipelines: Pipelines) -> List[Stage]:
    """Returns the stages that *body* draws from, each once, in order of creation."""
    found = {id(pipelines.place(tensor)[0]) for tensor in body.sources}
    return [stage for stage in pipelines.stages if isinstance(stage, Stage) and id(stage) in found]


def run_step(
    body: Slice, upstream: Sequence[Stage], place: Callable[[tf.Tensor], Tuple[Stage, int]]
) -> Tuple[ir.Step, ...]:
    """Returns the ``Run`` step of *body* on the elements of *upstream*; no step if it would change nothing.

    Args:
      place: returns the stage of a source tensor, and the tensor's number among that stage's components.
    """
    offsets, total = {}, 0
    for stage in upstream:
        offsets[id(stage)] = total
        total += len(stage.components)
    uses = []
    for tensor in body.sources:
        stage, number = place(tensor)
        uses.append(offsets[id(stage)] + number)
    names = [t.name for t in body.outputs]
    # Draws from several queues of the program must be made in one step, and so by one slice.
    is_drawn_together = len(upstream) > 1 and any(stage.is_op for stage in upstream)
    changes_nothing = body.is_empty and names == [t.name for t in body.sources] and uses == list(range(total))
    if changes_nothing and not is_drawn_together:
        return ()
    # A TensorFlow 1 variable, and the output of an assign op, are references; a step outputs values.
    components = tuple(tf.TensorSpec(t.shape, t.dtype.base_dtype) for t in body.outputs)
    return (ir.Run(components, body, tuple(uses)),)


def note_external_use(pipelines: Pipelines, values: Iterable[object]) -> None:
    """Records that a native stage or op now consumes every stage upstream of *values*, and tells the back end.

    Args:
      values: only tensors and operations among them count.
    """
    tensors_and_ops = [value for value in values if isinstance(value, (tf.Tensor, tf.Operation))]
    note_external_consumers(pipelines, tensors_and_ops)
    pipelines.backend.changed()


def note_external_consumers(pipelines: Pipelines, consumers: Iterable[Union[tf.Tensor, tf.Operation]]) -> None:
    """Records the same of *consumers*, for callers that tell the back end themselves."""
    # A runner may also run a tensor: the result of a tf.cond around the enqueue.
    ops = [one.op if tf.is_tensor(one) else one for one in consumers]
    for source in nearest_sources(ops, pipelines):
        pipelines.place(source)[0].note_external_consumer()

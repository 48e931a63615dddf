"""Where slices meet stages: the step that a slice is on the elements of stages, and slices that run outside.

A slice ends at the tensors of stages (``registry.Pipelines`` is the frontier that says which these are).
"""

from __future__ import annotations

from typing import Callable, Iterable, List, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._analysis.reach import sources_behind
from queuecompat._analysis.slicing import Slice
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage

__all__ = ["note_external_consumers", "note_external_use", "run_step", "upstream_of"]


def upstream_of(body: Slice, pipelines: Pipelines) -> List[Stage]:
    """The stages that *body* draws from, each once, in the order in which they were made."""
    found = {id(pipelines.place(tensor)[0]) for tensor in body.sources}
    return [stage for stage in pipelines.stages if isinstance(stage, Stage) and id(stage) in found]


def run_step(
    body: Slice, upstream: Sequence[Stage], place: Callable[[tf.Tensor], Tuple[Stage, int]]
) -> Tuple[ir.Step, ...]:
    """The ``Run`` of *body* on the elements of *upstream*; nothing where it changes nothing.

    Args:
      place: function of a source tensor that returns its stage and its number in that stage.
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
    # Draws from several queues of the program come out of one step, and so out of one slice.
    is_drawn_together = len(upstream) > 1 and any(stage.is_op for stage in upstream)
    changes_nothing = body.is_empty and names == [t.name for t in body.sources] and uses == list(range(total))
    if changes_nothing and not is_drawn_together:
        return ()
    # A variable of TensorFlow 1, and what assigns to it, are references; what a step outputs are values.
    components = tuple(tf.TensorSpec(t.shape, t.dtype.base_dtype) for t in body.outputs)
    return (ir.Run(components, body, tuple(uses)),)


def note_external_use(pipelines: Pipelines, values: Iterable[object]) -> None:
    """A native stage or op now takes the elements of every stage upstream of *values*, tensors and ops among them."""
    tensors_and_ops = [value for value in values if isinstance(value, (tf.Tensor, tf.Operation))]
    note_external_consumers(pipelines, tensors_and_ops)
    pipelines.backend.changed()


def note_external_consumers(pipelines: Pipelines, consumers: Iterable[Union[tf.Tensor, tf.Operation]]) -> None:
    """The same, where the back end knows that something has changed."""
    # What a runner runs may also be a tensor: the result of a tf.cond around the enqueue.
    ops = [one.op if tf.is_tensor(one) else one for one in consumers]
    for source in sources_behind(ops, pipelines):
        pipelines.place(source)[0].note_external_consumer()

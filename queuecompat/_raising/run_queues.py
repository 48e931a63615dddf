"""Turns the queues of a graph that its runners fill into stages, for a dataset, where no session runs the runners.

In a session such a queue stays TensorFlow's own, since the program may do anything with it (see ``runner_ops``). In a
graph that becomes a dataset, only the runners fill it, so it becomes a queue of the plan: each enqueue op of a runner
is an input, and each draw a consumer.

Rule 1: if a draw cannot be turned into a stage, the dataset is not compiled, and QC209 states the reason.
Rule 2: a runner's repetitions of an op are its number of threads; a runner's cancel op is ignored.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, Optional, Sequence

import tensorflow as tf

from queuecompat._capture.inputs import constant_size, input_branch
from queuecompat._plan import ir
from queuecompat._plan.external import ExternalSource
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import InputBranch, Stage, narrowest
from queuecompat._raising.enqueues import Enqueue, enqueue_into
from queuecompat._raising.producers import producer
from queuecompat._raising.reads import READS, read_step, up_to
from queuecompat.errors import CannotCompileError

__all__ = ["compile_run_queues"]


def compile_run_queues(pipelines: Pipelines) -> None:
    """Replaces draws from queues that runners of the graph fill, and from readers of such queues, by stages.

    Raises:
      CannotCompileError: QC202 or QC208, the ops that fill a queue cannot be compiled; QC203 or QC207, the number of
        elements of a draw cannot; QC209, a draw is from something else.
    """
    queues = _RunQueues(pipelines)
    # Compiling one queue may add draws from further queues, which its elements come from.
    for stage in iter(lambda: next(_external(pipelines), None), None):
        op = stage.op
        if op.type in READS:
            stage.compile_from(queues.reader(op), [])
        elif op.type in _DEQUEUES:
            stage.compile_from(queues.queue(op), _DEQUEUES[op.type](op))
        else:
            raise CannotCompileError("QC209", tensor=op.name, what="an iterator of the program's own")


def _external(pipelines: Pipelines) -> Iterator[ExternalSource]:
    return (stage for stage in pipelines.stages if isinstance(stage, ExternalSource) and stage.external is not None)


class _RunQueues:
    """Makes the stages of the queues and readers of one graph, each once."""

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self._stages: Dict[str, Stage] = {}
        runners = pipelines.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
        ops = [op for runner in runners for op in getattr(runner, "enqueue_ops", ())]
        self._repeated = [op.op if tf.is_tensor(op) else op for op in ops]

    def queue(self, draw: tf.Operation) -> Stage:
        """Returns the stage of the queue that *draw* takes from: its first input, or the second of a read."""
        queue = draw.inputs[draw.type in READS].op
        if queue.name not in self._stages:
            self._stages[queue.name] = self._made(queue)
        return self._stages[queue.name]

    def reader(self, read: tf.Operation) -> Stage:
        """Returns the stage of the reader that *read* uses; it outputs records, or vectors of them."""
        reader = read.inputs[0].op
        name = f"{reader.name}/{up_to(read)}"
        if name not in self._stages:
            step = read_step(read)
            upstream = [self.queue(read)]
            self._add(name, Stage(reader.name, "", scope=reader.name, upstream=upstream, steps=[step]))
        return self._stages[name]

    def _made(self, queue: tf.Operation) -> Stage:
        if queue.type not in _QUEUES:
            raise CannotCompileError("QC209", tensor=queue.name, what=f"a {queue.type.replace('V2', '')}")
        found = [enqueue_into(queue, op) for op in self._repeated]
        enqueues = [enqueue for enqueue in found if enqueue is not None]
        if not enqueues:
            raise CannotCompileError("QC209", tensor=queue.name, what="a queue that no QueueRunner fills")
        produced = self._producer(enqueues, queue)
        if produced is not None:
            return self._add(queue.name, Stage(queue.name, "", scope=queue.name, steps=[produced]))
        inputs = [self._input_branch(enqueue, queue) for enqueue in {one.op.name: one for one in enqueues}.values()]
        shuffles = queue.type == "RandomShuffleQueueV2"
        step = ir.Queue(
            narrowest([one.components for one in inputs]),
            queue.get_attr("capacity"),
            queue.get_attr("min_after_dequeue") if shuffles else None,
            queue.get_attr("seed2") or None if shuffles else None,
            len(enqueues),
        )
        return self._add(queue.name, Stage(queue.name, "", scope=queue.name, inputs=inputs, steps=[step]))

    def _producer(self, enqueues: Sequence[Enqueue], queue: tf.Operation) -> Optional[ir.Step]:
        """Returns the source whose rows *enqueues* put into *queue*; None: an ``input_producer`` does not fill it."""
        shapes = queue.get_attr("shapes")
        if len(enqueues) != 1 or enqueues[0].keep_input is not None or len(shapes) != 1 or queue.type != "FIFOQueueV2":
            return None
        element = tf.TensorSpec(shapes[0], queue.get_attr("component_types")[0])
        with self._pipelines.graph.as_default():
            return producer(enqueues[0].op, element, queue.get_attr("capacity"), self._pipelines)

    def _add(self, name: str, stage: Stage) -> Stage:
        self._stages[name] = stage
        self._pipelines.add(stage)
        return stage

    def _input_branch(self, enqueue: Enqueue, queue: tf.Operation) -> InputBranch:
        is_many, waits = enqueue.is_many, enqueue.op.control_inputs
        with self._pipelines.graph.as_default(), tf.control_dependencies(waits):
            tensors = [tf.identity(given) if waits else given for given in enqueue.tensors]
        shapes = [tf.TensorShape(shape) for shape in queue.get_attr("shapes")] or [
            tensor.shape[1:] if is_many else tensor.shape for tensor in tensors
        ]
        examples = [tf.TensorSpec(shape, tensor.dtype.base_dtype) for shape, tensor in zip(shapes, tensors)]
        keep_input = True if enqueue.keep_input is None else enqueue.keep_input
        with self._pipelines.graph.as_default():
            return input_branch(tensors, examples, self._pipelines, is_many=is_many, keep_input=keep_input)


_QUEUES = ("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2")


def _batch(op: tf.Operation) -> Sequence[ir.Step]:
    components = tuple(tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in op.outputs)
    pads = op.inputs[0].op.type == "PaddingFIFOQueueV2"
    size = constant_size("n", op.inputs[1])
    return [ir.Batch(components, size, drop_remainder=op.type == "QueueDequeueManyV2", padded=pads)]


def _alone(op: tf.Operation) -> Sequence[ir.Step]:
    return []


_DEQUEUES: Dict[str, Callable[[tf.Operation], Sequence[ir.Step]]] = {
    "QueueDequeueManyV2": _batch,
    "QueueDequeueUpToV2": _batch,
    "QueueDequeueV2": _alone,
}

"""Queues of the program's own that runners fill, as stages, where there is no session to run either.

In a session such a queue stays TensorFlow's, since the program may do with it what it likes. On the way to a
dataset only the runners fill it, so it is one more queue of the plan: each enqueue op of a runner is a
way in, each draw a consumer.

Rule 1: a draw that cannot be explained so stays as it is, and the dataset says why (QC209).
Rule 2: how often a runner repeats an op is a number of threads, and a runner's cancel op does not matter.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, Sequence

import tensorflow as tf

from queuecompat._capture.inputs import input_branch
from queuecompat._capture.reading import known_compression, reading
from queuecompat._plan import ir
from queuecompat._plan.external import ExternalSource
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import InputBranch, Stage, narrowest
from queuecompat.errors import CannotCompileError

__all__ = ["compile_run_queues"]


def compile_run_queues(pipelines: Pipelines) -> None:
    """Puts stages in place of the draws from queues that runners of the graph fill, and from readers of those.

    Raises:
      CannotCompileError: QC202 or QC208, of what is put in; QC209, a draw is from something else.
    """
    queues = _RunQueues(pipelines)
    # What a queue is filled from may be drawn from another one, which is found on the way.
    for stage in iter(lambda: next(_external(pipelines), None), None):
        op = stage.op
        if op.type in _READS:
            stage.compile_from(queues.reader(op), [])
        elif op.type in _DEQUEUES:
            stage.compile_from(queues.queue(op), _DEQUEUES[op.type](op))
        else:
            raise CannotCompileError("QC209", tensor=op.name, what="an iterator of the program's own")


def _external(pipelines: Pipelines) -> Iterator[ExternalSource]:
    return (stage for stage in pipelines.stages if isinstance(stage, ExternalSource) and stage.external is not None)


class _RunQueues:
    """The stages of the queues and readers of one graph, each made once."""

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self._stages: Dict[str, Stage] = {}
        runners = pipelines.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
        self._enqueue_ops = [op for runner in runners for op in runner.enqueue_ops]

    def queue(self, draw: tf.Operation) -> Stage:
        """The stage of the queue that *draw* takes from: its first input, or a read's second."""
        queue = draw.inputs[draw.type in _READS].op
        if queue.name not in self._stages:
            self._stages[queue.name] = self._made(queue)
        return self._stages[queue.name]

    def reader(self, read: tf.Operation) -> Stage:
        """The stage of the reader that *read* reads with; it outputs records, or vectors of them."""
        reader = read.inputs[0].op
        up_to = int(tf.get_static_value(read.inputs[2])) if len(read.inputs) > 2 else None
        name = f"{reader.name}/{up_to}"
        if name not in self._stages:
            step = reading(_WHOLE.get(reader.type) or _layout(reader), up_to)
            upstream = [self.queue(read)]
            self._add(name, Stage(reader.name, "", scope=reader.name, upstream=upstream, steps=[step]))
        return self._stages[name]

    def _made(self, queue: tf.Operation) -> Stage:
        if queue.type not in _QUEUES:
            raise CannotCompileError("QC209", tensor=queue.name, what=f"a {queue.type.replace('V2', '')}")
        ops = [op for op in self._enqueue_ops if self._fills(op, queue)]
        if not ops:
            raise CannotCompileError("QC209", tensor=queue.name, what="a queue that no QueueRunner fills")
        inputs = [self._input_branch(op, queue) for op in dict.fromkeys(ops)]
        shuffles = queue.type == "RandomShuffleQueueV2"
        step = ir.Queue(
            narrowest([way.components for way in inputs]),
            queue.get_attr("capacity"),
            queue.get_attr("min_after_dequeue") if shuffles else None,
            queue.get_attr("seed2") or None if shuffles else None,
            len(ops),
        )
        return self._add(queue.name, Stage(queue.name, "", scope=queue.name, inputs=inputs, steps=[step]))

    def _add(self, name: str, stage: Stage) -> Stage:
        self._stages[name] = stage
        self._pipelines.add(stage)
        return stage

    @staticmethod
    def _fills(op: tf.Operation, queue: tf.Operation) -> bool:
        """Whether *op* puts something into *queue*; what does so now and then only (``tf.cond``) is refused."""
        op = op.op if tf.is_tensor(op) else op
        if op.type in ("QueueEnqueueV2", "QueueEnqueueManyV2"):
            return op.inputs[0].op.name == queue.name
        if _reaches(op, queue.name):
            raise CannotCompileError("QC209", tensor=queue.name, what=f"filled by more than an enqueue ('{op.name}')")
        return False

    def _input_branch(self, op: tf.Operation, queue: tf.Operation) -> InputBranch:
        is_many = op.type == "QueueEnqueueManyV2"
        with self._pipelines.graph.as_default(), tf.control_dependencies(op.control_inputs):
            tensors = [tf.identity(given) if op.control_inputs else given for given in list(op.inputs)[1:]]
        shapes = [tf.TensorShape(shape) for shape in queue.get_attr("shapes")] or [
            tensor.shape[1:] if is_many else tensor.shape for tensor in tensors
        ]
        examples = [tf.TensorSpec(shape, tensor.dtype) for shape, tensor in zip(shapes, tensors)]
        return input_branch(tensors, examples, self._pipelines, is_many=is_many)


def _reaches(op: tf.Operation, name: str) -> bool:
    """Whether *op* depends on the op called *name* in any way."""
    seen, waiting = set(), [op]
    while waiting:
        one = waiting.pop()
        if one.name not in seen:
            seen.add(one.name)
            waiting += [given.op for given in one.inputs] + list(one.control_inputs)
    return name in seen


_QUEUES = ("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2")


def _batch(op: tf.Operation) -> Sequence[ir.Step]:
    components = tuple(tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in op.outputs)
    pads = op.inputs[0].op.type == "PaddingFIFOQueueV2"
    size = int(tf.get_static_value(op.inputs[1]))
    return [ir.Batch(components, size, drop_remainder=op.type == "QueueDequeueManyV2", padded=pads)]


def _alone(op: tf.Operation) -> Sequence[ir.Step]:
    return []


_DEQUEUES: Dict[str, Callable[[tf.Operation], Sequence[ir.Step]]] = {
    "QueueDequeueManyV2": _batch,
    "QueueDequeueUpToV2": _batch,
    "QueueDequeueV2": _alone,
}
_READS = ("ReaderReadUpToV2", "ReaderReadV2")
_WHOLE: Dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "IdentityReaderV2": lambda name: name,
    "WholeFileReaderV2": tf.io.read_file,
}


def _layout(reader: tf.Operation) -> ir.FileLayout:
    """How *reader* cuts files into records, by the attributes of its op."""
    if reader.type == "TFRecordReaderV2":
        return ir.FileLayout("TFRecord", compression=reader.get_attr("compression_type").decode())
    if reader.type == "TextLineReaderV2":
        return ir.FileLayout("TextLine", skip_header_lines=reader.get_attr("skip_header_lines"))
    if reader.type == "FixedLengthRecordReaderV2":
        sizes = {name: reader.get_attr(name) for name in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes")}
        compression = known_compression(reader.get_attr("encoding").decode())
        return ir.FileLayout("FixedLengthRecord", compression=compression, **sizes)
    raise CannotCompileError("QC209", tensor=reader.name, what=f"a {reader.type.replace('V2', '')}")

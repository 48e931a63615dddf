"""Compiled pipelines out of a saved graph. They start as those do that the program built.

A saved graph has the ops of a pipeline, and in place of its runner a proto that names the start op. TensorFlow
makes a plain runner of that, whose thread runs the op some time after ``start_queue_runners``; a run that comes
before would be told that nothing was started.
"""

from __future__ import annotations

import re
from typing import List

import tensorflow as tf

from queuecompat._runtime.activity import Ops
from queuecompat._runtime.placement import OURS
from queuecompat._runtime.queue_names import QueueNames
from queuecompat._runtime.runners import PipelineRunner, quietly
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["recognise_imported"]

_START = re.compile(rf"(?P<stage>.+)/{OURS}_\w+/start(_\d+)?")
_ARRAY = re.compile(rf".+/{OURS}_\w+/array(_\d+)?")


def recognise_imported(graph: tf.Graph) -> None:
    """Puts runners of ours in place of those that TensorFlow made from ours in a saved graph."""
    # Runners are changed in place: the graph may be finalised, and programs keep the list.
    runners = graph.get_collection_ref(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    runners[:] = [ImportedRunner(graph, one) if _is_imported(one) else one for one in runners]


def _is_imported(runner: tf.compat.v1.train.QueueRunner) -> bool:
    if isinstance(runner, PipelineRunner):
        return False
    return any(isinstance(op, tf.Operation) and _START.fullmatch(op.name) for op in runner.enqueue_ops)


class ImportedRunner(PipelineRunner):
    """Starts a pipeline by the op that was saved for it.

    Args:
      plain: what TensorFlow made of the proto.
    """

    def __init__(self, graph: tf.Graph, plain: tf.compat.v1.train.QueueRunner) -> None:
        (start,) = plain.enqueue_ops
        match = _START.fullmatch(start.name)
        assert match is not None
        self._set_up(graph, match["stage"], QueueNames(plain.queue.name, "Queue", plain.queue.name, (start.name,)))
        self._start_op = start
        # What was saved of the ops that end it: the one that shuts its sources, or the program's own in its place.
        self._ops = Ops(stop=[plain.cancel_op], close=[], drains=False, cancel=None)
        with graph.as_default(), quietly():
            # TensorFlow's own: under its name there may be ours.
            super(PipelineRunner, self).__init__(queue_runner_def=plain.to_proto())

    def _start(self, sess: tf.compat.v1.Session) -> None:
        if any(map(_ARRAY.fullmatch, _fed(self._start_op))):
            raise error(QueueCompatRuntimeError, "QC308", stage=self.scope)
        super()._start(sess)


def _fed(start: tf.Operation) -> List[str]:
    """The placeholders that *start* waits for, by name."""
    seen, waiting = set(), [start]
    found = []
    while waiting:
        op = waiting.pop()
        if op.name not in seen:
            seen.add(op.name)
            found += [op.name] if op.type == "Placeholder" else []
            waiting += [given.op for given in op.inputs] + list(op.control_inputs)
    return found

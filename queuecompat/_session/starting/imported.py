"""Compiled pipelines out of a saved graph. They start as those do that the program built.

A saved graph has the ops of a pipeline, and in place of its runner a proto that names the start op. TensorFlow
makes a plain runner of that, whose thread runs the op some time after ``start_queue_runners``; a run that comes
before would be told that nothing was started.
"""

from __future__ import annotations

import functools
import re
from typing import Callable, Optional, Set

import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._plan.queue_names import QueueNames
from queuecompat._session.graph_ops.placement import OURS
from queuecompat._session.starting.activity import Activity, Ops
from queuecompat._session.starting.one_start import Start
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["end_imported", "recognise_imported"]

_START = re.compile(rf"(?P<stage>.+)/{OURS}_\w+/start(_\d+)?")
_ARRAY = re.compile(rf".+/{OURS}_\w+/array(_\d+)?")


def recognise_imported(graph: tf.Graph) -> bool:
    """Puts runners of ours in place of those that TensorFlow made from ours in a saved graph.

    Returns:
      Whether there are any.
    """
    # Runners are changed in place: the graph may be finalised, and programs keep the list.
    runners = graph.get_collection_ref(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    runners[:] = [ImportedRunner(graph, one) if _is_imported(one) else one for one in runners]
    return any(isinstance(one, ImportedRunner) for one in runners)


def _is_imported(runner: tf.compat.v1.train.QueueRunner) -> bool:
    if isinstance(runner, PipelineRunner):
        return False
    return _start_of(runner) is not None


def _start_of(runner: tf.compat.v1.train.QueueRunner) -> Optional[tf.Operation]:
    """The op that starts a pipeline of ours: the enqueue op of *runner*, or what that runs under TF1's name."""
    for enqueue in runner.enqueue_ops[:1]:
        for op in [enqueue, *enqueue.control_inputs] if isinstance(enqueue, tf.Operation) else []:
            if _START.fullmatch(op.name):
                return op
    return None


class ImportedRunner(PipelineRunner):
    """Starts a pipeline by the op that was saved for it.

    Args:
      plain: what TensorFlow made of the proto.
    """

    def __init__(self, graph: tf.Graph, plain: tf.compat.v1.train.QueueRunner) -> None:
        start = _start_of(plain)
        match = None if start is None else _START.fullmatch(start.name)
        assert start is not None and match is not None
        enqueues = tuple(op.name for op in plain.enqueue_ops)
        self._set_up(graph, match["stage"], QueueNames(plain.queue.name, "Queue", plain.queue.name, enqueues))
        self._latest_start = Start(plain.enqueue_ops[0])  # that runs all that it takes to start
        # What was saved of the ops that end it: the one that shuts its sources, or the program's own in its place.
        self.ending = Ops(stop=[plain.cancel_op], close=[], drains=False, cancel=None)
        with graph.as_default(), without_queue_deprecations():
            # TensorFlow's own: under its name there may be ours.
            super(PipelineRunner, self).__init__(queue_runner_def=plain.to_proto())

    def _enqueue_work(self, activity: Activity) -> Callable[[], None]:
        # Which draws of the graph empty its queue cannot be seen any more, and so not when it has ended.
        return lambda: None

    @functools.cached_property
    def iterators(self) -> Set[str]:
        """The names of the iterators that it starts, and of those upstream of them."""
        return self._needed("IteratorV2")

    def _needed(self, kind: str) -> Set[str]:
        """The names of the ops of one type that its start needs."""
        return set().union(*(_behind(start.op, kind) for start in self.starts))

    def _start(self, sess: tf.compat.v1.Session) -> None:
        if any(map(_ARRAY.fullmatch, self._needed("Placeholder"))):
            raise error(QueueCompatRuntimeError, "QC308", stage=self.scope)
        super()._start(sess)


def end_imported(graph: tf.Graph, session: tf.compat.v1.Session, error: tf.errors.OpError) -> None:
    """Tells the runners of imported pipelines what a step of *session* has raised."""
    iterators = {given.op.name for given in error.op.inputs if given.op.type == "IteratorV2"} if error.op else set()
    runners = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    imported = [one for one in runners if isinstance(one, ImportedRunner)]
    behind = set().union(*(one.iterators for one in imported if iterators & one.iterators))
    for runner in imported if behind else []:
        if isinstance(error, tf.errors.OutOfRangeError):
            if runner.iterators <= behind:  # its own, one upstream of it, or none: then it only begins another's
                runner.ended(session)
        elif iterators & runner.iterators:
            runner.failed(session, error)


def _behind(start: tf.Operation, kind: str) -> Set[str]:
    """The names of the ops of one type that *start* waits for."""
    seen, waiting = {start.name: start}, [start]
    while waiting:
        op = waiting.pop()
        for other in [given.op for given in op.inputs] + list(op.control_inputs):
            if other.name not in seen:
                seen[other.name] = other
                waiting.append(other)
    return {name for name, op in seen.items() if op.type == kind}

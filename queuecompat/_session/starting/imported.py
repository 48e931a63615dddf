"""Compiled pipelines of a saved graph: they start as those do that the program built itself.

A saved graph contains the ops of a pipeline and, in place of its runner, a proto that names the start op. TensorFlow
makes a plain runner of that proto, whose thread runs the start op some time after ``start_queue_runners`` returns. A
step that runs before then would fail, saying that nothing was started. So that runner is replaced.
"""

from __future__ import annotations

import functools
import re
from typing import Callable, Optional, Set

import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._native.originals import TRAIN
from queuecompat._plan.queue_names import QueueNames
from queuecompat._session.graph_ops.placement import OURS
from queuecompat._session.starting.activity import Activity, Ops
from queuecompat._session.starting.joint_start_step import Start
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["end_imported", "recognise_imported"]

_START = re.compile(rf"(?P<stage>.+)/{OURS}_\w+/start(_\d+)?")
_ARRAY = re.compile(rf".+/{OURS}_\w+/array(_\d+)?")


def recognise_imported(graph: tf.Graph) -> bool:
    """Replaces the plain runners that TensorFlow made for our pipelines when it loaded a saved graph.

    A runner of a saved graph refers to its ops by their names. If the graph had ops of these names, the ops that were
    loaded have other names, and the runner refers to the earlier ones: it is replaced by the runner of those.

    Returns:
      Whether the graph has a pipeline that was loaded.
    """
    # The list is changed in place: the graph may be finalised, and programs keep a reference to the list.
    runners = graph.get_collection_ref(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    ours = {op.name: one for one in runners if isinstance(one, PipelineRunner) for op in one.enqueue_ops}
    for position, plain in enumerate(runners):
        if isinstance(plain, PipelineRunner) or not isinstance(plain, TRAIN["QueueRunner"]):
            continue  # the second: an object of the program that has only create_threads
        names = [op.name for op in plain.enqueue_ops if isinstance(op, tf.Operation)]
        if names and names[0] in ours:
            runners[position] = ours[names[0]]
        elif _start_of(plain) is not None:
            runners[position] = ImportedRunner(graph, plain)
            ours.update(dict.fromkeys(names, runners[position]))
    return any(isinstance(one, ImportedRunner) for one in runners)


def _start_of(runner: tf.compat.v1.train.QueueRunner) -> Optional[tf.Operation]:
    """The op that starts one of our pipelines; None if *runner* was not made from a runner of ours.

    It is the runner's enqueue op, or a control input of it if the enqueue op has TF1's name.
    """
    for enqueue in runner.enqueue_ops[:1]:
        for op in [enqueue, *enqueue.control_inputs] if isinstance(enqueue, tf.Operation) else []:
            if _START.fullmatch(op.name):
                return op
    return None


class ImportedRunner(PipelineRunner):
    """Starts a pipeline by the start op in the saved graph.

    Args:
      plain: the runner that TensorFlow made of the proto.
    """

    def __init__(self, graph: tf.Graph, plain: tf.compat.v1.train.QueueRunner) -> None:
        start = _start_of(plain)
        match = None if start is None else _START.fullmatch(start.name)
        assert start is not None and match is not None
        enqueues = tuple(op.name for op in plain.enqueue_ops)
        self._set_up(graph, match["stage"], QueueNames(plain.queue.name, "Queue", plain.queue.name, enqueues))
        self._latest_start = Start(plain.enqueue_ops[0])  # runs all that the start needs
        # Of the ops that end it, one was saved: the one that shuts its sources, or the program's own cancel op.
        self.ending = Ops(stop=[plain.cancel_op], close=[], drains=False, cancel=None)
        with graph.as_default(), without_queue_deprecations():
            # TensorFlow's own __init__, found through the base class: its public name may refer to a class of ours.
            super(PipelineRunner, self).__init__(queue_runner_def=plain.to_proto())

    def _enqueue_work(self, activity: Activity) -> Callable[[], None]:
        # It is no longer known which draws of the graph take elements from its queue, and so not when its data have
        # ended.
        return lambda: None

    @functools.cached_property
    def iterators(self) -> Set[str]:
        """The names of the iterators that it starts, and of those upstream of them."""
        return self._needed("IteratorV2")

    def _needed(self, kind: str) -> Set[str]:
        """The names of the ops of type *kind* that its start depends on."""
        return set().union(*(_ops_required_by(start.op, kind) for start in self.starts))

    def _start(self, sess: tf.compat.v1.Session) -> None:
        if any(map(_ARRAY.fullmatch, self._needed("Placeholder"))):
            raise error(QueueCompatRuntimeError, "QC308", stage=self.scope)
        super()._start(sess)


def end_imported(graph: tf.Graph, session: tf.compat.v1.Session, error: tf.errors.OpError) -> None:
    """Reports *error*, raised by a step of *session*, to the runners of imported pipelines."""
    iterators = {given.op.name for given in error.op.inputs if given.op.type == "IteratorV2"} if error.op else set()
    runners = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    imported = [one for one in runners if isinstance(one, ImportedRunner)]
    behind = set().union(*(one.iterators for one in imported if iterators & one.iterators))
    for runner in imported if behind else []:
        if isinstance(error, tf.errors.OutOfRangeError):
            if runner.iterators <= behind:  # ends with the one that ended; also if it has no iterators of its own
                runner.ended(session)
        elif iterators & runner.iterators:
            runner.failed(session, error)


def _ops_required_by(start: tf.Operation, kind: str) -> Set[str]:
    """The names of the ops of type *kind* that *start* depends on."""
    seen, waiting = {start.name: start}, [start]
    while waiting:
        op = waiting.pop()
        for other in [given.op for given in op.inputs] + list(op.control_inputs):
            if other.name not in seen:
                seen[other.name] = other
                waiting.append(other)
    return {name for name, op in seen.items() if op.type == kind}

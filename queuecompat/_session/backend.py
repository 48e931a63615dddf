"""The back end of a session: the pipelines of one graph as tf.data iterators in it.

A stage is lowered as soon as it is made, since a graph may be finalised before it is started
(``Supervisor``, ``MonitoredTrainingSession``). A later call may change what an earlier stage is:
its queue gets a second consumer, say. Then every plan that came out differently is lowered again.
"""

from __future__ import annotations

from typing import Callable, ClassVar, ContextManager, Dict, List, Optional, Sequence

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_consumers
from queuecompat._backends.tfdata.dataset import PrefixCache
from queuecompat._native.deprecations import hide_queue_deprecations
from queuecompat._plan import ir
from queuecompat._plan.backend import Lowered, QueueSpec
from queuecompat._plan.external import ExternalSource
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage, plan_of
from queuecompat._session import sessions
from queuecompat._session.closing import Closing
from queuecompat._session.controls import SessionQueue, control_of, runner_of
from queuecompat._session.explaining import Explainer
from queuecompat._session.filled_streams import FilledStream
from queuecompat._session.iterators import Stream
from queuecompat._session.passes import waits_for_python
from queuecompat._session.placement import Placement, outside_user_scopes, task_of
from queuecompat._session.runners import PipelineRunner
from queuecompat._session.stalls import WATCH
from queuecompat._session.throughput import Throughput
from queuecompat.errors import CannotCompileError

__all__ = ["SessionBackend"]


class SessionBackend:
    """The back end of one graph (``backend.Backend``).

    Attributes:
      observers: called with each back end that is made; *session_observers* with each session that starts one.
      filled: the streams of the graph and their plans, in the order in which the program made them.
      explainer: of errors.
    """

    observers: ClassVar[List[Callable[[SessionBackend], None]]] = []
    session_observers: ClassVar[List[Callable[[tf.compat.v1.Session], None]]] = []

    def __init__(self, pipelines: Pipelines) -> None:
        self.pipelines = pipelines
        self.graph: tf.Graph = pipelines.graph
        self.filled: List[FilledStream] = []
        self.explainer = Explainer(pipelines)
        self._seen_runners: List[tf.compat.v1.train.QueueRunner] = []
        self._shared: Dict[str, Stream] = {}
        self._offered: List[Stage] = []
        self._prefixes: Dict[str, PrefixCache] = {}  # by the task: a dataset cannot be sent to another task
        self._closing = Closing(self.graph)
        sessions.attend(_Explaining())
        hide_queue_deprecations()
        for observer in self.observers:
            observer(self)

    def queue(self, spec: QueueSpec, ways: Sequence[Sequence[Stage]] = ()) -> SessionQueue:
        control = SessionQueue(spec, self._placement_of(ways))
        control.runner.before_start = self._open_and_refresh
        control.runner.after_start = self._look_after
        return control

    def require_near(self, stages: Sequence[Stage], states: Sequence[tf.Tensor]) -> None:
        task = self._placement_of([stages]).task
        for state in states:
            if task_of(state.op) != task:
                raise _elsewhere(state.name, task_of(state.op), task)

    def beside(self, tensor: tf.Tensor) -> ContextManager[None]:
        return Placement(tensor.graph, task_of(tensor.op)).devices()

    def add_queue(self, stage: Stage) -> None:
        self.pipelines.add(stage)
        control = control_of(stage)
        control.register()
        control.runner.refresh()
        self._offered.append(stage)
        # Texts are names of files, mostly: one function call for each costs nothing beside what is read from it.
        if all(spec.dtype == tf.string for spec in stage.components):
            stage.open()

    def terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        self.pipelines.add(stage)
        control = control_of(stage)
        is_late, placement, runner = control.is_running, control.placement, control.runner
        stream = Stream(placement, stage.scope, components)
        runner.add_stream(stream)
        guards = [runner.guard(stage.name, stage.made_at)]
        if fails:
            with outside_user_scopes(placement, stage.scope):
                guards.append(tf.raw_ops.Assert(condition=tf.constant(False), data=[fails]))
        throughput = Throughput(placement, stage.name, stage.key, stage.made_at, stage.scope)
        runner.add_counters(*throughput.counters)
        with outside_user_scopes(placement, stage.scope):
            guards.append(runner.draws.require_open())
            with tf.control_dependencies(guards):
                guards.append(throughput.count_request())
        self.pipelines.add_guards(stage.scope, guards)
        with placement.devices(), tf.control_dependencies(guards):
            tensors = _drawn(stage, stream, runner)
        self.pipelines.add_sources(stage, tensors)
        self.explainer.add_draw(stage.scope, stage, _batch_size(stage))
        self.filled.append(FilledStream(self.pipelines, stage, stream, self._shared.__getitem__, throughput))
        self.changed()
        control.register()
        if is_late:
            runner.start_late()
        return tensors

    def late_draw(self, stage: Stage, name: str) -> Optional[List[tf.Tensor]]:
        stream, control = self._shared.get(stage.key), control_of(stage)
        if stream is None:
            return None
        with tf.name_scope(name) as scope:
            pass
        with outside_user_scopes(control.placement, scope):
            guards = [control.runner.guard(stage.name, stage.made_at), control.runner.draws.require_open()]
        with control.placement.devices(), tf.control_dependencies(guards):
            tensors = stream.draw(name=scope)
        self.explainer.add_draw(scope.rstrip("/"), stage, 1)
        return tensors

    def close(self, stage: Stage, name: str) -> tf.Operation:
        control = control_of(stage)
        runners = dict.fromkeys(runner_of(consumer) for consumer in _downstream(stage))
        with tf.name_scope(name), control.placement.devices(), tf.control_dependencies(None):
            ops = [control.runner.sources.shut_count(after=control.capacity)]
            if stage.reads.consumers == "inline":
                # Nothing counts what leaves it one by one: its consumers end with what they hold.
                ops += control.runner.draws.shut() + [runner.sources.shut_count() for runner in runners]
            return tf.group(ops)

    def changed(self) -> None:
        self._note_native_runners()
        self._note_native_queues()
        self._make_shared_streams()
        capacities = {stage.key: control_of(stage).capacity for stage in self._compiled() if stage.has_control}
        changed = [
            runner_of(one.stage)
            for one in self.filled
            if one.bring_up_to_date(self._prefixes_at(runner_of(one.stage)), capacities)
        ]
        self._note_gates()
        for runner in dict.fromkeys(changed):
            runner.refresh()

    def throughputs(self) -> List[Throughput]:
        """The figures of everything that the program itself draws."""
        return [one.throughput for one in self.filled if one.throughput is not None]

    def is_inner(self, throughput: Throughput) -> bool:
        """Whether what *throughput* counts is the middle of another compiled pipeline, and drawn by nothing else."""
        return self.pipelines.stage(throughput.key).reads.tensors == "preview"

    def feeds_native_queues(self, throughput: Throughput) -> bool:
        """Whether what *throughput* counts goes into the program's own queues, or into pipelines that are native."""
        return self.pipelines.stage(throughput.key).state.has_external_consumer

    def plans(self) -> List[Lowered]:
        # A stream that is only there for consumers that may come later is shown as a part of its one consumer.
        return [one.shown() for one in self.filled if one.plan is not None and not one.is_only_for_later]

    def _placement_of(self, ways: Sequence[Sequence[Stage]]) -> Placement:
        """Where a queue has to be that is filled in *ways*; where none draws from a stage, where one would be made now.

        Raises:
          CannotCompileError: QC212, they are on several tasks.
        """
        placements = {one.task: one for one in map(self._placement_of_way, ways or [()])}
        if len(placements) > 1:
            here, there = list(placements)[:2]
            raise _elsewhere("its lists", there, here)
        return next(iter(placements.values()))

    def _placement_of_way(self, upstream: Sequence[Stage]) -> Placement:
        if not upstream:
            return Placement.here(self.graph)
        first, *others = upstream
        for other in others:
            if _task_of(other) != _task_of(first):
                raise _elsewhere(other.name, _task_of(other), _task_of(first))
        return Placement(self.graph, _task_of(first))

    def _prefixes_at(self, runner: PipelineRunner) -> PrefixCache:
        return self._prefixes.setdefault(runner.placement.task, PrefixCache())

    def _compiled(self) -> List[Stage]:
        return [stage for stage in self.pipelines.stages if isinstance(stage, Stage)]

    def _look_after(self, session: tf.compat.v1.Session) -> None:
        self._closing.precede(session)
        WATCH.watch(session, self.throughputs)
        sessions.before_close(session, WATCH.forget)
        for observer in self.session_observers:
            observer(session)

    def _open_and_refresh(self) -> None:
        for stage in self._offered:
            # One function call for each element: nothing beside a step, but much beside the elements of a batch.
            is_run_one_by_one = all(not one.consumers and not one.steps for one in stage.consumers)
            if is_run_one_by_one and stage.external is None and not runner_of(stage).has_started:
                stage.open()
        self.changed()

    def _note_native_queues(self) -> None:
        for stage in self._compiled():
            for queue in () if stage.external is None else stage.external.queues:
                self._closing.add(queue)

    def _note_gates(self) -> None:
        for runner in {runner_of(one.stage) for one in self.filled}:
            for queue in (*runner.sources.queues, *runner.draws.queues):
                self._closing.add(queue)

    def _note_native_runners(self) -> None:
        """Queues that the program fills by itself, and batchers that are not compiled, are consumers too."""
        for runner in self.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            if runner not in self._seen_runners and not isinstance(runner, PipelineRunner):
                self._seen_runners.append(runner)
                note_external_consumers(self.pipelines, runner.enqueue_ops)

    def _make_shared_streams(self) -> None:
        for stage in self._compiled():
            if stage.reads.consumers == "stream" and stage.key not in self._shared:
                control = control_of(stage)
                stream = self._shared[stage.key] = Stream(control.placement, f"{stage.scope}/shared", stage.components)
                control.runner.add_stream(stream)
                self.filled.append(FilledStream(self.pipelines, stage, stream, self._shared.__getitem__))


Pipelines.default_backend = SessionBackend


class _Explaining:
    """Explains the errors of all sessions: asks the back end of the session's graph."""

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError) -> BaseException:
        pipelines = Pipelines.find(session.graph)
        if pipelines is None or not isinstance(pipelines.backend, SessionBackend):
            return error
        return pipelines.backend.explainer.explained(session, error)


def _batch_size(stage: Stage) -> int:
    """How many elements TF1's queue is asked for at once."""
    last = stage.steps[-1] if stage.steps else None
    return last.size if isinstance(last, ir.Batch) else 1


def _drawn(stage: Stage, stream: Stream, runner: PipelineRunner) -> List[tf.Tensor]:
    """The tensors of an op named as the stage's scope, each run of which takes an element."""
    if not waits_for_python(plan_of(stage, is_preview=True)):
        return stream.draw(name=stage.scope + "/")
    tensors = runner.draws.passing(lambda: stream.draw(name=f"{stage.scope}/draw/"))
    return tf.identity_n(tensors, name=stage.scope + "/")


def _task_of(stage: Stage) -> str:
    if isinstance(stage, ExternalSource):
        return task_of(stage.op.inputs[0].op)
    return control_of(stage).placement.task


def _elsewhere(name: str, there: str, here: str) -> CannotCompileError:
    """QC212: *name* is on the task *there*, and the pipeline on the task *here*."""
    unknown = "the session's own task"
    return CannotCompileError("QC212", tensor=name, there=there or unknown, here=here or unknown)


def _downstream(stage: Stage) -> List[Stage]:
    """All stages that take elements of *stage*, directly or not."""
    return [one for consumer in stage.consumers for one in (consumer, *_downstream(consumer))]

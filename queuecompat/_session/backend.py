"""The back end of a session: the pipelines of one graph as tf.data iterators in it.

A terminal's tensors are there at once; what they are drawn from is lowered when the program is done with building, as
a later call may change what an earlier stage is: its queue gets a second consumer, say.

Rule 1: the graph is *settled* (iterators filled, start ops made) when anything could miss that: before a start
        (``_open_and_refresh``), before a step of a session (``before_step``), before the graph is finalised or exported
        (``settling``). Settling adds ops to the graph. It can be repeated, and is after one that failed.
Rule 2: once a pipeline of the graph has been started, a change is settled at once, and every plan that came out
        differently is lowered again. A finalised graph stays as it is.
Guarantees: no step of any thread begins before the graph is settled.
Locks: ``_settling_lock`` is held while the graph is settled; it is re-entrant, as settling uses the graph.
"""

from __future__ import annotations

import threading
from typing import (
    Any,
    Callable,
    ClassVar,
    ContextManager,
    Dict,
    Iterable,
    List,
    Optional,
    Sequence,
    Set,
)

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_consumers
from queuecompat._backends.tfdata.dataset import PrefixCache
from queuecompat._native.deprecations import hide_queue_deprecations
from queuecompat._plan import ir
from queuecompat._plan.backend import Lowered, QueueSpec
from queuecompat._plan.orders import tell_problems
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.service import is_inside, tell_what_stays
from queuecompat._plan.stages import Stage, plan_of
from queuecompat._session.closing import Closing
from queuecompat._session.errors.explaining import Explainer, runners_upstream
from queuecompat._session.errors.reasons import listen_for_skips
from queuecompat._session.errors.stalls import WATCH
from queuecompat._session.graph_ops.iterators import Stream
from queuecompat._session.graph_ops.placement import Placement, beside_draws, task_of
from queuecompat._session.graph_ops.waits import after
from queuecompat._session.settling import settle_before_export
from queuecompat._session.stage_tasks import elsewhere, placement_of
from queuecompat._session.starting.compiled_runners import CompiledRunners, names_of
from queuecompat._session.starting.controls import SessionQueue, control_of, runner_of
from queuecompat._session.starting.early_steps import EarlySteps
from queuecompat._session.starting.joint_start import JointStart
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.starting.runners_session import with_ops
from queuecompat._session.steps import fetches as fetches_of
from queuecompat._session.steps import sessions
from queuecompat._session.streams.filled_streams import FilledStream
from queuecompat._session.streams.passes import waits_for_python
from queuecompat._session.streams.previews import Previews
from queuecompat._session.streams.restarts import Restart
from queuecompat._session.streams.restoring import Restoring
from queuecompat._session.streams.throughput import Throughput

__all__ = ["SessionBackend"]


class SessionBackend:
    """The back end of one graph (``backend.Backend``).

    Attributes:
      observers: called with each back end that is made; *session_observers* with each session that starts one.
      filled: the streams of the graph and their plans, in the order in which the program made them.
      explainer: of errors.
      restoring: what attends to steps that restore checkpoints.
      early_steps: what attends to steps that may come before the start.
    """

    compiles_runners = True

    observers: ClassVar[List[Callable[[SessionBackend], None]]] = []
    session_observers: ClassVar[List[Callable[[tf.compat.v1.Session], None]]] = []

    def __init__(self, pipelines: Pipelines) -> None:
        self.pipelines = pipelines
        self.graph: tf.Graph = pipelines.graph
        self.filled: List[FilledStream] = []
        self.explainer = Explainer(pipelines)
        self.early_steps = EarlySteps(self.graph, self.explainer.draws, self.explainer.stage_of)
        self._seen_runners: List[tf.compat.v1.train.QueueRunner] = []
        self._compiled_runners = CompiledRunners(pipelines)
        self._shared: Dict[str, Stream] = {}
        self._offered: List[Stage] = []
        self._prefixes: Dict[str, PrefixCache] = {}  # by the task: a dataset cannot be sent to another task
        self._closing = Closing(self.graph)
        self.restoring = Restoring(self.graph, self.filled)
        self._told: Set[str] = set()  # keys of stages of which it was said that they are not in the order chosen
        self._unready: List[PipelineRunner] = []  # that have no start op yet
        self._joint_start = JointStart(self._compiled_runners, self._open_and_refresh, self._look_after)
        self._is_settled, self._is_settling = True, False
        self._has_started = False
        # Those of which no session knows the ops.
        self._unknown: List[PipelineRunner] = []
        self._settling_lock = threading.RLock()
        self._previews = Previews(self.explainer.draws, self.filled)
        settle_before_export(self.graph, self.settle_wholly, self._late_starts)
        hide_queue_deprecations()
        for observer in self.observers:
            observer(self)

    def queue(self, spec: QueueSpec, ways: Sequence[Sequence[Stage]] = ()) -> SessionQueue:
        control = SessionQueue(spec, placement_of(self.graph, ways))
        self._unknown.append(control.runner)
        control.runner.before_start = self._open_and_refresh
        control.runner.start_together = self._joint_start.begin
        control.runner.after_start = self._look_after
        return control

    def require_near(
        self, stages: Sequence[Stage], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation] = ()
    ) -> None:
        task = placement_of(self.graph, [stages]).task
        for state in states:
            if task_of(state.op) != task:
                raise elsewhere(state.name, task_of(state.op), task)
        for op in ops if task else ():
            # A constant is the same everywhere.
            if op.type != "Const" and task_of(op) not in ("", task):
                raise elsewhere(op.name, task_of(op), task)

    def beside(self, tensor: tf.Tensor) -> ContextManager[None]:
        return Placement(tensor.graph, task_of(tensor.op)).devices()

    def add_queue(self, stage: Stage) -> None:
        self.pipelines.add(stage)
        control = control_of(stage)
        control.stage = stage
        control.register()
        self._offered.append(stage)
        # Texts are names of files, mostly: one function call for each costs nothing beside what is read from it.
        is_cheap = all(spec.dtype == tf.string for spec in stage.components)
        # A place is that of one pipeline, from its source on, and so is what leaves for the workers of a service.
        if is_cheap and not stage.options.checkpoint and stage.options.data_service is None:
            stage.open()
        self._unready.append(control.runner)
        self.changed()

    def terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        self.pipelines.add(stage)
        control = control_of(stage)
        control.stage = control.stage or stage
        is_late, placement, runner = control.is_running, control.placement, control.runner
        stream = Stream(placement, stage.scope, components)
        runner.add_stream(stream)
        guards = [runner.guard(stage.name, stage.made_at)]
        if fails:
            with beside_draws(placement, stage.scope):
                guards.append(tf.raw_ops.Assert(condition=tf.constant(False), data=[fails]))
        throughput = Throughput(placement, stage.name, stage.key, stage.made_at, stage.scope)
        runner.add_counters(*throughput.counters)
        with beside_draws(placement, stage.scope):
            guards.append(runner.draws.require_open())
            with tf.control_dependencies(guards):
                guards.append(throughput.count_request())
        restart = Restart(placement, stage.scope) if stage.options.checkpoint else None
        if restart is not None:
            with placement.devices(), tf.control_dependencies(guards):
                guards.append(restart.count())
        self.pipelines.add_guards(stage.scope, guards)
        with placement.devices(), tf.control_dependencies(guards):
            tensors = _drawn(stage, stream, runner)
        self.pipelines.add_sources(stage, tensors)
        self.explainer.add_draw(stage.scope, stage, _batch_size(stage), throughput)
        self.filled.append(FilledStream(self.pipelines, stage, stream, self._shared.__getitem__, throughput, restart))
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
        with beside_draws(control.placement, scope):
            guards = [control.runner.guard(stage.name, stage.made_at), control.runner.draws.require_open()]
            ready = after(guards)
        with control.placement.devices(), ready:
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
        self._is_settled = False
        if self._has_started:
            self.settle()

    def settle(self) -> None:
        """Lowers what has changed, and makes the ops that start it.

        Raises:
          QueueCompatRuntimeError: QC304, a plan would change that has started.
        """
        with self._settling_lock:
            if self._is_settled or self._is_settling or self.graph.finalized:
                return
            self._is_settling = True  # nothing below begins this again
            try:
                self._settle()
                self._is_settled = True
            finally:
                self._is_settling = False

    def settle_wholly(self) -> None:
        """The same for a graph that is to have all its ops: previews that no step has asked for are among them."""
        with self._settling_lock:
            self.settle()
            self._fill(self._previews.all())

    def _note_known(self) -> None:
        """A session is about to know all ops that there are."""
        while self._unknown:
            self._unknown.pop().is_known = True

    def _late_starts(self) -> Dict[str, str]:
        runners = {runner_of(one.stage) for one in self.filled}
        return {name: start for runner in runners for name, start in runner.late_starts.items()}

    def before_step(self, fetches: Any) -> None:
        """A step of a session is about to run *fetches*."""
        self._note_own_runs(fetches)
        if not self._is_settled:
            self.settle()
        self._fill_previews(fetches)
        self._note_known()

    def _fill_previews(self, fetches: Any) -> None:
        """Fills the previews that a step needs which runs *fetches*."""
        with self._settling_lock:
            self._fill(self._previews.asked_for(fetches))

    def _fill(self, previews: Sequence[FilledStream]) -> None:
        if not previews or self._is_settling or self.graph.finalized:
            return
        self._is_settling = True
        try:
            runners = dict.fromkeys(runner_of(one.stage) for one in previews)
            for one in previews:
                runner_of(one.stage).add_stream(one.stream)
                one.fill(self._prefixes_at(runner_of(one.stage)))
            self._note_gates()
            for runner in runners:
                runner.refresh()
            self._joint_start.refresh()
        finally:
            self._is_settling = False
        for runner in runners:
            runner.start_late()

    def _settle(self) -> None:
        for runner in self.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            self._compile_runner(runner)
        self._note_native_runners()
        self._note_native_queues()
        tell_problems(self._compiled(), self._told)
        self._tell_what_stays()
        self._make_shared_streams()
        capacities = {stage.key: control_of(stage).capacity for stage in self._compiled() if stage.has_control}
        changed = [
            runner_of(one.stage)
            for one in self.filled
            if one.bring_up_to_date(self._prefixes_at(runner_of(one.stage)), capacities)
        ]
        self._note_gates()
        for runner in dict.fromkeys([*self._unready, *changed]):
            runner.refresh()
        self._unready = []
        self._joint_start.refresh()

    def _tell_what_stays(self) -> None:
        """Says which pipelines a service was chosen for that this process computes nevertheless, and why.

        Raises:
          QueueCompatRuntimeError: QC305, strict mode is on.
        """
        for one in self.filled:
            reason = one.reason_to_stay()
            if reason is not None and f"{one.stage.key} stays" not in self._told:
                tell_what_stays(reason)
                self._told.add(f"{one.stage.key} stays")

    def session_of_runner(self, runner: tf.compat.v1.train.QueueRunner, session: Any) -> Any:
        """*session*, in which the threads of *runner* run what was compiled for it; what they need is started now."""
        running = sessions.innermost(session)
        self._joint_start.begin(running)
        with self._settling_lock:
            if not self.graph.finalized and runner not in self._compiled_runners:
                self._is_settled = False
                self.settle()
                self._compile_runner(runner)
                self.settle()
        for one in self._compiled_runners.upstream_of(runner):
            one.start_in(running)
        if runner not in self._compiled_runners:
            return session
        instead = self._compiled_runners.of(runner)

        def at_the_end(name: str, running: tf.compat.v1.Session) -> None:
            for one in runners_upstream(instead[name].stage):
                one.ended(running)

        return with_ops(session, {name: filled_by.op for name, filled_by in instead.items()}, at_the_end)

    def _compile_runner(self, runner: tf.compat.v1.train.QueueRunner) -> None:
        """What *runner* fills its queue with is compiled where that is possible; the runner stays the program's."""
        if not isinstance(runner, PipelineRunner) and self._compiled_runners.add(runner, self._is_late):
            self._is_settled = False

    def _note_own_runs(self, fetches: Any) -> None:
        """The program runs *fetches*: an op of a runner among them has to share its elements with what was compiled.

        Raises:
          QueueCompatRuntimeError: QC214, it does not, and it is too late for that.
        """
        if self._compiled_runners:
            names = names_of(fetches_of.flat(fetches))
            if self._compiled_runners.share_with(names, self._is_late):
                self._is_settled = False

    @property
    def _is_late(self) -> bool:
        """Whether a plan cannot change any more that others draw from."""
        return bool(self.graph.finalized) or self._has_started

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
        self.settle()
        # A stream that is only there for consumers that may come later is shown as a part of its one consumer.
        shown = [one.shown() for one in self.filled if one.plan is not None and not one.is_only_for_later]
        fill = set(map(id, self._compiled_runners.stages))
        return [one._replace(fills_a_queue=id(one.stage) in fill) for one in shown]

    def _prefixes_at(self, runner: PipelineRunner) -> PrefixCache:
        return self._prefixes.setdefault(runner.placement.task, PrefixCache())

    def _compiled(self) -> List[Stage]:
        return [stage for stage in self.pipelines.stages if isinstance(stage, Stage)]

    def _look_after(self, session: tf.compat.v1.Session) -> None:
        self._closing.precede(session)
        WATCH.watch(session, self.throughputs)
        sessions.before_close(session, WATCH.forget)
        listen_for_skips(session, [one.skipped for one in self.filled if one.skipped is not None])
        for observer in self.session_observers:
            observer(session)

    def _open_and_refresh(self) -> None:
        """Before a start: what was deferred is made, unless the graph has been finalised, for which it was."""
        if self.graph.finalized:
            return
        for stage in self._offered:
            # One function call for each element: nothing beside a step, but much beside the elements of a batch.
            is_run_one_by_one = all(not one.consumers and not one.steps for one in stage.consumers)
            is_whole = stage.options.checkpoint or stage.options.data_service is not None
            is_run_one_by_one = is_run_one_by_one and not is_whole
            if is_run_one_by_one and stage.external is None and not runner_of(stage).has_started:
                stage.open()
        self._is_settled = False
        self.settle()
        self._has_started = True

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
            is_ours = isinstance(runner, PipelineRunner) or runner in self._compiled_runners
            if runner not in self._seen_runners and not is_ours:
                self._seen_runners.append(runner)
                note_external_consumers(self.pipelines, runner.enqueue_ops)

    def _make_shared_streams(self) -> None:
        for stage in self._compiled():
            is_shared = stage.reads.consumers == "stream" and not is_inside(stage)
            if is_shared and stage.key not in self._shared:
                control = control_of(stage)
                stream = self._shared[stage.key] = Stream(
                    control.placement, f"{stage.scope}/shared", stage.stream_components
                )
                control.runner.add_stream(stream)
                self.filled.append(FilledStream(self.pipelines, stage, stream, self._shared.__getitem__))


def _batch_size(stage: Stage) -> int:
    """How many elements TF1's queue is asked for at once."""
    last = stage.steps[-1] if stage.steps else None
    return last.size if isinstance(last, ir.Batch) else 1


def _drawn(stage: Stage, stream: Stream, runner: PipelineRunner) -> List[tf.Tensor]:
    """The tensors of an op named as the stage's scope, each run of which takes an element."""
    may_wait = stage.options.data_service is not None or waits_for_python(plan_of(stage, is_preview=True))
    if not may_wait:
        return stream.draw(name=stage.scope + "/")
    tensors = runner.draws.passing(lambda: stream.draw(name=f"{stage.scope}/draw/"))
    return tf.identity_n(tensors, name=stage.scope + "/")


def _downstream(stage: Stage) -> List[Stage]:
    """All stages that take elements of *stage*, directly or not."""
    return [one for consumer in stage.consumers for one in (consumer, *_downstream(consumer))]

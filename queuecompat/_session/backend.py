"""The back end of a session: runs the pipelines of one graph as tf.data iterators in that graph.

The tensors of a terminal exist as soon as the program asks for them. The dataset that they are drawn from is lowered
later, once the program has built its graph, because a later call may still change an earlier stage: for example, a
second consumer may be attached to its queue.

Rule 1: the graph is *settled* (iterators filled, start ops made) before anything that depends on it: before a start
        (``_open_and_refresh``), before a step of a session (``before_step``), and before the graph is finalised or
        exported (``settling``). Settling adds ops to the graph. It may be repeated, and is retried after a failure.
Rule 2: once a pipeline of the graph has been started, every change is settled at once, and each plan that came out
        differently is lowered again. A finalised graph is never changed.
Guarantees: in every thread, the graph is settled before a step begins.
Locks: ``_settling_lock`` is held while the graph is settled; it is re-entrant, since settling itself uses the graph.
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
from queuecompat._plan.orders import warn_of_order_problems
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.service import is_inside, warn_local
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
from queuecompat._session.steps import open_sessions
from queuecompat._session.streams.filled_streams import FilledStream
from queuecompat._session.streams.previews import Previews
from queuecompat._session.streams.restoring import Restoring
from queuecompat._session.streams.saved_positions import SavedPosition
from queuecompat._session.streams.session_passes import waits_for_python
from queuecompat._session.streams.throughput import Throughput

__all__ = ["SessionBackend"]


class SessionBackend:
    """The back end of one graph (implements ``_plan.backend.Backend``).

    Attributes:
      observers: called with each back end that is made; *session_observers*: with each session in which one starts
        pipelines.
      filled: the streams of the graph with their plans, in the order in which the program made them.
      explainer: explains the errors of steps.
      restoring: handles steps that restore checkpoints.
      early_steps: handles steps that may run before the start.
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
        self._prefixes: Dict[str, PrefixCache] = {}  # by task: a dataset cannot be sent to another task
        self._closing = Closing(self.graph)
        self.restoring = Restoring(self.graph, self.filled)
        self._warned: Set[str] = set()  # keys of what was warned of: an order that cannot be had, a local pipeline
        self._unready: List[PipelineRunner] = []  # runners that have no start op yet
        self._joint_start = JointStart(self._compiled_runners, self._open_and_refresh, self._look_after)
        self._is_settled, self._is_settling = True, False
        self._has_started = False
        # Runners whose ops no session has seen yet.
        self._unknown: List[PipelineRunner] = []
        self._settling_lock = threading.RLock()
        self._previews = Previews(self.explainer.draws, self.filled)
        settle_before_export(self.graph, self.settle_wholly, self._late_starts)
        hide_queue_deprecations()
        for observer in self.observers:
            observer(self)

    def queue(self, spec: QueueSpec, upstreams: Sequence[Sequence[Stage]] = ()) -> SessionQueue:
        control = SessionQueue(spec, placement_of(self.graph, upstreams))
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
            # A constant has the same value on every task.
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
        # Strings are mostly file names: one function call for each is negligible beside reading the file.
        is_cheap = all(spec.dtype == tf.string for spec in stage.components)
        # A checkpoint position covers one whole pipeline from its source on, and the workers of a data service compute
        # one whole pipeline. Opening the stage would split it in two.
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
        saved_position = SavedPosition(placement, stage.scope) if stage.options.checkpoint else None
        if saved_position is not None:
            with placement.devices(), tf.control_dependencies(guards):
                guards.append(saved_position.count())
        self.pipelines.add_guards(stage.scope, guards)
        with placement.devices(), tf.control_dependencies(guards):
            tensors = _drawn(stage, stream, runner)
        self.pipelines.add_sources(stage, tensors)
        self.explainer.add_draw(stage.scope, stage, _batch_size(stage), throughput)
        self.filled.append(
            FilledStream(self.pipelines, stage, stream, self._shared.__getitem__, throughput, saved_position)
        )
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
                # The elements that leave an inline stage are not counted one by one, so its consumers end with what
                # they hold.
                ops += control.runner.draws.shut() + [runner.sources.shut_count() for runner in runners]
            return tf.group(ops)

    def changed(self) -> None:
        self._is_settled = False
        if self._has_started:
            self.settle()

    def settle(self) -> None:
        """Lowers every plan that has changed, and makes the ops that start it.

        Raises:
          QueueCompatRuntimeError: QC304, the plan of a pipeline that has been started would change.
        """
        with self._settling_lock:
            if self._is_settled or self._is_settling or self.graph.finalized:
                return
            self._is_settling = True  # settling calls back into this method
            try:
                self._settle()
                self._is_settled = True
            finally:
                self._is_settling = False

    def settle_wholly(self) -> None:
        """Settles the graph, and fills the previews that no step has asked for: the graph then has all its ops."""
        with self._settling_lock:
            self.settle()
            self._fill(self._previews.all())

    def _note_known(self) -> None:
        """Marks the ops of all runners as known to a session, which is about to read the graph."""
        while self._unknown:
            self._unknown.pop().is_known = True

    def _late_starts(self) -> Dict[str, str]:
        runners = {runner_of(one.stage) for one in self.filled}
        return {name: start for runner in runners for name, start in runner.late_starts.items()}

    def before_step(self, fetches: Any) -> None:
        """Settles the graph, and fills the previews that *fetches* need; called before a session runs *fetches*."""
        self._note_own_runs(fetches)
        if not self._is_settled:
            self.settle()
        self._fill_previews(fetches)
        self._note_known()

    def _fill_previews(self, fetches: Any) -> None:
        """Fills the previews that a step which runs *fetches* needs."""
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
        warn_of_order_problems(self._compiled(), self._warned)
        self._warn_local()
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

    def _warn_local(self) -> None:
        """Reports each pipeline that this process computes although a data service was chosen, once, with the reason.

        Raises:
          QueueCompatRuntimeError: QC305, strict mode is on.
        """
        for one in self.filled:
            reason = one.find_local_reason()
            if reason is not None and f"{one.stage.key} local" not in self._warned:
                warn_local(reason)
                self._warned.add(f"{one.stage.key} local")

    def session_of_runner(self, runner: tf.compat.v1.train.QueueRunner, session: Any) -> Any:
        """The session for the threads of *runner*: *session*, or a wrapper that runs the ops compiled for the runner.

        Starts the pipelines that these ops take elements from.
        """
        running = open_sessions.innermost(session)
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
        """Compiles, where possible, what *runner* puts into its queue; the runner itself stays the program's."""
        if not isinstance(runner, PipelineRunner) and self._compiled_runners.add(runner, self._is_late):
            self._is_settled = False

    def _note_own_runs(self, fetches: Any) -> None:
        """Makes the runner ops that the program itself runs in *fetches* share elements with the ops compiled for them.

        Raises:
          QueueCompatRuntimeError: QC214, such an op does not share them yet, and it is too late to change that.
        """
        if self._compiled_runners:
            names = names_of(fetches_of.flat(fetches))
            if self._compiled_runners.share_with(names, self._is_late):
                self._is_settled = False

    @property
    def _is_late(self) -> bool:
        """Whether it is too late to change plans that other pipelines draw from."""
        return bool(self.graph.finalized) or self._has_started

    def throughputs(self) -> List[Throughput]:
        """The throughput figures of every terminal that the program itself draws from."""
        return [one.throughput for one in self.filled if one.throughput is not None]

    def is_inner(self, throughput: Throughput) -> bool:
        """Whether *throughput* belongs to a stage inside another compiled pipeline that nothing else draws from."""
        return self.pipelines.stage(throughput.key).reads.tensors == "preview"

    def feeds_native_queues(self, throughput: Throughput) -> bool:
        """Whether the elements that *throughput* counts go into the program's own queues or into native pipelines."""
        return self.pipelines.stage(throughput.key).state.has_external_consumer

    def plans(self) -> List[Lowered]:
        self.settle()
        # A stream that exists only for consumers that may come later is shown as a part of its one consumer.
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
        open_sessions.before_close(session, WATCH.forget)
        listen_for_skips(session, [one.skipped for one in self.filled if one.skipped is not None])
        for observer in self.session_observers:
            observer(session)

    def _open_and_refresh(self) -> None:
        """Prepares a start: opens the queues whose opening was deferred, and settles the graph.

        A finalised graph needs neither: it was settled before it was finalised.
        """
        if self.graph.finalized:
            return
        for stage in self._offered:
            # An open stage costs one function call per element. That is negligible where each element is a step of the
            # program's own, but expensive for the elements of a batch.
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
        """Notes as consumers the queues that the program fills itself and the batchers that are not compiled."""
        for runner in self.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            is_ours = isinstance(runner, PipelineRunner) or runner in self._compiled_runners
            if runner not in self._seen_runners and not is_ours:
                self._seen_runners.append(runner)
                # The program's own objects need only create_threads.
                note_external_consumers(self.pipelines, getattr(runner, "enqueue_ops", ()))

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
    """The number of elements that one dequeue of TF1's queue asked for."""
    last = stage.steps[-1] if stage.steps else None
    return last.size if isinstance(last, ir.Batch) else 1


def _drawn(stage: Stage, stream: Stream, runner: PipelineRunner) -> List[tf.Tensor]:
    """The tensors of the stage's next element, outputs of an op named as the stage's scope; each run of it takes one.

    Where a draw may wait for long (for a data service, or for a Python function), it goes through the gate, so that a
    stop can cancel it.
    """
    may_wait = stage.options.data_service is not None or waits_for_python(plan_of(stage, is_preview=True))
    if not may_wait:
        return stream.draw(name=stage.scope + "/")
    tensors = runner.draws.cancellable(lambda: stream.draw(name=f"{stage.scope}/draw/"))
    return tf.identity_n(tensors, name=stage.scope + "/")


def _downstream(stage: Stage) -> List[Stage]:
    """All stages that take elements of *stage*, directly or through other stages."""
    return [one for consumer in stage.consumers for one in (consumer, *_downstream(consumer))]

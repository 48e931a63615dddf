"""All the pipelines of one graph: the stages made so far, and the stream behind each.

A stage is lowered as soon as it is made, since a graph may be finalised before it is started
(``Supervisor``, ``MonitoredTrainingSession``). A later call may change what an earlier stage is:
its queue gets a second consumer, say. Then every plan that came out differently is lowered again.
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.lowering.dataset import Beginnings
from queuecompat._compiler.slicing import sources_behind
from queuecompat._compiler.stages import NativeStage, Stage, plan_of
from queuecompat._runtime import failures, sessions
from queuecompat._runtime.adopting import Adopted, adopted
from queuecompat._runtime.closing import Closing
from queuecompat._runtime.delivery import Delivery
from queuecompat._runtime.filled_streams import FilledStream
from queuecompat._runtime.gated import waits_for_python
from queuecompat._runtime.gates import CLOSED
from queuecompat._runtime.imported import end_imported
from queuecompat._runtime.iterators import Stream
from queuecompat._runtime.placement import Placement, apart, task_of
from queuecompat._runtime.runners import PipelineRunner, without_queue_advice
from queuecompat._runtime.stalls import WATCH
from queuecompat.errors import CannotCompileError

__all__ = ["Pipelines", "elsewhere"]

# Where a graph keeps its Pipelines. An attribute and not a graph collection: whatever is in a
# collection is offered to every exported meta graph.
_ATTRIBUTE = "_queuecompat_pipelines"


class Pipelines:
    """The registry of one graph; ``Pipelines.of(graph)`` finds or makes it.

    Attributes:
      observers: called with each registry that is made; *session_observers* with each session that starts one.
    """

    observers: ClassVar[List[Callable[[Pipelines], None]]] = []
    session_observers: ClassVar[List[Callable[[tf.compat.v1.Session], None]]] = []

    def __init__(self, graph: tf.Graph) -> None:
        self.graph = graph
        self.stages: List[Union[Stage, NativeStage]] = []
        # Whether plans become iterators of a session; not where the graph is only the way to a dataset.
        self.lowers = True
        # Without a session: the arrays by the names of the tensors that stand for them.
        self.lent: Dict[str, np.ndarray] = {}
        self._seen_runners: List[Any] = []
        self._guards: Dict[str, str] = {}  # from the names of guards to the scopes of their stages
        self._places: Dict[str, Tuple[Stage, int]] = {}
        self._filled: List[FilledStream] = []
        self._offered: List[Stage] = []
        self._late_draws: Dict[str, Stage] = {}
        self._beginnings: Dict[str, Beginnings] = {}  # by the task: a dataset cannot be sent to another task
        self._closing = Closing(graph)

    @classmethod
    def of(cls, graph: tf.Graph) -> Pipelines:
        found = getattr(graph, _ATTRIBUTE, None)
        if found is None:
            sessions.attend(_Explaining())
            without_queue_advice()
            found = cls(graph)
            setattr(graph, _ATTRIBUTE, found)
            for observer in cls.observers:
                observer(found)
        return found

    def array(self, array: np.ndarray, runner: PipelineRunner) -> tf.Tensor:
        """A tensor that is *array*, which never enters the graph; *runner* belongs to the pipeline that reads it."""
        if self.lowers:
            return runner.add_array(array)
        with apart(runner.placement, runner.scope):
            lent = tf.raw_ops.ImmutableConst(
                dtype=tf.as_dtype(array.dtype), shape=array.shape, memory_region_name="array", name="array"
            )
        self.lent[lent.name] = array
        return lent

    def place(self, source: tf.Tensor) -> Tuple[Stage, int]:
        """The stage that *source* comes out of, and its number there."""
        return self._places[source.name]

    def is_source(self, tensor: tf.Tensor) -> bool:
        return tensor.name in self._places

    def is_drawn_sometimes(self, source: tf.Tensor) -> bool:
        # Inside a control flow context whatever comes from outside passes one of these.
        return any(given.op.type in ("Switch", "RefSwitch", "Enter", "RefEnter") for given in source.op.inputs)

    def waits_for(self, source: tf.Tensor) -> List[tf.Operation]:
        return [op for op in source.op.control_inputs if op.name not in self._guards]

    def adopt(self, op: tf.Operation) -> bool:
        stage = adopted(op)
        if stage is not None:
            self.stages.append(stage)
            self._places.update({tensor.name: (stage, number) for number, tensor in enumerate(op.outputs)})
        return stage is not None

    def require_near(self, sources: Sequence[tf.Tensor], states: Sequence[tf.Tensor]) -> None:
        if not self.lowers or not (sources or states):
            return
        task = self.placement_of([self.place(source)[0] for source in sources]).task
        for state in states:
            if task_of(state.op) != task:
                raise elsewhere(state.name, task_of(state.op), task)

    def placement_of(self, upstream: Sequence[Stage]) -> Placement:
        """Where a stage has to be that draws from *upstream*; without any, where a queue would be made now.

        Raises:
          CannotCompileError: QC212, they are on several tasks.
        """
        if not upstream or not self.lowers:
            return Placement.here(self.graph)
        first, *others = upstream
        for other in others:
            if _task_of(other) != _task_of(first):
                raise elsewhere(other.name, _task_of(other), _task_of(first))
        return Placement(self.graph, _task_of(first))

    def add(self, stage: Union[Stage, NativeStage]) -> None:
        """Registers a stage; one that has tensors of its own goes to ``add_terminal``."""
        self.stages.append(stage)
        if isinstance(stage, Stage):
            stage.runner.before_start = self._open_and_refresh
            stage.runner.after_start = self._look_after

    def add_terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        """Registers a stage and makes its tensors, outputs of an op named as the stage's scope.

        Args:
          components: what TF1 would have said of their types and shapes.
          fails: an InvalidArgumentError that each run has to raise, as TF1's would.
        """
        placement = stage.runner.placement
        stream = Stream(placement, stage.scope, components)
        stage.runner.add_stream(stream)
        guards = [stage.runner.guard(stage.name, stage.made_at)]
        if fails:
            with apart(placement, stage.scope):
                guards.append(tf.raw_ops.Assert(condition=tf.constant(False), data=[fails]))
        delivery = Delivery(placement, stage.name, stage.made_at, stage.scope)
        stage.runner.add_counters(*delivery.counters)
        with apart(placement, stage.scope):
            guards.append(stage.runner.draws.require_open())
            with tf.control_dependencies(guards):
                guards.append(delivery.ask())
        self._guards.update((op.name, stage.scope) for op in guards)
        with placement.devices(), tf.control_dependencies(guards):
            tensors = self._drawn(stage, stream)
        self.add(stage)
        self._places.update({tensor.name: (stage, number) for number, tensor in enumerate(tensors)})
        self._filled.append(FilledStream(stage, stream, delivery))
        self.refresh()
        return tensors

    def _drawn(self, stage: Stage, stream: Stream) -> List[tf.Tensor]:
        """The tensors of an op named as the stage's scope, each run of which takes an element."""
        if not waits_for_python(plan_of(stage, is_peek=True)):
            return stream.draw(name=stage.scope + "/")
        tensors = stage.runner.draws.passing(lambda: stream.draw(name=f"{stage.scope}/draw/"))
        return tf.identity_n(tensors, name=stage.scope + "/")

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError) -> BaseException:
        """What a step of *session* raises in place of *error*; the runner of the pipeline that failed learns of it."""
        if failures.is_of_ours(error):
            return failures.explained(error, failures.cause(error))
        name, stage, size = self._failed(failures.chain(error))
        if stage is None:
            end_imported(self.graph, session, error)
            return error
        if isinstance(error, tf.errors.OutOfRangeError) or CLOSED in error.message:
            draw = self.graph.get_operation_by_name(name)
            for runner in _runners_behind(stage):
                runner.ended(session)
            return failures.exhausted(stage.runner.names.exhausted(size, 0), draw)
        lines = [failures.cause(error)]
        if error.op is not None and error.op.name != name:
            lines.append(f"  op:        '{error.op.name}', made at {failures.place(error.op)}")
        lines.append(f"  pipeline:  '{stage.name}', made at {stage.made_at}")
        words = failures.explained(error, "\n".join(lines))
        if not isinstance(error, tf.errors.CancelledError):
            stage.runner.failed(session, words)
        return words

    def _failed(self, names: Sequence[str]) -> Tuple[str, Optional[Stage], int]:
        """The draw that one of the ops called *names* belongs to.

        Returns:
          Its op's name, its stage, and how many elements it asks TF1's queue for; no stage if there is none.
        """
        for name in (self._guards.get(name, name) for name in names):
            for late, stage in self._late_draws.items():
                if f"{name}/".startswith(f"{late}/"):
                    return late, stage, 1
            for filled in self._filled:
                if filled.delivery is not None and f"{name}/".startswith(f"{filled.stage.scope}/"):
                    return filled.stage.scope, filled.stage, filled.size
        return "", None, 0

    def offer(self, stage: Stage) -> None:
        """The program has the queue of *stage*: it may take from it at any time, as long as that is possible."""
        self._offered.append(stage)
        # Texts are names of files, mostly: one function call for each costs nothing beside what is read from it.
        stage.is_open = self.lowers and all(spec.dtype == tf.string for spec in stage.components)

    def add_late_draw(self, stage: Stage, name: str) -> List[tf.Tensor]:
        """Tensors of the next element of *stage*, which other consumers share and a session has started."""
        placement = stage.runner.placement
        with tf.name_scope(name) as scope:
            pass
        with apart(placement, scope):
            guards = [stage.runner.guard(stage.name, stage.made_at), stage.runner.draws.require_open()]
        with placement.devices(), tf.control_dependencies(guards):
            tensors = stage.stream.draw(name=scope)  # type: ignore[union-attr]
        self._late_draws[scope.rstrip("/")] = stage
        return tensors

    def close(self, stage: Stage, capacity: int, name: str) -> tf.Operation:
        """An op that closes the queue of *stage*: so many elements as it held are still delivered."""
        runners = dict.fromkeys(consumer.runner for consumer in _behind(stage))
        with tf.name_scope(name), stage.runner.placement.devices(), tf.control_dependencies(None):
            ops = [stage.runner.sources.shut_count(after=capacity)]
            if not stage.is_shared:
                # Nothing counts what leaves it one by one: its consumers end with what they hold.
                ops += stage.runner.draws.shut() + [runner.sources.shut_count() for runner in runners]
            return tf.group(ops)

    def note_native_use(self, values: Iterable[Any]) -> None:
        """A native stage or op now takes the elements of every stage behind *values*, tensors and ops among them."""
        self._note_native_consumers(value for value in values if isinstance(value, (tf.Tensor, tf.Operation)))
        self.refresh()

    def refresh(self) -> None:
        """Lowers every plan that is new or has changed.

        Raises:
          QueueCompatRuntimeError: QC304, the changed one has started.
        """
        if not self.lowers:
            return
        self._note_native_runners()
        self._note_native_queues()
        self._make_shared_streams()
        changed = [
            filled.stage.runner for filled in self._filled if filled.bring_up_to_date(self._beginnings_at(filled.stage))
        ]
        self._note_gates()
        for runner in dict.fromkeys(changed):
            runner.refresh()

    def deliveries(self) -> List[Delivery]:
        """The figures of everything that the program itself draws."""
        return [filled.delivery for filled in self._filled if filled.delivery is not None]

    def is_inner(self, delivery: Delivery) -> bool:
        """Whether what *delivery* counts is the middle of another compiled pipeline, and drawn by nothing else."""
        stage = self._stage_of(delivery)
        return stage.is_captured and not stage.has_native_consumer

    def feeds_native_queues(self, delivery: Delivery) -> bool:
        """Whether what *delivery* counts goes into the program's own queues, or into pipelines that are native."""
        return self._stage_of(delivery).has_native_consumer

    def _stage_of(self, delivery: Delivery) -> Stage:
        return next(filled.stage for filled in self._filled if filled.delivery is delivery)

    def plans(self) -> List[Tuple[Stage, ir.Plan]]:
        """Each filled stream's stage and plan, in the order in which the program made them.

        A stream that is only there for consumers that may come later is shown as a part of its one consumer.
        """
        shown = [filled for filled in self._filled if filled.plan is not None and not filled.is_only_for_later]
        return [(filled.stage, filled.shown()) for filled in shown]

    def _beginnings_at(self, stage: Stage) -> Beginnings:
        return self._beginnings.setdefault(stage.runner.placement.task, Beginnings())

    def _look_after(self, session: tf.compat.v1.Session) -> None:
        self._closing.precede(session)
        WATCH.watch(session, self.deliveries)
        sessions.before_close(session, WATCH.forget)
        for observer in self.session_observers:
            observer(session)

    def _open_and_refresh(self) -> None:
        for stage in self._offered:
            # One function call for each element: nothing beside a step, but much beside the elements of a batch.
            is_run_one_by_one = all(not one.is_captured and not one.steps for one in stage.consumers)
            if is_run_one_by_one and stage.native_stream is None and not stage.runner.has_started:
                stage.is_open = True
        self.refresh()

    def _note_native_queues(self) -> None:
        for stage in self.stages:
            if isinstance(stage, Stage) and stage.native_stream is not None:
                for queue in stage.native_stream.queues:
                    self._closing.add(queue)

    def _note_gates(self) -> None:
        for runner in {filled.stage.runner for filled in self._filled}:
            for queue in (*runner.sources.queues, *runner.draws.queues):
                self._closing.add(queue)

    def _note_native_runners(self) -> None:
        """Queues that the program fills by itself, and batchers that are not compiled, are consumers too."""
        for runner in self.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            if runner not in self._seen_runners and not isinstance(runner, PipelineRunner):
                self._seen_runners.append(runner)
                self._note_native_consumers(runner.enqueue_ops)

    def _note_native_consumers(self, consumers: Iterable[Any]) -> None:
        # What a runner runs may also be a tensor: the result of a tf.cond around the enqueue.
        ops = [one.op if tf.is_tensor(one) else one for one in consumers]
        for source in sources_behind(ops, self):
            self.place(source)[0].has_native_consumer = True

    def _make_shared_streams(self) -> None:
        for stage in self.stages:
            if isinstance(stage, Stage) and stage.is_shared and stage.stream is None and stage.native_stream is None:
                stage.stream = Stream(stage.runner.placement, f"{stage.scope}/shared", stage.components)
                stage.runner.add_stream(stage.stream)
                self._filled.append(FilledStream(stage, stage.stream))


def _task_of(stage: Stage) -> str:
    if isinstance(stage, Adopted):
        return task_of(stage.op.inputs[0].op)
    return str(stage.runner.placement.task)


def elsewhere(name: str, there: str, here: str) -> CannotCompileError:
    """QC212: *name* is on the task *there*, and the pipeline on the task *here*."""
    unknown = "the session's own task"
    return CannotCompileError("QC212", tensor=name, there=there or unknown, here=here or unknown)


class _Explaining:
    """Explains the errors of all sessions: asks the pipelines of the session's graph."""

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError) -> BaseException:
        pipelines = getattr(session.graph, _ATTRIBUTE, None)
        return error if pipelines is None else pipelines.explained(session, error)


def _behind(stage: Stage) -> List[Stage]:
    """All stages that take elements of *stage*, directly or not."""
    return [one for consumer in stage.consumers for one in (consumer, *_behind(consumer))]


def _runners_behind(stage: Stage) -> List[PipelineRunner]:
    """The runners of *stage* and of all stages upstream that no other consumer needs."""
    runners = [stage.runner]
    for inlet in stage.inlets:
        for upstream in inlet.upstream:
            if not upstream.is_needed_by_several and upstream.runner is not None:
                runners += _runners_behind(upstream)
    return list(dict.fromkeys(runners))

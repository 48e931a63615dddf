"""All the pipelines of one graph: the stages made so far, and the stream behind each.

A stage is lowered as soon as it is made, since a graph may be finalised before it is started
(``Supervisor``, ``MonitoredTrainingSession``). A later call may change what an earlier stage is:
its queue gets a second consumer, say. Then every plan that came out differently is lowered again.
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.lowering.dataset import Beginnings, lower
from queuecompat._compiler.passes import optimise
from queuecompat._compiler.slicing import sources_behind
from queuecompat._compiler.stages import NativeStage, Stage, plan_of
from queuecompat._runtime.adopting import Adopted, adopted
from queuecompat._runtime.closing import Closing
from queuecompat._runtime.delivery import Delivery
from queuecompat._runtime.iterators import Stream
from queuecompat._runtime.placement import Placement, apart, task_of
from queuecompat._runtime.runners import PipelineRunner
from queuecompat._runtime.stalls import WATCH
from queuecompat.errors import CannotCompileError, QueueCompatRuntimeError, error

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
        self._guards: Set[str] = set()
        self._places: Dict[str, Tuple[Stage, int]] = {}
        self._filled: List[_Filled] = []
        self._beginnings: Dict[str, Beginnings] = {}  # by the task: a dataset cannot be sent to another one
        self._closing = Closing(graph)

    @classmethod
    def of(cls, graph: tf.Graph) -> Pipelines:
        found = getattr(graph, _ATTRIBUTE, None)
        if found is None:
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
            stage.runner.before_start = self.refresh
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
        with apart(placement, stage.scope), tf.control_dependencies(guards):
            guards.append(delivery.ask())
        self._guards.update(op.name for op in guards)
        with placement.devices(), tf.control_dependencies(guards):
            tensors = stream.draw(name=stage.scope + "/")
        self.add(stage)
        self._places.update({tensor.name: (stage, number) for number, tensor in enumerate(tensors)})
        self._filled.append(_Filled(stage, stream, delivery))
        self.refresh()
        return tensors

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
        for runner in dict.fromkeys(changed):
            runner.refresh()

    def deliveries(self) -> List[Delivery]:
        """The figures of everything that the program itself draws."""
        return [filled.delivery for filled in self._filled if filled.delivery is not None]

    def feeds_another(self, delivery: Delivery) -> bool:
        """Whether what *delivery* counts is the middle of another pipeline, compiled or native."""
        stage = next(filled.stage for filled in self._filled if filled.delivery is delivery)
        return stage.is_captured or stage.has_native_consumer

    def plans(self) -> List[Tuple[Stage, ir.Plan]]:
        """Each filled stream's stage and plan, in the order in which the program made them."""
        return [(filled.stage, filled.plan) for filled in self._filled if filled.plan is not None]

    def _beginnings_at(self, stage: Stage) -> Beginnings:
        return self._beginnings.setdefault(stage.runner.placement.task, Beginnings())

    def _look_after(self, session: tf.compat.v1.Session) -> None:
        self._closing.precede(session)
        WATCH.watch(session, self.deliveries)
        for observer in self.session_observers:
            observer(session)

    def _note_native_queues(self) -> None:
        for stage in self.stages:
            if isinstance(stage, Stage) and stage.native_stream is not None:
                for queue in stage.native_stream.queues:
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
                self._filled.append(_Filled(stage, stage.stream))


def _task_of(stage: Stage) -> str:
    if isinstance(stage, Adopted):
        return task_of(stage.op.inputs[0].op)
    return str(stage.runner.placement.task)


def elsewhere(name: str, there: str, here: str) -> CannotCompileError:
    """QC212: *name* is on the task *there*, and the pipeline on the task *here*."""
    unknown = "the session's own task"
    return CannotCompileError("QC212", tensor=name, there=there or unknown, here=here or unknown)


class _Filled:
    """A stream and the plan that it was last filled from."""

    def __init__(self, stage: Stage, stream: Stream, delivery: Optional[Delivery] = None) -> None:
        self.stage = stage
        self.stream = stream
        # None: the stream is for other pipelines of the graph, and not for the program.
        self.delivery = delivery
        self.plan: Optional[ir.Plan] = None
        self._captured: Optional[ir.Plan] = None

    def bring_up_to_date(self, beginnings: Beginnings) -> bool:
        captured = self._captured_plan()
        if captured == self._captured:
            return False
        if self._captured is not None and self.stage.runner.has_started:
            if captured.is_peek:
                return False  # nobody's training data: it may go on as it is
            raise error(QueueCompatRuntimeError, "QC304", stage=self.stage.name)
        self._captured, earlier = captured, self.plan
        self.plan = optimise(captured)
        if self.delivery is not None:
            self.plan = self.delivery.counted(self.plan)
        if earlier is not None and earlier.steps == self.plan.steps:
            return False  # what has become a peek, mostly: it reads as before, and lowering costs tens of milliseconds
        with apart(self.stage.runner.placement, f"{self.stage.scope}/compiled"):
            dataset = lower(self.plan, beginnings)
        self.stream.fill(dataset, after=[self.stage.runner.once])
        return True

    def _captured_plan(self) -> ir.Plan:
        stage = self.stage
        if self.delivery is None or not stage.is_captured:
            return plan_of(stage)
        if stage.has_native_consumer:
            # The stage's own tensors feed a native queue: one consumer among the others.
            step = ir.Pull(stage.components, stage.stream, stage.name)
            return ir.Plan(stage.name, stage.made_at, (step,))
        return plan_of(stage, is_peek=True)

"""What capture requires of a back end, as protocols: ``Backend``, and ``QueueControl`` for each queue.

Capture turns the calls of a program into stages. What else a stage needs depends on how it will run: a session needs
ops in the user's graph that start, count and stop it; the trace of an input function that becomes a dataset needs
none. So there are two implementations: ``_session.backend.SessionBackend``, and ``_eager.trace_backend.TraceBackend``,
which builds none of these ops.
"""

from __future__ import annotations

import dataclasses
from typing import ContextManager, Iterable, List, NamedTuple, Optional, Protocol, Sequence

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.control import QueueControl
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.stages import Stage
from queuecompat.errors import Reason

__all__ = ["Backend", "Lowered", "QueueControl", "QueueSpec"]


@dataclasses.dataclass(frozen=True)
class QueueSpec:
    """What a back end needs to know of one of TF1's queues.

    Attributes:
      scope: the name scope of the ops that the back end makes.
      names: TF1's names of the queue and its ops.
      capacity: in elements; negative: unbounded.
      minimum: ``min_after_dequeue``, above which the summary of a shuffling queue counts; None: it has none.
      summary_scope: the name scope of the queue's summary, without "/".
      is_filled_once: whether the elements come from rows that the graph holds.
      total: how many elements there are in all; None: unknown or infinite.
      has_runner: whether ``start_queue_runners`` starts the queue; if not, a runner of the program's own does.
      components: the specs of the queue's elements.
      component_names: the names of the components, as in TF1's queue; None: they have none.
      cancel_op: the program's own op that runs when the coordinator stops, instead of closing the queue; None: there is
        none.
    """

    scope: str
    names: QueueNames
    capacity: int
    minimum: Optional[int] = None
    summary_scope: str = ""
    is_filled_once: bool = False
    total: Optional[int] = None
    cancel_op: Optional[tf.Operation] = None
    has_runner: bool = True
    components: Sequence[tf.TensorSpec] = ()
    component_names: Optional[Sequence[str]] = None


class Lowered(NamedTuple):
    """A stage that runs, with its plans.

    Attributes:
      stage: the stage.
      captured: its plan as captured, before any pass.
      plan: its plan as lowered, after all passes.
      fills_a_queue: whether its elements are enqueued into a queue of TensorFlow's own.
      local_reason: why this process computes it although a tf.data service was chosen; None otherwise.
    """

    stage: Stage
    captured: ir.Plan
    plan: ir.Plan
    fills_a_queue: bool = False
    local_reason: Optional[Reason] = None


class Backend(Protocol):
    """Runs the stages of one graph.

    Attributes:
      compiles_runners: whether the elements that a queue runner of TensorFlow's enqueues are compiled when it starts.
    """

    compiles_runners: bool

    def queue(self, spec: QueueSpec, upstreams: Sequence[Sequence[Stage]] = ()) -> QueueControl:
        """Returns the handle of a new queue.

        Args:
          spec: describes the queue.
          upstreams: for each list of tensors that is enqueued (a join has several), the stages that compute it.
        Raises:
          CannotCompileError: QC212, the stages are on several tasks of a cluster.
        """

    def require_near(
        self, stages: Sequence[Stage], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation] = ()
    ) -> None:
        """Checks that *states*, variables and handles, are accessible on the task that computes *stages*.

        Args:
          ops: the program's ops on these elements, which may name a task.
        Raises:
          CannotCompileError: QC212, something is on another task of the cluster.
        """

    def beside(self, tensor: tf.Tensor) -> ContextManager[None]:
        """Returns the device scope for ops that take *tensor*, which cannot be sent to another device."""

    def add_queue(self, stage: Stage) -> None:
        """Registers *stage*, whose queue the program receives and may dequeue from at any time."""

    def terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        """Registers *stage* and returns its tensors: the outputs of an op that is named like the stage's scope.

        Args:
          components: the types and static shapes that TF1 would have declared for the tensors.
          fails: the message of an InvalidArgumentError that every run must raise, as in TF1; empty: none.
        """

    def late_draw(self, stage: Stage, name: str) -> Optional[List[tf.Tensor]]:
        """Returns tensors of the next element of *stage*, which is running; None if its only consumer computes it."""

    def close(self, stage: Stage, name: str) -> tf.Operation:
        """Returns an op that closes the queue of *stage*, which is running; what it holds can still be dequeued."""

    def plans(self) -> List[Lowered]:
        """Returns what the back end runs, in the order in which the program made it; empty if nothing runs."""

    def changed(self) -> None:
        """To be called when stages have changed, or when TensorFlow's own ops may have become consumers.

        Raises:
          QueueCompatRuntimeError: QC304, a plan that has started would change.
        """

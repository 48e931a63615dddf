"""What capture asks of a back end, as two protocols.

Capture turns the calls of a program into stages. What a stage is run with depends on who will run it: a session needs
ops in the user's graph that start, count and stop it; the trace of an input function on its way to a dataset needs
none of that. So capture asks for it here, and there are two implementations: ``_session.backend.SessionBackend``, and
``_eager.trace_backend.TraceBackend``, which builds nothing.
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
    """One of TF1's queues, as far as its back end has to know it.

    Attributes:
      scope: the name that what the back end makes stands below.
      names: what TF1 called the queue and its ops.
      capacity: in elements; below 0 it has no bound.
      minimum: ``min_after_dequeue``, which the summary of a shuffled queue begins above; None: it has none.
      summary_scope: the name that the queue's summary stands below, without "/".
      is_filled_once: whether elements come in from rows that the graph holds; *total*: how many, where that is known.
      has_runner: whether ``start_queue_runners`` starts it; if not, a runner of the program's own does.
      components: what an element of it is; *component_names*: if they have names, as in TF1's queue.
      cancel_op: the program's own, run when the coordinator stops in place of closing the queue; None: there is none.
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
    """A stage that is drawn from, its plan as captured, and as it was lowered.

    *fills_a_queue*: what draws is an op that puts the elements into a queue of TensorFlow's own.
    *stays*: why this process computes it, though a service was chosen.
    """

    stage: Stage
    captured: ir.Plan
    plan: ir.Plan
    fills_a_queue: bool = False
    stays: Optional[Reason] = None


class Backend(Protocol):
    """What the stages of one graph are run with.

    Attributes:
      compiles_runners: whether what a runner of TensorFlow's puts into its queue is compiled when the runner starts.
    """

    compiles_runners: bool

    def queue(self, spec: QueueSpec, ways: Sequence[Sequence[Stage]] = ()) -> QueueControl:
        """What is kept for a queue that is filled in *ways*, each drawing from stages.

        Raises:
          CannotCompileError: QC212, they are on several tasks of a cluster.
        """

    def require_near(
        self, stages: Sequence[Stage], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation] = ()
    ) -> None:
        """Checks that *states*, variables and handles, can be reached where the elements of *stages* are made.

        Args:
          ops: what the program does with these elements, on the task that it names, if it names one.
        Raises:
          CannotCompileError: QC212, something is on another task of the cluster.
        """

    def beside(self, tensor: tf.Tensor) -> ContextManager[None]:
        """Where ops have to be that take *tensor*, which cannot be sent anywhere."""

    def add_queue(self, stage: Stage) -> None:
        """*stage*, which is in the registry now, has a queue that the program gets and may take from at any time."""

    def terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        """The tensors of *stage*, which is in the registry now: outputs of an op named as the stage's scope.

        Args:
          components: what TF1 would have said of their types and shapes.
          fails: an InvalidArgumentError that each run has to raise, as TF1's would.
        """

    def late_draw(self, stage: Stage, name: str) -> Optional[List[tf.Tensor]]:
        """Tensors of the next element of *stage*, which is running; None where it is read by one consumer alone."""

    def close(self, stage: Stage, name: str) -> tf.Operation:
        """An op that closes the queue of *stage*, which is running: as many elements as it held are still delivered."""

    def plans(self) -> List[Lowered]:
        """What runs in it, in the order in which the program made it; nothing where nothing runs."""

    def changed(self) -> None:
        """Stages have changed, or consumers that TensorFlow runs itself may have come.

        Raises:
          QueueCompatRuntimeError: QC304, a plan would change that has started.
        """

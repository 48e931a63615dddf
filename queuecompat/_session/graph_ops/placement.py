"""Where the ops of a pipeline are built: in which graph, below which name, and on which task of a cluster.

Rule 1: all ops of one pipeline are on the CPU of one task, because a tf.data function can only use resources of its own
        process. It is the task on which TensorFlow 1 would have placed the queue. Our ops name it explicitly:
        ``replica_device_setter`` would put them on a parameter server, because it takes our resources for variables.
Rule 2: they are built outside the user's control dependencies, loops, devices and colocations, except those that run
        with each draw (``beside_draws``). Their names contain a scope that begins with ``queuecompat``, so that they
        can be recognised wherever the graph is loaded.
Rule 3: the rest of that scope is unique to the graph. A variable is found by its name, and all sessions of a server
        share it: without this, a pipeline of the same name in another graph would use the same variable.
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Dict, Iterator, Sequence, Tuple, Union

import tensorflow as tf

__all__ = ["OURS", "Placement", "beside_draws", "outside_user_scopes", "task_of"]

# The start of the name scope of our ops, inside the scope of the user's call.
OURS = "queuecompat"
_ATTRIBUTE = "_queuecompat_scope"
_CONSTANTS = "_queuecompat_constants"


class Placement:
    """One task, in one graph.

    Args:
      task: such as ``/job:worker/replica:0/task:1``; empty if the program names none, which means the task that the
        session was made for.
    """

    def __init__(self, graph: tf.Graph, task: str = "") -> None:
        self.graph = graph
        self.task = task

    @classmethod
    def here(cls, graph: tf.Graph) -> Placement:
        """The placement that a queue would have if it were made at this point of the program."""
        with graph.as_default(), tf.control_dependencies(None):
            # TensorFlow chooses a device only when it makes an op. Device functions treat this one as they treat a
            # queue, because it is not a variable.
            probe = tf.no_op(f"{OURS}/task")
        return cls(graph, task_of(probe))

    @contextlib.contextmanager
    def devices(self) -> Iterator[None]:
        """Builds ops on the CPU of the task, whatever devices are current."""
        with self.graph.colocate_with(None, ignore_existing=True), self.graph.device(self._device_of):
            yield

    @contextlib.contextmanager
    def natives(self) -> Iterator[None]:
        """Builds TensorFlow's own queues on the task, without forcing them onto its CPU."""
        with self.graph.colocate_with(None, ignore_existing=True), self.graph.device(self.task or None):
            yield

    def scope(self, scope: str) -> str:
        """The name scope of our ops inside *scope*, a stage's."""
        if not hasattr(self.graph, _ATTRIBUTE):
            setattr(self.graph, _ATTRIBUTE, f"{OURS}_{uuid.uuid4().hex[:8]}")
        return f"{scope.rstrip('/')}/{getattr(self.graph, _ATTRIBUTE)}"

    def _device_of(self, op: tf.Operation) -> str:
        # The body of a function runs on the device of its caller. A device set inside the body would survive
        # clear_devices.
        return f"{self.task}/device:CPU:0" if op.graph is self.graph else ""

    def variable(self, scope: str, name: str, dtype: tf.DType, shape: Sequence[int] = ()) -> tf.Tensor:
        """The handle of a variable of the pipeline of *scope*, made in the current scopes; it has no value yet."""
        return tf.raw_ops.VarHandleOp(
            dtype=dtype, shape=list(shape), shared_name=f"{self.scope(scope)}/{name}", container="", name=name
        )

    def constant(self, scope: str, value: Union[bool, int, float, str], dtype: tf.DType) -> tf.Tensor:
        """A scalar constant, made below *scope* if the task does not have it yet.

        Constants of a task are shared, because every additional op makes the first run of each step slower.
        """
        if not hasattr(self.graph, _CONSTANTS):
            setattr(self.graph, _CONSTANTS, {})
        known: Dict[Tuple[object, ...], tf.Tensor] = getattr(self.graph, _CONSTANTS)
        key = (self.task, value, dtype)
        if key not in known:
            with outside_user_scopes(self, scope):
                known[key] = tf.constant(value, dtype)
        return known[key]


@contextlib.contextmanager
def outside_user_scopes(placement: Placement, scope: str) -> Iterator[None]:
    """Builds ops at *placement*, below the name *scope*, without any of the current control dependencies."""
    name_scope = tf.name_scope(placement.scope(scope) + "/")
    with placement.graph.as_default(), tf.control_dependencies(None), placement.devices(), name_scope:
        yield


@contextlib.contextmanager
def beside_draws(placement: Placement, scope: str) -> Iterator[None]:
    """Builds ops at *placement*, below the name *scope*, that run with each run of a draw made at this point.

    If this point is in a branch of a ``cond`` that is not taken, or in a loop that is not entered, they do not run.
    """
    if tf.compat.v1.get_default_graph() is not placement.graph:
        with outside_user_scopes(placement, scope):
            yield
    else:
        with placement.devices(), tf.name_scope(placement.scope(scope) + "/"):
            yield


def task_of(op: tf.Operation) -> str:
    """The task that *op* was placed on; empty if the program named none."""
    spec = tf.compat.v1.DeviceSpec.from_string(op.device)
    if spec.job in (None, "localhost"):  # localhost is the only task of a session without a server
        return ""
    return tf.compat.v1.DeviceSpec(job=spec.job, replica=spec.replica or 0, task=spec.task).to_string()

"""Where the ops of a pipeline are built: in which graph, below which name, on which task of a cluster.

Rule 1: all ops of one pipeline are on the CPU of one task, since a tf.data function reaches only what its own
        process holds. It is the task where TensorFlow 1 would have put the queue: ``replica_device_setter`` puts
        variables on a parameter server, and everything that holds ours looks like one to it.
Rule 2: they stand outside the user's control dependencies, loops, devices and colocations (but for what runs with each
        draw: ``beside_draws``), and below a name that begins with ``queuecompat``, so that a graph says what they are
        wherever it is loaded.
Rule 3: the rest of that name belongs to the graph. A variable is found by its name, and all sessions of a server
        share it: another graph's pipeline of the same name would take it for its own.
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Dict, Iterator, Tuple, Union

import tensorflow as tf

__all__ = ["OURS", "Placement", "beside_draws", "outside_user_scopes", "task_of"]

# What the name begins with that our ops stand below, in the scope of the user's call.
OURS = "queuecompat"
_ATTRIBUTE = "_queuecompat_scope"
_CONSTANTS = "_queuecompat_constants"


class Placement:
    """One task, in one graph.

    Args:
      task: such as ``/job:worker/replica:0/task:1``; empty where the program names none. Then it is the task that
        the session was made for.
    """

    def __init__(self, graph: tf.Graph, task: str = "") -> None:
        self.graph = graph
        self.task = task

    @classmethod
    def here(cls, graph: tf.Graph) -> Placement:
        """Where a queue would be that is made at this point of the program."""
        with graph.as_default(), tf.control_dependencies(None):
            # TensorFlow says where an op goes only when it makes one. To a device function this one looks like a queue:
            # it is no variable.
            probe = tf.no_op(f"{OURS}/task")
        return cls(graph, task_of(probe))

    @contextlib.contextmanager
    def devices(self) -> Iterator[None]:
        """On the CPU of the task, whatever devices are current."""
        with self.graph.colocate_with(None, ignore_existing=True), self.graph.device(self._device_of):
            yield

    @contextlib.contextmanager
    def natives(self) -> Iterator[None]:
        """The same for TensorFlow's own queues, which the program's device functions may see."""
        with self.graph.colocate_with(None, ignore_existing=True), self.graph.device(self.task or None):
            yield

    def scope(self, scope: str) -> str:
        """The name that our ops of *scope*, a stage's, stand below."""
        if not hasattr(self.graph, _ATTRIBUTE):
            setattr(self.graph, _ATTRIBUTE, f"{OURS}_{uuid.uuid4().hex[:8]}")
        return f"{scope.rstrip('/')}/{getattr(self.graph, _ATTRIBUTE)}"

    def _device_of(self, op: tf.Operation) -> str:
        # The body of a function runs where it is called. A device of its own there would outlive clear_devices.
        return f"{self.task}/device:CPU:0" if op.graph is self.graph else ""

    def constant(self, scope: str, value: Union[bool, int, float, str], dtype: tf.DType) -> tf.Tensor:
        """A scalar constant, below the *scope* that is the first to need it.

        On a task it is the same op every time: each op makes every first run of a step longer.
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
    """Builds at *placement*, below the name *scope*, depending on nothing."""
    name_scope = tf.name_scope(placement.scope(scope) + "/")
    with placement.graph.as_default(), tf.control_dependencies(None), placement.devices(), name_scope:
        yield


@contextlib.contextmanager
def beside_draws(placement: Placement, scope: str) -> Iterator[None]:
    """Builds at *placement*, below the name *scope*, what is to run with a draw that is made at this point.

    In a branch of a ``cond`` that is not taken, and in a loop that is not entered, nothing of that runs.
    """
    if tf.compat.v1.get_default_graph() is not placement.graph:
        with outside_user_scopes(placement, scope):
            yield
    else:
        with placement.devices(), tf.name_scope(placement.scope(scope) + "/"):
            yield


def task_of(op: tf.Operation) -> str:
    """The task that *op* was put on; empty where the program did not say."""
    spec = tf.compat.v1.DeviceSpec.from_string(op.device)
    if spec.job in (None, "localhost"):  # the latter is the only task that a session without a server has
        return ""
    return tf.compat.v1.DeviceSpec(job=spec.job, replica=spec.replica or 0, task=spec.task).to_string()

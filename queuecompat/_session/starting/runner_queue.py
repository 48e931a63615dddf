"""The queue of a compiled pipeline's runner as programs see it: ``runner.queue``.

Programs print its name, read its ``size`` during training, and close it. All this works on the buffers that replace the
queue; ops are made when they are asked for. Elements can neither be enqueued nor dequeued, since there is no queue.
"""

from __future__ import annotations

from typing import Any, Callable, List, NoReturn, Optional

import tensorflow as tf

from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.control import QueueControl
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["RunnerQueue"]


class RunnerQueue(tf.compat.v1.QueueBase):
    """TF1's queue of a runner: it can be inspected and closed, but not used to enqueue or dequeue.

    Args:
      op: the op that has the queue's name in the graph.
      spec: the queue.
      control: what the session keeps for it.
      close: makes an op of a given name that closes the queue.
    """

    def __init__(
        self, op: tf.Operation, spec: QueueSpec, control: QueueControl, close: Callable[[str], tf.Operation]
    ) -> None:
        # The base class needs a handle, so its __init__ is not called; all its methods are replaced below.
        self._op = op
        self._spec = spec
        self._control = control
        self._make_close = close

    def __repr__(self) -> str:
        return f"<queuecompat compiled queue '{self.name}' of {[dtype.name for dtype in self.dtypes]}>"

    @property
    def name(self) -> str:
        return str(self._op.name)

    @property
    def dtypes(self) -> List[tf.DType]:
        return [spec.dtype for spec in self._spec.components]

    @property
    def shapes(self) -> List[tf.TensorShape]:
        return [spec.shape for spec in self._spec.components]

    @property
    def names(self) -> Optional[List[str]]:
        names = self._spec.component_names
        return None if names is None else list(names)

    def size(self, name: Optional[str] = None) -> tf.Tensor:
        """How many elements the queue holds, a scalar int32; 0 before the start."""
        with self._control.graph.as_default():
            return self._control.size(name or self._named("Size"))

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        """Whether nothing more can come into the queue, a scalar bool; False before the start."""
        with self._control.graph.as_default():
            return self._control.is_closed(name)

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> tf.Operation:
        """An op that closes the queue once it was started: what it held is still delivered, then the data end.

        No enqueue is ever pending, so *cancel_pending_enqueues* makes no difference.
        """
        with self._control.graph.as_default():
            return self._make_close(name or self._named("Close"))

    @property
    def queue_ref(self) -> tf.Tensor:
        self._refuse("queue_ref")

    def enqueue(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        """Raises QC314."""
        self._refuse("enqueue()")

    def enqueue_many(self, vals: Any, name: Optional[str] = None) -> tf.Operation:
        """Raises QC314."""
        self._refuse("enqueue_many()")

    def dequeue(self, name: Optional[str] = None) -> Any:
        """Raises QC314."""
        self._refuse("dequeue()")

    def dequeue_many(self, n: Any, name: Optional[str] = None) -> Any:
        """Raises QC314."""
        self._refuse("dequeue_many()")

    def dequeue_up_to(self, n: Any, name: Optional[str] = None) -> Any:
        """Raises QC314."""
        self._refuse("dequeue_up_to()")

    def _named(self, use: str) -> str:
        """TF1's name of the op for this *use*."""
        return f"{self.name.rpartition('/')[2]}_{use}"

    def _refuse(self, use: str) -> NoReturn:
        raise error(QueueCompatRuntimeError, "QC314", queue=self.name, use=use)

"""Queue runners, coordinators and threads, which start and stop a pipeline."""

from __future__ import annotations

import threading
from typing import Any, List, Optional, Sequence, Tuple, Type

import tensorflow as tf

from queuecompat._capture.fallback import watched
from queuecompat._eager import runners as eager_runners
from queuecompat._native.originals import TRAIN
from queuecompat._native.reference import native
from queuecompat._raising import runner_ops  # noqa: F401  by which a session compiles what runners run
from queuecompat._session.entry import pipelines_of
from queuecompat._session.starting.imported import recognise_imported

__all__ = [
    "Coordinator",
    "LooperThread",
    "QueueRunner",
    "add_queue_runner",
    "start_queue_runners",
]


# A runner is a consumer: its op takes elements of a compiled stage, which then reach no other consumer.
_add_to_graph = watched("add_queue_runner")

# TensorFlow's own classes, which work in both modes.
Coordinator = tf.compat.v1.train.Coordinator
LooperThread = tf.compat.v1.train.LooperThread


class _OfAnyRunner(type):
    """Makes runners of compiled queues instances of ``QueueRunner``: TF1 had one class, and programs test for it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, TRAIN["QueueRunner"]) if cls is QueueRunner else super().__subclasscheck__(subclass)


class QueueRunner(eager_runners.FunctionQueueRunner, metaclass=_OfAnyRunner):
    """Threads that keep a queue filled: each runs one enqueue op repeatedly or, in eager mode, calls one function.

    Args:
      queue: the queue; the names of the threads contain its name.
      enqueue_ops: a list, with one thread for each. In a graph: ops (one op may be listed several times). In
        eager mode: functions without arguments that enqueue when they are called. A function ends its
        thread by raising ``tf.errors.OutOfRangeError`` or ``StopIteration``.
      close_op: run (called) when the last thread has reached the end of its data; default ``queue.close()``.
      cancel_op: run (called) when the coordinator stops, to free blocked threads; default
        ``queue.close(cancel_pending_enqueues=True)``. If a function can wait for something other than *queue*
        (a second queue, a socket), pass a *cancel_op* that ends that wait.
      queue_closed_exception_types: tuple of the error types that mean the end of the data; default
        ``(tf.errors.OutOfRangeError,)``. Any other error stops the coordinator.
      queue_runner_def: a ``QueueRunnerDef`` in place of all of the above; needs a graph.
      import_scope: name scope of the ops that *queue_runner_def* names.
    Raises:
      ValueError: no *queue* or no *enqueue_ops*; or both them and a *queue_runner_def*.
      TypeError: *queue_closed_exception_types* is not a tuple of ``tf.errors`` types, or is empty; QC103, an op
        (or the None that an eager ``enqueue`` returns) in eager mode; QC104, a function in a graph.
      RuntimeError: QC101, a *queue_runner_def* in eager mode.
    Differs from TF1: In a graph, a Python function in place of an op is refused here (QC104); TF1 accepted it and
      failed in ``create_threads``. In eager mode it runs Python functions; TF1's needed a graph.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Optional[Sequence[Any]] = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Optional[Tuple[Type[tf.errors.OpError], ...]] = None,
        queue_runner_def: Any = None,
        import_scope: Optional[str] = None,
    ) -> None:
        super().__init__(
            queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types, queue_runner_def, import_scope
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: Optional[str] = None) -> QueueRunner:
        """A runner of the default graph's ops that *queue_runner_def* names.

        Raises:
          RuntimeError: QC101, eager execution is on.
          KeyError: the graph has no such op.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(
    qr: tf.compat.v1.train.QueueRunner, collection: str = tf.compat.v1.GraphKeys.QUEUE_RUNNERS
) -> None:
    """Registers a runner for ``start_queue_runners``.

    In a graph it is added to a collection of the graph. In eager mode it is kept as long as its queue exists.

    Args:
      qr: the runner.
      collection: name of the collection.
    Differs from TF1: In eager mode a runner is kept only as long as its queue exists; TF1 needed a graph.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """
    if isinstance(qr, eager_runners.FunctionQueueRunner) and qr.is_eager and tf.executing_eagerly():
        eager_runners.register(qr, collection)
    else:
        _add_to_graph(qr, collection)


def start_queue_runners(
    sess: Optional[tf.compat.v1.Session] = None,
    coord: Optional[tf.train.Coordinator] = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = tf.compat.v1.GraphKeys.QUEUE_RUNNERS,
) -> List[threading.Thread]:
    """Starts every pipeline of the session's graph. (TensorFlow's own function does, too, but logs a warning.)

    In eager mode, without *sess*: starts every runner that was added in eager mode and whose queue still exists and is
    open.

    Args:
      sess: the session; None: the default session.
      coord: when it stops, the pipelines end; errors of the pipelines are reported to it.
      daemon: whether the threads are daemon threads, which do not keep the program from ending.
      start: if False, the program starts the threads itself; a compiled pipeline starts with its first thread.
      collection: graph collection of the runners.
    Returns:
      The threads, for ``coord.join``: one for each enqueue op, and with *coord* one more that closes the queue.
    Raises:
      ValueError: no session.
      TypeError: *sess* is not a session.
      RuntimeError: a *sess* in eager mode.
      tf.errors.OpError: a compiled pipeline could not be started.
    Differs from TF1: After a stop, running steps get the elements that are still in the pipeline; after
      ``coord.join`` no more elements are returned. The threads of a compiled pipeline only wait for its end or a
      stop, and do no work. A compiled pipeline starts reading at the first ``session.run``, not here.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """
    if sess is None and tf.executing_eagerly():
        return eager_runners.start(coord=coord, daemon=daemon, start=start, collection=collection)
    session = tf.compat.v1.get_default_session() if sess is None else sess
    is_session = isinstance(session, (tf.compat.v1.Session, tf.compat.v1.InteractiveSession))
    if is_session and recognise_imported(session.graph):
        pipelines_of(session.graph)  # so that ends and errors of its pipelines are reported
    return native("start_queue_runners", sess=sess, coord=coord, daemon=daemon, start=start, collection=collection)

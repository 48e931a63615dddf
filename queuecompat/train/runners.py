"""Queue runners, coordinators and threads: what starts a pipeline and stops it again."""

from __future__ import annotations

import threading
from typing import Any, List, Optional, Sequence, Tuple, Type

import tensorflow as tf

from queuecompat._capture.fallback import watched
from queuecompat._native.reference import native
from queuecompat._runtime import eager_runners
from queuecompat._runtime.entry import pipelines_of
from queuecompat._runtime.imported import recognise_imported

__all__ = [
    "Coordinator",
    "LooperThread",
    "QueueRunner",
    "add_queue_runner",
    "start_queue_runners",
]


# What it takes from a compiled stage, no other consumer gets.
_add_to_graph = watched("add_queue_runner")

# TensorFlow's own, and the same in both modes.
Coordinator = tf.compat.v1.train.Coordinator
LooperThread = tf.compat.v1.train.LooperThread


class QueueRunner(eager_runners.FunctionQueueRunner):
    """Threads that keep a queue filled: each repeats one enqueue op or, in eager mode, one function.

    Args:
      queue: the queue; its name is in the threads' names.
      enqueue_ops: a list, one thread each. In a graph: ops, the same one several times if need be. In
        eager mode: functions without arguments that enqueue when they are called. A function ends its
        thread by ``tf.errors.OutOfRangeError`` or ``StopIteration``.
      close_op: run (called) when the last thread has come to the end of its data; default ``queue.close()``.
      cancel_op: run (called) when the coordinator stops, to free blocked threads; default
        ``queue.close(cancel_pending_enqueues=True)``. A function that waits for something else than *queue*
        (another queue, a socket) is freed by a *cancel_op* that ends that wait.
      queue_closed_exception_types: tuple of the errors that mean the end of the data; default
        ``(tf.errors.OutOfRangeError,)``. Any other error stops the coordinator.
      queue_runner_def: a ``QueueRunnerDef`` instead of all these; needs a graph.
      import_scope: name scope of the ops that *queue_runner_def* names.
    Raises:
      ValueError: no *queue* or no *enqueue_ops*; or a *queue_runner_def* beside them.
      TypeError: *queue_closed_exception_types* is no tuple of ``tf.errors`` types, or empty; QC103, an op
        (or the None that an eager ``enqueue`` returns) in eager mode; QC104, a function in a graph.
      RuntimeError: QC101, a *queue_runner_def* in eager mode.
    Differs from TF1: none in a graph, but that a function is refused here and not by ``create_threads``.
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
    """Keeps a runner for ``start_queue_runners``.

    In a graph it enters the graph's collection. In eager mode it is kept as long as its queue: who
    lets go of the queue has nothing to clear away.

    Args:
      qr: the runner.
      collection: under what name.
    Differs from TF1: none known.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """
    if isinstance(qr, QueueRunner) and qr.is_eager and tf.executing_eagerly():
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
    """Starts every pipeline of the session's graph. TensorFlow's own does it too, with a word of advice.

    In eager mode, without *sess*: starts every runner that was added there, whose queue is still in
    use and open.

    Args:
      sess: None is the default session.
      coord: its stop ends the pipelines, and it learns of their errors.
      daemon: whether a thread may be left running when the program ends.
      start: if false, the program starts the threads; a compiled pipeline starts with the first of its own.
      collection: graph collection of the runners.
    Returns:
      The threads, for ``coord.join``: one for each enqueue op, and with *coord* one that closes the queue. Those of a
      compiled pipeline only wait for its end, or for a stop.
    Raises:
      ValueError: no session.
      TypeError: *sess* is not a session.
      RuntimeError: a *sess* in eager mode.
      tf.errors.OpError: a compiled pipeline could not be started.
    Differs from TF1: compiled pipelines are ready when the call returns.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """
    if sess is None and tf.executing_eagerly():
        return eager_runners.start(coord=coord, daemon=daemon, start=start, collection=collection)
    session = tf.compat.v1.get_default_session() if sess is None else sess
    is_session = isinstance(session, (tf.compat.v1.Session, tf.compat.v1.InteractiveSession))
    if is_session and recognise_imported(session.graph):
        pipelines_of(session.graph)  # which learn of their ends and errors
    return native("start_queue_runners", sess=sess, coord=coord, daemon=daemon, start=start, collection=collection)

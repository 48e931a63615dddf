"""Queue runners without a graph: Python functions take the place of enqueue ops.

TensorFlow's own ``create_threads`` does the work in eager mode as well. It needs only ``run`` and ``make_callable``
from a session, and only a name from an op; ``_EagerTarget`` and ``_Function`` provide these. So threads, names, counts,
ends and errors are TF1's because the code is TF1's.

Rule 1: A function ends its thread by ``tf.errors.OutOfRangeError``, as an op does, or by StopIteration, as in Python.
        When the last thread ends this way, the queue is closed.
Rule 2: A registered runner lives as long as its queue. The queue holds the runner, and the registry holds only a weak
        reference, so nothing outlives the block, test or notebook cell that dropped the queue.
Rule 3: A runner whose queue was closed is not started again, since a queue cannot be reopened.
Rule 4: In a graph, a runner does not close its queue a second time if its data ends after the coordinator has stopped.
        TF1 ignored that silently; TensorFlow 2 would log a warning.
Rule 5: A subclass of ours may define what a thread does (``_run``). It gets the session itself and the program's own
        ops: how often it runs them, and what it feeds, is its own business.

The default graph's collection, which is TF1's registry, is not used. It is never cleared in eager mode, so the next
``start_queue_runners`` would start the runners of every program that ran before.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import logging
import threading
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence

import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._session.closing import close_once
from queuecompat._session.entry import require_graph
from queuecompat._session.starting.runners_session import with_ops
from queuecompat.errors import QueueCompatTypeError, error, layout

__all__ = ["FunctionQueueRunner", "register", "start"]


class FunctionQueueRunner(tf.compat.v1.train.QueueRunner):
    """TensorFlow's QueueRunner, which in eager mode takes functions instead of ops.

    Raises:
      QueueCompatTypeError: QC103, an op in eager mode; QC104, a function in a graph.
      QueueCompatRuntimeError: QC101, a proto in eager mode.
      ValueError, TypeError: those of TF1.
    """

    def __init__(
        self,
        queue: Any,
        enqueue_ops: Optional[Sequence[Any]],
        close_op: Any,
        cancel_op: Any,
        queue_closed_exception_types: Any,
        queue_runner_def: Any,
        import_scope: Optional[str],
    ) -> None:
        self.is_eager = tf.executing_eagerly()
        self._eager_name = ""
        if not self.is_eager:
            _require_ops(enqueue_ops, close_op, cancel_op)
        else:
            if queue_runner_def is not None:
                require_graph("QueueRunner.from_proto")
            if queue and enqueue_ops:
                self._eager_name = str(queue.name)
                enqueue_ops = [_Function(function, "enqueue_ops") for function in enqueue_ops]
                if close_op is None:
                    close_op = queue.close
                if cancel_op is None:
                    cancel_op = functools.partial(queue.close, cancel_pending_enqueues=True)
                close_op, cancel_op = _Function(close_op, "close_op"), _Function(cancel_op, "cancel_op")
        # The base class raises in eager mode at the start of __init__, and needs the graph for nothing else.
        with without_queue_deprecations(), tf.Graph().as_default() if self.is_eager else contextlib.nullcontext():
            super().__init__(
                queue=queue,
                enqueue_ops=enqueue_ops,
                close_op=close_op,
                cancel_op=cancel_op,
                queue_closed_exception_types=queue_closed_exception_types,
                queue_runner_def=queue_runner_def,
                import_scope=import_scope,
            )
        self._close_once = None if self.is_eager else _close_once(self.close_op)

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._eager_name if self.is_eager else str(super().name)

    @property
    def repeats_its_ops(self) -> bool:
        """Whether its threads only repeat their ops, as TensorFlow's own runner does."""
        return getattr(self._run, "__func__", None) is tf.compat.v1.train.QueueRunner._run

    def create_threads(
        self, sess: Any = None, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> List[threading.Thread]:
        """Creates one thread for each enqueue op or function, and one that cancels them when *coord* stops.

        Args:
          sess: the session; a runner of functions ignores it.
          coord: is told of errors, and stops the threads. Without one, errors are added to ``exceptions_raised``.
          daemon: whether a thread may still run when the program ends.
          start: if false, the caller starts the threads.
        Returns:
          The threads; [] if threads of an earlier call are still running.
        """
        target: Any = sess
        if self.is_eager:
            target = _EAGER
        elif self._close_once is not None and self.repeats_its_ops and isinstance(sess, tf.compat.v1.Session):
            target = with_ops(sess, {self.close_op.name: self._close_once})
        return super().create_threads(target, coord=coord, daemon=daemon, start=start)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Returns the runner as a ``QueueRunnerDef``; None if it is not below *export_scope*.

        Raises:
          NotImplementedError: QC105, it runs functions. (TF1's feeding runners raise the same class.)
        """
        if self.is_eager:
            raise NotImplementedError(layout("QC105", queue=self.name))
        return super().to_proto(export_scope)

    def is_spent(self) -> bool:
        """Whether the queue is closed, so that a runner of functions could not enqueue again."""
        is_closed: Callable[[], Any] = getattr(self.queue, "is_closed", lambda: False)
        return bool(is_closed())


class _Function:
    """A Python function with the attributes of an op that TensorFlow's runner, and our search for consumers, read."""

    # It depends on no tensor of any graph.
    inputs: Sequence[tf.Tensor] = ()
    outputs: Sequence[tf.Tensor] = ()
    control_inputs: Sequence[tf.Operation] = ()

    def __init__(self, function: Any, argument: str) -> None:
        if not callable(function):
            given = "None" if function is None else f"an object of type {type(function).__name__}"
            raise error(QueueCompatTypeError, "QC103", given=given, argument=argument)
        self.function = function
        self.name = self.__name__ = _name(function)

    def __call__(self) -> None:
        try:
            self.function()
        except StopIteration as end:
            raise tf.errors.OutOfRangeError(None, None, f"{self.name} has nothing more to enqueue") from end


class _EagerTarget:
    """Takes the place of the session for all threads in eager mode."""

    def make_callable(self, function: _Function) -> _Function:
        return function

    def run(self, function: _Function) -> None:
        function()


_EAGER = _EagerTarget()


def _close_once(close_op: Any) -> Any:
    """Returns a function that closes the queue of *close_op* if it is open; None if the op does something else, too."""
    if not isinstance(close_op, tf.Operation) or close_op.type != "QueueCloseV2" or close_op.control_inputs:
        return None
    return close_once(close_op.inputs[0], cancels=close_op.get_attr("cancel_pending_enqueues"))


_lock = threading.Lock()
_registered: Dict[str, List[weakref.ReferenceType[FunctionQueueRunner]]] = {}


def register(runner: FunctionQueueRunner, collection: str) -> None:
    """Keeps *runner* available to ``start`` as long as its queue lives."""
    with _lock:
        runner.queue.__dict__.setdefault("_queuecompat_runners", []).append(runner)
        _registered.setdefault(collection, []).append(weakref.ref(runner))


def start(coord: Any, daemon: bool, start: bool, collection: str) -> List[threading.Thread]:
    """Calls ``create_threads`` of every registered runner whose queue lives and is open."""
    # A queue and its runner reference each other: only the garbage collector can tell whether anything else references
    # them.
    gc.collect()
    with _lock:
        held = [reference() for reference in _registered.get(collection, [])]
        runners = [runner for runner in held if runner is not None and not runner.is_spent()]
        _registered[collection] = [weakref.ref(runner) for runner in runners]
    if not runners:
        logging.getLogger("queuecompat").warning(
            "start_queue_runners: no queue runner is registered in '%s' whose queue is open", collection
        )
    return [thread for runner in runners for thread in runner.create_threads(coord=coord, daemon=daemon, start=start)]


def _require_ops(enqueue_ops: Any, close_op: Any, cancel_op: Any) -> None:
    given = enqueue_ops if isinstance(enqueue_ops, (list, tuple)) else ()
    rows = [("enqueue_ops", op) for op in given] + [("close_op", close_op), ("cancel_op", cancel_op)]
    for argument, op in rows:
        if callable(op):
            raise error(QueueCompatTypeError, "QC104", given=f"'{_name(op)}'", argument=argument)


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)

"""Queue runners whose threads feed values from a Python function with each run of their op.

TensorFlow's own ``QueueRunner._run`` does the work of each thread. It only uses a session's ``run`` and
``make_callable``, so a wrapper with these two methods adds the feeds. As in TF1, a class derived from ``FeedingRunner``
may override ``_run``, which is called with the session, the op, the function and the coordinator.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations

__all__ = ["FeedingRunner"]

Feed = Optional[Callable[[], Dict[Any, Any]]]


class FeedingRunner(tf.compat.v1.train.QueueRunner):
    """See ``contrib.training.FeedingQueueRunner``."""

    def __init__(
        self,
        queue: Any,
        enqueue_ops: Any,
        close_op: Any,
        cancel_op: Any,
        feed_fns: Optional[Sequence[Feed]],
        queue_closed_exception_types: Optional[Tuple[Type[tf.errors.OpError], ...]],
    ) -> None:
        with without_queue_deprecations():
            super().__init__(
                queue,
                enqueue_ops,
                close_op,
                cancel_op,
                queue_closed_exception_types=queue_closed_exception_types
                or (tf.errors.OutOfRangeError, tf.errors.CancelledError),
            )
        feeds = [None] * len(enqueue_ops) if feed_fns is None else list(feed_fns)
        if len(feeds) != len(enqueue_ops):
            raise ValueError(f"there are {len(enqueue_ops)} enqueue_ops, but {len(feeds)} feed_fns")
        self._feed_fns = feeds

    def _run(self, sess: Any, enqueue_op: Any, feed_fn: Feed, coord: Any = None) -> None:
        """The work of one thread: runs *enqueue_op*, fed with the results of *feed_fn*, until the data end."""
        super()._run(_FeedingSession(sess, feed_fn), enqueue_op, coord)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> List[threading.Thread]:
        """One thread per enqueue op, and one that cancels when *coord* stops; as in ``QueueRunner``."""
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised: List[Exception] = []
        work: List[Tuple[str, Callable[..., None], Tuple[Any, ...]]] = [
            (op.name, self._run, (sess, op, feed_fn, coord)) for op, feed_fn in zip(self._enqueue_ops, self._feed_fns)
        ]
        if coord:
            work.append(("close_on_stop", self._close_on_stop, (sess, self._cancel_op, coord)))
        threads = [
            threading.Thread(target=target, args=arguments, name=f"QueueRunnerThread-{self.name}-{what}")
            for what, target, arguments in work
        ]
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            thread.daemon = thread.daemon or daemon
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Raises NotImplementedError: a proto cannot hold Python functions."""
        raise NotImplementedError("a runner that feeds values from Python functions cannot be written to a proto")


class _FeedingSession:
    """Wraps *session* for a thread of a runner: each run of its op is fed with the result of *feed_fn*."""

    def __init__(self, session: Any, feed_fn: Feed) -> None:
        self._session = session
        self._feed_fn = feed_fn

    # The runner counts its threads by the session, so this must be equal to it.
    def __eq__(self, other: object) -> bool:
        return other is self._session

    def __hash__(self) -> int:
        return hash(self._session)

    def make_callable(self, op: Any) -> Callable[[], None]:
        def fed() -> None:
            self._session.run(op, feed_dict=None if self._feed_fn is None else self._feed_fn())

        return fed

    def run(self, op: Any) -> None:
        self._session.run(op)

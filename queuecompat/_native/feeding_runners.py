"""Queue runners whose threads feed a dict of values from a Python function with each run of their op.

TensorFlow's own ``create_threads`` does the work, as for the runners of functions: it uses only ``run`` and
``make_callable`` of a session, so a stand-in with these is enough.
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
        self._feeds = feeds

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> List[threading.Thread]:
        """One thread for each enqueue op, and one that cancels when *coord* stops; as ``QueueRunner``."""
        feeding = _FeedingSession(sess, list(zip(self.enqueue_ops, self._feeds)))
        return super().create_threads(feeding, coord=coord, daemon=daemon, start=start)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Raises NotImplementedError: a proto cannot hold Python functions."""
        raise NotImplementedError("a runner that feeds values from Python functions cannot be written to a proto")


class _FeedingSession:
    """Stand-in for the session: a thread's callable is its op with the next of the functions for that op."""

    def __init__(self, session: Any, work: List[Tuple[Any, Feed]]) -> None:
        self._session = session
        self._work = work
        self._lock = threading.Lock()

    # A runner starts once in each session, so two stand-ins for one session must be equal.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FeedingSession) and other._session is self._session

    def __hash__(self) -> int:
        return hash(self._session)

    def make_callable(self, op: Any) -> Callable[[], None]:
        with self._lock:
            place = next(number for number, (one, _) in enumerate(self._work) if one is op)
            feed = self._work.pop(place)[1]

        def fed() -> None:
            self._session.run(op, feed_dict=None if feed is None else feed())

        return fed

    def run(self, op: Any) -> None:
        self._session.run(op)

"""``slim.queues``: queue runners that run for the length of a block."""

from __future__ import annotations

import contextlib
import threading
from typing import Iterator

import tensorflow as tf

__all__ = ["NestedQueueRunnerError", "QueueRunners"]

# How many seconds threads may take to end after the block, as in TF1.
GRACE_SECONDS = 120

_in_use = threading.Lock()


class NestedQueueRunnerError(Exception):
    """A ``QueueRunners`` block was opened inside a ``QueueRunners`` block."""


@contextlib.contextmanager
def QueueRunners(session: tf.compat.v1.Session) -> Iterator[None]:  # noqa: N802 - TF1's name
    """In a block ``with QueueRunners(session):``, all queue runners of the default graph run; its end stops them.

    Args:
      session: the session of the runners. It is closed if their threads do not end.
    Raises:
      NestedQueueRunnerError: a block is already open, in any thread.
      the error that stopped a runner: at the end of the block.
    Differs from TF1: After an error of a runner, at the start or at the end, a new block can be opened.
    Source: TF 1.15.5 ``contrib/slim/python/slim/queues.py``.
    """
    if not _in_use.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        with _started(session):
            yield
    finally:
        _in_use.release()


@contextlib.contextmanager
def _started(session: tf.compat.v1.Session) -> Iterator[None]:
    coordinator = tf.compat.v1.train.Coordinator()
    threads = []
    try:
        for runner in tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            threads += runner.create_threads(session, coord=coordinator, daemon=True, start=True)
        yield
    finally:
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=GRACE_SECONDS)
        except RuntimeError:  # they are still running
            session.close()

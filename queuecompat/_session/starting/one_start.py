"""One step of a session for all pipelines that one call starts.

TensorFlow prepares a step that is new to it: it prunes, places and optimises, and reads all functions of the graph for
that. For a start this takes longer than all the rest. So where one call starts all queue runners of a graph, one step
starts what belongs to any of them; each runner still has its own op for that, as it may be started alone.

Rule 1: a start op runs once in a session; ``SessionState.started`` has those that did. The graph keeps count as well
        (``Once``), since a program may run an op by its name, or load the graph somewhere else.
Rule 2: a start that fails is not counted, and a joint start that fails counts none. Then each runner starts with its
        own op, and the error is raised where the runner is asked whose pipeline fails.
Guarantees: no guard opens before all iterators, counters and gates of a joint start are there (the barrier), so that no
draw can pass which takes from an iterator that is still empty. Of threads that start the same runner in one session one
does it, and the others return after that.
Assumptions: the ops of a start run in no time.
Locks: in the graph there is one lock for each task, and no step takes two, so that no two steps wait for each other. In
this process ``SessionState.starting`` is held from the look at what has run to the note that it ran. It is re-entrant,
and taken before the locks of activities; the graph is settled before it is taken.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import Any, Dict, Optional, Sequence

import tensorflow as tf

from queuecompat._session.graph_ops.counters import RunCounter
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes
from queuecompat._session.graph_ops.waits import after, gate
from queuecompat._session.steps import sessions

__all__ = ["Once", "OneStart", "Start", "start_alone"]

_LOCKS = "_queuecompat_locks"


class Once:
    """The op that comes first in the *number*th start (from 0 on) that *counter* counts; OutOfRangeError after that.

    A start holds the lock of its task from there on until it is counted, or has failed. So of several at the same time
    one is done, and one that failed can be repeated.
    """

    def __init__(self, placement: Placement, scope: str, counter: RunCounter, number: int) -> None:
        self._placement, self._scope, self._counter = placement, scope, counter
        self._lock = _lock_of(placement, scope)
        with outside_user_scopes(placement, scope):
            name = f"{placement.scope(scope)}/once_{number}"
            handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name=name, container="", name="once_value")
            with tf.control_dependencies([self._lock.op]):
                value = tf.raw_ops.AssignVariableOp(resource=handle, value=counter.count_so_far())
            with tf.control_dependencies([value]):
                once = tf.raw_ops.ResourceCountUpTo(resource=handle, limit=number + 1, T=tf.int32, name="once")
        self.op: tf.Operation = once.op

    def start(self, ready: Sequence[tf.Operation]) -> Start:
        """The start that is over when *ready*, which comes after the op, has run."""
        with outside_user_scopes(self._placement, self._scope):
            with after([self.op, *ready]):
                count = self._counter.count("count")
            with tf.control_dependencies([count]):
                return Start(tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock, name="start"), self, ready)

    def barrier(self, ready: Sequence[tf.Operation]) -> tf.Operation:
        """An op that comes after all of *ready*."""
        with outside_user_scopes(self._placement, self._scope):
            return gate(ready, "all_ready")

    def count_after(self, barrier: tf.Operation) -> tf.Operation:
        """An op that counts the start after *barrier*."""
        with outside_user_scopes(self._placement, self._scope), tf.control_dependencies([barrier]):
            return self._counter.count("count_with_others")

    def release_after(self, counts: Sequence[tf.Operation]) -> tf.Operation:
        """An op that opens the lock after *counts*."""
        with outside_user_scopes(self._placement, self._scope), tf.control_dependencies(counts):
            return tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock, name="start_with_others")


@dataclasses.dataclass(frozen=True, eq=False)
class Start:
    """A start of a runner.

    Args:
      op: does it alone.
      once: what it begins with; None: it is that of a saved graph, which starts alone.
      ready: what comes between the two.
    """

    op: tf.Operation
    once: Optional[Once] = None
    ready: Sequence[tf.Operation] = ()


class OneStart:
    """The joint start of *starts*, of one task, and none of which has to start alone."""

    def __init__(self, starts: Sequence[Start]) -> None:
        self._starts = tuple(starts)
        onces = [start.once for start in starts if start.once is not None]
        ready = [op for start in starts for op in start.ready]
        barrier = onces[0].barrier([*(one.op for one in onces), *ready])
        self._op = onces[0].release_after([one.count_after(barrier) for one in onces])

    def is_of(self, starts: Sequence[Start]) -> bool:
        """Whether it is the joint start of *starts*."""
        return self._starts == tuple(starts)

    def has_begun(self, session: tf.compat.v1.Session) -> bool:
        """Whether any of what it starts has been started in *session*."""
        started = sessions.state_of(session).started
        return any(start.op in started for start in self._starts)

    def run(self, session: tf.compat.v1.Session, feeds: Dict[tf.Tensor, Any]) -> bool:
        """Starts everything in *session*; the caller holds ``starting``.

        Returns:
          Whether it did; False: nothing has been started, and each is to be started with its own op.
        """
        try:
            sessions.run_unattended(session, self._op, feed_dict=feeds)
        except tf.errors.OpError as problem:
            # Not a message for users: the start of the one pipeline that fails says it.
            logging.getLogger("queuecompat").debug("pipelines start one by one: %s", problem)
            return False
        sessions.state_of(session).started.update(start.op for start in self._starts)
        return True


def start_alone(session: tf.compat.v1.Session, starts: Sequence[Start], feeds: Dict[tf.Tensor, Any]) -> None:
    """Starts in *session*, one after the other, those of *starts* that have not been started there.

    Raises:
      tf.errors.OpError: one of them failed; it may be started again.
    """
    state = sessions.state_of(session)
    with state.starting:
        for start in [one for one in starts if one.op not in state.started]:
            # OutOfRange is ``Once`` saying that it has been started in this session before.
            with contextlib.suppress(tf.errors.OutOfRangeError):
                sessions.run_unattended(session, start.op, feed_dict=feeds)
            state.started.add(start.op)


def _lock_of(placement: Placement, scope: str) -> tf.Tensor:
    """The lock of the starts on the task of *placement*, held by a step in which this op runs; made below *scope*."""
    if not hasattr(placement.graph, _LOCKS):
        setattr(placement.graph, _LOCKS, {})
    known: Dict[str, tf.Tensor] = getattr(placement.graph, _LOCKS)
    if placement.task not in known:
        with outside_user_scopes(placement, scope):
            known[placement.task] = tf.raw_ops.MutexLock(mutex=tf.raw_ops.MutexV2(name="one_start_at_a_time"))
    return known[placement.task]

"""One step of a session for all pipelines that one call starts.

TensorFlow prepares a step that is new to it: it prunes, places and optimises, and reads all functions of the graph for
that. For a start this takes longer than all the rest. So where one call starts all queue runners of a graph, one step
starts what belongs to any of them; each runner still has its own op for that, as it may be started alone.

Rule 1: a start op runs once in a session; ``SessionState.started`` has those that did. The graph keeps count as well
        (``Once``), since a program may run an op by its name, or load the graph somewhere else.
Rule 2: what ends the pipelines is in the same step (``phases``), unless the start needs what is not its own: the
        program's ops that make a list of files would run again.
Rule 3: a start that fails is not counted, and a joint start that fails counts none. Then each runner starts with its
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
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._analysis.op_facts import has_same_bits
from queuecompat._session.graph_ops.counters import RunCounter
from queuecompat._session.graph_ops.phases import Phase
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes
from queuecompat._session.graph_ops.waits import after, gate
from queuecompat._session.starting.activity import Ops
from queuecompat._session.steps import sessions

__all__ = ["Once", "OneStart", "Start", "start_alone"]

_LOCKS = "_queuecompat_locks"
# Ops that are there from the first, or pass on what they are fed.
_GIVEN = {"Const", "NoOp", "Placeholder", "PlaceholderWithDefault", "Switch"}
# A dataset does nothing before its iterator is asked for elements, which one op does by itself.
_DATASET = re.compile(r"(?<!^Reduce)Dataset(V\d+)?$")
# What a run of the step does: it starts, it stops the sources, or it closes the draws.
PHASES = ("starts", "stops", "closes")


class Once:
    """The op that comes first in the *number*th start (from 0 on) that *counter* counts; OutOfRangeError after that.

    A start holds the lock of its task from there on until it is counted, or has failed. So of several at the same time
    one is done, and one that failed can be repeated.
    """

    def __init__(self, placement: Placement, scope: str, counter: RunCounter, number: int) -> None:
        self._placement, self.scope, self._counter = placement, scope, counter
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
        with outside_user_scopes(self._placement, self.scope):
            with after([self.op, *ready]):
                count = self._counter.count("count")
            with tf.control_dependencies([count]):
                return Start(tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock, name="start"), self, ready)

    def barrier(self, ready: Sequence[tf.Operation]) -> tf.Operation:
        """An op that comes after all of *ready*."""
        with outside_user_scopes(self._placement, self.scope):
            return gate(ready, "all_ready")

    def count_after(self, barrier: tf.Operation) -> tf.Operation:
        """An op that counts the start after *barrier*."""
        with outside_user_scopes(self._placement, self.scope), tf.control_dependencies([barrier]):
            return self._counter.count("count_with_others")

    def release_after(self, counts: Sequence[tf.Operation]) -> tf.Operation:
        """An op that opens the lock after *counts*."""
        with outside_user_scopes(self._placement, self.scope), tf.control_dependencies(counts):
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
    """The joint start of *starts*, of one task, and none of which has to start alone; and the end of the same runners.

    Args:
      endings: what ends the runners. It is in the step that starts them, which need not be prepared again then.
    """

    def __init__(self, placement: Placement, starts: Sequence[Start], endings: Sequence[Ops]) -> None:
        self._starts, self._endings = tuple(starts), tuple(endings)
        onces = [start.once for start in starts if start.once is not None]
        self._op = starts[0].op
        if len(onces) > 1:
            ready = [op for start in starts for op in start.ready]
            barrier = onces[0].barrier([*(one.op for one in onces), *ready])
            self._op = onces[0].release_after([one.count_after(barrier) for one in onces])
        phases = {name: Phase.of(placement, onces[0].scope, name) for name in PHASES}
        # Whether what a run does is in a phase altogether, so that the step may end pipelines as well.
        self._is_in_phases = all(map(_is_of_no_account, phases["starts"].outside(self._op)))
        self._is_done = {name: phase.is_done for name, phase in phases.items()} if self._is_in_phases else {}
        has_begun = {its: its.has_begun for its in endings if self._is_in_phases}
        self._has_begun = {
            its: [] if asked is None else [phases["stops"].or_else(asked, False)] for its, asked in has_begun.items()
        }
        # The arrays that a start is fed. All runs of the step are fed them; those of the end do not look at them.
        self._no_arrays: Dict[tf.Tensor, np.ndarray] = {}

    def is_of(self, starts: Sequence[Start], endings: Sequence[Ops]) -> bool:
        """Whether it is the joint start of *starts*, and ends *endings*."""
        return self._starts == tuple(starts) and self._endings == tuple(endings)

    def ends(self, endings: Sequence[Ops]) -> bool:
        """Whether these are all that its step ends."""
        return self._is_in_phases and set(self._endings) == set(endings)

    def has_begun(self, session: tf.compat.v1.Session) -> bool:
        """Whether any of what it starts has been started in *session*."""
        started = sessions.state_of(session).started
        return any(start.op in started for start in self._starts)

    def run(self, session: tf.compat.v1.Session, feeds: Dict[tf.Tensor, np.ndarray]) -> bool:
        """Starts everything in *session*; the caller holds ``starting``.

        Returns:
          Whether it did; False: nothing has been started, and each is to be started with its own op.
        """
        self._no_arrays = {tensor: np.zeros([0], array.dtype) for tensor, array in feeds.items()}
        fetches, not_fed = self.step(self._endings, "starts")
        try:
            sessions.run_unattended(session, fetches, feed_dict={**not_fed, **feeds})
        except tf.errors.OpError as problem:
            # Not a message for users: the start of the one pipeline that fails says it.
            logging.getLogger("queuecompat").debug("pipelines start one by one: %s", problem)
            return False
        state = sessions.state_of(session)
        state.one_start = self
        state.note_starts(start.op for start in self._starts)
        return True

    def step(self, endings: Sequence[Ops], phase: str) -> Tuple[List[List[Any]], Dict[tf.Tensor, Any]]:
        """What a run fetches and is fed that does *phase*.

        Args:
          endings: all that it ends; a row of the fetches is of each. Whether its pipelines had begun comes first.
        """
        rows = [[*self._has_begun[its], *its.stop, *its.close] for its in endings] if self._is_in_phases else []
        is_done = {tensor: name == phase for name, tensor in self._is_done.items()}
        return [*rows, [self._op]], {**self._no_arrays, **is_done}


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
            state.note_starts([start.op])


def _is_of_no_account(op: tf.Operation) -> bool:
    """Whether running *op* in each run of a step changes nothing, waits for nothing and takes no time."""
    is_handle = not op.inputs and [output.dtype for output in op.outputs] == [tf.resource]
    return op.type in _GIVEN or is_handle or _DATASET.search(op.type) is not None or has_same_bits(op.type)


def _lock_of(placement: Placement, scope: str) -> tf.Tensor:
    """The lock of the starts on the task of *placement*, held by a step in which this op runs; made below *scope*."""
    if not hasattr(placement.graph, _LOCKS):
        setattr(placement.graph, _LOCKS, {})
    known: Dict[str, tf.Tensor] = getattr(placement.graph, _LOCKS)
    if placement.task not in known:
        pivot = Phase.of(placement, scope, "starts").pivot
        with outside_user_scopes(placement, scope), after([pivot]):
            known[placement.task] = tf.raw_ops.MutexLock(mutex=tf.raw_ops.MutexV2(name="one_start_at_a_time"))
    return known[placement.task]

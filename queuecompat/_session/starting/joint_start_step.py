"""One step of a session that starts all pipelines that one call of the program starts: a *joint start*.

TensorFlow prepares a step that is new to it: it prunes, places and optimises the graph, and reads all its functions.
For a start, this takes longer than everything else. So where one call starts all queue runners of a graph, one step
starts all their pipelines. Each runner still has a start op of its own, because it may also be started alone.

Rule 1: a start op runs once per session; ``SessionState.started`` has those that did. The graph counts, too
        (``StartClaim``), since a program may run an op by its name, or load the graph in a different process.
Rule 2: the ops that end the pipelines are in the same step (``phases``), unless the start depends on the program's own
        ops (those that compute a list of files, say), which would run again whenever the step ends pipelines.
Rule 3: a start that fails is not counted, and if a joint start fails, nothing of it is counted. Then each runner starts
        with its own op, and the error is raised by the runner whose pipeline fails.
Guarantees: no guard opens before all iterators, counters and gates of a joint start are ready (the barrier), so that no
draw can read an iterator that is still empty. If several threads start the same runner in one session, one of them does
it, and the others return afterwards.
Assumptions: the ops of a start do not block.
Locks: in the graph there is one lock for each task, and no step takes two, so that no two steps can deadlock. In this
process, ``SessionState.starting`` is held from the check of what has run until the run is noted. It is re-entrant, and
is taken before the locks of activities; the graph is settled before it is taken.
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
from queuecompat._session.steps import open_sessions, sessions

__all__ = ["JointStartStep", "Start", "StartClaim", "start_alone"]

_LOCKS = "_queuecompat_locks"
# Ops without any effect: constants, and ops that pass on what they are fed.
_GIVEN = {"Const", "NoOp", "Placeholder", "PlaceholderWithDefault", "Switch"}
# Ops that only describe a dataset: nothing is computed until an iterator asks for elements. ReduceDataset, which runs a
# dataset by itself, is excluded.
_DATASET = re.compile(r"(?<!^Reduce)Dataset(V\d+)?$")
# What one run of the step does: it starts pipelines, it stops their sources, or it closes their draws.
PHASES = ("starts", "stops", "closes")


class StartClaim:
    """The first op of the *number*th start (from 0) that *counter* counts; OutOfRangeError if that start has been done.

    From this op on, a start holds the lock of its task until it has been counted or has failed. So of several
    concurrent starts one succeeds, and a start that failed can be repeated.
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
                claim = tf.raw_ops.ResourceCountUpTo(resource=handle, limit=number + 1, T=tf.int32, name="once")
        self.op: tf.Operation = claim.op

    def start(self, ready: Sequence[tf.Operation]) -> Start:
        """The start that consists of this op, then *ready*, and then the count."""
        with outside_user_scopes(self._placement, self.scope):
            with after([self.op, *ready]):
                count = self._counter.count("count")
            with tf.control_dependencies([count]):
                return Start(tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock, name="start"), self, ready)

    def barrier(self, ready: Sequence[tf.Operation]) -> tf.Operation:
        """An op that runs after all of *ready*."""
        with outside_user_scopes(self._placement, self.scope):
            return gate(ready, "all_ready")

    def count_after(self, barrier: tf.Operation) -> tf.Operation:
        """An op that counts this start, and runs after *barrier*."""
        with outside_user_scopes(self._placement, self.scope), tf.control_dependencies([barrier]):
            return self._counter.count("count_with_others")

    def release_after(self, counts: Sequence[tf.Operation]) -> tf.Operation:
        """An op that releases the lock, and runs after *counts*."""
        with outside_user_scopes(self._placement, self.scope), tf.control_dependencies(counts):
            return tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock, name="start_with_others")


@dataclasses.dataclass(frozen=True, eq=False)
class Start:
    """A start of a runner.

    Args:
      op: runs the whole start by itself.
      claim: its first op; None: the start is from a saved graph, and can only be run alone.
      ready: the ops between *claim* and the count.
    """

    op: tf.Operation
    claim: Optional[StartClaim] = None
    ready: Sequence[tf.Operation] = ()


class JointStartStep:
    """The joint start of *starts*, and the ops that end the same runners.

    Assumptions: all of *starts* are on one task, and each of them has a claim.

    Args:
      endings: the ops that end the runners. They are in the step that starts them, so that TensorFlow does not have to
        prepare a new step to end them.
    """

    def __init__(self, placement: Placement, starts: Sequence[Start], endings: Sequence[Ops]) -> None:
        self._starts, self._endings = tuple(starts), tuple(endings)
        claims = [start.claim for start in starts if start.claim is not None]
        self._op = starts[0].op
        if len(claims) > 1:
            ready = [op for start in starts for op in start.ready]
            barrier = claims[0].barrier([*(claim.op for claim in claims), *ready])
            self._op = claims[0].release_after([claim.count_after(barrier) for claim in claims])
        phases = {name: Phase.of(placement, claims[0].scope, name) for name in PHASES}
        # Whether everything with an effect is in a phase, so that the step may also end pipelines.
        self._is_in_phases = all(map(_may_run_in_any_phase, phases["starts"].outside(self._op)))
        self._is_done = {name: phase.is_done for name, phase in phases.items()} if self._is_in_phases else {}
        has_begun = {its: its.has_begun for its in endings if self._is_in_phases}
        self._has_begun = {
            its: [] if asked is None else [phases["stops"].or_else(asked, False)] for its, asked in has_begun.items()
        }
        # Empty arrays for the placeholders that a start is fed. Every run of the step has to feed them; runs that end
        # pipelines ignore the values.
        self._no_arrays: Dict[tf.Tensor, np.ndarray] = {}

    def is_of(self, starts: Sequence[Start], endings: Sequence[Ops]) -> bool:
        """Whether it is the joint start of *starts*, and ends *endings*."""
        return self._starts == tuple(starts) and self._endings == tuple(endings)

    def ends(self, endings: Sequence[Ops]) -> bool:
        """Whether its step can end pipelines, and *endings* are all that it ends."""
        return self._is_in_phases and set(self._endings) == set(endings)

    def has_begun(self, session: tf.compat.v1.Session) -> bool:
        """Whether any of its starts has been run in *session*."""
        started = open_sessions.state_of(session).started
        return any(start.op in started for start in self._starts)

    def run(self, session: tf.compat.v1.Session, feeds: Dict[tf.Tensor, np.ndarray]) -> bool:
        """Starts everything in *session*; the caller holds ``SessionState.starting``.

        Returns:
          Whether it succeeded; False: nothing has been started, and each start has to be run with its own op.
        """
        self._no_arrays = {tensor: np.zeros([0], array.dtype) for tensor, array in feeds.items()}
        fetches, not_fed = self.step(self._endings, "starts")
        try:
            sessions.run_unattended(session, fetches, feed_dict={**not_fed, **feeds})
        except tf.errors.OpError as problem:
            # Not a message for users: the pipeline that fails reports the error when it is started alone.
            logging.getLogger("queuecompat").debug("pipelines start one by one: %s", problem)
            return False
        state = open_sessions.state_of(session)
        state.joint_start_step = self
        state.note_starts(start.op for start in self._starts)
        return True

    def step(self, endings: Sequence[Ops], phase: str) -> Tuple[List[List[Any]], Dict[tf.Tensor, Any]]:
        """The fetches and feeds of a run that does *phase*.

        Args:
          endings: all that the step ends. Each has a row in the fetches, which begins with whether its pipelines had
            begun, where that is known.
        """
        rows = [[*self._has_begun[its], *its.stop, *its.close] for its in endings] if self._is_in_phases else []
        is_done = {tensor: name == phase for name, tensor in self._is_done.items()}
        return [*rows, [self._op]], {**self._no_arrays, **is_done}


def start_alone(session: tf.compat.v1.Session, starts: Sequence[Start], feeds: Dict[tf.Tensor, Any]) -> None:
    """Runs those of *starts* that have not been run in *session*, one after the other.

    Raises:
      tf.errors.OpError: one of them failed; it may be run again.
    """
    state = open_sessions.state_of(session)
    with state.starting:
        for start in [one for one in starts if one.op not in state.started]:
            # OutOfRangeError comes from ``StartClaim``: it has already been started in this session.
            with contextlib.suppress(tf.errors.OutOfRangeError):
                sessions.run_unattended(session, start.op, feed_dict=feeds)
            state.note_starts([start.op])


def _may_run_in_any_phase(op: tf.Operation) -> bool:
    """Whether running *op* in every run of a step has no effect, does not block, and takes no time."""
    is_handle = not op.inputs and [output.dtype for output in op.outputs] == [tf.resource]
    return op.type in _GIVEN or is_handle or _DATASET.search(op.type) is not None or has_same_bits(op.type)


def _lock_of(placement: Placement, scope: str) -> tf.Tensor:
    """The lock of the starts on the task of *placement*; a step in which this op runs holds it.

    It is made below *scope* if the task has none yet.
    """
    if not hasattr(placement.graph, _LOCKS):
        setattr(placement.graph, _LOCKS, {})
    known: Dict[str, tf.Tensor] = getattr(placement.graph, _LOCKS)
    if placement.task not in known:
        pivot = Phase.of(placement, scope, "starts").pivot
        with outside_user_scopes(placement, scope), after([pivot]):
            known[placement.task] = tf.raw_ops.MutexLock(mutex=tf.raw_ops.MutexV2(name="one_start_at_a_time"))
    return known[placement.task]

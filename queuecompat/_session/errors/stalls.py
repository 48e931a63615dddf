"""The stall watch: tells the user, once per pipeline, what a program waits for if a pipeline delivers nothing.

A step of a session is waiting, and not computing, if it has asked a pipeline for a batch that the pipeline has not
delivered. Requests and deliveries are counted by ops of the graph (``Throughput``). They are only read when a thread
has been inside the same ``Session.run`` for ``waiting.PATIENCE`` seconds, so a program that does not stall pays only
for the counting.

Rule 1: the watch's thread ends when the last session is closed or garbage-collected.
Rule 2: the watch never touches a session in which nothing waits. At the end of the process its thread closes all
        sessions: see ``exits``.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import types
from typing import Any, Callable, Dict, List, Set, Tuple

import tensorflow as tf

from queuecompat._native.waiting import PATIENCE, CallWatch
from queuecompat._session.steps.fetches import ops_required_by
from queuecompat._session.streams.throughput import Throughput
from queuecompat.errors import layout
from queuecompat.plurals import counted

__all__ = ["WATCH", "StallWatch"]

# A consumer may be busy for long; only after this time it is taken for one that has ended.
PATIENCE_FOR_CONSUMERS = 60.0  # seconds

_ENQUEUING = ("QueueEnqueueManyV2", "QueueEnqueueV2")
_RUN = tf.compat.v1.Session.run.__code__


class StallWatch(CallWatch):
    """Watches the sessions that are passed to ``watch``.

    Args:
      clock: returns a time in seconds, from any starting point.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._reported: Set[int] = set()
        self._questions: Dict[int, Tuple[int, float]] = {}
        self._deliveries: Dict[int, Tuple[int, float]] = {}

    def watch(self, session: tf.compat.v1.Session, throughputs: Callable[[], List[Throughput]]) -> None:
        """Starts to watch the pipelines of *session*; *throughputs* returns those of its graph."""
        self._watch(session, _RUN, throughputs)

    def forget(self, session: tf.compat.v1.Session) -> None:
        """Stops watching *session*, which is closed. The thread ends with the last session."""
        with self._lock:
            self._watched.pop(session, None)
            self._lock.notify_all()

    def _report(self, thread: int, frame: types.FrameType, seconds: float) -> None:
        # The session may have been closed meanwhile, or be broken: then nothing waits in it any more.
        with contextlib.suppress(RuntimeError, tf.errors.OpError):
            self._report_step(thread, frame.f_locals.get("self"), frame.f_locals.get("fetches"), seconds)

    def _report_step(self, thread: int, session: Any, fetches: Any, seconds: float) -> None:
        throughputs = self._watched.get(session)
        if session is None or throughputs is None:
            return
        wanted = ops_required_by(session.graph, fetches)
        for throughput in throughputs():
            if id(throughput) in self._reported:
                continue
            is_awaited = throughput.op_name in wanted and throughput.is_awaited(session)
            if is_awaited or (_fills(session.graph, throughput, wanted) and self._is_starved(throughput, session)):
                self._say(throughput, _nothing_comes(throughput, session, seconds))
            elif throughput.queues & _filled(session.graph, wanted) and self._is_abandoned(throughput, session):
                self._say(throughput, _nothing_is_read(throughput, _name_of(thread)))

    def _say(self, throughput: Throughput, words: str) -> None:
        self._reported.add(id(throughput))
        print(words, file=sys.stderr, flush=True)

    def _is_starved(self, throughput: Throughput, session: tf.compat.v1.Session) -> bool:
        """Whether the pipeline, which fills a queue of TensorFlow's own, waited for ``PATIENCE`` seconds.

        The step need not wait for it: the queue may hold enough elements. So this takes longer than where a step asks.
        """
        came, now = throughput.examples(session), self._clock()
        before, since = self._deliveries.setdefault(id(throughput), (came, now))
        if came != before or not throughput.is_awaited(session):
            self._deliveries[id(throughput)] = (came, now)
            return False
        return now - since >= PATIENCE

    def _is_abandoned(self, throughput: Throughput, session: tf.compat.v1.Session) -> bool:
        """Whether the pipeline, whose queue a thread fills, was not read for ``PATIENCE_FOR_CONSUMERS`` seconds."""
        asked, now = throughput.asked(session), self._clock()
        before, since = self._questions.setdefault(id(throughput), (asked, now))
        if asked != before:
            self._questions[id(throughput)] = (asked, now)
        return asked == before and now - since >= PATIENCE_FOR_CONSUMERS


def _filled(graph: tf.Graph, names: Set[str]) -> Set[str]:
    """The queues that the ops called *names* enqueue into, as the names of the queues' own ops."""
    ops = (graph.get_operation_by_name(name) for name in names)
    return {op.inputs[0].op.name for op in ops if op.type in _ENQUEUING}


def _fills(graph: tf.Graph, throughput: Throughput, wanted: Set[str]) -> bool:
    """Whether the pipeline fills a queue of TensorFlow's own from which the ops called *wanted* take elements."""
    ops = (graph.get_operation_by_name(name) for name in wanted)
    handles = (op.inputs[0] for op in ops if op.type.startswith("QueueDequeue"))
    filling = (op for handle in handles for op in handle.consumers() if op.type in _ENQUEUING)
    return any(op.name.startswith(f"{throughput.op_name}/") for op in filling)


def _name_of(thread: int) -> str:
    return next((one.name for one in threading.enumerate() if one.ident == thread), "a thread that has ended")


def _nothing_comes(throughput: Throughput, session: tf.compat.v1.Session, seconds: float) -> str:
    came = throughput.examples(session)
    return layout(
        "QC306",
        throughput.made_at,
        stage=throughput.stage,
        seconds=round(seconds),
        so_far=f"{counted(came, 'example')} so far" if came else "no example so far",
        waits_for="; ".join(throughput.waits_for(session)),
    )


def _nothing_is_read(throughput: Throughput, thread: str) -> str:
    return layout("QC307", throughput.made_at, stage=throughput.stage, thread=thread, queue=min(throughput.queues))


WATCH = StallWatch()

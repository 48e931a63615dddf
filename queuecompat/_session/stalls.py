"""The stall watch: a program that waits for a pipeline without output is told, once, what it waits for.

A step of a session is waiting, and not computing, when it has asked a pipeline for a batch that the
pipeline has not delivered. Both are counted inside the graph (``Throughput``). They are only looked at when a
thread has been inside one and the same ``Session.run`` for ``PATIENCE`` seconds, so a program that is not
stalled pays for nothing but the counting.

Rule 1: one thread a process, which ends when the last session that it watches is closed or gone, and at the
        latest when Python does.
Rule 2: the watch never touches a session in which nothing waits.
"""

from __future__ import annotations

import atexit
import contextlib
import sys
import threading
import time
import types
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import tensorflow as tf

from queuecompat._session.fetches import ops_behind
from queuecompat._session.throughput import Throughput
from queuecompat.errors import layout

__all__ = ["PATIENCE", "WATCH", "StallWatch"]

PATIENCE = 10.0  # seconds
# Steps that take long are no news; a consumer that has ended is.
PATIENCE_FOR_CONSUMERS = 60.0  # seconds
_INTERVAL = 1.0  # seconds between two looks

_RUN = tf.compat.v1.Session.run.__code__


class StallWatch:
    """Looks after the sessions that it was given.

    Args:
      clock: seconds, from any beginning.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Condition()
        # A session that is gone is watched no more.
        self._deliveries: weakref.WeakKeyDictionary[Any, Callable[[], List[Throughput]]] = weakref.WeakKeyDictionary()
        self._runs: Dict[int, Tuple[types.FrameType, float]] = {}
        self._told: Set[int] = set()
        self._questions: Dict[int, Tuple[int, float]] = {}
        self._thread: Optional[threading.Thread] = None
        self._is_over = False

    def watch(self, session: tf.compat.v1.Session, throughputs: Callable[[], List[Throughput]]) -> None:
        """From now on *session*'s pipelines are looked after; *throughputs* returns those of its graph."""
        with self._lock:
            self._deliveries.setdefault(session, throughputs)
            if self._thread is None and not self._is_over:
                self._thread = threading.Thread(target=self._look_on, name="queuecompat-stall-watch", daemon=True)
                self._thread.start()

    def forget(self, session: tf.compat.v1.Session) -> None:
        """*session* is closed; the thread ends with the last one."""
        with self._lock:
            self._deliveries.pop(session, None)
            self._lock.notify_all()

    def look(self) -> None:
        """Looks at every thread once, and tells what stalls."""
        running = dict(_sessions_that_run())
        now = self._clock()
        # The frame itself is kept, not its id: another one could get the same.
        self._runs = {
            thread: (frame, self._runs[thread][1] if self._runs.get(thread, (None,))[0] is frame else now)
            for thread, frame in running.items()
        }
        for thread, (frame, since) in self._runs.items():
            if now - since >= PATIENCE:
                # The session may be closed meanwhile, or broken: nobody waits there any more.
                with contextlib.suppress(RuntimeError, tf.errors.OpError):
                    self._tell(thread, frame, now - since)

    def end(self) -> None:
        """Ends the thread; nothing is watched any more."""
        with self._lock:
            self._is_over = True
            self._lock.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _look_on(self) -> None:
        while True:
            with self._lock:
                self._lock.wait(_INTERVAL)
                if self._is_over or not self._deliveries:
                    self._thread = None
                    self._runs = {}
                    return
            self.look()

    def _tell(self, thread: int, frame: types.FrameType, seconds: float) -> None:
        session = frame.f_locals.get("self")
        throughputs = self._deliveries.get(session)
        if session is None or throughputs is None:
            return
        wanted = ops_behind(session.graph, frame.f_locals.get("fetches"))
        for throughput in throughputs():
            if id(throughput) in self._told:
                continue
            if throughput.op_name in wanted and throughput.is_awaited(session):
                self._say(throughput, _nothing_comes(throughput, session, seconds))
            elif throughput.queues & _filled(session.graph, wanted) and self._is_abandoned(throughput, session):
                self._say(throughput, _nobody_asks(throughput, _name_of(thread)))

    def _say(self, throughput: Throughput, words: str) -> None:
        self._told.add(id(throughput))
        print(words, file=sys.stderr, flush=True)

    def _is_abandoned(self, throughput: Throughput, session: tf.compat.v1.Session) -> bool:
        """Whether nothing has been read from it for a long time, though its queue is being filled."""
        asked, now = throughput.asked(session), self._clock()
        before, since = self._questions.setdefault(id(throughput), (asked, now))
        if asked != before:
            self._questions[id(throughput)] = (asked, now)
        return asked == before and now - since >= PATIENCE_FOR_CONSUMERS


def _sessions_that_run() -> Iterator[Tuple[int, types.FrameType]]:
    """For each thread inside ``Session.run``, the frame of that call."""
    for thread, top in sys._current_frames().items():
        frame: Optional[types.FrameType] = top
        while frame is not None:
            if frame.f_code is _RUN:
                yield thread, frame
                break
            frame = frame.f_back


def _filled(graph: tf.Graph, names: Set[str]) -> Set[str]:
    """The queues that the ops *names* put something into, by the names of their ops."""
    ops = (graph.get_operation_by_name(name) for name in names)
    return {op.inputs[0].op.name for op in ops if op.type in ("QueueEnqueueV2", "QueueEnqueueManyV2")}


def _name_of(thread: int) -> str:
    return next((one.name for one in threading.enumerate() if one.ident == thread), "a thread that has ended")


def _nothing_comes(throughput: Throughput, session: tf.compat.v1.Session, seconds: float) -> str:
    came = throughput.examples(session)
    return layout(
        "QC306",
        throughput.made_at,
        stage=throughput.stage,
        seconds=round(seconds),
        so_far=f"{came} examples came before" if came else "not one has come yet",
        waits_for="; ".join(throughput.waits_for(session)),
    )


def _nobody_asks(throughput: Throughput, thread: str) -> str:
    return layout("QC307", throughput.made_at, stage=throughput.stage, thread=thread, queue=min(throughput.queues))


WATCH = StallWatch()
# Before Python takes the threads away: the watch must not be inside TensorFlow then.
atexit.register(WATCH.end)

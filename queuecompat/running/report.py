"""``--report``: what became of every pipeline, how fast it was, and who waited for whom.

The figures are counted inside the graph (``_session/throughput.py``) and live in a session; they are read
when it is closed, or at the end of the program.
"""

from __future__ import annotations

import logging
import os
import sys
import weakref
from typing import Dict, List, TextIO

import tensorflow as tf

from queuecompat._plan.stages import NativeStage
from queuecompat._session import sessions, throughput
from queuecompat._session.backend import SessionBackend
from queuecompat._session.throughput import Stats, Throughput

__all__ = ["Report"]

# A training loop that waits for more than this share of its time is kept back by its data.
_MUCH = 0.1
# Below this the figures are those of the start.
_LEAST = 0.5  # seconds
_SINGULAR = {"batches": "batch", "elements": "element", "examples": "example"}


class Report:
    """The pipelines of all graphs from ``begin`` on, and their figures."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._graphs: List[SessionBackend] = []
        self._sessions: weakref.WeakSet[tf.compat.v1.Session] = weakref.WeakSet()
        self._stats: Dict[int, Stats] = {}

    @classmethod
    def begin(cls) -> Report:
        """Measures every pipeline that is built from now on."""
        report = cls()
        throughput.measure(True)
        SessionBackend.observers.append(report._graphs.append)
        SessionBackend.session_observers.append(report._watch)
        return report

    def show(self, out: TextIO = sys.stderr) -> None:
        """Reads what is still open, and prints everything; not in a fork, where no session can be run any more."""
        if os.getpid() != self._process:
            return
        for session in list(self._sessions):
            self._read(session)
        print("\nqueuecompat: report on the input pipelines", file=out)
        lines = [line for backend in self._graphs for line in self._lines(backend)]
        print("\n".join(lines or ["  the program built no input pipeline"]), file=out, flush=True)

    def _watch(self, session: tf.compat.v1.Session) -> None:
        if session not in self._sessions:
            self._sessions.add(session)
            sessions.before_close(session, self._read)

    def _read(self, session: tf.compat.v1.Session) -> None:
        if session not in self._sessions:
            return
        self._sessions.discard(session)
        for backend in self._graphs:
            if backend.graph is session.graph:
                for one in backend.throughputs():
                    self._add(one, session)

    def _add(self, one: Throughput, session: tf.compat.v1.Session) -> None:
        try:
            now = one.stats(session)
        except (RuntimeError, tf.errors.OpError) as problem:
            # A session that broke has no figures to give; the program has had its error already.
            logging.getLogger("queuecompat").info("no figures of '%s': %s", one.stage, problem)
            return
        before = self._stats.get(id(one), Stats(0, 0.0, 0.0))
        self._stats[id(one)] = Stats(before.count + now.count, before.seconds + now.seconds, before.waited + now.waited)

    def _lines(self, backend: SessionBackend) -> List[str]:
        lines = []
        for one in backend.throughputs():
            if not backend.is_inner(one):
                figures = self._stats.get(id(one), Stats(0, 0.0, 0.0))
                fed = backend.feeds_native_queues(one)
                words = _to_queues(figures, one.unit) if fed else _to_the_program(figures, one.unit)
                lines += [f"  '{one.stage}': compiled to tf.data, made at {one.made_at}", f"    {words}"]
        for stage in backend.pipelines.stages:
            if isinstance(stage, NativeStage):
                lines.append(f"  '{stage.name}': native (on TensorFlow's own queues), made at {stage.made_at}")
                lines += ["    " + line for line in stage.reason.text.splitlines()]
        return lines


def _counted(figures: Stats, unit: str) -> str:
    return f"{figures.count:,} {unit if figures.count > 1 else _SINGULAR[unit]}"


def _to_queues(figures: Stats, unit: str) -> str:
    """The threads that fill a queue wait for room in it, too: who was late, the figures cannot say."""
    if not figures.count:
        return "delivered nothing to the TensorFlow queues that it feeds"
    return f"{_counted(figures, unit)}, delivered to TensorFlow's own queues"


def _to_the_program(figures: Stats, unit: str) -> str:
    if not figures.count:
        return "delivered nothing"
    delivered = _counted(figures, unit)
    if figures.seconds < _LEAST:
        return f"{delivered}, in too short a time to measure the speed"
    share = figures.waited / figures.seconds
    verdict = "the model waits for data" if share > _MUCH else "data waits for the model"
    return (
        f"{delivered}, {figures.count / figures.seconds:,.0f} a second; the training loop waited "
        f"{figures.waited:.1f} s of {figures.seconds:.1f} s for them ({share:.0%}): {verdict}"
    )

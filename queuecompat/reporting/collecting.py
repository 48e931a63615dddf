"""Reads the figures of every pipeline.

They are counted inside the graph (``_session/streams/throughput.py``) and belong to a session. They are read when the
session is closed, when the report is shown, and periodically in between (``sampling``).

Locks: ``_reading`` is held while a session is read, so that it is not closed meanwhile. It is re-entrant, because the
garbage collector may close a session in any line.
"""

from __future__ import annotations

import logging
import os
import pathlib
import sys
import threading
import weakref
from typing import Any, Callable, Dict, List, Optional, TextIO, Tuple, Union

import tensorflow as tf

from queuecompat._plan import skipped
from queuecompat._session.backend import SessionBackend
from queuecompat._session.steps import open_sessions, sessions
from queuecompat._session.streams import throughput
from queuecompat._session.streams.throughput import Stats
from queuecompat.plurals import counted
from queuecompat.reporting import data, page, text
from queuecompat.reporting.figures import Native, Pipeline
from queuecompat.reporting.pipelines import Seen, pipelines_of
from queuecompat.reporting.sampling import Sampler

__all__ = ["Report", "form_of", "report"]


def report() -> Report:
    """Measures every pipeline that is built in a graph from now on; print the result for the figures so far.

    Call it before the pipelines are built. Datasets of ``as_dataset`` are not measured, but the bad data that they skip
    is listed. A notebook shows the report as a page; ``python -m queuecompat run --report`` does the same for a whole
    program.

    How the work is spread over a pipeline's stages is measured with TensorFlow's profiler, in a few recordings of 0.02
    to 0.1 s (up to 1 s if two batches take as long), from one second after the first batch on. None follows once the
    program itself traces a step.

    Returns:
      The report. ``write("report.html")`` writes a page that needs no network, ``write("report.json")`` data.
    Differs from TF1: it had none.
    """
    return Report.begin()


class Report:
    """The pipelines of all graphs since ``begin``, and their figures."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._graphs: List[SessionBackend] = []
        self._sessions: weakref.WeakSet[tf.compat.v1.Session] = weakref.WeakSet()
        self._stats: Dict[int, Stats] = {}
        self._reading = threading.RLock()
        self._sampler = Sampler(self._look, _delivered_between)
        self._earlier_logs = 0

    @classmethod
    def begin(cls) -> Report:
        """Starts to measure every pipeline that is built from now on."""
        report = cls()
        report._earlier_logs = len(skipped.LOGS)
        throughput.measure(True)
        SessionBackend.observers.append(report._graphs.append)
        SessionBackend.session_observers.append(report._watch)
        sessions.before_traced_steps.append(report._sampler.release_profiler)
        return report

    @property
    def pipelines(self) -> List[Union[Pipeline, Native]]:
        """All pipelines, in the order in which the program built them, with their figures so far."""
        open_ones = {session: self._read(session) for session in list(self._sessions)}
        now = dict(self._stats)
        for figures in open_ones.values():
            for key, stats in figures.items():
                now[key] = now.get(key, Stats()) + stats
        return pipelines_of(self._graphs, now, self._sampler.looks, self._sampler.recordings)

    @property
    def skipped(self) -> List[skipped.SkipLog]:
        """The logs of what the pipelines with ``on_error="skip"`` skipped so far, datasets included."""
        return skipped.LOGS[self._earlier_logs :]

    def show(self, out: TextIO = sys.stderr) -> None:
        """Prints everything; does nothing in a forked process, where sessions can no longer run."""
        if self._is_of_this_process:
            print(f"\n{self}", file=out, flush=True)

    def write(self, path: Union[str, os.PathLike[str]]) -> bool:
        """Writes everything to a file: as JSON if *path* ends in ``.json``, as a page if it ends in ``.html``.

        Returns:
          Whether it was written: not in a forked process, where sessions can no longer run.
        Raises:
          ValueError: *path* ends in something else, or its folder does not exist.
          OSError: the file cannot be written.
        """
        form = form_of(path)
        if self._is_of_this_process:
            pathlib.Path(path).write_text(form(self.pipelines, self.skipped), encoding="utf-8")
        return self._is_of_this_process

    def __str__(self) -> str:
        return text.render(self.pipelines, self.skipped)

    def __repr__(self) -> str:
        return f"<Report on {counted(len(pipelines_of(self._graphs, {})), 'pipeline')}; print it>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return page.fragment(self.pipelines, self.skipped)

    @property
    def _is_of_this_process(self) -> bool:
        return os.getpid() == self._process

    def _watch(self, session: tf.compat.v1.Session) -> None:
        if session not in self._sessions:
            self._sessions.add(session)
            open_sessions.before_close(session, self._close)
            self._sampler.begin()

    def _close(self, session: tf.compat.v1.Session) -> None:
        with self._reading:
            is_watched = session in self._sessions
            self._sessions.discard(session)
        if not is_watched:
            return
        if not self._sessions:
            self._sampler.end()
        for key, stats in self._read(session).items():
            self._stats[key] = self._stats.get(key, Stats()) + stats

    def _look(self) -> Optional[Dict[int, Seen]]:
        """Returns what each pipeline has done so far, by the id of its counters; None if nothing was delivered yet."""
        seen: Dict[int, Seen] = {}
        for session in list(self._sessions):
            with self._reading:
                if session in self._sessions:
                    seen.update(self._seen(session))
        return seen if any(one.stats.count for one in seen.values()) else None

    def _read(self, session: tf.compat.v1.Session) -> Dict[int, Stats]:
        """Returns what each pipeline has done in *session* so far, by the id of its counters."""
        return {key: one.stats for key, one in self._seen(session).items()}

    def _seen(self, session: tf.compat.v1.Session) -> Dict[int, Seen]:
        found = {}
        for one in (one for backend in self._graphs if backend.graph is session.graph for one in backend.throughputs()):
            try:
                found[id(one)] = Seen(*one.figures(session))
            except (RuntimeError, tf.errors.OpError) as problem:
                # A session that failed has no figures; the program has already got its error.
                logging.getLogger("queuecompat").info("no figures of '%s': %s", one.stage, problem)
        return found


def _delivered_between(earlier: Dict[int, Seen], later: Dict[int, Seen]) -> List[Tuple[int, int]]:
    """Returns the batches and examples that each active pipeline delivered between two looks."""
    nothing = Stats()
    counts = [(earlier[key].stats if key in earlier else nothing, one.stats) for key, one in later.items()]
    return [(now.answers - before.answers, now.count - before.count) for before, now in counts if now.requests]


# The function that writes a report, by the file's extension.
_FORMS = {".html": page.render, ".json": data.render}


def form_of(
    path: Union[str, os.PathLike[str]],
) -> Callable[[List[Union[Pipeline, Native]], List[skipped.SkipLog]], str]:
    """Returns the function that formats a report for *path*.

    Raises:
      ValueError: the extension is unknown, or the folder does not exist.
    """
    file = pathlib.Path(path)
    if file.suffix.lower() not in _FORMS:
        raise ValueError(f"a report is written to a file that ends in {' or '.join(_FORMS)}, which '{file}' does not")
    if not file.parent.is_dir():
        raise ValueError(f"the folder of the report, '{file.parent}', does not exist")
    return _FORMS[file.suffix.lower()]

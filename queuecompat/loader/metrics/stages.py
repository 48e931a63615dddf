"""The time that workers spend in each stage: waiting, reading, decoding, augmenting, assembling batches.

Rule 1: a worker is in one stage at a time, so the seconds of all stages add up to its lifetime. Time inside of ``load``
        that is in no ``stage`` block counts as stage "load".
Rule 2: a clock belongs to one thread, and only that thread writes to it; others read copies.
Rule 3: the memory for measurements is bounded: sums of seconds, and the last spans for a timeline.
"""

from __future__ import annotations

import collections
import contextlib
import threading
import time
from types import TracebackType
from typing import Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple, Type

__all__ = ["IN_PROCESS", "Span", "StageClock", "StageTotals", "clocked", "stage"]

# The stage of a thread that waits for its worker process to load items; the process measures its own stages.
IN_PROCESS = "load in a process"
_MOST_SPANS = 2000  # per worker

_local = threading.local()


class Span(NamedTuple):
    """One stretch of time in *stage*; *begin* and *end* are seconds of ``time.perf_counter``."""

    stage: str
    begin: float
    end: float


class StageClock:
    """Measures one worker's stages: the seconds in each, and the last *spans* (stage, begin, end), if not None."""

    __slots__ = ("_since", "_stage", "seconds", "spans")

    def __init__(self, stage: str, spans: Optional[Deque[Tuple[str, float, float]]] = None) -> None:
        self.seconds: Dict[str, float] = {}
        self.spans = spans
        self._stage = stage
        self._since = time.perf_counter()

    def switch(self, stage: str) -> str:
        """Begins *stage*; returns the stage that ends."""
        before, since, now = self._stage, self._since, time.perf_counter()
        self._stage, self._since = stage, now
        self.seconds[before] = self.seconds.get(before, 0.0) + now - since
        if self.spans is not None and stage != before:
            self.spans.append((before, since, now))  # a plain tuple, because this is called often; ``spans()`` converts
        return before


class stage:  # noqa: N801 - used as a function is
    """Counts a ``with`` block as stage *name* of the work on an item, in ``statistics()`` and ``timeline()``::

        def load(path, rng):
            with queuecompat.loader.stage("read"):
                data = read(path)
            with queuecompat.loader.stage("decode"):
                return decode(data)

    In nested blocks, time counts for the innermost block only. Outside of a loader's workers this does nothing.
    """

    __slots__ = ("_before", "_clock", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._clock: Optional[StageClock] = getattr(_local, "clock", None)
        if self._clock is not None:
            self._before = self._clock.switch(self._name)

    def __exit__(
        self, kind: Optional[Type[BaseException]], problem: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._clock is not None:
            self._clock.switch(self._before)


@contextlib.contextmanager
def clocked(clock: StageClock) -> Iterator[StageClock]:
    """Makes *clock* the clock of this thread, to which ``stage`` blocks write, for a ``with`` block."""
    before = getattr(_local, "clock", None)
    _local.clock = clock
    try:
        yield clock
    finally:
        _local.clock = before
        clock.switch("")


class StageTotals:
    """Sums up the stages of all workers, over all passes of a loader."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended: Dict[str, float] = {}
        self._clocks: List[StageClock] = []
        self._spans: Dict[int, Deque[Tuple[str, float, float]]] = {}

    @contextlib.contextmanager
    def clock(self, worker: int) -> Iterator[StageClock]:
        """Measures the thread of worker number *worker* during a ``with`` block."""
        with self._lock:
            spans = self._spans.setdefault(worker, collections.deque(maxlen=_MOST_SPANS))
            clock = StageClock("wait", spans)
            self._clocks.append(clock)
        try:
            with clocked(clock):
                yield clock
        finally:
            with self._lock:
                self._clocks.remove(clock)
                _add(self._ended, clock.seconds)

    def add(self, seconds: Dict[str, float]) -> None:
        """Adds the *seconds* per stage that a worker process has measured."""
        with self._lock:
            _add(self._ended, seconds)

    def seconds(self) -> Dict[str, float]:
        """Returns the seconds of each stage, the longest first."""
        with self._lock:
            total = dict(self._ended)
            for clock in self._clocks:
                _add(total, dict(clock.seconds))
        return dict(
            sorted(((name, s) for name, s in total.items() if name not in ("", IN_PROCESS)), key=lambda one: -one[1])
        )

    def spans(self) -> Dict[int, List[Span]]:
        """Returns the last spans of each worker, by the worker's number."""
        with self._lock:
            return {worker: list(map(Span._make, list(spans))) for worker, spans in sorted(self._spans.items())}


def _add(total: Dict[str, float], seconds: Dict[str, float]) -> None:
    for name, more in seconds.items():
        total[name] = total.get(name, 0.0) + more

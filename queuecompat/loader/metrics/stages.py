"""Where a worker's time goes: waiting, reading, decoding, augmenting, putting batches together.

Rule 1: a worker is in one stage at a time, so the seconds of all stages add up to its life. Inside of ``load``, what no
        ``stage`` block says is "load".
Rule 2: a clock belongs to one thread, which alone writes it; others read copies.
Rule 3: what is kept of the past is bounded: seconds as sums, and the last spans for a timeline.
"""

from __future__ import annotations

import collections
import contextlib
import threading
import time
from types import TracebackType
from typing import Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple, Type

__all__ = ["IN_PROCESS", "Span", "StageClock", "StageTotals", "clocked", "stage"]

# A process loads, which measures its own stages; its thread here only waits for it.
IN_PROCESS = "load in a process"
_MOST_SPANS = 2000  # of each worker

_local = threading.local()


class Span(NamedTuple):
    """Seconds of ``time.perf_counter``."""

    stage: str
    begin: float
    end: float


class StageClock:
    """One worker's stages: the seconds in each, and the last *spans*."""

    __slots__ = ("_since", "_stage", "seconds", "spans")

    def __init__(self, stage: str, spans: Optional[Deque[Tuple[str, float, float]]] = None) -> None:
        self.seconds: Dict[str, float] = {}
        self.spans = spans
        self._stage = stage
        self._since = time.perf_counter()

    def switch(self, stage: str) -> str:
        """From now on the worker is in *stage*; returns the one before."""
        before, since, now = self._stage, self._since, time.perf_counter()
        self._stage, self._since = stage, now
        self.seconds[before] = self.seconds.get(before, 0.0) + now - since
        if self.spans is not None and stage != before:
            self.spans.append((before, since, now))  # as a Span where it is read: this is called all the time
        return before


class stage:  # noqa: N801 - used as a function is
    """The block is stage *name* of the work on an item, in ``statistics()`` and ``timeline()``::

        def load(path, rng):
            with queuecompat.loader.stage("read"):
                data = read(path)
            with queuecompat.loader.stage("decode"):
                return decode(data)

    A block inside of a block counts as the inner one only. Outside of a loader's workers it does nothing.
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
    """*clock* is that of this thread, for the blocks of ``stage``."""
    before = getattr(_local, "clock", None)
    _local.clock = clock
    try:
        yield clock
    finally:
        _local.clock = before
        clock.switch("")


class StageTotals:
    """The stages of all workers, over all passes of a loader."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended: Dict[str, float] = {}
        self._clocks: List[StageClock] = []
        self._spans: Dict[int, Deque[Tuple[str, float, float]]] = {}

    @contextlib.contextmanager
    def clock(self, worker: int) -> Iterator[StageClock]:
        """A clock for the thread of *worker*, as long as it works."""
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
        """What a worker process has measured."""
        with self._lock:
            _add(self._ended, seconds)

    def seconds(self) -> Dict[str, float]:
        """Of each stage, the longest first."""
        with self._lock:
            total = dict(self._ended)
            for clock in self._clocks:
                _add(total, dict(clock.seconds))
        return dict(
            sorted(((name, s) for name, s in total.items() if name not in ("", IN_PROCESS)), key=lambda one: -one[1])
        )

    def spans(self) -> Dict[int, List[Span]]:
        """The last ones of each worker, by its number."""
        with self._lock:
            return {worker: list(map(Span._make, list(spans))) for worker, spans in sorted(self._spans.items())}


def _add(total: Dict[str, float], seconds: Dict[str, float]) -> None:
    for name, more in seconds.items():
        total[name] = total.get(name, 0.0) + more

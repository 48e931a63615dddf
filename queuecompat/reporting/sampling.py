"""Observes running pipelines periodically: how full their buffers are, and what TensorFlow's threads do.

A recording of TensorFlow's profiler costs time for each op that ran during it, most of that after its end. So a
recording lasts only as long as a few batches take, and the pauses between recordings grow. In between, periodic looks
read counters that exist anyway. Each recording also has a look at its begin and one at its end, from which the number
of batches that the recorded work was for is computed; the rate of the whole run could not be used for that, since the
recording itself slows the program down.

Guarantees: one thread runs from ``begin`` to ``end``; after ``end``, no session is used and no recording runs.
        After ``release_profiler``, no recording runs or begins: TensorFlow has one profiler per process, and a program
        that uses it itself takes precedence.
Locks: ``_changed`` guards the state; it is not held during a look or a recording.
"""

from __future__ import annotations

import logging
import pathlib
import tempfile
import threading
import time
from typing import Any, Callable, Generic, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

import tensorflow as tf

__all__ = ["BATCHES", "FIRST", "LEAST", "LONGEST", "MOST", "Recording", "Sampler", "may_be_too_short"]

Seen = TypeVar("Seen")

# A recording lasts as long as the slowest pipeline takes for this many batches, within these limits in seconds. With
# records of a few bytes, a recording of 0.1 s cost the program 0.2 s of processor time, one of 0.03 s 0.06 (TF 2.21,
# two cores).
BATCHES = 16
LEAST, LONGEST = 0.02, 0.1
# The work per batch is only known from a recording in which a batch was delivered. If batches are slow because the
# model is, few ops run, and a recording may be longer; for batches of many small examples it is left unknown.
WHOLE_BATCHES, LONGEST_OF_SLOW, MOST_EXAMPLES = 2, 1.0, 4000
FIRST = 1.0  # seconds from the first batch to the first recording; each later interval is three times as long
MOST = 8
# Records ops and iterators, but no Python calls, and nothing on a GPU, which is not work of the pipelines.
_PROFILED = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=0)
_LOOKS = 64  # kept; at this number, every second one is dropped, and the interval doubles
_INTERVAL = 0.25  # seconds between looks, at first; a look takes a millisecond at most


def may_be_too_short(seconds: float) -> bool:
    """Whether a run that lasts *seconds* after its first batch may end before the first recording."""
    # A look has to notice the first batch, and the first recording follows a look.
    return seconds < FIRST + 2 * _INTERVAL


class Recording(NamedTuple):
    """What TensorFlow's profiler recorded in *seconds*: its *files*, and what the looks *before* and *after* saw."""

    files: Sequence[bytes]
    seconds: float
    before: Any
    after: Any


class Sampler(Generic[Seen]):
    """Looks and records in a thread of its own.

    Args:
      look: reads counters; returns None until a batch was delivered.
      delivered_between: returns the numbers of batches and examples that each pipeline delivered between two looks.
    """

    def __init__(
        self,
        look: Callable[[], Optional[Seen]],
        delivered_between: Callable[[Seen, Seen], Sequence[Tuple[int, int]]],
    ) -> None:
        self._look, self._delivered_between = look, delivered_between
        self._changed = threading.Condition()
        self._thread: Optional[threading.Thread] = None
        self._is_over = self._is_released = self._is_recording = False
        self._recordings: List[Recording] = []
        self._looks: List[Tuple[float, Seen]] = []
        self._interval = _INTERVAL

    @property
    def recordings(self) -> List[Recording]:
        """The recordings so far."""
        with self._changed:
            return list(self._recordings)

    @property
    def looks(self) -> List[Tuple[float, Seen]]:
        """The looks so far: seconds since the first one, and what was seen."""
        with self._changed:
            return [(when - self._looks[0][0], seen) for when, seen in self._looks]

    def begin(self) -> None:
        """Starts the thread; also again after an end."""
        with self._changed:
            if self._thread is None:
                self._is_over = False
                self._thread = threading.Thread(target=self._run, name="queuecompat-report", daemon=True)
                self._thread.start()

    def end(self) -> None:
        """Ends the thread, after it has finished its current look or recording."""
        with self._changed:
            thread, self._thread = self._thread, None
            self._is_over = True
            self._changed.notify_all()
        if thread is not None:
            thread.join()

    def release_profiler(self) -> None:
        """Leaves TensorFlow's profiler to the program; returns when it is free."""
        with self._changed:
            self._is_released = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._is_recording)

    def record(self) -> None:
        """Makes a recording in the current thread; none after the end, or if the program uses the profiler.

        Its length follows from the last two looks.
        """
        with self._changed:
            if self._is_released or self._is_over:
                return
            self._is_recording = True
        try:
            self._record_to_memory()
        except (tf.errors.OpError, RuntimeError, OSError) as problem:
            # Another profiler runs, or a file cannot be written: the report will have no stages.
            logging.getLogger("queuecompat").info("no recording of the pipelines' stages: %s", problem)
        finally:
            with self._changed:
                self._is_recording = False
                self._changed.notify_all()

    def _run(self) -> None:
        pause = FIRST
        first: Optional[float] = None
        while self._goes_on(self._interval):
            seen = self._look()
            now = time.monotonic()
            if seen is None:
                continue
            first = now if first is None else first
            self._keep(now, seen)
            if now - first >= pause and len(self._recordings) < MOST:
                self.record()
                pause *= 3

    def _goes_on(self, seconds: float) -> bool:
        """Waits for *seconds*; returns False as soon as the sampler is ended."""
        with self._changed:
            return not self._changed.wait_for(lambda: self._is_over, seconds)

    def _keep(self, now: float, seen: Seen) -> None:
        with self._changed:
            self._looks.append((now, seen))
            if len(self._looks) >= _LOOKS:
                self._looks = self._looks[::2]
                self._interval *= 2

    @property
    def _window(self) -> float:
        """The length of the next recording, in seconds."""
        (before, earlier), (now, later) = self._looks[-2:] if len(self._looks) > 1 else self._looks * 2
        slowest, examples = min(self._delivered_between(earlier, later), default=(0, 0))
        if not slowest:
            return LONGEST
        each = (now - before) / slowest
        is_cheap = WHOLE_BATCHES * examples <= MOST_EXAMPLES * slowest
        longest = max(LONGEST, min(LONGEST_OF_SLOW, WHOLE_BATCHES * each)) if is_cheap else LONGEST
        return max(LEAST, min(longest, BATCHES * each))

    def _record_to_memory(self) -> None:
        window = self._window
        with tempfile.TemporaryDirectory(prefix="queuecompat-") as folder:
            tf.profiler.experimental.start(folder, _PROFILED)
            try:
                begin = time.monotonic()
                before = self._look()
                with self._changed:
                    self._changed.wait_for(lambda: self._is_over or self._is_released, window)
                after = self._look()
                seconds = time.monotonic() - begin
            finally:
                tf.profiler.experimental.stop()
            recorded = [file.read_bytes() for file in pathlib.Path(folder).rglob("*.xplane.pb")]
        if recorded:
            with self._changed:
                self._recordings.append(Recording(recorded, seconds, before, after))

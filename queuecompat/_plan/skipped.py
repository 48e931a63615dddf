"""The logs of elements that were skipped with ``on_error="skip"``: how many, where the first were read, and why.

Rule 1: while it runs, a pipeline only records the elements that it skips. The reason is found later, when it is asked
        for or the session closes, by running the slice once more on the element. So skipping does not slow the
        pipeline down, and the reason is the error that the program would have seen.
Rule 2: nothing is skipped silently: every pipeline that may skip elements is in ``LOGS``, and a log that has not been
        shown before is printed at the end of the process, even if nothing was skipped.

Locks: ``_lock`` guards the list and the counts; reasons are searched without it.
"""

from __future__ import annotations

import atexit
import dataclasses
import os
import sys
import threading
from typing import Any, Callable, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple

from queuecompat.errors import layout

__all__ = ["LISTED", "LOGS", "SkipLog", "Skipped", "described"]

# How many places of a pipeline are listed; all skipped elements are counted.
LISTED = 100
_LONGEST = 300  # maximum length of a reason, in characters

# Runs a slice (the first argument) on the components of an element, and raises the slice's error.
Again = Callable[[Any, Sequence[Any]], None]


@dataclasses.dataclass(frozen=True)
class Skipped:
    """One element that was skipped, once or in several epochs.

    Attributes:
      place: the key or the file that it was read from; empty: unknown.
      reason: the error; of several, the first.
      times: how often it was skipped.
    """

    place: str
    reason: str
    times: int


@dataclasses.dataclass
class _Entry:
    place: str
    reason: str = ""
    run: Any = None
    given: Sequence[Any] = ()
    times: int = 1


class SkipLog:
    """The log of the elements that one pipeline has skipped.

    Args:
      name: the name of its last stage.
      made_at: the user's line that made that stage.
      most: how many elements may be skipped; None: any number.
    Attributes:
      is_inner: whether only other pipelines draw from it, not the program. Its log is then not shown if nothing was
        skipped.
      count: how many elements were skipped.
      files: how many files were skipped from some place on.
    """

    def __init__(self, name: str, made_at: str, most: Optional[int]) -> None:
        self.name = name
        self.made_at = made_at
        self.count = 0
        self.files = 0
        self.is_inner = False
        self._most = most
        self._entries: List[_Entry] = []
        self._by_place: Dict[str, _Entry] = {}
        self._again: Dict[Hashable, Again] = {}
        self._lock = threading.Lock()

    def open(self) -> SkipLog:
        """Adds this log to ``LOGS``, since its pipeline may skip elements, and returns it."""
        with _logs_lock:
            if os.getpid() not in _processes:
                # The first log of this process; the process that it was forked from prints its own logs.
                LOGS.clear()
                _processes.append(os.getpid())
                atexit.register(_report_at_exit, os.getpid())
            if self not in LOGS:
                LOGS.append(self)
        return self

    def note(self, run: Any, elements: Sequence[Sequence[Any]], places: Sequence[str]) -> str:
        """Records *elements* that *run* has failed on.

        Args:
          run: the step that failed (an ``ir.Run``).
          elements: for each element, the components that *run* takes.
          places: for each element, where it was read.
        Returns:
          The error that ends the pipeline because too many elements were skipped; empty: it continues.
        """
        with self._lock:
            self.count += len(elements)
            for place, given in zip(places, elements):
                self._add(_Entry(place, run=run, given=given))
            is_too_many = self._most is not None and self.count > self._most
        return (
            layout("QC330", self.made_at, stage=self.name, most=self._most, place=_named(places[-1]))
            if is_too_many
            else ""
        )

    def hopeless(self, count: Optional[int], place: str) -> str:
        """Returns the error that ends the pipeline since *count* elements in a row failed; empty if *count* is None."""
        if count is None:
            return ""
        return layout("QC335", self.made_at, stage=self.name, count=f"{count:,}", place=_named(place))

    def note_rest(self, place: str, reason: str) -> None:
        """Records that a file was skipped from *place* on."""
        with self._lock:
            self.files += 1
            self._add(_Entry(place, reason))

    def _add(self, entry: _Entry) -> None:
        """Lists *entry*, if there is room; a place that is listed already, as in an earlier epoch, is counted there."""
        listed = self._by_place.get(entry.place)
        if listed is not None:
            listed.times += 1
        elif len(self._entries) < LISTED:
            self._entries.append(entry)
            if entry.place:
                self._by_place[entry.place] = entry

    def run_again_with(self, key: Hashable, again: Again) -> None:
        """Registers *again*, which runs a slice once more, under *key*, for as long as *key* (a session) is open."""
        self._again[key] = again

    def ends(self, key: Hashable) -> None:
        """Finds the missing reasons before *key* is closed, and removes its entry."""
        if key in self._again:
            self._find_reasons()
            del self._again[key]

    @property
    def total(self) -> str:
        """How much was skipped, in words."""
        parts = [_counted(self.count, "element")] if self.count else []
        parts += [f"{_counted(self.files, 'file')}, or parts of them"] if self.files else []
        return ", ".join(parts) or "nothing"

    def listed(self) -> List[Skipped]:
        """Returns the skipped elements of the first ``LISTED`` places, with their reasons."""
        self._find_reasons()
        return [Skipped(one.place, one.reason, one.times) for one in self._entries]

    def _find_reasons(self) -> None:
        with self._lock:
            waiting = [one for one in self._entries if not one.reason]
        for entry in waiting if self._again else ():
            entry.reason = _reason(list(self._again.values())[-1], entry)
            entry.run, entry.given = None, ()


def _reason(again: Again, entry: _Entry) -> str:
    try:
        again(entry.run, entry.given)
    except Exception as problem:  # any error of the program's ops and functions is listed
        return _in_a_line(problem)
    return "it failed once, but not when it was run again"


def _in_a_line(problem: Exception) -> str:
    text = str(getattr(problem, "message", problem)).partition("\nTraceback (")[0]
    return " ".join(text.split())[:_LONGEST] or type(problem).__name__


LOGS: List[SkipLog] = []
_logs_lock = threading.Lock()
_processes: List[int] = []
_shown: Dict[SkipLog, Tuple[int, int]] = {}


def described(logs: Sequence[SkipLog]) -> Iterator[str]:
    """Yields *logs* as lines of text, and marks them as shown."""
    for log in logs:
        if log.is_inner and not (log.count or log.files):
            continue
        _shown[log] = log.count, log.files
        yield f"skipped by '{log.name}', made at {log.made_at}: {log.total}"
        listed = log.listed()
        for one in listed:
            times = f", {one.times:,} times" if one.times > 1 else ""
            yield f"  {_named(one.place)}{times}: {one.reason or 'its session was closed too soon'}"
        rest = log.count + log.files - sum(one.times for one in listed)
        if rest > 0:
            yield f"  and {rest:,} more"


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'s' if count != 1 else ''}"


def _named(place: str) -> str:
    return place or "(from an unknown place)"


def _report_at_exit(process: int) -> None:
    if os.getpid() != process:
        return
    rest = [log for log in LOGS if _shown.get(log) != (log.count, log.files)]
    lines = [f"  {line}" for line in described(rest)]
    if lines:
        print("\n".join(["queuecompat:", *lines]), file=sys.stderr, flush=True)

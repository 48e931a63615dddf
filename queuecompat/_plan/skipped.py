"""What was left out with ``on_error="skip"``: how many elements, where the first of them were read, and why.

Rule 1: a pipeline notes what it leaves out while it runs; why it failed is found out later, by running the slice on it
        once more, when someone asks or the session ends. So a run that skips is not held up, and the reason is the
        error as the program would have seen it.
Rule 2: nothing is skipped silently: a pipeline that may skip is in ``LOGS``, and what has not been shown by the end of
        the process is printed then, nothing skipped included.

Locks: ``_lock`` guards the list and the counts; reasons are looked for without it.
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

# How many are listed of one pipeline; all are counted.
LISTED = 100
_LONGEST = 300  # characters of a reason

# Runs a slice on the components of an element, and raises what it raises.
Again = Callable[[Any, Sequence[Any]], None]


@dataclasses.dataclass(frozen=True)
class Skipped:
    """One element that was left out. *place*: the key or the file that it was read from, empty where none is known."""

    place: str
    reason: str


@dataclasses.dataclass
class _Entry:
    place: str
    reason: str = ""
    run: Any = None
    given: Sequence[Any] = ()


class SkipLog:
    """What one pipeline has left out.

    Args:
      name, made_at: of its last stage.
      most: how many elements may be left out; None: any number.
      is_inner: other pipelines draw from it, and the program does not: that it skipped nothing is no news.
    Attributes:
      count: of the elements that were left out; *files*: of the files of which the rest was, or all.
    """

    def __init__(self, name: str, made_at: str, most: Optional[int], is_inner: bool = False) -> None:
        self.name = name
        self.made_at = made_at
        self.count = 0
        self.files = 0
        self.is_inner = is_inner
        self._most = most
        self._entries: List[_Entry] = []
        self._again: Dict[Hashable, Again] = {}
        self._lock = threading.Lock()

    def open(self) -> SkipLog:
        """Itself; something in its pipeline may be left out."""
        with _logs_lock:
            if os.getpid() not in _processes:
                # The first of this process; those of one that it was forked from are told by that.
                LOGS.clear()
                _processes.append(os.getpid())
                atexit.register(_tell_at_the_end, os.getpid())
            if self not in LOGS:
                LOGS.append(self)
        return self

    def note(self, run: Any, elements: Sequence[Sequence[Any]], places: Sequence[str]) -> str:
        """Notes *elements* that *run* has failed on.

        Returns:
          What ends the pipeline, as there were too many; empty: it goes on.
        """
        with self._lock:
            self.count += len(elements)
            room = LISTED - len(self._entries)
            self._entries += [_Entry(*one) for one in zip(places, [""] * room, [run] * room, elements)]
            is_too_many = self._most is not None and self.count > self._most
        return (
            layout("QC330", self.made_at, stage=self.name, most=self._most, place=_named(places[-1]))
            if is_too_many
            else ""
        )

    def hopeless(self, count: Optional[int], place: str) -> str:
        """What ends the pipeline if *count* elements in a row failed, the last at *place*; empty, if None did."""
        if count is None:
            return ""
        return layout("QC335", self.made_at, stage=self.name, count=f"{count:,}", place=_named(place))

    def note_rest(self, place: str, reason: str) -> None:
        """Notes that a file was left out from *place* on."""
        with self._lock:
            self.files += 1
            if len(self._entries) < LISTED:
                self._entries.append(_Entry(place, reason))

    def can_run(self, key: Hashable, again: Again) -> None:
        """As long as *key* is open, *again* runs a slice once more."""
        self._again[key] = again

    def ends(self, key: Hashable) -> None:
        """What *key* stands for is about to be closed."""
        if key in self._again:
            self._find_reasons()
            del self._again[key]

    @property
    def total(self) -> str:
        """How much was left out, in words."""
        parts = [_counted(self.count, "element")] if self.count else []
        parts += [f"{_counted(self.files, 'file')}, or the rest of them"] if self.files else []
        return ", ".join(parts) or "nothing"

    def listed(self) -> List[Skipped]:
        """The first of what was left out."""
        self._find_reasons()
        return [Skipped(one.place, one.reason) for one in self._entries]

    def _find_reasons(self) -> None:
        with self._lock:
            waiting = [one for one in self._entries if not one.reason]
        for entry in waiting if self._again else ():
            entry.reason = _reason(list(self._again.values())[-1], entry)
            entry.run, entry.given = None, ()


def _reason(again: Again, entry: _Entry) -> str:
    try:
        again(entry.run, entry.given)
    except Exception as problem:  # whatever the program's ops and functions raise is what is listed
        return _in_a_line(problem)
    return "it failed once, and did not fail when it was run again"


def _in_a_line(problem: Exception) -> str:
    text = str(getattr(problem, "message", problem)).partition("\nTraceback (")[0]
    return " ".join(text.split())[:_LONGEST] or type(problem).__name__


LOGS: List[SkipLog] = []
_logs_lock = threading.Lock()
_processes: List[int] = []
_shown: Dict[SkipLog, Tuple[int, int]] = {}


def described(logs: Sequence[SkipLog]) -> Iterator[str]:
    """*logs* as lines of text; what they say counts as shown."""
    for log in logs:
        if log.is_inner and not (log.count or log.files):
            continue
        _shown[log] = log.count, log.files
        yield f"skipped by '{log.name}', made at {log.made_at}: {log.total}"
        listed = log.listed()
        yield from (f"  {_named(one.place)}: {one.reason or 'its session was closed too soon'}" for one in listed)
        if log.count + log.files > len(listed):
            yield f"  and {log.count + log.files - len(listed):,} more"


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'s' if count != 1 else ''}"


def _named(place: str) -> str:
    return place or "(not known from where)"


def _tell_at_the_end(process: int) -> None:
    if os.getpid() != process:
        return
    rest = [log for log in LOGS if _shown.get(log) != (log.count, log.files)]
    lines = [f"  {line}" for line in described(rest)]
    if lines:
        print("\n".join(["queuecompat:", *lines]), file=sys.stderr, flush=True)

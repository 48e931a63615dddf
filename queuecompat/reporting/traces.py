"""Reads what TensorFlow's profiler recorded: which thread did what, and for how long.

``tf.profiler`` writes one message, an XSpace, to a file. TensorFlow has no public class for it, so the needed parts are
read here with the rules of the wire format.

Rule 1: A field that is not needed is skipped, whatever it is, so that later versions may add fields.
Rule 2: Times are in picoseconds; within one thread they have a common origin.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from queuecompat.records.wire import fields, messages

__all__ = ["Event", "threads"]


class Event(NamedTuple):
    """Something that a thread did from *begin* to *end*."""

    begin: int
    end: int
    name: str


def threads(space: bytes) -> List[List[Event]]:
    """Returns the events of each thread, an outer one before those within it.

    Raises:
      ValueError: *space* is not such a message.
    """
    try:
        return [
            _events(line, names)
            for plane in messages(space, 1)
            for names in [_names(plane)]
            for line in messages(plane, 3)
        ]
    except (ValueError, KeyError, AttributeError, TypeError) as problem:
        raise ValueError("this is no recording of TensorFlow's profiler") from problem


def _names(plane: bytes) -> Dict[int, str]:
    found = {}
    for entry in messages(plane, 4):
        values = _values(entry)
        found[values[1]] = _values(values[2]).get(2, b"").decode(errors="replace")
    return found


def _events(line: bytes, names: Dict[int, str]) -> List[Event]:
    events = []
    for event in messages(line, 4):
        values = _values(event)
        begin = values.get(2, 0)
        events.append(Event(begin, begin + values.get(3, 0), names[values[1]]))
    return sorted(events, key=lambda event: (event.begin, -event.end))


def _values(message: bytes) -> Dict[int, Any]:
    """Returns the value of each field of *message*; the last value of a repeated field."""
    return {number: value for number, _, value in fields(message)}

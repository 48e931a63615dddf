"""The states of a stage as one table: which consumers take its elements, and where each of them reads.

"Exactly once" depends on this table. Each element of a stage goes to one consumer. So a stage with several consumers is
read through one *stream* that all of them share; a stage with a single consumer may be computed *inline*, as part of
the plan of that consumer. The program may also run the stage's own tensors, to look at the elements. If all elements
belong to compiled consumers, such a run is a *preview*: it reads from the beginning, on its own, and takes no element.

Rule 1: at most one reader of a stage computes its elements inline; if there is another reader, all read the stream.
        Previews do not count as readers.
Rule 2: where a started pipeline reads does not change, except for a preview; such a change is refused with QC304.
"""

from __future__ import annotations

import itertools
from typing import Dict, Iterator, NamedTuple

__all__ = ["CONSUMERS", "READS", "SOURCES", "Reads", "State", "states"]

# Where the elements of a stage come from: its plan, or a queue, reader or iterator that TensorFlow runs itself.
SOURCES = ("plan", "external")
# How many compiled stages take the elements.
CONSUMERS = ("none", "one", "several")


class State(NamedTuple):
    """The facts that decide how the elements of a stage are read.

    Attributes:
      source: one of ``SOURCES``.
      consumers: one of ``CONSUMERS``.
      has_external_consumer: whether something that TensorFlow runs itself also takes elements, through the stage's
        own tensors: a queue of the program, or a pipeline that is not compiled.
      is_open: whether further consumers may be added while the stage runs.
    """

    source: str
    consumers: str
    has_external_consumer: bool
    is_open: bool


class Reads(NamedTuple):
    """Where the elements of a stage are read.

    Attributes:
      consumers: where compiled consumers read: ``inline``, the shared ``stream``, or the ``external`` source.
      tensors: where runs of the stage's own tensors read: ``inline``, ``stream``, ``external``, or a ``preview``.
    """

    consumers: str
    tensors: str


def states() -> Iterator[State]:
    """Yields every state."""
    yield from (State(*facts) for facts in itertools.product(SOURCES, CONSUMERS, (False, True), (False, True)))


_EXTERNAL = Reads("external", "external")

# fmt: off
READS: Dict[State, Reads] = {
    #     source    consumers  external  open          consumers  tensors
    State("plan",   "none",    False,    False): Reads("inline",  "inline"),
    State("plan",   "none",    False,    True):  Reads("stream",  "inline"),
    State("plan",   "none",    True,     False): Reads("inline",  "inline"),
    State("plan",   "none",    True,     True):  Reads("stream",  "inline"),
    State("plan",   "one",     False,    False): Reads("inline",  "preview"),
    State("plan",   "one",     False,    True):  Reads("stream",  "preview"),
    State("plan",   "one",     True,     False): Reads("stream",  "stream"),
    State("plan",   "one",     True,     True):  Reads("stream",  "stream"),
    State("plan",   "several", False,    False): Reads("stream",  "preview"),
    State("plan",   "several", False,    True):  Reads("stream",  "preview"),
    State("plan",   "several", True,     False): Reads("stream",  "stream"),
    State("plan",   "several", True,     True):  Reads("stream",  "stream"),
    **{state: _EXTERNAL for state in states() if state.source == "external"},
}
# fmt: on

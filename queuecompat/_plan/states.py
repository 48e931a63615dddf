"""The states of a stage, as one table: who takes its elements, and where each of them reads.

"Exactly once" hangs on it. An element of a stage goes to one of its consumers, so a stage with more than one is read
through one *stream* that all of them share. What nothing else takes may be computed where it is needed, *inline* in the
plan of its only consumer. The program may also run a stage's own tensors, to look at what passes: where all elements
belong to compiled consumers that is a *preview*, which reads from the beginning, on its own, and takes nothing.

Rule 1: at most one reader of a stage computes its elements inline; if there is another reader, all read the stream.
        Previews are no readers.
Rule 2: what a started pipeline reads does not change, except for a preview; the change is refused with QC304.
"""

from __future__ import annotations

from typing import Dict, Iterator, NamedTuple

__all__ = ["CONSUMERS", "READS", "SOURCES", "Reads", "State", "states"]

# Where a stage's elements come from: its plan, or a queue, reader or iterator that TensorFlow runs itself.
SOURCES = ("plan", "external")
# How many compiled stages take them.
CONSUMERS = ("none", "one", "several")


class State(NamedTuple):
    """What decides how the elements of a stage are read.

    Attributes:
      source: one of ``SOURCES``.
      consumers: one of ``CONSUMERS``.
      has_external_consumer: whether something that TensorFlow runs itself takes elements as well, through the stage's
        own tensors: a queue of the program's, a pipeline that is not compiled.
      is_open: whether consumers may come while it runs.
    """

    source: str
    consumers: str
    has_external_consumer: bool
    is_open: bool


class Reads(NamedTuple):
    """Where the elements of a stage are read.

    Attributes:
      consumers: by compiled consumers: ``inline``, through the shared ``stream``, or from the ``external`` one.
      tensors: by runs of the stage's own tensors: ``inline``, ``stream``, ``external``, or in a ``preview``.
    """

    consumers: str
    tensors: str


def states() -> Iterator[State]:
    """Every state."""
    for source in SOURCES:
        for consumers in CONSUMERS:
            for has_external_consumer in (False, True):
                for is_open in (False, True):
                    yield State(source, consumers, has_external_consumer, is_open)


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

"""The lifecycle of one run over the data: its states, the events that change them, and what is allowed in each.

Rule 1: every change of state is a row of ``TRANSITIONS``, every allowed action is in ``ALLOWED``. About to
        write ``if closed:`` in another module? Add a row here instead.
Rule 2: no threads and no locks. The caller holds the lock.
"""

from __future__ import annotations

import enum
from typing import FrozenSet, Mapping, Tuple

__all__ = ["ALLOWED", "TRANSITIONS", "Action", "Event", "Lifecycle", "State"]


class State(enum.Enum):
    RUNNING = "items are being loaded"
    ENDING = "no more items; what was begun is loaded and taken"
    BROKEN = "a failure stands at the end of what can still be taken"
    FINISHED = "everything was taken"
    CLOSED = "the consumer wants no more"


class Event(enum.Enum):
    SOURCE_ENDS = "the source has no more items"
    BREAKS = "an item, a worker or the source failed"
    EVERYTHING_TAKEN = "the last batch was taken, and none will come"
    CLOSES = "the block ended, or close() was called"


class Action(enum.Enum):
    __hash__ = object.__hash__  # implemented in C: ``may`` is called several times per item

    CLAIM = "a worker begins with another item"
    ADD = "a worker adds an example"
    GATHER = "a worker puts the examples of a batch together"
    TAKE = "the consumer asks for a batch"


_SAME = {(state, event): state for state in State for event in Event}

TRANSITIONS: Mapping[Tuple[State, Event], State] = {
    # A pair of state and event that is not listed below changes nothing.
    **_SAME,
    (State.RUNNING, Event.SOURCE_ENDS): State.ENDING,
    (State.RUNNING, Event.BREAKS): State.BROKEN,
    (State.RUNNING, Event.CLOSES): State.CLOSED,
    (State.ENDING, Event.BREAKS): State.BROKEN,
    (State.ENDING, Event.EVERYTHING_TAKEN): State.FINISHED,
    (State.ENDING, Event.CLOSES): State.CLOSED,
    (State.BROKEN, Event.CLOSES): State.CLOSED,
    # FINISHED is final: after the last batch ``take`` returns None, even when the run is closed afterwards.
}

ALLOWED: Mapping[State, FrozenSet[Action]] = {
    State.RUNNING: frozenset(Action),
    State.ENDING: frozenset({Action.ADD, Action.GATHER, Action.TAKE}),
    State.BROKEN: frozenset({Action.GATHER, Action.TAKE}),
    State.FINISHED: frozenset({Action.TAKE}),
    State.CLOSED: frozenset(),
}


class Lifecycle:
    """The current state of a run."""

    def __init__(self) -> None:
        self.state = State.RUNNING

    @property
    def state(self) -> State:
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self._state, self._allowed = state, ALLOWED[state]

    def may(self, action: Action) -> bool:
        return action in self._allowed

    def tell(self, event: Event) -> None:
        self.state = TRANSITIONS[self.state, event]

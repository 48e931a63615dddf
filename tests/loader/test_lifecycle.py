"""The table of a pass's life, walked in full."""

from __future__ import annotations

import itertools
from typing import Set

import pytest

from queuecompat.loader.run.lifecycle import ALLOWED, TRANSITIONS, Action, Event, Lifecycle, State


def test_the_tables_are_complete() -> None:
    assert set(TRANSITIONS) == set(itertools.product(State, Event))
    assert set(ALLOWED) == set(State)


@pytest.mark.parametrize(("state", "event"), TRANSITIONS)
def test_every_row_is_what_happens(state: State, event: Event) -> None:
    life = Lifecycle()
    life.state = state
    life.tell(event)
    assert life.state is TRANSITIONS[state, event]
    for action in Action:
        assert life.may(action) == (action in ALLOWED[life.state])


def test_every_state_can_be_reached_and_every_one_can_be_left_by_closing_or_is_an_end() -> None:
    reached: Set[State] = {State.RUNNING}
    for _ in State:
        reached |= {TRANSITIONS[state, event] for state in reached for event in Event}
    assert reached == set(State)
    ends = {state for state in State if all(TRANSITIONS[state, event] is state for event in Event)}
    assert ends == {State.CLOSED, State.FINISHED}
    assert all(TRANSITIONS[state, Event.CLOSES] in ends for state in State)


@pytest.mark.parametrize(("state", "event"), TRANSITIONS)
def test_no_event_allows_a_worker_again_what_it_was_denied(state: State, event: Event) -> None:
    workers = {Action.CLAIM, Action.ADD, Action.GATHER}
    assert ALLOWED[TRANSITIONS[state, event]] & workers <= ALLOWED[state]


def test_a_closed_pass_allows_nothing() -> None:
    assert ALLOWED[State.CLOSED] == frozenset()

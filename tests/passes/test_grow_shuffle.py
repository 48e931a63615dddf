from __future__ import annotations

from typing import Any

import pytest

from queuecompat._passes.grow_shuffle import AHEAD, grow_shuffle
from queuecompat._passes.size_buffers import size_buffers
from queuecompat._plan import ir
from tests.passes.as_text import PRODUCE, named, plan, run

SHUFFLE = "shuffle(buffer=100) -> int32[]"
BATCH = "batch(size=4) -> int32[4]"
RECORDS = "read(layout=filelayout(name='TFRecord'), with_key=False) -> int32[]"
UNBATCH = "unbatch() -> int32[]"


def queue(minimum: int = 20) -> str:
    return f"queue(capacity=100, min_after_dequeue={minimum}) -> int32[]"


def growth(*before: str, after: str = BATCH) -> Any:
    """How the shuffle buffer of a queue after *before* begins."""
    return named(grow_shuffle(plan(*before, SHUFFLE, queue(), after)), "shuffle").growth


def test_a_shuffle_buffer_of_computed_elements_begins_with_min_after_dequeue_elements() -> None:
    slow = run("has_effects=True")
    growing = "shuffle(buffer=100, growth=growth(least=20, steady=4)) -> int32[]"
    after = grow_shuffle(plan(PRODUCE, slow, SHUFFLE, queue(), BATCH))
    assert after == plan(PRODUCE, slow, growing, queue(), BATCH)


def test_it_grows_after_the_first_batch() -> None:
    assert growth(PRODUCE, run()) == ir.Growth(least=20, steady=4)
    assert growth(PRODUCE, run(), after="") == ir.Growth(least=20, steady=1)


def test_it_holds_back_at_stored_rows_and_records() -> None:
    assert growth(PRODUCE) is None
    assert growth(PRODUCE, RECORDS) is None
    assert growth(PRODUCE, run(), RECORDS) is None  # a file's name is made, but the shuffle buffer holds its records
    assert growth("pull(stream='stage', stage='stage') -> int32[]", RECORDS) is None


def test_it_holds_back_at_a_slice_that_only_chooses() -> None:
    assert growth(PRODUCE, run("is_empty=True")) is None


LISTS = f"""
  plan 'stored' at 'here.py:1'
    {PRODUCE}
  plan 'made' at 'here.py:1'
    {PRODUCE}
    {run()}
"""


@pytest.mark.parametrize(
    "source",
    [
        "pull(stream='own', stage='own', is_native=True) -> int32[]",
        "pull(stream='shared', stage='shared', is_computed=True) -> int32[]",
        f"merge() -> int32[]{LISTS}",
        f"zip() -> int32[], int32[]{LISTS}\nrun(body=body('f', is_empty=True), uses=(0,)) -> int32[]",
    ],
    ids=["native", "shared", "merge", "zip"],
)
def test_what_is_expensive_upstream_is_expensive(source: str) -> None:
    assert growth(source) is not None


def test_a_shuffle_buffer_knows_the_programs_own_queues_that_its_elements_come_from() -> None:
    own = "pull(stream='own', stage='own', is_native=True) -> int32[]"
    assert growth(own).own == ("own",)
    assert growth(PRODUCE, run()).own == ()


ENDLESS = "endless() -> int32[]"


def test_results_of_a_python_function_that_takes_nothing_are_computed_ahead() -> None:
    games = run("calls_python=True")
    lists = f"merge() -> int32[]\n  plan 'made' at 'here.py:1'\n    {ENDLESS}\n    {games}\n{LISTS}"
    assert growth(ENDLESS, games).ahead == growth(lists).ahead == AHEAD
    assert growth(PRODUCE, games).ahead == growth(ENDLESS, run()).ahead == 0


def test_with_a_seed_nothing_depends_on_when_elements_are_ready() -> None:
    seeded = "queue(capacity=100, min_after_dequeue=20, seed=3) -> int32[]"
    after = grow_shuffle(plan(ENDLESS, run("calls_python=True"), SHUFFLE, seeded, BATCH))
    assert named(after, "shuffle").growth == ir.Growth(least=20, steady=4)


@pytest.mark.parametrize(("rows", "grows"), [(10, True), (64, False), ("?", False)])
def test_it_holds_back_at_blocks_whose_rows_share_the_cost_of_a_call(rows: Any, grows: bool) -> None:
    """Parsed 64 at a time, a record costs less than the growth of the shuffle buffer would."""
    blocks = f"int32[{rows}]"
    assert (growth(PRODUCE, run(specs=blocks), UNBATCH) is not None) == grows
    assert growth(PRODUCE, run("has_effects=True", specs=blocks), UNBATCH) is not None
    assert growth(PRODUCE, run("has_effects=True"), run(specs=blocks), UNBATCH) is not None


def test_rows_that_are_cut_or_filtered_are_what_their_slice_made() -> None:
    assert growth(PRODUCE, run("has_effects=True"), UNBATCH) is not None
    assert growth(PRODUCE, run(specs="int32[], bool[]"), "filter() -> int32[]") is not None


def test_a_shuffle_buffer_without_room_to_grow_is_filled_first() -> None:
    for minimum, begins in ((98, True), (99, False), (200, False)):
        shuffle = named(size_buffers(grow_shuffle(plan(PRODUCE, run(), SHUFFLE, queue(minimum), BATCH))), "shuffle")
        assert (shuffle.growth is not None) == begins
        assert shuffle.buffer == 100

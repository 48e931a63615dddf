from __future__ import annotations

from typing import Any, List

import pytest

from queuecompat import processors
from queuecompat._passes.parallelise import parallelise
from queuecompat._plan import ir
from tests.passes.as_text import PRODUCE, named, plan, run

BATCH = "batch(size=4) -> int32[4]"
BUCKETS = "bucket(sizes=(4, 4), drop_remainder=True, padded=False, capacity=32) -> int32[]"


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "usable", lambda: 2)


def queue(capacity: int = 100, **fields: Any) -> str:
    return f"queue(capacity={capacity}{''.join(f', {name}={value}' for name, value in fields.items())}) -> int32[]"


def slice_after(*lines: str) -> ir.Run:
    """The slice of a plan of these *lines*."""
    return named(parallelise(plan(*lines)), "run")


def test_a_pure_slice_runs_many_times_at_once_and_in_order() -> None:
    after = parallelise(plan(PRODUCE, run(), queue(), BATCH))
    assert after == plan(PRODUCE, run(parallel_calls=16), queue(), BATCH)


def test_many_threads_need_no_order() -> None:
    assert not slice_after(PRODUCE, run(), queue(num_threads=2), BATCH).ordered


def test_after_a_shuffle_nothing_needs_order() -> None:
    shuffle = "shuffle(buffer=1000) -> int32[]"
    after = parallelise(plan(PRODUCE, shuffle, run(), queue(1000, min_after_dequeue=5), BATCH))
    assert after == plan(
        PRODUCE, shuffle, run(parallel_calls=16, ordered=False), queue(1000, min_after_dequeue=5), BATCH
    )


CLIPS = "batch(size=10) -> int32[10]"
MIXED = "shuffle(buffer=1000) -> int32[10]\nqueue(capacity=1000, min_after_dequeue=5) -> int32[10]"
SPLIT = "unbatch() -> int32[]"


def of_clips(*lines: str) -> bool:
    """Whether the slice of a plan of these *lines* outputs its results in order."""
    return slice_after(*lines).ordered


def test_the_rows_of_batches_that_are_shuffled_later_stay_in_order() -> None:
    """A batch of consecutive frames came with its frames in the order in which their calls were done."""
    assert of_clips(PRODUCE, run(), queue(), CLIPS, MIXED, "batch(size=4) -> int32[4,10]")
    assert of_clips(PRODUCE, run(), queue(), BUCKETS, MIXED.replace("int32[10]", "int32[]"), BATCH)


def test_the_rows_of_shuffled_batches_stay_in_order_when_these_are_split() -> None:
    assert of_clips(PRODUCE, queue(), CLIPS, MIXED, SPLIT, run(), queue(), BATCH)


@pytest.mark.parametrize("batched", [[], [CLIPS, SPLIT]])
def test_elements_that_are_shuffled_one_by_one_later_need_no_order(batched: List[str]) -> None:
    mixed = MIXED.replace("int32[10]", "int32[]")
    assert not of_clips(PRODUCE, run(), queue(), *batched, mixed, BATCH)


@pytest.mark.parametrize("threads", [1, 4])
def test_after_a_shuffle_with_a_seed_the_order_is_that_of_the_seed(threads: int) -> None:
    """Elements came in the order in which their calls were done, in every run a different one."""
    shuffle = "shuffle(buffer=1000, seed=3) -> int32[]"
    step = slice_after(PRODUCE, shuffle, run(), queue(1000, min_after_dequeue=5, num_threads=threads), BATCH)
    assert step.parallel_calls == 16 and step.ordered


@pytest.mark.parametrize(("capacity", "minimum", "calls"), [(5, None, 5), (3, None, 1), (160, 2, 10), (40, 2, 1)])
def test_no_more_calls_than_the_queue_has_room_for(capacity: int, minimum: Any, calls: int) -> None:
    step = slice_after(PRODUCE, run(), queue(capacity, min_after_dequeue=minimum), BATCH)
    assert step.parallel_calls == calls


@pytest.mark.parametrize("facts", ["is_random=True, is_seeded=True", "has_effects=True", "may_end=True"])
def test_it_holds_back_where_one_thread_has_to_stay_one(facts: str) -> None:
    assert slice_after(PRODUCE, run(facts), queue(), BATCH).parallel_calls == 1


def test_effects_run_in_as_many_threads_as_the_user_asked_for() -> None:
    assert slice_after(PRODUCE, run("has_effects=True"), queue(num_threads=3), BATCH).parallel_calls == 3


def test_it_holds_back_outside_a_queue() -> None:
    before = plan(PRODUCE, run())
    assert parallelise(before) == before


def test_a_slice_before_buckets_runs_many_times_at_once() -> None:
    step = slice_after(PRODUCE, run(), queue(), BUCKETS)
    assert (step.parallel_calls, step.ordered) == (16, True)


def test_it_holds_back_where_buckets_stand_between_the_slice_and_a_queue() -> None:
    assert slice_after(PRODUCE, run(), BUCKETS, queue(), BATCH).parallel_calls == 1


@pytest.mark.parametrize(("rows", "calls"), [(4, 10), (50, 1), ("?", 1)])
def test_a_call_whose_rows_are_cut_counts_them_all(rows: Any, calls: int) -> None:
    cut = "filter() -> int32[ROWS]\nunbatch() -> int32[]".replace("ROWS", str(rows))
    step = slice_after(PRODUCE, run(specs=f"int32[{rows}], bool[]"), cut, queue(40), BATCH)
    assert step.parallel_calls == calls


def after_a_clock(num_threads: int, facts: str) -> Any:
    clock = "endless() -> int64[]"
    return parallelise(plan(clock, run(facts), queue(num_threads=num_threads), BATCH)).steps


def test_a_python_function_is_called_in_as_many_threads_as_the_user_asked_for() -> None:
    facts = "may_end=True, calls_python=True"
    assert slice_after(PRODUCE, run(facts), queue(), BATCH).parallel_calls == 1
    assert slice_after(PRODUCE, run(facts), queue(num_threads=3), BATCH).parallel_calls == 3


def test_what_python_makes_in_several_threads_has_a_branch_for_each() -> None:
    merge, *_ = after_a_clock(3, "may_end=True, calls_python=True, has_effects=True")
    assert isinstance(merge, ir.Merge) and len(merge.branches) == 3
    assert all(
        [step.parallel_calls for step in branch.steps if isinstance(step, ir.Run)] == [1] for branch in merge.branches
    )


@pytest.mark.parametrize(
    "facts", ["may_end=True, has_effects=True", "may_end=True, calls_python=True, is_random=True, is_seeded=True"]
)
def test_it_holds_back_where_branches_would_not_be_threads(facts: str) -> None:
    clock, step, *_ = after_a_clock(3, facts)
    assert isinstance(clock, ir.Endless) and step.parallel_calls == 1


def test_one_thread_needs_no_branches() -> None:
    assert isinstance(after_a_clock(1, "may_end=True, calls_python=True")[0], ir.Endless)


@pytest.mark.parametrize(
    ("capacity", "minimum", "calls"), [(7, None, 1), (8, None, 2), (100, None, 2), (31, 5, 1), (32, 5, 2), (128, 5, 2)]
)
def test_whole_batches_run_side_by_side_where_the_queue_has_room(capacity: int, minimum: Any, calls: int) -> None:
    """With a shuffle buffer, a quarter of it may be out for two of them."""
    step = slice_after(PRODUCE, queue(capacity, min_after_dequeue=minimum), BATCH, run(specs="int32[4]", batched=True))
    assert step.parallel_calls == calls and step.ordered


@pytest.mark.parametrize(("capacity", "calls"), [(32, 2), (128, 2), (191, 2), (192, 3), (256, 4), (1000, 4)])
def test_more_than_two_whole_batches_leave_the_shuffle_buffer_more(
    monkeypatch: pytest.MonkeyPatch, capacity: int, calls: int
) -> None:
    """A sixteenth of it may be out for them; two are what keeps reading and computing side by side."""
    monkeypatch.setattr(processors, "usable", lambda: 4)
    step = slice_after(PRODUCE, queue(capacity, min_after_dequeue=5), BATCH, run(specs="int32[4]", batched=True))
    assert step.parallel_calls == calls


def test_a_shuffle_buffer_with_a_seed_is_not_made_smaller_for_two_whole_batches() -> None:
    """Its size decides the order, and a rewritten program has ``shuffle(capacity, seed)``."""
    shuffle = "shuffle(buffer=32, seed=3) -> int32[]"
    lines = (PRODUCE, shuffle, queue(32, min_after_dequeue=5), BATCH, run(specs="int32[4]", batched=True))
    assert slice_after(*lines).parallel_calls == 1
    assert slice_after(PRODUCE, shuffle.replace(", seed=3", ""), *lines[2:]).parallel_calls == 2

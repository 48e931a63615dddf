from __future__ import annotations

import os
from typing import Any

import pytest

from queuecompat._compiler import ir
from queuecompat._compiler.passes.parallelise import parallelise
from tests.passes.plans import NUMBER, batch, bucket, plan, produce, queue, run


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def slice_after(*steps: ir.Step) -> Any:
    return next(step for step in parallelise(plan(*steps)).steps if isinstance(step, ir.Run))


def test_a_pure_slice_runs_many_times_at_once_and_in_order() -> None:
    step = slice_after(produce(), run(), queue(100), batch())
    assert (step.parallel_calls, step.ordered) == (16, True)


def test_many_threads_need_no_order() -> None:
    assert not slice_after(produce(), run(), queue(100, num_threads=2), batch()).ordered


def test_behind_a_shuffle_nothing_needs_order() -> None:
    steps = (produce(), ir.Shuffle(NUMBER, 1000, None), run(), queue(1000, minimum=5), batch())
    step = slice_after(*steps)
    assert (step.parallel_calls, step.ordered) == (16, False)


@pytest.mark.parametrize(("capacity", "minimum", "calls"), [(5, None, 5), (3, None, 1), (160, 2, 10), (40, 2, 1)])
def test_no_more_calls_than_the_queue_has_room_for(capacity: int, minimum: Any, calls: int) -> None:
    assert slice_after(produce(), run(), queue(capacity, minimum), batch()).parallel_calls == calls


@pytest.mark.parametrize("nature", [{"is_random": True, "is_seeded": True}, {"has_effects": True}, {"may_end": True}])
def test_it_holds_back_where_one_thread_has_to_stay_one(nature: dict) -> None:
    assert slice_after(produce(), run(**nature), queue(100), batch()).parallel_calls == 1


def test_effects_run_in_as_many_threads_as_the_user_asked_for() -> None:
    assert slice_after(produce(), run(has_effects=True), queue(100, num_threads=3), batch()).parallel_calls == 3


def test_it_holds_back_outside_a_queue() -> None:
    before = plan(produce(), run())
    assert parallelise(before) == before


def test_a_slice_before_buckets_runs_many_times_at_once() -> None:
    step = slice_after(produce(), run(), queue(100), bucket(4, 4))
    assert (step.parallel_calls, step.ordered) == (16, True)


def test_it_holds_back_where_buckets_stand_between_the_slice_and_a_queue() -> None:
    step = slice_after(produce(), run(), bucket(4, 4), queue(100), batch())
    assert step.parallel_calls == 1


def after_a_clock(num_threads: int, **nature: Any) -> Any:
    clock = ir.Endless(NUMBER)
    return parallelise(plan(clock, run(**nature), queue(100, num_threads=num_threads), batch())).steps


def test_a_python_function_is_called_in_as_many_threads_as_the_user_asked_for() -> None:
    nature = {"may_end": True, "calls_python": True}
    assert slice_after(produce(), run(**nature), queue(100), batch()).parallel_calls == 1
    assert slice_after(produce(), run(**nature), queue(100, num_threads=3), batch()).parallel_calls == 3


def test_what_python_makes_in_several_threads_has_a_branch_for_each() -> None:
    merge, *_ = after_a_clock(3, may_end=True, calls_python=True, has_effects=True)
    assert isinstance(merge, ir.Merge) and len(merge.branches) == 3
    assert all(
        [step.parallel_calls for step in branch.steps if isinstance(step, ir.Run)] == [1] for branch in merge.branches
    )


@pytest.mark.parametrize(
    "nature",
    [
        {"may_end": True, "has_effects": True},
        {"may_end": True, "calls_python": True, "is_random": True, "is_seeded": True},
    ],
)
def test_it_holds_back_where_branches_would_not_be_threads(nature: dict) -> None:
    clock, step, *_ = after_a_clock(3, **nature)
    assert isinstance(clock, ir.Endless) and step.parallel_calls == 1


def test_one_thread_needs_no_branches() -> None:
    assert isinstance(after_a_clock(1, may_end=True, calls_python=True)[0], ir.Endless)

from __future__ import annotations

import dataclasses
from typing import Optional

import pytest

from queuecompat._passes.draw_by_index import draw_by_index
from queuecompat._passes.merge_alike import merge_alike
from queuecompat._plan import ir
from queuecompat._plan.bodies import Body
from queuecompat._plan.options import Options
from tests.passes.as_text import PRODUCE, READ, ParsedBody, named, plan, run, steps

QUEUE = "queue(capacity=100, min_after_dequeue=20) -> int32[]"
BATCH = "batch(size=4) -> int32[4]"
DRAWS = run("is_random=True")
RECORDS = """
    produce(body=body('names'), blocks=blocks(layout=filelayout(name='TFRecord'))) -> string[]
    read(layout=filelayout(name='TFRecord'), with_key=False, open_blocks=1) -> int32[]"""


@pytest.fixture(autouse=True)
def stateless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsed bodies can be made stateless, which says no more of them."""

    def by_number(body: ParsedBody, key: Optional[int] = None) -> Body:
        return body

    monkeypatch.setattr(ParsedBody, "by_number", by_number)


def chosen(*lines: str) -> ir.Plan:
    return dataclasses.replace(plan(*lines), options=Options(random="by_index"))


def test_the_number_of_a_row_goes_through_queues_to_the_last_slice_that_draws() -> None:
    after = draw_by_index(chosen(PRODUCE, run(), QUEUE, DRAWS, run(), QUEUE, BATCH))
    assert steps(after) == steps(
        plan(
            "produce(body=body('rows'), seeds=(None, None), numbered=True) -> int32[], int64[]",
            "run(body=body('f'), uses=(0,), carries=True) -> int32[], int64[]",
            "queue(capacity=100, min_after_dequeue=20) -> int32[], int64[]",
            "run(body=body('f', is_random=True), uses=(0, 1), by_index=True) -> int32[]",
            run(),
            QUEUE,
            BATCH,
        )
    )
    assert not after.unindexed


def test_records_have_their_numbers_from_the_block_they_are_in() -> None:
    after = draw_by_index(chosen(RECORDS, DRAWS, BATCH))
    assert named(after, "produce").numbered and len(named(after, "produce").components) == 1
    assert named(after, "read").numbered and len(named(after, "read").components) == 2


def test_the_lists_of_a_join_that_draw_alike_are_one_slice_afterwards() -> None:
    draws = run("is_random=True").replace("is_random", "like=1, is_random")
    branch = draw_by_index(chosen(PRODUCE, draws))
    merge = ir.Merge(branch.components, (branch, branch))
    after = merge_alike(draw_by_index(chosen(PRODUCE, BATCH).with_steps((merge, *plan(PRODUCE, BATCH).steps[1:]))))
    merged, mapped, _ = after.steps
    assert merged.components[-1].dtype.name == "int64"
    assert isinstance(mapped, ir.Run) and mapped.by_index


def test_numbers_go_on_through_a_join_to_what_draws_after_it() -> None:
    branch = draw_by_index(chosen(PRODUCE, DRAWS))
    merge = ir.Merge(branch.components, (branch, branch))
    after = draw_by_index(chosen(PRODUCE, DRAWS, BATCH).with_steps((merge, *plan(PRODUCE, DRAWS, BATCH).steps[1:])))
    merged, mapped, _ = after.steps
    assert isinstance(merged, ir.Merge) and isinstance(mapped, ir.Run)
    assert [step.carries for step in (merged.branches[0].steps[1], mapped)] == [True, False]  # type: ignore[attr-defined]
    assert mapped.by_index and mapped.uses == (0, 1)


def test_elements_of_several_producers_have_a_number_if_each_part_has_one() -> None:
    branch, made = chosen(PRODUCE), chosen("endless() -> int32[]")
    both = chosen(f"{PRODUCE}, int32[]", run("is_random=True", "(0, 1)"), BATCH)
    for branches in ((branch, branch), (branch, made)):
        zipped = ir.Zip(both.steps[0].components, branches)
        after = draw_by_index(both.with_steps((zipped, *both.steps[1:])))
        first, mapped = after.steps[:2]
        assert isinstance(first, ir.Zip) and isinstance(mapped, ir.Run)
        if made in branches:
            assert not first.numbered and "not read from files or arrays" in after.unindexed
        else:
            assert first.numbered and mapped.uses == (0, 1, 2) and len(first.components) == 3
            assert [len(one.steps[-1].components) for one in first.branches] == [2, 2]


def test_records_of_files_without_blocks_have_numbers_that_follow_from_those_of_the_files() -> None:
    after = draw_by_index(chosen(READ, run("is_random=True", uses="(1,)"), BATCH))
    assert [len(step.components) for step in after.steps] == [2, 3, 1, 1]
    assert named(after, "produce").numbered and named(after, "read").numbered and not after.unindexed


def test_what_has_numbers_already_gets_no_others() -> None:
    """A branch whose own ops draw used to output two numbers."""
    branch = draw_by_index(chosen(PRODUCE, QUEUE, DRAWS))
    after = draw_by_index(
        chosen(PRODUCE, DRAWS).with_steps((ir.Merge(branch.components, (branch,)), plan(PRODUCE, DRAWS).steps[1]))
    )
    (again,) = named(after, "merge").branches
    assert [len(step.components) for step in again.steps] == [2, 2, 2]


def test_the_number_of_a_whole_file_goes_past_the_cache_of_what_is_made_of_it() -> None:
    made = plan(PRODUCE, run())
    cache = ir.Cache((*made.components, *made.components), (made.steps[1],), beside=True)
    after = draw_by_index(chosen(PRODUCE, DRAWS).with_steps((made.steps[0], cache, plan(PRODUCE, DRAWS).steps[1])))
    assert [len(step.components) for step in after.steps] == [2, 3, 1]
    assert named(after, "cache").numbered and not after.unindexed


def test_it_holds_back_without_the_option() -> None:
    without = plan(PRODUCE, DRAWS, BATCH)
    assert draw_by_index(without) == without


REFUSED = {
    "a whole batch": (PRODUCE, "batch(size=4) -> int32[4]", run("is_random=True", specs="int32[4]")),
    "after enqueue_many": (PRODUCE, run(specs="int32[4]"), "unbatch() -> int32[]", DRAWS),
    "in vectors": (READ.replace("True)", "True, up_to=3)"), run("is_random=True", specs="int32[]")),
    "has a seed": (PRODUCE, run("is_random=True, is_seeded=True")),
    "keep_input": (PRODUCE, "filter() -> int32[]", DRAWS),
    "not read from files or arrays": ("endless() -> int64[]", run("is_random=True", uses="()")),
    "other consumers": ("pull(stream='a', stage='a') -> int32[]", DRAWS),
    "own queues": ("pull(stream='a', stage='a', is_native=True) -> int32[]", DRAWS),
}


@pytest.mark.parametrize("why", sorted(REFUSED))
def test_a_plan_that_it_cannot_number_stays_and_says_why(why: str) -> None:
    given = chosen(*REFUSED[why], BATCH)
    after = draw_by_index(given)
    assert why in after.unindexed
    assert after.with_steps(given.steps).steps == after.steps

from __future__ import annotations

from typing import Any

import pytest

from queuecompat._passes.merge_alike import merge_alike
from queuecompat._plan import ir
from tests.passes.as_text import plan

QUEUE = "queue(capacity=32, num_threads=2) -> int32[]\nbatch(size=4) -> int32[4]"


def merge(*bodies: str) -> str:
    """Lists, each with slices of these *bodies*."""
    lines = ["merge() -> int32[]"]
    for number, body in enumerate(bodies):
        lines += [f"  plan '{number}' at 'here.py:1'", "    produce(body=body('rows')) -> int32[]"]
        lines += [f"    run(body=body({one}), uses=(0,)) -> int32[]" for one in body.split(";") if one]
    return "\n".join(lines)


def test_what_all_lists_do_alike_is_done_after_they_have_met() -> None:
    after = merge_alike(plan(merge("'f', like='decode'", "'g', like='decode'"), QUEUE))
    assert after == plan(merge("", ""), "run(body=body('f', like='decode'), uses=(0,)) -> int32[]", QUEUE)


def test_several_slices_keep_their_order() -> None:
    both = "'f', like='read';'g', like='decode'"
    after = merge_alike(plan(merge(both, both), QUEUE))
    read = "run(body=body('f', like='read'), uses=(0,)) -> int32[]"
    decode = "run(body=body('g', like='decode'), uses=(0,)) -> int32[]"
    assert after == plan(merge("", ""), read, decode, QUEUE)


def test_what_only_the_ends_of_the_lists_do_alike_stays_in_part() -> None:
    after = merge_alike(plan(merge("'f', like='a';'g', like='b'", "'h', like='c';'g', like='b'"), QUEUE))
    assert [len(branch.steps) for branch in after.steps[0].branches] == [2, 2]  # type: ignore[attr-defined]
    assert isinstance(after.steps[1], ir.Run)


@pytest.mark.parametrize("fact", ["is_seeded", "has_effects", "may_end"])
def test_it_holds_back_where_each_list_has_its_own_numbers_or_order(fact: str) -> None:
    crop = f"'f', like='crop', {fact}=True"
    before = plan(merge(crop, crop), QUEUE)
    assert merge_alike(before) == before


@pytest.mark.parametrize("bodies", [("'f', like='decode'", "'f', like='crop'"), ("'f'", "'f'")])
def test_it_holds_back_where_the_slices_differ_or_cannot_be_told(bodies: Any) -> None:
    before = plan(merge(*bodies), QUEUE)
    assert merge_alike(before) == before

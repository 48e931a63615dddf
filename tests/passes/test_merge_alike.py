from __future__ import annotations

from typing import Any

import pytest

from queuecompat._compiler.passes.merge_alike import merge_alike
from tests.passes.plans import batch, merge, plan, produce, queue, run, text


def join(*slices: Any) -> Any:
    return plan(merge(*(plan(produce(), one) for one in slices)), queue(num_threads=len(slices)), batch())


def test_what_all_lists_do_alike_is_done_after_they_have_met() -> None:
    after = merge_alike(join(run(like="decode"), run(like="decode")))
    assert [type(step).__name__ for step in after.steps] == ["Merge", "Run", "Queue", "Batch"]
    assert [len(branch.steps) for branch in after.steps[0].branches] == [1, 1]


def test_several_slices_keep_their_order() -> None:
    branch = plan(produce(), run(like="read"), run(like="decode"))
    after = merge_alike(plan(merge(branch, branch), queue(), batch()))
    assert [getattr(step.body, "like", None) for step in after.steps[1:3]] == ["read", "decode"]
    assert "merge 2 lists" in text(after)


@pytest.mark.parametrize("nature", ["is_seeded", "has_effects", "may_end"])
def test_it_holds_back_where_each_list_has_its_own_numbers_or_order(nature: str) -> None:
    before = join(run(like="crop", **{nature: True}), run(like="crop", **{nature: True}))
    assert merge_alike(before) == before


@pytest.mark.parametrize("likes", [("decode", "crop"), (None, None)])
def test_it_holds_back_where_the_slices_differ_or_cannot_be_told(likes: Any) -> None:
    before = join(*(run(like=like) for like in likes))
    assert merge_alike(before) == before

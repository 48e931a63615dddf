"""fuse_draws: draws from the program's own queues and the ops beside them are one step."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from queuecompat._passes.fuse_draws import fuse_draws
from queuecompat._plan import ir
from queuecompat._plan.bodies import Split
from tests.passes.plans import NUMBER, FakeBody, batch, plan, produce, queue, text


class Drawing(FakeBody):
    """A slice, of which some has to run in one step with its draws: all of it, a *head* of it, or nothing."""

    def __init__(self, split: Optional[Split]) -> None:
        super().__init__()
        self.split_off = split
        self.asked: Any = None

    def with_draws(self, own: Sequence[int]) -> Optional[Split]:
        self.asked = list(own)
        return self.split_off


def own(name: str = "q") -> ir.Pull:
    return ir.Pull(NUMBER, None, name, is_native=True, is_op=True)


def zipped(*lines: ir.Step) -> ir.Zip:
    return ir.Zip(NUMBER * len(lines), tuple(plan(line) for line in lines))


def fused(source: ir.Step, uses: Any, split: Optional[Split]) -> ir.Plan:
    return fuse_draws(plan(source, ir.Run(NUMBER, Drawing(split), tuple(uses)), queue(), batch()))


def test_a_slice_that_may_end_beside_a_draw_runs_in_one_step_with_it() -> None:
    split = Split(FakeBody(may_end=True), (), NUMBER, None)
    assert text(fused(own(), [0], split)) == (
        "clock no input stage: your ops run repeatedly\n"
        "draw from 'q', together with f, one by one -> int32[]\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped"
    )


def test_what_needs_the_element_stays_a_slice_of_its_own() -> None:
    split = Split(FakeBody(), (), NUMBER * 2, FakeBody())
    clock, head, tail, *_ = fused(own(), [0], split).steps
    assert isinstance(clock, ir.Endless) and head.draws == (own(),)
    assert (tail.uses, tail.draws, tail.components) == ((0, 1), (), NUMBER)


def test_several_queues_are_drawn_from_in_one_step() -> None:
    split = Split(FakeBody(), (), NUMBER * 2, None)
    clock, head, *_ = fused(zipped(own("a"), own("b")), [0, 1], split).steps
    assert isinstance(clock, ir.Endless) and [draw.stage for draw in head.draws] == ["a", "b"]


def test_what_is_ours_is_drawn_before() -> None:
    split = Split(FakeBody(), (1,), NUMBER, None)
    source, head, *_ = fused(zipped(own(), produce()), [0, 1], split).steps
    assert isinstance(source, ir.Produce) and head.uses == (0,) and head.draws == (own(),)


def test_several_of_ours_stay_zipped() -> None:
    split = Split(FakeBody(), (0, 2), NUMBER, None)
    source, head, *_ = fused(zipped(produce(), own(), produce()), [2, 1, 0], split).steps
    assert isinstance(source, ir.Zip) and len(source.branches) == 2 and head.uses == (1, 0)


def test_it_holds_back_where_nothing_can_happen_beside_the_draw() -> None:
    before = plan(own(), ir.Run(NUMBER, Drawing(None), (0,)), queue(), batch())
    assert fuse_draws(before) == before


def test_it_holds_back_at_what_is_no_op_of_the_program() -> None:
    body = Drawing(None)
    before = plan(ir.Pull(NUMBER, None, "ours", is_native=True), ir.Run(NUMBER, body, (0,)), queue(), batch())
    assert fuse_draws(before) == before and body.asked is None


def test_it_holds_back_where_no_slice_follows() -> None:
    before = plan(own(), queue(), batch())
    assert fuse_draws(before) == before

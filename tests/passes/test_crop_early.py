from __future__ import annotations

from typing import Any, Optional, Tuple

from queuecompat._passes.batch_first import batch_first
from queuecompat._passes.crop_early import crop_early
from queuecompat._plan import ir
from queuecompat._plan.bodies import Body, InBatches
from tests.passes.plans import NUMBER, FakeBody, batch, plan, produce, queue, text


class Cropping(FakeBody):
    """A slice with a crop that can move."""

    def __init__(self, form: Any = None) -> None:
        super().__init__()
        self.after = FakeBody(form=form)

    def cropped_early(self) -> Tuple[Optional[Body], str]:
        return self.after, "crops before Cast"


def _run(body: Body, **facts: Any) -> ir.Run:
    return ir.Run(NUMBER, body, (0,), **facts)


def test_the_slice_with_its_crops_moved_runs_and_the_text_says_so() -> None:
    body = Cropping()
    after = crop_early(plan(produce(), _run(body), queue(), batch(4)))
    assert after.steps[1].body is body.after
    assert text(after) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "map f, one by one -> int32[]; crops before Cast\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped"
    )


def test_what_has_moved_is_said_of_the_map_that_crops() -> None:
    whole = InBatches(None, (0,), NUMBER, FakeBody(), "batched: 3 of 3 ops")
    cut = InBatches(FakeBody(), (0,), NUMBER, FakeBody(), "batched: 1 of 3 ops")
    none = InBatches(None, (), (), None, "not batched; f")
    remarks = []
    for form in (whole, cut, none):
        after = batch_first(crop_early(plan(produce(), _run(Cropping(form)), queue(), batch(4))))
        remarks.append([step.remark for step in after.steps if isinstance(step, ir.Run)])
    assert remarks == [
        ["crops before Cast; batched: 3 of 3 ops"],
        ["crops before Cast", "batched: 1 of 3 ops"],
        ["crops before Cast; not batched; f"],
    ]


def test_it_holds_back_where_no_crop_can_move_and_where_the_step_draws() -> None:
    draw = ir.Pull(NUMBER, "q", "q", is_native=True)
    for run in (_run(FakeBody()), _run(Cropping(), draws=(draw,))):
        before = plan(produce(), run, queue(), batch(4))
        assert crop_early(before) == before

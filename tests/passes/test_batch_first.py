from __future__ import annotations

import pytest

from queuecompat._passes.batch_first import batch_first
from tests.passes.plans import batch, plan, produce, queue, run, text


def test_a_slice_that_gives_rows_runs_once_a_batch() -> None:
    before = plan(produce(), run(is_batchable=True), queue(), batch(4))
    assert text(batch_first(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped\n"
        "map f, on whole batches -> int32[4]"
    )


@pytest.mark.parametrize(
    "nature", [{}, {"is_batchable": True, "is_random": True}, {"is_batchable": True, "may_end": True}]
)
def test_it_holds_back_at_any_other_slice(nature: dict) -> None:
    before = plan(produce(), run(**nature), queue(), batch())
    assert batch_first(before) == before


def test_it_holds_back_where_batching_pads() -> None:
    before = plan(produce(), run(is_batchable=True), queue(), batch(padded=True))
    assert batch_first(before) == before

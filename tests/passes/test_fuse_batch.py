from __future__ import annotations

import dataclasses
from typing import Any

from queuecompat._compiler import ir
from queuecompat._compiler.passes.fuse_batch import fuse_batch
from tests.passes.plans import batch, plan, produce, queue, run, text


def parallel(calls: int = 16) -> Any:
    return dataclasses.replace(run(), parallel_calls=calls)


def test_a_parallel_slice_makes_its_batch_itself() -> None:
    assert text(fuse_batch(plan(produce(), parallel(), queue(), batch(4)))) == (
        "produce int32[] forever, shuffled anew each epoch\n"
        "queue capacity 32, first in first out\n"
        "slice f, 16 at once -> int32[], into a batch of 4, last partial batch dropped"
    )


def test_it_holds_back_where_the_slice_runs_one_by_one() -> None:
    before = plan(produce(), parallel(1), queue(), batch())
    assert fuse_batch(before) == before


def test_it_holds_back_where_batching_pads() -> None:
    before = plan(produce(), parallel(), queue(), batch(padded=True))
    assert fuse_batch(before) == before


def test_it_holds_back_where_rows_are_cut_before_the_batch() -> None:
    slice_, cut = parallel(), ir.Unbatch(batch().components)
    before = plan(produce(), slice_, cut, queue(components=cut.components), batch())
    assert fuse_batch(before) == before

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import tensorflow as tf

from queuecompat._backends.text import held
from queuecompat._passes.batch_first import batch_first
from queuecompat._passes.parallelise import parallelise
from queuecompat._passes.size_buffers import size_buffers
from queuecompat._plan import ir
from queuecompat._plan.bodies import InBatches
from queuecompat._plan.options import Options
from tests.passes.plans import NUMBER, FakeBody, batch, bucket, plan, produce, queue, run, text

WHOLE = InBatches(None, (0,), NUMBER, FakeBody(), "")
IMAGE = (tf.TensorSpec([2, 2], tf.uint8),)
CUT = InBatches(FakeBody(), (0,), IMAGE, FakeBody(), "batched: 1 of 2 ops")
NONE = InBatches(None, (), (), None, "not batched; f")
OPEN = InBatches(FakeBody(), (0,), (tf.TensorSpec([None], tf.uint8),), FakeBody(), "")


def test_a_slice_with_a_batched_form_runs_once_a_batch() -> None:
    before = plan(produce(), run(form=WHOLE), queue(), batch(4))
    assert text(batch_first(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped\n"
        "map f, on whole batches -> int32[4]"
    )


def test_a_slice_that_is_cut_runs_its_head_for_each_element_and_its_tail_for_each_batch() -> None:
    before = plan(produce(), run(form=CUT), queue(), batch(4))
    assert text(batch_first(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "map f, one by one -> uint8[2,2]\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped\n"
        "map f, on whole batches -> int32[4]; batched: 1 of 2 ops"
    )


def test_a_batch_that_may_be_smaller_has_an_open_first_dimension() -> None:
    small = ir.Batch((tf.TensorSpec([None], tf.int32),), 4, False, False)
    changed = batch_first(plan(produce(), run(form=WHOLE), queue(), small))
    assert changed.steps[-2].components[0].shape.as_list() == [None]


def test_where_no_op_runs_on_batches_the_plan_stays_and_says_why() -> None:
    before = plan(produce(), run(form=NONE), queue(), batch(4))
    after = batch_first(before)
    assert [type(step) for step in after.steps] == [type(step) for step in before.steps]
    assert "map f, one by one -> int32[]; not batched; f" in text(after)


@pytest.mark.parametrize("form", [None, OPEN], ids=["nothing to batch", "elements of different shapes"])
def test_it_holds_back_at_any_other_slice(form: InBatches) -> None:
    before = plan(produce(), run(form=form), queue(), batch())
    assert batch_first(before) == before


def test_where_batching_pads_what_comes_in_is_batched_as_it_is_and_the_slice_pads() -> None:
    before = plan(produce(), run(form=WHOLE), queue(), batch(4, padded=True))
    assert text(batch_first(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last partial batch dropped\n"
        "map f, on whole batches -> int32[4]"
    )


def test_it_holds_back_where_batching_pads_and_bad_records_are_skipped() -> None:
    before = plan(produce(), run(form=WHOLE), queue(), batch(padded=True))
    before = dataclasses.replace(before, options=Options(on_error="skip"))
    assert "-> int32[]; not batched: a padded batch that has lost elements" in text(batch_first(before))


KEPT = (*NUMBER, tf.TensorSpec([], tf.bool))
FILTER = ir.Filter(NUMBER)


def test_where_elements_are_left_out_a_batch_is_filled_up_from_the_next() -> None:
    before = plan(produce(), run(form=WHOLE, components=KEPT), FILTER, queue(), batch(4))
    assert text(batch_first(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "queue capacity 32, first in first out\n"
        "batch of 4, last batch may be smaller\n"
        "map f, on whole batches -> int32[?]; drops what keep_input is false for\n"
        "batch of 4, rebatched, last partial batch dropped"
    )


def test_a_batch_that_is_filled_up_is_within_the_queues_capacity() -> None:
    before = plan(produce(), run(form=WHOLE, components=KEPT), FILTER, queue(40), batch(4))
    after = size_buffers(parallelise(batch_first(before)))
    assert sum(count for _, count, _ in held(after)) <= 40 + 4


def _of_a_queue_of_the_program() -> Any:
    return ir.Pull(NUMBER, "queue", "queue", is_native=True)


@pytest.mark.parametrize(
    "source, room, last, options",
    [
        (_of_a_queue_of_the_program(), 32, batch(4), Options()),
        (produce(), 7, batch(4), Options()),
        (produce(), 32, batch(4, padded=True), Options()),
        (produce(), 32, batch(4), Options(on_error="skip")),
    ],
    ids=["elements may not come", "no room", "padded", "what fails is skipped"],
)
def test_it_holds_back_where_a_batch_cannot_wait_for_the_next(source: Any, room: int, last: Any, options: Any) -> None:
    before = plan(source, run(form=WHOLE, components=KEPT), FILTER, queue(room), last)
    before = dataclasses.replace(before, options=options)
    assert "-> int32[], bool[]; not batched: " in text(batch_first(before))


def test_a_shuffle_buffer_of_what_is_kept_takes_it_one_by_one() -> None:
    shuffle = ir.Shuffle(NUMBER, 20)
    before = plan(produce(), run(form=WHOLE, components=KEPT), FILTER, shuffle, queue(minimum=4), batch(4))
    assert "-> int32[], bool[]; not batched: the shuffle buffer" in text(batch_first(before))


def test_before_buckets_each_element_is_made_alone_and_the_text_says_why() -> None:
    before = plan(produce(), run(form=WHOLE), queue(), bucket(4))
    assert "-> int32[]; not batched: each element goes into its own bucket" in text(batch_first(before))


@pytest.mark.parametrize("size, known", [(7, [7]), (0, [None])])
def test_the_form_is_told_how_long_the_records_are(size: int, known: list) -> None:
    value = (tf.TensorSpec([], tf.string),)
    read = ir.Read(value, ir.FileLayout("FixedLengthRecord" if size else "TFRecord", record_bytes=size), with_key=False)
    body = FakeBody(form=NONE)
    steps = (produce(), read, ir.Run(NUMBER, body, (0,)), queue(), batch())
    batch_first(plan(*steps))
    assert body.lengths == known

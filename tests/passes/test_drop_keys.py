from __future__ import annotations

from queuecompat._compiler.passes.drop_keys import drop_keys
from tests.passes.plans import RECORD, merge, plan, produce, queue, read, run, text


def test_an_unused_key_is_not_made() -> None:
    before = plan(produce(), read(), run(uses=(1,)))
    assert "read TFRecord with keys" in text(before)
    after = drop_keys(before)
    assert text(after).splitlines()[1] == "read TFRecord"
    assert after.steps[2].uses == (0,)  # type: ignore[attr-defined]


def test_choosing_the_value_alone_needs_no_step() -> None:
    after = drop_keys(plan(produce(), read(), run(uses=(1,), components=RECORD[1:], is_empty=True)))
    assert text(after).splitlines()[1:] == ["read TFRecord"]


def test_it_holds_back_where_the_key_is_used() -> None:
    before = plan(produce(), read(), run(uses=(0, 1)))
    assert drop_keys(before) == before


def test_it_holds_back_where_the_program_runs_the_read_itself() -> None:
    before = plan(produce(), read())
    assert drop_keys(before) == before


def test_a_key_that_goes_through_a_queue_unused_is_not_made() -> None:
    after = drop_keys(plan(produce(), read(), queue(minimum=8, components=RECORD), run(uses=(1,))))
    assert text(after).splitlines()[1:3] == ["read TFRecord", "queue capacity 32, random, min_after_dequeue 8"]
    assert after.steps[3].uses == (0,)  # type: ignore[attr-defined]


def test_no_reader_of_several_makes_a_key_that_nobody_uses() -> None:
    readers = merge(plan(produce(), read()), plan(produce(), read()))
    after = drop_keys(plan(readers, queue(components=RECORD), run(uses=(1,))))
    assert "with keys" not in text(after)
    assert after.components == run().components


def test_it_holds_back_where_one_of_several_lists_is_not_read() -> None:
    made = run(components=RECORD)
    before = plan(merge(plan(produce(), read()), plan(produce(), made)), queue(components=RECORD), run(uses=(1,)))
    assert drop_keys(before) == before


def test_it_holds_back_where_a_queue_is_not_followed_by_a_slice() -> None:
    before = plan(produce(), read(), queue(components=RECORD))
    assert drop_keys(before) == before

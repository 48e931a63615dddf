from __future__ import annotations

from queuecompat._compiler.passes.drop_keys import drop_keys
from tests.passes.plans import RECORD, plan, produce, read, run, text


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

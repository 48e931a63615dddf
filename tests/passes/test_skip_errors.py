from __future__ import annotations

import dataclasses

from queuecompat._passes.drop_keys import drop_keys
from queuecompat._passes.skip_errors import skip_errors
from queuecompat._plan import ir
from queuecompat._plan.options import Options
from tests.passes.as_text import PRODUCE, READ, plan, run, steps

SKIPPED_READ = READ.replace("with_key=True", "with_key=True, skips=True")


def skipping(*lines: str) -> ir.Plan:
    return dataclasses.replace(plan(*lines), options=Options(on_error="skip"))


def test_it_holds_back_where_an_error_is_to_be_raised() -> None:
    before = plan(READ, run(uses="(1,)"))
    assert skip_errors(before) == before


def test_a_slice_skips_what_it_fails_on_and_knows_where_that_was_read() -> None:
    changed = skip_errors(skipping(READ, run(uses="(1,)")))
    assert steps(changed).endswith("run(body=body('f'), uses=(1,), skip=skip(place=0)) -> int32[]")


def test_a_batch_is_filled_up_after_a_slice_that_may_lose_rows_of_it() -> None:
    changed = skip_errors(skipping(PRODUCE, "batch(size=8) -> int32[8]", run(specs="int32[8]", batched=True)))
    assert steps(changed).splitlines()[1:] == [
        "batch(size=8, drop_remainder=False) -> int32[?]",
        "run(body=body('f'), uses=(0,), batched=True, skip=skip(by_rows=True)) -> int32[?]",
        "batch(size=8, refills=True) -> int32[8]",
    ]


def test_a_slice_that_makes_one_number_of_a_batch_loses_the_whole_batch() -> None:
    changed = skip_errors(skipping(PRODUCE, "batch(size=8) -> int32[8]", run(specs="int32[]")))
    assert steps(changed).endswith("run(body=body('f'), uses=(0,), skip=skip()) -> int32[]")


def test_a_slice_whose_results_may_have_other_rows_than_its_batch_loses_the_whole_batch() -> None:
    changed = skip_errors(skipping(PRODUCE, "batch(size=8) -> int32[8]", run(specs="int32[8]")))
    assert steps(changed).splitlines()[1:] == [
        "batch(size=8) -> int32[8]",
        "run(body=body('f'), uses=(0,), skip=skip()) -> int32[8]",
    ]


def test_what_says_where_a_record_was_read_stays_up_to_the_next_slice() -> None:
    value = run("is_empty=True", uses="(1,)", specs="string[]")
    parsed = run("keeps_rows=True", specs="int32[8]")
    changed = skip_errors(skipping(READ, value, "batch(size=8) -> string[8]", parsed))
    assert "batch(size=8, drop_remainder=False) -> string[?], string[?]" in steps(changed)
    assert "uses=(1,), skip=skip(place=0, by_rows=True)" in steps(changed)


def test_it_holds_back_at_what_draws_from_the_programs_own_queues() -> None:
    draw = "draws=(pull(stream='q', stage='q', outputs='int32[]'),)"
    before = skipping(PRODUCE, f"run(body=body('f'), uses=(0,), {draw}) -> int32[]")
    assert skip_errors(before) == before


def test_a_key_is_made_where_what_is_skipped_is_listed_by_it() -> None:
    before = skipping(READ, run(uses="(1,)"))
    assert drop_keys(before) == before

from __future__ import annotations

import dataclasses

from queuecompat._passes.distribute import distribute
from queuecompat._plan import ir
from queuecompat._plan.options import Options
from tests.passes.as_text import PRODUCE, plan, run, steps


def remote(*lines: str) -> ir.Plan:
    options = Options(data_service="grpc://host:1", data_service_job="j")
    return dataclasses.replace(plan(*lines), options=options, is_remote=True)


FILES = "produce(body=body('names')) -> string[]"
READ = "read(layout=filelayout(name='TFRecord'), with_key=False) -> string[]"
REFILL = "batch(size=8, refills=True) -> string[8]"
ROWS = "batch(size=8, drop_remainder=False) -> string[?]"


def test_it_holds_back_where_this_process_computes_the_plan() -> None:
    before = plan(PRODUCE, "batch(size=8) -> int32[8]")
    assert distribute(before) == before


def test_what_comes_before_the_batches_are_filled_up_leaves() -> None:
    ahead = "prefetch(count=3, queue='q') -> string[?]"
    changed = distribute(remote(FILES, READ, ROWS, ahead, REFILL, run(specs="string[8]")))
    assert [line.strip() for line in steps(changed).splitlines()] == [
        "distribute(service='grpc://host:1', job='j') -> string[?]",
        "plan 'p' at 'here.py:1'",
        "produce(body=body('names'), is_split=True) -> string[]",
        READ,
        ROWS,
        "prefetch(count=3) -> string[?]",
        REFILL,
        "prefetch(count=1, queue='q') -> string[8]",
        run(specs="string[8]"),
    ]


def test_rows_that_are_no_files_are_handed_out_together() -> None:
    changed = distribute(remote(PRODUCE, "batch(size=8, padded=True) -> int32[?]", "prefetch(count=2) -> int32[?]"))
    (step, *_) = changed.steps
    assert isinstance(step, ir.Distribute)
    (branch,) = step.branches
    assert isinstance(branch.steps[0], ir.Produce)
    assert branch.steps[0].each == 64


def test_a_clock_has_nothing_to_hand_out() -> None:
    changed = distribute(
        remote("endless() -> int64[]", run(specs="int32[]"), "prefetch(count=2, batched=False) -> int32[]")
    )
    assert isinstance(changed.steps[0], ir.Distribute)
    assert not changed.steps[0].is_split


def test_a_shuffle_buffer_does_not_grow_on_a_worker() -> None:
    """Its elements would come from an iterator of its own, which one worker would have as a whole."""
    shuffle = "shuffle(buffer=9, growth=growth(least=3, steady=4)) -> string[]"
    changed = distribute(remote(FILES, READ, shuffle, ROWS, REFILL))
    assert "shuffle(buffer=9) -> string[]" in steps(changed)

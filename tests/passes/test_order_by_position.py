from __future__ import annotations

import dataclasses

import pytest

from queuecompat._passes.order_by_position import order_by_position
from queuecompat._passes.size_buffers import size_buffers
from queuecompat._plan import ir
from queuecompat._plan.options import Options
from queuecompat._plan.positions import fingerprint, lost, places, replayed
from tests.passes.as_text import PRODUCE, READ, named, plan, run

POOL = "shuffle(buffer=100, growth=growth(least=20, steady=4)) -> int32[]"
QUEUE = "queue(capacity=100, min_after_dequeue=20) -> int32[]"
BATCH = "batch(size=4) -> int32[4]"
WINDOWS = "shuffle(buffer=75, by_windows=True) -> int32[]"
RECORDS = """
    produce(body=body('names'), blocks=blocks(layout=filelayout(name='TFRecord'))) -> string[]
    read(layout=filelayout(name='TFRecord'), with_key=False, open_blocks=1) -> int32[]"""


def chosen(*lines: str) -> ir.Plan:
    return dataclasses.replace(plan(*lines), options=Options(checkpoint=True))


def test_shuffling_goes_by_windows_and_nothing_is_decided_by_threads() -> None:
    given = chosen(PRODUCE, POOL, run(parallel_calls=8, ordered=False), QUEUE, BATCH)
    after = order_by_position(given)
    assert named(after, "shuffle") == dataclasses.replace(named(given, "shuffle"), growth=None, by_windows=True)
    assert named(after, "run").ordered


def test_numbers_of_a_seed_are_drawn_by_one_call_at_a_time() -> None:
    seeded = run("is_seeded=True, is_random=True", parallel_calls=4)
    assert named(order_by_position(chosen(PRODUCE, seeded, QUEUE, BATCH)), "run").parallel_calls == 1
    assert named(order_by_position(chosen(PRODUCE, run(parallel_calls=4), QUEUE, BATCH)), "run").parallel_calls == 4


def test_it_holds_back_without_the_option_and_in_a_preview() -> None:
    without = plan(PRODUCE, POOL, QUEUE, BATCH)
    assert order_by_position(without) == without
    preview = dataclasses.replace(chosen(PRODUCE, POOL, QUEUE, BATCH), is_preview=True)
    assert order_by_position(preview) == preview


@pytest.mark.parametrize("calls", [1, 4, 25])
def test_the_size_of_windows_does_not_depend_on_the_number_of_processors(calls: int) -> None:
    given = chosen(PRODUCE, POOL, run(parallel_calls=calls), QUEUE, BATCH)
    assert named(size_buffers(order_by_position(given)), "shuffle").buffer == 75


def test_a_position_in_batches_is_one_in_records_and_in_windows() -> None:
    steps = chosen(RECORDS, WINDOWS, run(), BATCH, "prefetch(count=1) -> int32[4]").steps
    # 100 batches are 400 elements: 5 windows of 75 and 25 elements of the next one.
    found = {type(step): (place.begin, place.skipped) for step, place in zip(steps, places(steps, 100))}
    assert found[ir.Prefetch] == (100, None)
    assert found[ir.Batch] == (100, None)
    assert found[ir.Run] == (400, None)
    assert found[ir.Shuffle] == (5, 25)
    assert found[ir.Read] == (375, None)
    assert found[ir.Produce] == (375, None)


def test_a_position_in_rows_that_are_cut_begins_in_the_midst_of_them() -> None:
    steps = chosen(PRODUCE, run(specs="int32[10]"), "unbatch() -> int32[]", BATCH).steps
    assert [(place.begin, place.skipped) for place in places(steps, 7)] == [(2, None), (2, None), (28, 8), (7, None)]


REPLAYED = {
    "files from their beginning": (READ, "read"),
    "seeded numbers": (f"{PRODUCE}\n{run('is_seeded=True, is_random=True')}", "run"),
    "python": (f"{PRODUCE}\n{run('has_effects=True')}", "run"),
    "what is chosen": (f"{PRODUCE}\nfilter() -> int32[]", "filter"),
    "plain shuffle": (f"{PRODUCE}\nshuffle(buffer=8) -> int32[]", "shuffle"),
}


@pytest.mark.parametrize("name", sorted(REPLAYED))
def test_what_has_a_history_is_made_again(name: str) -> None:
    lines, kind = REPLAYED[name]
    given = chosen(lines)
    step = replayed(given)
    assert step is not None and type(step).__name__.lower() == kind
    assert places(given.steps, 9)[-1].skipped == 9
    assert all(place.begin == 0 for place in places(given.steps, 9))


def test_what_comes_after_it_is_not() -> None:
    given = chosen(PRODUCE, "filter() -> int32[]", run(), BATCH)
    assert [place.skipped for place in places(given.steps, 5)] == [None, 20, None, None]


def test_what_other_consumers_take_from_cannot_be_restored() -> None:
    shared = "pull(stream='a', stage='a') -> int32[]"
    assert lost(chosen(shared, BATCH)) == "it takes elements from 'a', of which other consumers take elements, too"
    assert lost(chosen(PRODUCE, BATCH)) is None


def test_a_fingerprint_is_of_what_decides_a_batch() -> None:
    given = chosen(PRODUCE, WINDOWS, run(parallel_calls=2), BATCH)
    assert fingerprint(given) == fingerprint(chosen(PRODUCE, WINDOWS, run(parallel_calls=16), BATCH))
    others = [WINDOWS.replace("75", "76"), WINDOWS.replace("buffer", "seed=1, buffer")]
    assert all(fingerprint(given) != fingerprint(chosen(PRODUCE, one, run(), BATCH)) for one in others)
    assert fingerprint(given) != fingerprint(chosen(PRODUCE, WINDOWS, run(), "batch(size=5) -> int32[5]"))

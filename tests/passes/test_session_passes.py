"""The passes that a session adds to the compiler's: what is counted, and what goes through the gate."""

from __future__ import annotations

from queuecompat._passes.grow_shuffle import grow_shuffle
from queuecompat._passes.size_buffers import size_buffers
from queuecompat._session.streams.session_passes import count_each, count_queues, gated, waits_for_python
from tests.passes.as_text import PRODUCE, plan, run, steps

KEYED = "produce(body=body('rows'), num_epochs=2, queue='names') -> int32[]"
BATCH = "batch(size=4) -> int32[4]"


def test_batches_are_counted_as_elements_where_they_are_made_and_where_they_leave() -> None:
    before = plan(PRODUCE, BATCH, "prefetch(count=8, queue='batch') -> int32[4]")
    assert count_queues(before, {"batch": 32}) == plan(
        PRODUCE,
        BATCH,
        "count(queue='batch', event='entered', batched=True) -> int32[4]",
        "prefetch(count=8, queue='batch') -> int32[4]",
        "count(queue='batch', event='left', batched=True) -> int32[4]",
    )


def test_elements_are_counted_by_shares_where_they_come_in_and_where_they_leave() -> None:
    queue = "queue(capacity=256, min_after_dequeue=128, queue='q') -> int32[]"
    sized = size_buffers(plan(PRODUCE, "shuffle(buffer=256, queue='q') -> int32[]", queue))
    assert count_queues(sized, {"q": 256}) == plan(
        PRODUCE,
        "count(queue='q', event='entered', batched=False, every=4) -> int32[]",
        "shuffle(buffer=240, queue='q') -> int32[]",
        "prefetch(count=16, batched=False, queue='q') -> int32[]",
        "count(queue='q', event='left', batched=False, every=4) -> int32[]",
    )


def test_elements_of_a_queue_that_does_not_mix_are_counted_before_they_wait() -> None:
    sized = size_buffers(plan(PRODUCE, "queue(capacity=128, queue='q') -> int32[]"))
    assert steps(count_queues(sized, {"q": 128})).splitlines()[1:] == [
        "count(queue='q', event='entered', batched=False, every=2) -> int32[]",
        "prefetch(count=128, batched=False, queue='q') -> int32[]",
        "count(queue='q', event='left', batched=False, every=2) -> int32[]",
    ]


def test_the_elements_of_a_growing_buffers_first_batch_are_counted_by_shares_of_their_own() -> None:
    queue = "queue(capacity=6400, min_after_dequeue=124, queue='q') -> int32[]"
    shuffle = "shuffle(buffer=6400, queue='q') -> int32[]"
    after = count_queues(size_buffers(grow_shuffle(plan(PRODUCE, run(), shuffle, queue, BATCH))), {"q": 6400})
    assert [line for line in steps(after).splitlines() if line.startswith("count")] == [
        "count(queue='q', event='entered', batched=False, every=2) -> int32[]",
        "count(queue='q', event='left', batched=True) -> int32[4]",
    ]


def test_of_buckets_the_batches_are_counted() -> None:
    bucket = "bucket(sizes=(4, 4), drop_remainder=True, padded=False, capacity=2, queue='top') -> int32[]"
    sized = size_buffers(plan(PRODUCE, "queue(capacity=32, queue='top') -> int32[]", bucket))
    assert count_queues(sized, {"top": 2}) == plan(
        PRODUCE,
        bucket,
        "count(queue='top', event='entered', batched=False) -> int32[]",
        "prefetch(count=2, queue='top') -> int32[]",
        "count(queue='top', event='left', batched=False) -> int32[]",
    )


def test_each_of_two_queues_is_counted_by_its_own_numbers() -> None:
    first, second = "queue(capacity=8, queue='a') -> int32[]", "queue(capacity=2, queue='b') -> int32[4]"
    counted = count_queues(size_buffers(plan(PRODUCE, first, BATCH, second)), {"a": 8, "b": 2})
    assert [line.split(",")[:2] for line in steps(counted).splitlines() if line.startswith("count")] == [
        ["count(queue='a'", " event='entered'"],
        ["count(queue='a'", " event='left'"],
        ["count(queue='b'", " event='entered'"],
        ["count(queue='b'", " event='left'"],
    ]


def test_queues_in_the_branches_of_a_join_are_counted_there() -> None:
    branch = f"  plan 'a' at 'here.py:1'\n    {KEYED}\n    prefetch(count=8, batched=False, queue='q') -> int32[]"
    counted = count_queues(plan(f"merge() -> int32[]\n{branch}"), {"q": 8, "names": 32})
    assert steps(counted).splitlines()[2:] == [
        "    produce(body=body('rows'), num_epochs=2, queue='names', is_counted=True) -> int32[]",
        "    count(queue='q', event='entered', batched=False) -> int32[]",
        "    prefetch(count=8, batched=False, queue='q') -> int32[]",
        "    count(queue='q', event='left', batched=False) -> int32[]",
    ]


def test_what_nothing_keeps_counts_of_is_not_counted() -> None:
    before = plan(KEYED, BATCH, "prefetch(count=8, queue='batch') -> int32[4]")
    assert count_queues(before, {}) == before


def test_rows_that_consumers_share_are_counted_one_by_one_at_the_gate() -> None:
    counted = count_queues(plan(KEYED), {"names": 32})
    assert steps(count_each(counted)).splitlines()[1:] == [
        "count(queue='names', event='left', batched=False, is_gated=True) -> int32[]"
    ]
    for before in (plan(KEYED), plan(PRODUCE, run())):
        assert count_each(before) == before


OWN = "pull(stream='own', stage='own', is_native=True) -> int32[]"
ENTERED = "count(queue='q', event='entered', batched=False) -> int32[]"


def test_a_draw_from_the_programs_own_queue_goes_through_an_entrance_of_its_own() -> None:
    both = f"  plan 'a' at 'here.py:1'\n    {OWN}\n  plan 'b' at 'here.py:1'\n    {OWN}"
    lines = steps(
        gated(plan(f"zip() -> int32[], int32[]\n{both}", ENTERED.replace("int32[]", "int32[], int32[]")), "s")
    )
    entrances = [line for line in lines.splitlines() if "entrance" in line]
    assert len(entrances) == 2 == len(set(entrances))
    assert "is_gated" not in lines


def test_any_other_plan_ends_where_it_counts_what_comes_in() -> None:
    left = ENTERED.replace("entered", "left")
    after = gated(plan(PRODUCE, ENTERED, left), "s")
    assert after == plan(PRODUCE, ENTERED.replace("batched=False", "batched=False, is_gated=True"), left)


def test_a_slice_that_draws_itself_goes_through_one_entrance_call_by_call() -> None:
    draw = OWN.replace(") -> int32[]", ", outputs='int32[]')")
    drawing = f"run(body=body('f'), uses=(), draws=({draw},), parallel_calls=4) -> int32[]"
    (_, step) = gated(plan("endless() -> int64[]", drawing), "s").steps
    assert step.parallel_calls == 1 and step.entrance is not None  # type: ignore[attr-defined]


def test_a_draw_may_wait_for_python_where_a_slice_has_effects() -> None:
    assert waits_for_python(plan(PRODUCE, run("has_effects=True")))
    assert not waits_for_python(plan(PRODUCE, run("is_random=True")))

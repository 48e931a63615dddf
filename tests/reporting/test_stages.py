"""Which stage gets the time of which event of a recording. The events are made up."""

from __future__ import annotations

from typing import Any, Dict, List

from queuecompat.reporting import stages
from queuecompat.reporting.stages import Ops, Work, stages_of, work_of
from queuecompat.reporting.traces import Event, threads

SHAPE = ("Prefetch", "Batch", "Shuffle")
OPS = Ops({"crop": stages.ON_ELEMENTS, "decode": stages.ON_ELEMENTS, "cast": stages.ON_BATCHES}, [SHAPE])
ROOT = "Iterator::Root::Prefetch::BatchV2"


def work(*events: Event, ops: Any = (OPS,)) -> List[Dict[str, int]]:
    found = work_of([sorted(events, key=lambda event: (event.begin, -event.end))], ops)
    return [_by_kind(one) for one in found]


def _by_kind(work: Work) -> Dict[str, int]:
    kinds = dict.fromkeys(key[0] for key in work)
    return {kind: sum(time for key, time in work.items() if key[0] == kind) for kind in kinds}


def test_a_stage_has_its_own_time_without_what_is_within() -> None:
    [found] = work(
        Event(0, 100, ROOT),
        Event(10, 90, f"{ROOT}::Shuffle"),
        Event(20, 70, f"{ROOT}::Shuffle::FlatMap[0]::TFRecord"),
        Event(30, 40, "TFRecordDatasetOp::Iterator::SetupStreamsLocked"),
    )
    assert found == {stages.BATCH: 20, stages.SHUFFLE: 30, stages.READ: 50}


def test_time_that_only_waits_is_no_stages() -> None:
    [found] = work(
        Event(0, 100, "Iterator::Root::Prefetch"),
        Event(0, 90, f"{ROOT}::ParallelMapV2"),
        Event(0, 80, "InstantiatedCapturedFunction::Run"),
        Event(200, 300, "shuffle_batch:QueueDequeueManyV2"),
    )
    assert found == {}


def test_an_op_is_known_by_its_name_and_its_work_by_its_type() -> None:
    [found] = work(
        Event(0, 10, "decode:DecodeJpeg"),
        Event(20, 50, "crop_0:Slice"),
        Event(60, 100, "cast/in_batches/Cast:Cast"),
        Event(200, 900, "the_model:MatMul"),
    )
    assert found == {stages.DECODE: 10, stages.ON_ELEMENTS: 30, stages.ON_BATCHES: 40}


def test_calling_the_ops_of_a_function_is_the_work_of_its_first_op() -> None:
    [found] = work(
        Event(0, 100, "ExecutorState::Process"), Event(10, 60, "decode:DecodeJpeg"), Event(60, 70, "crop:Pad")
    )
    assert found == {stages.DECODE: 90, stages.ON_ELEMENTS: 10}


def test_iterators_of_two_pipelines_are_distinguished_by_the_stages_after_them() -> None:
    other = Ops({}, [("Batch",)])
    first, second = work(Event(0, 10, ROOT), Event(20, 50, "Iterator::Root::BatchV2"), ops=[OPS, other])
    assert (first, second) == ({stages.BATCH: 10}, {stages.BATCH: 30})
    # Where they are alike, each has half.
    first, second = work(Event(0, 10, ROOT), ops=[OPS, OPS])
    assert first == second == {stages.BATCH: 5}


def test_the_most_expensive_op_of_a_stage_is_named() -> None:
    [found] = stages_of(
        work_of([[Event(0, 2 * 10**12, "crop:Slice"), Event(3 * 10**12, 4 * 10**12, "decode:Pad")]], [OPS])[0]
    )
    assert (found.kind, found.seconds, found.op, found.op_name) == (stages.ON_ELEMENTS, 3.0, "Slice", "crop")


def message(*fields: Any) -> bytes:
    """A message of numbered fields in protocol buffers' wire format: small numbers, and bytes."""
    parts = [
        bytes([number << 3, value]) if isinstance(value, int) else bytes([number << 3 | 2, len(value)]) + value
        for number, value in fields
    ]
    return b"".join(parts)


def test_a_recording_is_read_and_what_is_unknown_in_it_is_skipped() -> None:
    named = message((1, 7), (2, message((1, 7), (2, b"crop:Slice"), (15, b"new"))))
    late, early = message((1, 7), (2, 50), (3, 10)), message((1, 7), (3, 20), (4, b"stat"))
    line = message((2, b"a thread"), (4, late), (4, early))
    space = message((1, message((3, line), (4, named))), (9, 1))
    assert threads(space) == [[Event(0, 20, "crop:Slice"), Event(50, 60, "crop:Slice")]]

"""The pipelines of a program, each with its plan and measurements."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._backends import text as plan_text
from queuecompat._plan import ir
from queuecompat._plan.stages import NativeStage
from queuecompat._session.backend import SessionBackend
from queuecompat._session.starting.controls import control_of
from queuecompat._session.streams.throughput import Stats, Throughput
from queuecompat.errors import line_of
from queuecompat.reporting.caching import cacheable
from queuecompat.reporting.figures import Look, Native, Pipeline
from queuecompat.reporting.sampling import Recording
from queuecompat.reporting.stages import Stage, ops_of, stages_of, work_of
from queuecompat.reporting.traces import threads

__all__ = ["Seen", "batches_during", "pipelines_of"]

_WorkKey = Tuple[str, str, str]  # of the result of ``work_of``


class Seen(NamedTuple):
    """What one pipeline had done at one moment, and the elements in each of its queues, by the stage's key."""

    stats: Stats
    held: Mapping[str, int]


class _Measured(NamedTuple):
    """A pipeline with known plans: its own plan first, then those of the streams that it draws from."""

    backend: SessionBackend
    throughput: Throughput
    plans: Sequence[ir.Plan]
    captured: Optional[ir.Plan]


def pipelines_of(
    graphs: Sequence[SessionBackend],
    figures: Mapping[int, Stats],
    looks: Sequence[Tuple[float, Mapping[int, Seen]]] = (),
    recordings: Sequence[Recording] = (),
) -> List[Union[Pipeline, Native]]:
    """Returns the pipelines of all *graphs*, in the order in which the program built them.

    Args:
      figures: by the id of a pipeline's counters.
      looks: what was seen while they ran, each with its time in seconds.
      recordings: those of the profiler, each with what was seen when it began and when it ended.
    """
    found: List[Union[Pipeline, Native, _Measured]] = [one for backend in graphs for one in _all_of(backend)]
    measured = [one for one in found if isinstance(one, _Measured)]
    stages = _stages(measured, figures, recordings)
    recorded = sum(one.seconds for one in recordings)
    return [
        _pipeline(one, figures, looks, stages.get(id(one.throughput), ()), recorded)
        if isinstance(one, _Measured)
        else one
        for one in found
    ]


def _all_of(backend: SessionBackend) -> Iterator[Union[Native, _Measured]]:
    lowered = backend.plans()
    plans = {one.stage.key: one.plan for one in lowered}
    captured = {one.stage.key: one.captured for one in lowered}
    for one in backend.throughputs():
        if not backend.is_inner(one):
            yield _Measured(backend, one, list(_with_streams(one.key, plans)), captured.get(one.key))
    for stage in backend.pipelines.stages:
        if isinstance(stage, NativeStage):
            yield Native(stage.name, stage.made_at, stage.reason.code, stage.reason.text)


def _with_streams(key: str, plans: Mapping[str, ir.Plan]) -> Iterator[ir.Plan]:
    if key in plans:
        yield plans[key]
        for step in ir.all_steps(plans[key]):
            if isinstance(step, ir.Pull) and not step.is_native and step.stream != key:
                yield from _with_streams(step.stream, plans)


def _stages(
    measured: Sequence[_Measured], figures: Mapping[int, Stats], recordings: Sequence[Recording]
) -> Dict[int, Tuple[Stage, ...]]:
    """Returns the stages of the pipelines that delivered anything, by the id of their counters."""
    running = [one for one in measured if figures.get(id(one.throughput), Stats()).count]
    ops = [ops_of(one.plans) for one in running]
    totals, batches = [Counter[_WorkKey]() for _ in running], [0.0] * len(running)
    counted = [Counter[_WorkKey]() for _ in running]  # the part of them that is the work for *batches*
    for recording in recordings if running else ():
        found = work_of([thread for file in recording.files for thread in threads(file)], ops)
        for number, (one, part) in enumerate(zip(running, found)):
            totals[number].update(part)
            delivered = batches_during(recording, id(one.throughput))
            if delivered is not None:
                counted[number].update(part)
                batches[number] += delivered
    return {
        id(one.throughput): tuple(
            _with_line(stage, one.backend.graph) for stage in stages_of(total, for_batches, in_batches)
        )
        for one, total, for_batches, in_batches in zip(running, totals, counted, batches)
    }


def batches_during(recording: Recording, key: int) -> Optional[float]:
    """Returns the batches (with a fraction) that pipeline *key* delivered during *recording*; None: not known.

    The looks at its begin and end tell the number of answers between the last one before the recording and the last one
    in it, and the time between these two. So a batch that was begun before the recording counts by its share.
    """
    if not recording.before or not recording.after or key not in recording.before or key not in recording.after:
        return None
    before, after = recording.before[key].stats, recording.after[key].stats
    answers, seconds = after.answers - before.answers, after.seconds - before.seconds
    return recording.seconds * answers / seconds if answers > 0 and before.answers and seconds > 0 else None


def _with_line(stage: Stage, graph: tf.Graph) -> Stage:
    return dataclasses.replace(stage, made_at=_line_of(stage.op_name, graph))


def _line_of(name: str, graph: tf.Graph) -> str:
    """Returns the user's line that made the op called *name*; empty if none is known."""
    if not name:
        return ""
    try:
        op = graph.get_operation_by_name(name)
    except KeyError:  # in the graph of a function
        return ""
    return line_of(op)


def _examples_until_end(throughput: Throughput) -> Optional[int]:
    return throughput.until_end if throughput.unit == "examples" else None


def _pipeline(
    one: _Measured,
    figures: Mapping[int, Stats],
    looks: Sequence[Tuple[float, Mapping[int, Seen]]],
    stages: Tuple[Stage, ...],
    recorded: float,
) -> Pipeline:
    throughput, plan = one.throughput, one.plans[0] if one.plans else None
    runs = [] if plan is None else [step for step in ir.all_steps(plan) if isinstance(step, ir.Run)]
    steps = () if plan is None else tuple(line.strip().lstrip("0123456789 ") for line in plan_text.lines(plan))
    own = [(when, seen[id(throughput)]) for when, seen in looks if id(throughput) in seen]
    queues = {key: one.backend.pipelines.stage(key) for _, seen in own for key in seen.held}
    capacities = {key: control_of(stage).capacity for key, stage in queues.items()}
    return Pipeline(
        name=throughput.stage,
        made_at=throughput.made_at,
        unit=throughput.unit,
        stats=figures.get(id(throughput), Stats()),
        steps=steps,
        feeds_queue=one.backend.feeds_native_queues(throughput),
        why_nothing=throughput.why_nothing,
        has_python=any(step.body.calls_python for step in runs),
        is_seeded=any(step.body.is_random and step.body.is_seeded and step.parallel_calls == 1 for step in runs),
        stages=stages,
        recorded=recorded,
        looks=tuple(
            Look(
                when,
                seen.stats.count,
                seen.stats.waited,
                # Limited to the capacity: counters are read one by one and may add up to slightly more.
                {queues[key].name: min(n, capacities[key]) for key, n in seen.held.items()},
            )
            for when, seen in own
        ),
        cacheable=None if one.captured is None else cacheable(one.captured, _examples_until_end(throughput)),
        capacities={queues[key].name: capacity for key, capacity in capacities.items()},
    )

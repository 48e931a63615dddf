"""A report as JSON: ``{"versions": {..}, "machine": {..}, "pipelines": [..], "skipped": [..]}``.

Times are in seconds, rates per second. ``seconds`` of a stage is its work during ``recorded_seconds``. ``seconds_each``
is that work for one unit of what ``seconds_are_per`` says; it is null if no such unit was delivered during the
recordings.
"""

from __future__ import annotations

import json
import platform
from typing import Any, Dict, Sequence, Union

import tensorflow as tf

from queuecompat import __version__, processors
from queuecompat._plan.skipped import SkipLog
from queuecompat.reporting.figures import Native, Pipeline
from queuecompat.reporting.stages import Stage

__all__ = ["machine", "render", "versions"]


def versions() -> Dict[str, str]:
    """Returns the versions that the figures depend on."""
    return {"queuecompat": __version__, "tensorflow": tf.__version__, "python": platform.python_version()}


def machine() -> Dict[str, Any]:
    """Describes the machine on which the figures were taken."""
    return {"cores": processors.usable(), "system": platform.platform()}


def render(pipelines: Sequence[Union[Pipeline, Native]], logs: Sequence[SkipLog] = ()) -> str:
    """Returns all *pipelines*, and the *logs* of skipped data, as one JSON text."""
    report = {
        "versions": versions(),
        "machine": machine(),
        "pipelines": [_data(one) for one in pipelines],
        "skipped": [_skipped(log) for log in logs],
    }
    return json.dumps(report, indent=2) + "\n"


def _skipped(log: SkipLog) -> Dict[str, Any]:
    first = [{"place": one.place or None, "reason": one.reason, "times": one.times} for one in log.listed()]
    return {"name": log.name, "made_at": log.made_at, "elements": log.count, "files": log.files, "first": first}


def _data(one: Union[Pipeline, Native]) -> Dict[str, Any]:
    if isinstance(one, Native):
        return {"name": one.name, "made_at": one.made_at, "compiled": False, "code": one.code, "reason": one.reason}
    stats = one.stats
    return {
        "name": one.name,
        "made_at": one.made_at,
        "compiled": True,
        "steps": list(one.steps),
        "unit": one.unit,
        "delivered": stats.count,
        "batches": one.batches,
        "requests": stats.requests,
        "why_nothing": (one.why_nothing or None) if not stats.count else None,
        "first_batch_seconds": stats.first,
        "seconds": stats.seconds,
        "waited_seconds": stats.waited,
        "rate": stats.count / stats.seconds if one.is_measured else None,
        "verdict": one.verdict or None,
        "advice": one.advice,
        "cache_needs_bytes": one.cacheable.bytes if one.cacheable is not None else None,
        "cores_used": one.cores if one.stages else None,
        "recorded_seconds": one.recorded,
        "seconds_are_per": one.answer if one.seconds_each is not None else None,
        "stages": [_stage(one, stage) for stage in one.stages],
        "capacities": dict(one.capacities),
        "over_time": [
            {"seconds": look.when, "delivered": look.count, "waited_seconds": look.waited, "held": dict(look.held)}
            for look in one.looks
        ],
    }


def _stage(one: Pipeline, stage: Stage) -> Dict[str, Any]:
    return {
        "stage": stage.kind,
        "share": one.share(stage),
        "seconds": stage.seconds,
        "seconds_each": stage.seconds_each,
        "most_expensive_op": stage.op or None,
        "op_seconds": stage.op_seconds,
        "made_at": stage.made_at or None,
    }

"""The task of a cluster on which a queue and its pipeline are: there is one, or the pipeline is not compiled."""

from __future__ import annotations

from typing import Sequence

import tensorflow as tf

from queuecompat._plan.external import ExternalSource
from queuecompat._plan.stages import Stage
from queuecompat._session.graph_ops.placement import Placement, task_of
from queuecompat._session.starting.controls import control_of
from queuecompat.errors import CannotCompileError

__all__ = ["elsewhere", "placement_of"]


def placement_of(graph: tf.Graph, ways: Sequence[Sequence[Stage]]) -> Placement:
    """Where a queue has to be that is filled in *ways*; where none draws from a stage, where one would be made now.

    Raises:
      CannotCompileError: QC212, they are on several tasks.
    """
    placements = {one.task: one for one in (_placement_of_way(graph, way) for way in ways or [()])}
    if len(placements) > 1:
        here, there = list(placements)[:2]
        raise elsewhere("its lists", there, here)
    return next(iter(placements.values()))


def elsewhere(name: str, there: str, here: str) -> CannotCompileError:
    """QC212: *name* is on the task *there*, and the pipeline on the task *here*."""
    unknown = "the session's own task"
    return CannotCompileError("QC212", tensor=name, there=there or unknown, here=here or unknown)


def _placement_of_way(graph: tf.Graph, upstream: Sequence[Stage]) -> Placement:
    if not upstream:
        return Placement.here(graph)
    first, *others = upstream
    for other in others:
        if _task_of(other) != _task_of(first):
            raise elsewhere(other.name, _task_of(other), _task_of(first))
    return Placement(graph, _task_of(first))


def _task_of(stage: Stage) -> str:
    if isinstance(stage, ExternalSource):
        return task_of(stage.op.inputs[0].op)
    if not stage.has_control:  # what one op of the program does with the elements upstream
        return _task_of(stage.upstream[0])
    return control_of(stage).placement.task

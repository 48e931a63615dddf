"""Finds the cluster task of a queue and its pipeline. If there is more than one, the pipeline is not compiled."""

from __future__ import annotations

from typing import Sequence

import tensorflow as tf

from queuecompat._plan.external import ExternalSource
from queuecompat._plan.stages import Stage
from queuecompat._session.graph_ops.placement import Placement, task_of
from queuecompat._session.starting.controls import control_of
from queuecompat.errors import CannotCompileError

__all__ = ["elsewhere", "placement_of"]


def placement_of(graph: tf.Graph, upstreams: Sequence[Sequence[Stage]]) -> Placement:
    """The placement of a queue whose inputs draw from the stages *upstreams*, one sequence for each input.

    Where none of them draws from a stage, it is the placement of a queue made at this point of the program.

    Raises:
      CannotCompileError: QC212, the stages are on several tasks.
    """
    placements = {one.task: one for one in (_placement_after(graph, upstream) for upstream in upstreams or [()])}
    if len(placements) > 1:
        here, there = list(placements)[:2]
        raise elsewhere("its lists", there, here)
    return next(iter(placements.values()))


def elsewhere(name: str, there: str, here: str) -> CannotCompileError:
    """The error QC212: *name* is on the task *there*, and the pipeline is on the task *here*."""
    unknown = "the session's own task"
    return CannotCompileError("QC212", tensor=name, there=there or unknown, here=here or unknown)


def _placement_after(graph: tf.Graph, upstream: Sequence[Stage]) -> Placement:
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
    if not stage.has_control:  # an op of the program that transforms the elements upstream
        return _task_of(stage.upstream[0])
    return control_of(stage).placement.task

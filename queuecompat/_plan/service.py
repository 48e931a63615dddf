"""Decides which pipelines the workers of a tf.data service compute, and why others stay in this process.

Rule 1: a pipeline is sent to the workers as a whole, from its source to its first batch, or not at all. The steps after
        that batch (a further queue, the ops of ``as_dataset``'s function) stay in this process, as TF1 ran them beside
        the training step.
Rule 2: the dispatcher hands out the rows of the source (mostly file names), each to one worker. So a pipeline that is
        sent has exactly one source, and nothing else takes elements from it.
Rule 3: the last partial batch of each worker is filled up in this process with those of the other workers, so that the
        data end as in TF1. Where this is impossible (padded batches, buckets) and the workers would drop their
        partial batches, the pipeline stays in this process.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._native.strictness import is_strict
from queuecompat._plan import ir
from queuecompat._plan.cardinality import is_endless
from queuecompat._plan.stages import Stage, plan_of, with_upstream
from queuecompat.errors import (
    CannotCompileError,
    DataServiceWarning,
    QueueCompatRuntimeError,
    Reason,
    error,
    warn_user,
)

__all__ = ["is_inside", "local_reason", "remote_plan_of", "warn_local"]


def local_reason(stage: Stage) -> Optional[Reason]:
    """Returns why this process has to compute *stage* although a service was chosen; None: the workers can."""
    try:
        remote_plan_of(stage)
    except CannotCompileError as problem:
        return problem.reason(stage.name, stage.made_at)
    return None


def remote_plan_of(stage: Stage) -> ir.Plan:
    """Returns the plan of *stage*, as captured, for the workers of its service.

    Raises:
      CannotCompileError: QC360, a part of it has to be computed in this process.
    """
    _require_own_sources(stage)
    if stage.options.cache is not None:
        raise CannotCompileError("QC360", why="its cache is kept by this process")
    if stage.options.checkpoint:
        raise CannotCompileError("QC360", why="with checkpoint=True its elements must come in one order")
    plan = _as_one_line(plan_of(stage, is_preview=True))
    for step in ir.all_steps(plan):
        why = _why_here(step)
        if why:
            raise CannotCompileError("QC360", why=why)
    steps = _with_filled_batches(plan)
    return ir.validate(dataclasses.replace(plan, steps=steps, is_preview=False, is_remote=True))


def warn_local(reason: Reason, strict: bool = False) -> None:
    """Warns that this process computes a pipeline, for *reason*, although a service was chosen for it.

    Raises:
      QueueCompatRuntimeError: QC305, instead of a warning, if *strict* or in strict mode.
    """
    if strict or is_strict():
        what = reason.text.partition("\n")[0]
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead)
    warn_user(reason.text, DataServiceWarning)


def is_inside(stage: Stage) -> bool:
    """Whether *stage* is sent to a service with every stage that takes its elements, up to the last."""
    ends = list(_ends(stage))
    return stage.options.data_service is not None and all(
        end.options.data_service is not None and local_reason(end) is None for end in ends
    )


def _ends(stage: Stage) -> Iterator[Stage]:
    if not stage.consumers:
        yield stage
    for consumer in stage.consumers:
        yield from _ends(consumer)


def _require_own_sources(end: Stage) -> None:
    """Checks that all stages upstream of *end* are compiled and that their elements reach nothing but *end*.

    Raises:
      CannotCompileError: QC360, they are not, or do.
    """
    if end.external is not None:
        raise CannotCompileError("QC360", why="it is a queue, a reader or an iterator that TensorFlow runs itself")
    if end.state.has_external_consumer and end.reads.tensors == "stream":
        raise CannotCompileError("QC360", why="a queue of the program takes its elements as well")
    inside = with_upstream(end.upstream)
    for stage in inside:
        name = f"'{stage.name}', made at {stage.made_at}"
        others = [one.name for one in stage.consumers if one is not end and one not in inside]
        if stage.external is not None:
            why = f"it takes its elements from {name}, which TensorFlow runs itself in this process"
        elif others:
            why = f"its elements come from {name}, from which '{others[0]}' takes as well"
        elif stage.state.has_external_consumer:
            why = f"its elements come from {name}, from which a queue of the program takes as well"
        elif stage.state.is_open:
            why = f"{name}, was made where no service was chosen, and other pipelines may still take from it"
        else:
            continue
        raise CannotCompileError("QC360", why=why)


def _as_one_line(plan: ir.Plan) -> ir.Plan:
    """Returns *plan* with one branch in place of the identical branches of a join, which TF1 programs use for threads.

    Raises:
      CannotCompileError: QC360, the branches differ, so the plan has several sources.
    """
    first, *rest = plan.steps
    if isinstance(first, ir.Zip):
        names = " and ".join(f"'{branch.name}'" for branch in first.branches)
        raise CannotCompileError("QC360", why=f"it combines elements of {names}, which workers would pair differently")
    if not isinstance(first, ir.Merge):
        return plan
    branch, *others = map(_as_one_line, first.branches)
    if not all(_are_alike(branch.steps, other.steps) for other in others):
        raise CannotCompileError("QC360", why="its lists are not copies of each other that read one queue")
    return _as_one_line(plan.with_steps((*branch.steps, *rest)))


def _are_alike(steps: Sequence[ir.Step], others: Sequence[ir.Step]) -> bool:
    if len(steps) != len(others) or steps[0] != others[0]:
        return False
    return all(_is_alike(one, other) for one, other in zip(steps[1:], others[1:]))


def _is_alike(one: ir.Step, other: ir.Step) -> bool:
    if not isinstance(one, ir.Run) or not isinstance(other, ir.Run):
        return one == other
    hashes = [step.body.structural_hash() for step in (one, other)]
    same = hashes[0] is not None and hashes[0] == hashes[1]
    return same and (one.uses, one.components) == (other.uses, other.components)


def _why_here(step: ir.Step) -> str:
    """Returns why *step* has to be computed in this process; empty: it need not be."""
    if isinstance(step, ir.Produce):
        return _why_produced_here(step)
    if isinstance(step, ir.Run) and (step.draws or step.body.has_effects or step.body.may_end):
        return step.body.belongs_here or f"its ops ({step.body.describe()}) keep or change state"
    if isinstance(step, ir.Run):
        seeded = "its ops have seeds, so their numbers must come in one order"
        return step.body.belongs_here or (seeded if step.body.is_random and step.body.is_seeded else "")
    if isinstance(step, ir.Queue) and step.seed is not None:
        return f"its shuffling has a seed ({step.seed}), so the elements must come in one order"
    return ""


def _why_produced_here(produce: ir.Produce) -> str:
    if produce.is_seeded:
        return f"the order of '{produce.stage}' has a seed, so the elements must come in one order"
    if produce.blocks is not None:
        return "blocks of records (shuffle='global', shard, random='by_index') are found by Python in this process"
    body = produce.body
    if body.has_effects or body.may_end or body.is_random or body.calls_python:
        return body.belongs_here or f"the rows of '{produce.stage}' are new in every epoch"
    if body.may_change:
        return f"the rows of '{produce.stage}' are in a variable that the program changes"
    return ""


def _with_filled_batches(plan: ir.Plan) -> Tuple[ir.Step, ...]:
    """Returns the steps of *plan*, whose first batch may be partial and is filled up in this process.

    Raises:
      CannotCompileError: QC360, it cannot be filled up.
    """
    if plan.options.on_error == "skip":
        raise CannotCompileError("QC360", why="with on_error='skip' this process lists the skipped elements")
    if any(spec.dtype == tf.variant for step in plan.steps for spec in step.components):
        raise CannotCompileError("QC360", why="it has SparseTensors, which are kept in a form of this process")
    place = next((n for n, step in enumerate(plan.steps) if isinstance(step, (ir.Batch, ir.Bucket))), None)
    if place is None:
        return plan.steps
    batch = plan.steps[place]
    assert isinstance(batch, (ir.Batch, ir.Bucket))
    if isinstance(batch, ir.Batch) and not batch.padded:
        return (*plan.steps[:place], *_filled(batch), *plan.steps[place + 1 :])
    if batch.drop_remainder and not is_endless(plan):
        kind = "bucket" if isinstance(batch, ir.Bucket) else "dynamic_pad"
        raise CannotCompileError("QC360", why=f"each worker would drop its last partial batches ({kind})")
    return plan.steps


def _filled(batch: ir.Batch) -> List[ir.Step]:
    some = tuple(tf.TensorSpec([None, *spec.shape[1:]], spec.dtype) for spec in batch.components)
    refill = ir.Batch(batch.components, batch.size, batch.drop_remainder, refills=True)
    return [dataclasses.replace(batch, components=some, drop_remainder=False), refill]

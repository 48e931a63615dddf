"""draw_by_index: with ``random="by_index"``, random numbers depend on the record, not on what was drawn before.

Each record of each epoch has a number of its own (``records.numbers``). The step that makes the record (a reader or a
cache of blocks, a producer of rows) also outputs this number, as the last component. Queues, slices and caches of
whole files pass it on, up to the last slice with random ops. These become stateless ops that take the number as their
seed, so that threads and processes do not influence what is drawn. A reader of whole files derives the numbers of the
records from that of their file. The number of an element of several producers is derived from those of all its parts.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, List, Sequence, Tuple

from queuecompat._plan import ir
from queuecompat._plan.record_numbers import NUMBER
from queuecompat.errors import RandomWarning, layout, warn_user

__all__ = ["draw_by_index", "warn_unindexed"]

_BUFFERS = (ir.Count, ir.Prefetch, ir.Queue, ir.Shuffle)


class _NoNumberError(Exception):
    """The elements of a plan have no numbers; the message is the reason."""


def draw_by_index(plan: ir.Plan) -> ir.Plan:
    """Makes the random ops of *plan* take the numbers of records.

    Leaves the plan unchanged without the option, and if an element is not one record; in the second case
    ``Plan.unindexed`` states the reason.
    """
    if plan.options.random is None:
        return plan
    produce, *rest = plan.steps
    if isinstance(produce, ir.Produce) and produce.blocks is not None:  # its reader takes numbers from blocks
        plan = plan.with_steps((dataclasses.replace(produce, numbered=True), *rest))
    reasons = [branch.unindexed for branch in getattr(produce, "branches", ()) if branch.unindexed]
    drawing = [number for number, step in enumerate(plan.steps) if _draws(step)]
    if drawing:
        try:
            if plan.is_remote:
                raise _NoNumberError("the workers of a tf.data service compute it")
            numbered = _numbered(plan.steps[: drawing[-1] + 1], _key(plan), is_last=True)
            plan = plan.with_steps((*numbered, *plan.steps[drawing[-1] + 1 :]))
        except _NoNumberError as problem:
            reasons.append(str(problem))
    return dataclasses.replace(plan, unindexed=reasons[0] if reasons else "")


def warn_unindexed(plan: ir.Plan) -> None:
    """Warns if ``random="by_index"`` was chosen for *plan* but its random numbers do not depend on the record."""
    if plan.unindexed and not plan.is_preview:
        warn_user(layout("QC354", plan.made_at, stage=plan.name, why=plan.unindexed), RandomWarning)


def _draws(step: ir.Step) -> bool:
    return isinstance(step, ir.Run) and step.body.is_random and not step.by_index


def _key(plan: ir.Plan) -> int:
    """Returns a hash of the option ``random_seed``, so that consecutive seeds have unrelated random numbers."""
    digest = hashlib.sha256(b"%d" % (plan.options.random_seed or 0)).digest()
    return int.from_bytes(digest[:7], "little")


def _numbered(steps: Sequence[ir.Step], key: int, is_last: bool = False) -> List[ir.Step]:
    """Returns *steps* changed to pass on the number of each record.

    Steps of a branch may pass it on already, up to the last of them that draws.

    Args:
      is_last: whether the last step takes the number and no longer outputs it.
    """
    read = max((number for number, step in enumerate(steps) if _makes_records(step)), default=0)
    done: List[ir.Step] = [*steps[:read], _numbered_source(steps[read], key)]
    for number, step in enumerate(steps[read + 1 :], read + 2):
        given = done[-1].components
        if isinstance(step, _BUFFERS):
            done.append(dataclasses.replace(step, components=given))
        elif isinstance(step, (ir.Cache, ir.Read)):
            done.append(_with_number(step))
        elif isinstance(step, ir.Run):
            done.append(_numbered_run(step, len(given) - 1, key, carries=not (is_last and number == len(steps))))
        else:
            raise _NoNumberError(_REASONS.get(type(step), "its elements are not single records"))
    return done


def _makes_records(step: ir.Step) -> bool:
    """Whether *step* reads (or caches) the records of blocks, which contain the numbers of their records."""
    read = step.inner[0] if isinstance(step, ir.Cache) else step
    return isinstance(read, ir.Read) and read.open_blocks > 0


def _with_number(step: Any) -> ir.Step:
    read = step.inner[0] if isinstance(step, ir.Cache) else step
    if isinstance(read, ir.Read) and read.up_to is not None:
        raise _NoNumberError("its records are read in vectors (read_up_to)")
    if step.numbered and not getattr(step, "blocks", None):
        return step
    return dataclasses.replace(step, components=(*step.components, NUMBER), numbered=True)


def _numbered_source(step: ir.Step, key: int) -> ir.Step:
    if isinstance(step, ir.Merge):
        branches = tuple(branch.with_steps(tuple(_numbered(branch.steps, key))) for branch in step.branches)
        return dataclasses.replace(step, components=branches[0].components, branches=branches)
    if isinstance(step, ir.Zip):
        branches = tuple(branch.with_steps(tuple(_numbered(branch.steps, key))) for branch in step.branches)
        return _with_number(dataclasses.replace(step, branches=branches))
    if _makes_records(step) or isinstance(step, ir.Produce) or (isinstance(step, ir.Pull) and step.has_numbers):
        why = None
    elif isinstance(step, ir.Pull) and not step.is_native:
        why = f"it takes elements from '{step.stage}', of which other consumers take elements, too"
    else:
        why = _REASONS.get(type(step), "its elements are not single records")
    if why is not None:
        raise _NoNumberError(why)
    return _with_number(step)


def _numbered_run(run: ir.Run, place: int, key: int, carries: bool) -> ir.Run:
    if run.draws:
        raise _NoNumberError(_REASONS[ir.Pull])
    components = (*run.components, NUMBER) if carries and not run.carries else run.components
    if not _draws(run):
        return dataclasses.replace(run, components=components, carries=carries)
    if run.body.is_seeded:
        raise _NoNumberError("a random op has a seed, its own or the graph's, and keeps TensorFlow 1's numbers")
    body = run.body.by_number(key)
    if body is None:
        raise _NoNumberError("a random op is in a loop or a function, or has no form whose seed is an input")
    uses: Tuple[int, ...] = (*run.uses, place)
    return dataclasses.replace(run, components=components, body=body, uses=uses, by_index=True, carries=carries)


_REASONS = {
    ir.Batch: "its ops draw for a whole batch",
    ir.Bucket: "its ops draw for a whole batch",
    ir.Endless: "its elements are not read from files or arrays",
    ir.Filter: "its ops draw after keep_input",
    ir.Pull: "it takes elements from the program's own queues",
    ir.Unbatch: "its ops draw after enqueue_many",
}

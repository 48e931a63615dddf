"""Functions over all steps of a plan: iterating, mapping and validating them."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, Optional, Sequence

from queuecompat._plan.bodies import Components
from queuecompat._plan.ir.buffers import Count, Prefetch, Queue, Shuffle
from queuecompat._plan.ir.plan import Plan, Step
from queuecompat._plan.ir.reading import Read
from queuecompat._plan.ir.slices import Cache, Run, Unbatch
from queuecompat._plan.ir.sources import SOURCES, Distribute, Merge, Pull, Zip

__all__ = ["MANY_ROWS", "all_steps", "are_computed", "mapped", "static_rows", "validate"]

# With at least this many rows a call, each row is cheap: a call costs tens of microseconds, a parsed record a few.
MANY_ROWS = 32


def all_steps(plan: Plan) -> Iterator[Any]:
    """Yields the steps of *plan*, each followed by those that it contains: draws, inner steps and steps of branches."""
    for step in plan.steps:
        yield step
        yield from getattr(step, "draws", ())
        yield from getattr(step, "inner", ())
        for branch in getattr(step, "branches", ()):
            yield from all_steps(branch)


def are_computed(steps: Sequence[Step]) -> bool:
    """Whether each element that *steps* output cost a call of the user's ops.

    It did not where the elements are rows, records or file names as stored, or cheap rows of one call
    (``MANY_ROWS``).
    """
    cuts_rows = False
    for step in reversed(steps):
        if isinstance(step, Read):
            return False
        if isinstance(step, Run) and not step.body.is_empty and not (cuts_rows and _shares_its_cost(step)):
            return True
        if isinstance(step, Cache):
            return not step.makes_batches
        if isinstance(step, Pull):
            return step.is_computed
        if isinstance(step, (Zip, Merge)):
            return any(are_computed(branch.steps) for branch in step.branches)
        cuts_rows |= isinstance(step, Unbatch)
    return False


def _shares_its_cost(run: Run) -> bool:
    """Whether each call of *run*, TensorFlow's ops alone, outputs many rows (it parses 64 records at a time, say)."""
    rows = static_rows(run.components)
    return not run.body.keeps_its_order and not run.body.is_seeded and (rows is None or rows >= MANY_ROWS)


def mapped(plan: Plan, change: Callable[[Any], Step]) -> Plan:
    """Returns *plan* with *change* applied to every step, including those of its branches and of a ``Cache``."""
    steps = []
    for step in plan.steps:
        if isinstance(step, (Zip, Merge, Distribute)):
            step = dataclasses.replace(step, branches=tuple(mapped(branch, change) for branch in step.branches))
        elif isinstance(step, Cache):
            step = step.with_inner(change)
        steps.append(change(step))
    return plan.with_steps(tuple(steps))


def static_rows(components: Components) -> Optional[int]:
    """The static first dimension of *components*, the number of rows; None: the graph does not know it."""
    known = [spec.shape.as_list()[0] for spec in components if spec.shape.rank]
    return next((rows for rows in known if rows is not None), None)


def validate(plan: Plan) -> Plan:
    """Returns *plan*.

    Raises:
      ValueError: *plan* breaks a rule of ``ir``; names the step.
    """
    if not plan.steps:
        raise ValueError(f"plan '{plan.name}' has no steps")
    for number, step in enumerate(plan.steps):
        place = f"plan '{plan.name}', step {number} ({type(step).__name__})"
        if isinstance(step, SOURCES) != (number == 0):
            raise ValueError(f"{place}: the first step, and only the first, makes elements")
        if isinstance(step, (Zip, Merge, Distribute)):
            for branch in step.branches:
                validate(branch)
        if isinstance(step, Run) and any(use not in range(len(plan.steps[number - 1].components)) for use in step.uses):
            raise ValueError(f"{place}: uses {step.uses}, but the step before outputs fewer components")
        if isinstance(step, Cache) and step.file not in range(len(plan.steps[number - 1].components)):
            raise ValueError(f"{place}: no component {step.file} names a file")
        if isinstance(step, (Count, Shuffle, Queue, Prefetch)) and step.components != plan.steps[number - 1].components:
            raise ValueError(f"{place}: a buffer outputs what it takes")
    return plan

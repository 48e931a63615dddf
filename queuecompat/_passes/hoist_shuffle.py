"""hoist_shuffle: the pool of ``shuffle_batch`` moves above the user's slice, and is as large as the queue.

TF1's pool holds decoded elements, between ``min_after_dequeue`` and ``capacity`` of them; while the
model computes (the usual case) it is full. So the pool here has ``capacity`` elements. Above the
slice it holds what is cheap: encoded records or indices, and the first batch need not wait until
``capacity`` images are decoded.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["hoist_shuffle"]


def hoist_shuffle(plan: ir.Plan) -> ir.Plan:
    """Holds back at a slice whose runs must keep their order: seeded, with effects, or ending the data."""
    return with_sections(plan, map(_with_pool, sections_of(plan)))


def _with_pool(section: Section) -> Section:
    """*section* with a shuffle buffer, if its queue mixes, as early as it may stand."""
    queue = section.queue
    if queue is None or queue.min_after_dequeue is None:
        return section
    place = len(section.before)
    while place and _may_run_in_any_order(section.before[place - 1], queue):
        place -= 1
    pool = ir.Shuffle(section.entering(place), queue.capacity, queue.seed, queue=queue.queue)
    return dataclasses.replace(section, before=section.before[:place], pool=pool, after=section.before[place:])


def _may_run_in_any_order(step: ir.Step, queue: ir.Queue) -> bool:
    if not isinstance(step, ir.Run):
        return False
    is_fixed_by_seed = step.body.is_seeded and queue.num_threads == 1
    return not (is_fixed_by_seed or step.body.keeps_its_order)

"""hoist_shuffle: puts the shuffle buffer of ``shuffle_batch`` before the user's slice.

TF1's queue holds between ``min_after_dequeue`` and ``capacity`` decoded elements; while the
model computes (the usual case) it is full. So the shuffle buffer has ``capacity`` elements. Before the
slice it holds cheap elements, encoded records or indices, and the first batch need not wait until
``capacity`` images are decoded.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["hoist_shuffle"]


def hoist_shuffle(plan: ir.Plan) -> ir.Plan:
    """Adds a shuffle buffer for each shuffling queue, as early as possible.

    It stays after a slice that must run in order because it is seeded, has effects, or may end the data.
    """
    return with_sections(plan, map(_with_shuffle, sections_of(plan)))


def _with_shuffle(section: Section) -> Section:
    """Returns *section* with a shuffle buffer, as early as possible, if its queue shuffles."""
    queue = section.queue
    if queue is None or queue.min_after_dequeue is None:
        return section
    place = len(section.before)
    while place and _may_run_in_any_order(section.before[place - 1], queue):
        place -= 1
    shuffle = ir.Shuffle(section.entering(place), queue.capacity, queue.seed, queue=queue.queue)
    return dataclasses.replace(section, before=section.before[:place], shuffle=shuffle, after=section.before[place:])


def _may_run_in_any_order(step: ir.Step, queue: ir.Queue) -> bool:
    if not isinstance(step, ir.Run):
        return False
    is_fixed_by_seed = step.body.is_seeded and queue.num_threads == 1
    return not (is_fixed_by_seed or step.body.keeps_its_order)

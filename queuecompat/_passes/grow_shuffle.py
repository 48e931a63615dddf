"""grow_shuffle: a pool of expensive elements delivers its first batch early, and grows while it is drawn from.

``Dataset.shuffle`` outputs nothing before its buffer is full. Where the buffer is above the user's ops that takes
milliseconds: a record costs a few us. What a ``py_func`` made, or a seeded op, whose order is fixed, stands
before the pool instead; with a capacity of 100,000 and 1 ms an element the first batch would come after 100 s.
TF1's came after ``min_after_dequeue`` elements and a batch, while the pool filled on. So does this one's.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, Sequence

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, steps_of, with_sections

__all__ = ["grow_shuffle"]


def grow_shuffle(plan: ir.Plan) -> ir.Plan:
    """Holds back where the pool has stored rows, records or names: to fill it whole is cheaper than to let it grow."""
    sections = sections_of(plan)
    for number, section in enumerate(sections):
        upstream = (*steps_of(sections[:number]), *section.before)
        # Seeded, it draws what it draws without a cache.
        is_fixed = section.queue is not None and section.queue.seed is not None and _has_cache(upstream)
        if section.pool is not None and section.queue is not None and not is_fixed and _are_expensive(upstream):
            pool = dataclasses.replace(section.pool, growth=_growth(section, section.queue, upstream))
            sections[number] = dataclasses.replace(section, pool=pool)
    return with_sections(plan, sections)


def _are_expensive(steps: Sequence[ir.Step]) -> bool:
    if ir.are_computed(steps):
        return True
    # What the program feeds by itself may come slowly, or not at all beyond what the first batch needs.
    return any(True for _ in _own(steps))


def _has_cache(steps: Sequence[ir.Step]) -> bool:
    return any(isinstance(step, ir.Cache) for step in ir.all_steps(ir.Plan("", "", tuple(steps))))


def _own(steps: Sequence[ir.Step]) -> Iterator[str]:
    """The keys of queues, readers and iterators of the program that *steps* draw from."""
    before = ir.Plan("", "", tuple(steps))
    return (step.stream for step in ir.all_steps(before) if isinstance(step, ir.Pull) and step.is_native)


def _growth(section: Section, queue: ir.Queue, upstream: Sequence[ir.Step]) -> ir.Growth:
    """What *queue* asks for, which the pool belongs to."""
    size = section.batch.size if isinstance(section.batch, ir.Batch) else 1
    return ir.Growth(max(0, queue.min_after_dequeue or 0), max(1, size), tuple(_own(upstream)))

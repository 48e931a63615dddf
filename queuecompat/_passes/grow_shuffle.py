"""grow_shuffle: lets a shuffle buffer of expensive elements output its first batch early, and grow meanwhile.

``Dataset.shuffle`` outputs nothing before its buffer is full. Where the buffer comes before the user's ops, this takes
milliseconds, since a record costs a few us. But a ``py_func``, or a seeded op, must stay before the buffer because
its order is fixed: with a capacity of 100,000 and 1 ms for each element, the first batch would come after 100 s.
TF1's first batch came after ``min_after_dequeue`` elements and a batch, while its queue went on filling; with this
pass the buffer does the same.

A buffer that has begun to grow waits for more elements than it outputs. It must not where those come from what the
program does between its steps: from its own queues, or from a Python function that takes nothing from the graph, such
as ``py_func(games.get, [], tf.float32)``. Such a buffer grows only while elements are ready. With a seed, the order
must not depend on when elements are ready, so the buffer waits for those of a Python function.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, Sequence

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, steps_of, with_sections

__all__ = ["grow_shuffle"]

# How many results of Python functions are computed ahead, to know that they are ready.
AHEAD = 16


def grow_shuffle(plan: ir.Plan) -> ir.Plan:
    """Sets ``Shuffle.growth`` of buffers of expensive elements.

    Leaves a buffer of rows, records or file names as stored unchanged, since filling it is cheaper than growing it.
    """
    sections = sections_of(plan)
    for number, section in enumerate(sections):
        upstream = (*steps_of(sections[:number]), *section.before)
        # With a seed, a cache must not change the order.
        is_fixed = section.queue is not None and section.queue.seed is not None and _has_cache(upstream)
        if section.shuffle is not None and section.queue is not None and not is_fixed and _are_expensive(upstream):
            shuffle = dataclasses.replace(section.shuffle, growth=_growth(section, section.queue, upstream))
            sections[number] = dataclasses.replace(section, shuffle=shuffle)
    return with_sections(plan, sections)


def _are_expensive(steps: Sequence[ir.Step]) -> bool:
    if ir.are_computed(steps):
        return True
    # Elements that the program itself enqueues may come slowly, or may not be more than the first batch needs.
    return any(True for _ in _own(steps))


def _has_cache(steps: Sequence[ir.Step]) -> bool:
    return any(isinstance(step, ir.Cache) for step in ir.all_steps(ir.Plan("", "", tuple(steps))))


def _own(steps: Sequence[ir.Step]) -> Iterator[str]:
    """Yields the keys of the program's own queues, readers and iterators that *steps* draw from."""
    before = ir.Plan("", "", tuple(steps))
    return (step.stream for step in ir.all_steps(before) if isinstance(step, ir.Pull) and step.is_native)


def _growth(section: Section, queue: ir.Queue, upstream: Sequence[ir.Step]) -> ir.Growth:
    """Returns the growth of the shuffle buffer that replaces *queue*."""
    size = section.batch.size if isinstance(section.batch, ir.Batch) else 1
    ahead = AHEAD if queue.seed is None and _comes_from_python(upstream) else 0
    return ir.Growth(max(0, queue.min_after_dequeue or 0), max(1, size), tuple(_own(upstream)), ahead)


def _comes_from_python(steps: Sequence[ir.Step]) -> bool:
    """Whether Python functions alone decide when elements of *steps*, or of one of its lists, come."""
    first = steps[0]
    if isinstance(first, ir.Merge):
        return any(_comes_from_python(branch.steps) for branch in first.branches)
    calls_python = any(isinstance(step, ir.Run) and step.body.calls_python for step in steps)
    return isinstance(first, ir.Endless) and calls_python

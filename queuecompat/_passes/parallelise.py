"""parallelise: runs a slice on several elements in parallel where this cannot be observed.

TF1 ran a slice in ``num_threads`` threads. A pure slice may have many parallel calls even with
``num_threads=1``, since its results are output in order. A slice that is seeded and has one thread keeps
one thread, because its random numbers belong to its elements. A Python function is never called in more threads
than the user asked for.

A slice that generates its elements itself in Python, with several threads, becomes that many branches of a ``Merge``:
each generates its next element as soon as it has passed on the last one, and ends by itself, as TF1's threads did.
So no branch waits for the element of a different one.
"""

from __future__ import annotations

import dataclasses
from typing import Sequence, Tuple

from queuecompat import processors
from queuecompat._passes.size_buffers import SHARE_OUTSIDE
from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["parallelise"]

# Many more parallel calls than processors: most of the time of a cheap call is waking a thread for it, and a long
# queue of calls keeps the threads awake. Measured on 2 processors, TF 2.21, parse + crop + flip, in
# microseconds an example: 1 call 36, 2 calls 54, 4 calls 35, 8 calls 27, 16 calls 20, 32 calls 17.
CALLS_PER_PROCESSOR = 8
# With fewer parallel calls than this, sequential calls are faster.
FEWEST_CALLS = 4
# 1 / SHARE_OF_TWO_BATCHES of a shuffling queue's capacity may be in calls on two batches. With a single call, nothing
# would be read while it runs, and nothing would run while the next batch is read.
SHARE_OF_TWO_BATCHES = 4


def parallelise(plan: ir.Plan) -> ir.Plan:
    """Sets the number of parallel calls of each slice.

    Leaves slices without a queue after them, and slices that must run in one thread, unchanged.
    """
    sections = sections_of(plan)
    sections[0] = _in_threads(sections[0], plan)
    hangs_on_no_stage = isinstance(sections[0].source, ir.Endless)
    return with_sections(
        plan,
        (
            _in_parallel(section, _is_order_observed(sections, place), hangs_on_no_stage)
            for place, section in enumerate(sections)
        ),
    )


def _in_threads(section: Section, plan: ir.Plan) -> Section:
    """Returns the first *section*; if Python generates its elements, with a branch for each of TF1's threads."""
    queue, clock, run = section.queue, section.source, next(iter(section.filling[1:]), None)
    if queue is None or not isinstance(clock, ir.Endless) or not isinstance(run, ir.Run):
        return section
    count = queue.num_threads if queue.capacity < 0 else min(queue.num_threads, queue.capacity)
    # Each branch would draw the same random numbers.
    is_seeded = run.body.is_random and run.body.is_seeded
    if count < 2 or is_seeded or not (run.body.calls_python and run.body.may_end):
        return section
    names = (f"{plan.name}, thread {number}" for number in range(1, count + 1))
    branches = tuple(ir.Plan(name, plan.made_at, (clock, run), plan.is_preview) for name in names)
    return dataclasses.replace(section, before=(ir.Merge(run.components, branches), *section.before[2:]))


def _in_parallel(section: Section, is_ordered: bool, hangs_on_no_stage: bool) -> Section:
    """Returns *section* with the number of parallel calls of each slice.

    Args:
      is_ordered: whether the order in which elements enter its queue is observed.
      hangs_on_no_stage: whether the plan begins with a clock (``ir.Endless``).
    """
    queue = section.queue
    if queue is None:
        return section

    def of(steps: Sequence[ir.Step], after: Sequence[ir.Step]) -> Tuple[ir.Step, ...]:
        def called(step: ir.Step, later: Sequence[ir.Step]) -> ir.Step:
            if isinstance(step, ir.Cache):  # the cached elements of a file must be in order
                return step.with_inner(lambda one: _in_order(called(one, later)))
            if isinstance(step, ir.Run) and not step.batched:
                return _called(step, queue, [*later, *after], is_ordered, hangs_on_no_stage)
            return step

        return tuple(called(step, steps[number + 1 :]) for number, step in enumerate(steps))

    before, after = of(section.before, section.after), of(section.after, ())
    return dataclasses.replace(section, before=before, after=after, tail=_batches_in_parallel(section, queue))


def _is_order_observed(sections: Sequence[Section], place: int) -> bool:
    """Whether the program determines the order in which elements enter the queue of the section at *place*.

    One thread in TF1 does, and so do seeds, unless a shuffle buffer without a seed makes every order equally likely.
    """
    queue = sections[place].queue
    if queue is None or _is_mixed_before(sections, place) or _is_mixed_after(sections, place):
        return False
    return queue.num_threads == 1 or any(section.shuffle is not None for section in sections)


def _is_mixed_before(sections: Sequence[Section], place: int) -> bool:
    """Whether a shuffle buffer without a seed outputs the elements; it keeps the rows of what is split after it."""
    for section in reversed(sections[: place + 1]):
        if _mixes(section):
            return True
        if any(isinstance(step, ir.Unbatch) for step in section.filling):
            return False
    return False


def _is_mixed_after(sections: Sequence[Section], place: int) -> bool:
    """Whether a shuffle buffer without a seed takes the elements, and not batches of them, whose rows it would keep."""
    for section, following in zip(sections[place:], sections[place + 1 :]):
        is_split_again = not section.tail and isinstance(next(iter(following.filling), None), ir.Unbatch)
        if section.batch is not None and not (isinstance(section.batch, ir.Batch) and is_split_again):
            return False
        if _mixes(following):
            return True
    return False


def _mixes(section: Section) -> bool:
    return section.shuffle is not None and section.shuffle.seed is None


def _in_order(step: ir.Step) -> ir.Step:
    return dataclasses.replace(step, ordered=True) if isinstance(step, ir.Run) else step


def _batches_in_parallel(section: Section, queue: ir.Queue) -> Tuple[ir.Step, ...]:
    """Returns the maps on whole batches, with a parallel call for each processor if the queue has room for the batches.

    A shuffle buffer with a seed does not shrink to make room for them (``size_buffers``), so it allows fewer calls.
    """
    if not isinstance(section.batch, ir.Batch):
        return section.tail
    calls = _calls_on_batches(section, queue, section.batch.size)
    return tuple(
        dataclasses.replace(step, parallel_calls=calls) if isinstance(step, ir.Run) and not step.body.is_empty else step
        for step in section.tail
    )


def _calls_on_batches(section: Section, queue: ir.Queue, size: int) -> int:
    wished = processors.usable()
    if queue.capacity < 0:
        return wished
    filled_up = sum(step.size for step in section.tail if isinstance(step, ir.Batch))  # in batches being filled up

    def room(share: int) -> int:
        return (queue.capacity // share - filled_up) // size

    if queue.min_after_dequeue is None:
        return max(1, min(wished, room(1)))
    is_seeded = section.shuffle is not None and section.shuffle.seed is not None
    fewest = 1 if is_seeded else min(2, room(SHARE_OF_TWO_BATCHES))
    return max(1, min(wished, max(room(SHARE_OUTSIDE), fewest)))


def _called(
    run: ir.Run, queue: ir.Queue, after: Sequence[ir.Step], is_ordered: bool, hangs_on_no_stage: bool
) -> ir.Run:
    is_cut = isinstance(next((step for step in after if not isinstance(step, ir.Filter)), None), ir.Unbatch)
    calls = _calls(run, queue, is_cut, hangs_on_no_stage)
    return dataclasses.replace(run, parallel_calls=calls, ordered=is_ordered)


def _calls(run: ir.Run, queue: ir.Queue, is_cut: bool, hangs_on_no_stage: bool) -> int:
    body = run.body
    is_done_at_once = run.by_index and body.only_draws_few
    if is_done_at_once or body.runs_alone or (body.may_end and hangs_on_no_stage):
        return 1
    wished = CALLS_PER_PROCESSOR * processors.usable()
    most = wished if queue.capacity < 0 else queue.capacity
    if queue.min_after_dequeue is not None:
        most //= SHARE_OUTSIDE
    if is_cut:  # a call holds all the rows that it returns
        most //= ir.static_rows(run.components) or most + 1
    must_stay_in_step = body.keeps_its_order or (body.is_seeded and queue.num_threads == 1)
    if must_stay_in_step or most < FEWEST_CALLS:
        return max(1, min(queue.num_threads, most))
    return min(max(wished, queue.num_threads), most)

"""A plan as its sections: what passes work on, in place of positions in a list.

A section is what one of TF1's queues was: steps that make its elements, a shuffle buffer among them if it mixes, the
queue itself, the batch that is taken from it, and the maps that run on whole batches. A plan is one section after the
other; what a section takes is what the one before outputs, and the first one begins with the source.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from queuecompat._plan import ir

__all__ = ["Section", "sections_of", "steps_of", "with_sections"]


@dataclasses.dataclass(frozen=True)
class Section:
    """One queue.

    Attributes:
      given: the specs of what comes in from the section before; empty for the first.
      before: what makes the elements, up to the shuffle buffer: the source, reads, maps, cuts and filters.
      pool: the shuffle buffer; None: there is none (yet).
      after: the same as *before* between the shuffle buffer and the queue; empty without one.
      queue: None once its size has become that of other buffers, or where there was none.
      batch: what makes batches of its elements; None: they are taken one by one.
      tail: the maps on whole batches, and what fills these up again.
      ahead: what is made ahead of the consumer; None: nothing (yet).
    """

    given: ir.Components
    before: Tuple[ir.Step, ...] = ()
    pool: Optional[ir.Shuffle] = None
    after: Tuple[ir.Step, ...] = ()
    queue: Optional[ir.Queue] = None
    batch: Optional[Union[ir.Batch, ir.Bucket]] = None
    tail: Tuple[ir.Step, ...] = ()
    ahead: Optional[ir.Prefetch] = None

    @property
    def steps(self) -> Tuple[ir.Step, ...]:
        """All of it, in order."""
        middle = [self.pool, *self.after, self.queue, self.batch, *self.tail, self.ahead]
        return (*self.before, *(step for step in middle if step is not None))

    @property
    def filling(self) -> Tuple[ir.Step, ...]:
        """What stands before the queue, without the shuffle buffer."""
        return self.before + self.after

    @property
    def source(self) -> Optional[ir.Step]:
        """The source of the plan, if this is the first section."""
        return self.before[0] if self.before and not self.given else None

    def entering(self, place: int) -> ir.Components:
        """The specs of what comes into the step of that number in *before*."""
        return self.before[place - 1].components if place else self.given


def sections_of(plan: ir.Plan) -> List[Section]:
    """The sections of *plan*, the first with its source."""
    found: List[Section] = []
    rest = list(plan.steps)
    given: ir.Components = ()
    while rest:
        section = _first(rest, given, plan.is_remote)
        found.append(section)
        del rest[: len(section.steps)]
        given = section.steps[-1].components
    return found


def with_sections(plan: ir.Plan, sections: Iterable[Section]) -> ir.Plan:
    """*plan* with these sections."""
    return plan.with_steps(steps_of(sections))


def steps_of(sections: Iterable[Section]) -> Tuple[ir.Step, ...]:
    """The steps of *sections*, one after the other."""
    return tuple(step for section in sections for step in section.steps)


def _first(steps: Sequence[ir.Step], given: ir.Components, is_remote: bool) -> Section:
    """The section that *steps* begin with; where it *is_remote*, batches are filled up in another process."""
    ends = (ir.Queue, ir.Batch, ir.Bucket, ir.Prefetch)
    end = next((number for number, step in enumerate(steps) if isinstance(step, ends)), len(steps))
    filling, rest = list(steps[:end]), list(steps[end:])
    pools = [number for number, step in enumerate(filling) if isinstance(step, ir.Shuffle)]
    before, after = (filling[: pools[-1]], filling[pools[-1] + 1 :]) if pools else (filling, [])
    pool = filling[pools[-1]] if pools else None
    assert pool is None or isinstance(pool, ir.Shuffle)
    queue = _taken(rest, ir.Queue)
    batch = _taken(rest, ir.Batch) or _taken(rest, ir.Bucket)
    tail: List[ir.Step] = []
    while batch is not None and rest and _is_of_batches(rest[0], is_remote):
        tail.append(rest.pop(0))
    ahead = _taken(rest, ir.Prefetch)
    return Section(given, tuple(before), pool, tuple(after), queue, batch, tuple(tail), ahead)


def _is_of_batches(step: ir.Step, is_remote: bool) -> bool:
    if isinstance(step, ir.Batch):
        return step.refills and not is_remote
    return isinstance(step, ir.Run) and step.batched


_Kind = TypeVar("_Kind", bound=ir.Step)


def _taken(steps: List[ir.Step], kind: Type[_Kind]) -> Optional[_Kind]:
    """The first of *steps*, taken out, if it is of that *kind*."""
    if not steps or not isinstance(steps[0], kind):
        return None
    first = steps.pop(0)
    assert isinstance(first, kind)
    return first

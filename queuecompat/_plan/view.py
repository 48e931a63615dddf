"""A plan as a sequence of sections, on which passes work in place of indices into its steps.

A section corresponds to one of TF1's queues: the steps that make its elements, with a shuffle buffer among them if the
queue shuffles; the queue itself; the batch that is taken from it; and the maps on whole batches. The first section
begins with the source of the plan, and each later one takes the output of the section before it.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from queuecompat._plan import ir

__all__ = ["Section", "sections_of", "steps_of", "with_sections"]


@dataclasses.dataclass(frozen=True)
class Section:
    """The steps of one queue.

    Attributes:
      given: the specs of the input, the output of the section before; empty for the first section.
      before: the steps that make the elements, up to the shuffle buffer: the source, reads, maps, unbatches, filters.
      shuffle: the shuffle buffer; None: there is none (yet).
      after: such steps between the shuffle buffer and the queue; empty without a shuffle buffer.
      queue: the queue; None: there was none, or other buffers have replaced it.
      batch: the step that batches the elements; None: they are taken one by one.
      tail: the maps on whole batches, and the steps that re-cut these into full batches.
      ahead: the prefetch for the consumer; None: there is none (yet).
    """

    given: ir.Components
    before: Tuple[ir.Step, ...] = ()
    shuffle: Optional[ir.Shuffle] = None
    after: Tuple[ir.Step, ...] = ()
    queue: Optional[ir.Queue] = None
    batch: Optional[Union[ir.Batch, ir.Bucket]] = None
    tail: Tuple[ir.Step, ...] = ()
    ahead: Optional[ir.Prefetch] = None

    @property
    def steps(self) -> Tuple[ir.Step, ...]:
        """All steps, in order."""
        middle = [self.shuffle, *self.after, self.queue, self.batch, *self.tail, self.ahead]
        return (*self.before, *(step for step in middle if step is not None))

    @property
    def filling(self) -> Tuple[ir.Step, ...]:
        """The steps before the queue, without the shuffle buffer."""
        return self.before + self.after

    @property
    def source(self) -> Optional[ir.Step]:
        """The source of the plan; None: this is not the first section."""
        return self.before[0] if self.before and not self.given else None

    def entering(self, place: int) -> ir.Components:
        """Returns the specs of the input of the step at index *place* of *before*."""
        return self.before[place - 1].components if place else self.given


def sections_of(plan: ir.Plan) -> List[Section]:
    """Returns the sections of *plan*; the first contains its source."""
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
    """Returns *plan* with the steps of *sections*."""
    return plan.with_steps(steps_of(sections))


def steps_of(sections: Iterable[Section]) -> Tuple[ir.Step, ...]:
    """Returns the steps of all *sections*, in order."""
    return tuple(step for section in sections for step in section.steps)


def _first(steps: Sequence[ir.Step], given: ir.Components, is_remote: bool) -> Section:
    """Returns the section that *steps* begin with; if *is_remote*, its batches are filled up in a different process."""
    ends = (ir.Queue, ir.Batch, ir.Bucket, ir.Prefetch)
    end = next((number for number, step in enumerate(steps) if isinstance(step, ends)), len(steps))
    filling, rest = list(steps[:end]), list(steps[end:])
    shuffles = [number for number, step in enumerate(filling) if isinstance(step, ir.Shuffle)]
    before, after = (filling[: shuffles[-1]], filling[shuffles[-1] + 1 :]) if shuffles else (filling, [])
    shuffle = filling[shuffles[-1]] if shuffles else None
    assert shuffle is None or isinstance(shuffle, ir.Shuffle)
    queue = _taken(rest, ir.Queue)
    batch = _taken(rest, ir.Batch) or _taken(rest, ir.Bucket)
    tail: List[ir.Step] = []
    while batch is not None and rest and _is_of_batches(rest[0], is_remote):
        tail.append(rest.pop(0))
    ahead = _taken(rest, ir.Prefetch)
    return Section(given, tuple(before), shuffle, tuple(after), queue, batch, tuple(tail), ahead)


def _is_of_batches(step: ir.Step, is_remote: bool) -> bool:
    if isinstance(step, ir.Batch):
        return step.refills and not is_remote
    return isinstance(step, ir.Run) and step.batched


_Kind = TypeVar("_Kind", bound=ir.Step)


def _taken(steps: List[ir.Step], kind: Type[_Kind]) -> Optional[_Kind]:
    """Removes and returns the first of *steps* if it is of this *kind*; otherwise returns None."""
    if not steps or not isinstance(steps[0], kind):
        return None
    first = steps.pop(0)
    assert isinstance(first, kind)
    return first

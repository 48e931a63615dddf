"""The steps that compute on elements: the user's ops, what is kept of them, and what is taken apart or left out."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Tuple

from queuecompat._plan.bodies import Body
from queuecompat._plan.ir.plan import Step
from queuecompat._plan.ir.sources import Entrance, Pull

__all__ = ["Cache", "Filter", "Run", "Skip", "Unbatch"]


@dataclasses.dataclass(frozen=True)
class Skip:
    """What happens to an element that a ``Run`` fails on: it is left out, and listed.

    *place*: the number of the component that says where the element was read; None: none does.
    *by_rows*: an element is many records, of which only those are left out that fail alone; *alone*: the slice for one
    of them; None: the same with a single row.
    """

    place: Optional[int] = None
    by_rows: bool = False
    alone: Optional[Run] = None


@dataclasses.dataclass(frozen=True)
class Run(Step):
    """The user's slice, on the components *uses* of each element (or each batch: *batched*).

    *draws*: what it takes itself, in the same step, from queues of the program; *entrance*: as in ``Pull``.
    *remark*: how much of it runs on whole batches, for ``explain``.
    *alone*: of a form for batches, the slice that it was made from; *skip* None: what fails ends the step.
    *by_number*: its random numbers are a function of the start of the number *start* and of the number of the call,
    which the body has as one input more.
    *by_index*: they are a function of the last of *uses*, a record's number. *carries*: the last component that comes
    in, such a number, is also the last one that comes out.
    """

    body: Body
    uses: Tuple[int, ...]
    parallel_calls: int = 1
    ordered: bool = True
    batched: bool = False
    draws: Tuple[Pull, ...] = ()
    entrance: Optional[Entrance] = None
    remark: str = ""
    alone: Optional[Run] = None
    skip: Optional[Skip] = None
    by_number: bool = False
    start: Optional[int] = None
    by_index: bool = False
    carries: bool = False


@dataclasses.dataclass(frozen=True)
class Cache(Step):
    """What *inner* outputs for each element, kept: the same file is read, and its elements are made, once.

    *inner* are steps on one element of which component *file* names a file (or a block of one); what comes out is a
    function of that file alone. *beside*: one element comes out for each that comes in, which comes first in it.
    *where*: "ram", or a folder; *most_bytes*: the most that is kept, None: a share of what is free. *key*: equal for
    what computes the same, in other processes as well. *rows*: the most elements that are kept and fetched at once;
    *inner* may output batches of so many. *numbered*: as in ``Read``, which is the first of *inner* then; with *beside*
    the number comes in, last. What is kept are elements without their numbers.
    """

    inner: Tuple[Step, ...]
    file: int = 0
    beside: bool = False
    where: str = "ram"
    most_bytes: Optional[int] = None
    key: str = ""
    rows: int = 1
    numbered: bool = False

    @property
    def makes_batches(self) -> bool:
        """Whether *inner* outputs batches."""
        return isinstance(self.inner[-1], Run) and self.inner[-1].batched

    def with_inner(self, change: Callable[[Any], Step]) -> Cache:
        """The same with *change* of each of the steps that it holds."""
        return dataclasses.replace(self, inner=tuple(map(change, self.inner)))


@dataclasses.dataclass(frozen=True)
class Filter(Step):
    """Keeps the elements whose last component is true, and drops that component (TF1's ``keep_input``)."""


@dataclasses.dataclass(frozen=True)
class Unbatch(Step):
    """Each element is cut along its first dimension (TF1's ``enqueue_many``)."""

    @property
    def may_be_empty(self) -> bool:
        """Whether a row may come out that has no numbers in it."""
        return not all(spec.shape.num_elements() for spec in self.components)

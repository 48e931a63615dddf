"""The steps that compute on elements: the user's ops, caches of their results, filters and unbatching."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Tuple

from queuecompat._plan.bodies import Body
from queuecompat._plan.ir.plan import Step
from queuecompat._plan.ir.sources import Entrance, Pull

__all__ = ["Cache", "Filter", "Run", "Skip", "Unbatch"]


@dataclasses.dataclass(frozen=True)
class Skip:
    """Tells a ``Run`` to skip and list the elements that it fails on (``on_error="skip"``).

    Attributes:
      place: the index of the component that says where an element was read, a key or a file name; None: there is none.
      by_rows: whether an element consists of many records (rows). Only the records that fail by themselves are then
        skipped.
      alone: with *by_rows*, the step that runs the slice on a single record; None: the ``Run`` itself, on one row.
    """

    place: Optional[int] = None
    by_rows: bool = False
    alone: Optional[Run] = None


@dataclasses.dataclass(frozen=True)
class Run(Step):
    """Runs a slice of the user's ops on each element, or on each batch.

    Attributes:
      body: the slice.
      uses: the indices of the input components that are the body's arguments.
      parallel_calls: how many calls may run in parallel.
      ordered: whether the results are output in the order of the elements.
      batched: whether the body runs on whole batches.
      draws: what the body dequeues itself, within the same call, from the program's own queues.
      entrance: as in ``Pull``.
      remark: for ``explain``: how much of the slice runs on whole batches, or which crops have moved.
      alone: of a batched step: the step on single elements that it replaces; None: it replaces only a part of one.
      skip: how elements that the body fails on are skipped; None: a failure is an error.
      by_number: whether the random numbers of each call are a function of the start *start* and of the call's number.
        The body then has both as an additional last argument.
      start: the number of that start (``starts``).
      by_index: whether the random numbers are a function of the record's number, the last of *uses*.
      carries: whether the last input component, a record's number, is also output last.
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
    """Caches the elements that the steps *inner* make of each file, so that each file is read and processed only once.

    Attributes:
      inner: the steps whose results are cached. Their output is a function of the content of the file alone.
      file: the index of the input component that names the file, or a block of one.
      beside: whether each file makes exactly one element, and the input components are output before its components.
      where: "ram", or the folder that the cache is kept in.
      most_bytes: the maximum size of the cache; None: ``cache_store.SHARE_OF_FREE`` of the free memory or disk space.
      key: equal for caches that compute the same, in every process.
      rows: the maximum number of elements that are stored and fetched at once; *inner* may output batches of this size.
      numbered: as in ``Read``, which is then the first of *inner*; with *beside*, the number is the last input
        component. Elements are cached without their numbers.
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
        """Returns this cache with *change* applied to each of its inner steps."""
        return dataclasses.replace(self, inner=tuple(map(change, self.inner)))


@dataclasses.dataclass(frozen=True)
class Filter(Step):
    """Keeps the elements whose last component is true, without that component (TF1's ``keep_input``)."""


@dataclasses.dataclass(frozen=True)
class Unbatch(Step):
    """Splits each element along its first dimension into single rows (TF1's ``enqueue_many``)."""

    @property
    def may_be_empty(self) -> bool:
        """Whether an output row may be of size 0: a dimension of its shape is 0 or unknown."""
        return not all(spec.shape.num_elements() for spec in self.components)

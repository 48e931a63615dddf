"""What a plan names and a back end has: the contract between a plan's steps and what they are lowered into.

A plan is data (``ir``, Rule 5). The back end that lowers it implements ``Resources``: the session's own looks into the
graph's pipelines, the one of an eager dataset into the streams of one iterator.
"""

from __future__ import annotations

from typing import List, Optional, Protocol, Sequence, Tuple, runtime_checkable

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import Around
from queuecompat._plan.skipped import SkipLog

__all__ = ["Counter", "NoResources", "Occupancy", "Resources", "Stream"]


@runtime_checkable
class Stream(Protocol):
    """Elements outside of a plan."""

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        """Handles of the program's own queues that a draw may wait in."""

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        """What the graph knows it by, as of a ``Counter``; none: a function that draws captures what it needs."""

    @property
    def waits_inline(self) -> bool:
        """Whether there is an op that waits for an element in the thread that runs it."""

    def over(self, handles: Sequence[tf.Tensor]) -> Stream:
        """The same on other *handles*."""

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        """Tensors of the next element; each run of them takes one.

        Args:
          name: of the op that draws.
          inline: for a function that is called inline (``mapping.mapped``), of a stream that waits so.
        """


@runtime_checkable
class Counter(Protocol):
    """A count of elements in a session."""

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        """What the graph knows it by: a function that is given them is the same in every graph."""

    def over(self, handles: Sequence[tf.Tensor]) -> Counter:
        """The same on other *handles*: the arguments of that function."""

    def add(self, count: tf.Tensor) -> tf.Operation:
        """Counts *count* elements more, a scalar int64."""

    def set(self, count: tf.Tensor) -> tf.Operation:
        """Sets the count, a scalar int64."""


Occupancy = Tuple[Counter, Counter]


class Resources(Protocol):
    """What the steps of a plan are lowered with."""

    def stream(self, key: str, is_native: bool) -> Stream:
        """The stream of the stage of that *key*; *is_native*: the one that TensorFlow runs itself."""

    def counter(self, count: ir.Count) -> Counter:
        """What *count* counts with."""

    def occupancy(self, key: str) -> Occupancy:
        """The counts of what came into the queue of the stage of that *key*, and of what left it."""

    def entrance(self, entrance: ir.Entrance) -> Around:
        """What lets a draw go through *entrance*."""

    def start(self, number: int) -> tf.Tensor:
        """The start of that *number*: int64 ``[2]``, different for each iterator."""

    def skip_log(self) -> SkipLog:
        """What is told of the elements that the plan leaves out."""

    def iteration(self) -> tf.Tensor:
        """How many iterators there were before this one; int64 ``[]``. A job of a service ends with an iteration."""


class NoResources:
    """For plans that name nothing."""

    def stream(self, key: str, is_native: bool) -> Stream:
        raise KeyError(f"the stream of '{key}'")

    def counter(self, count: ir.Count) -> Counter:
        raise KeyError(f"a counter of '{count.queue}'")

    def occupancy(self, key: str) -> Occupancy:
        raise KeyError(f"the occupancy of '{key}'")

    def entrance(self, entrance: ir.Entrance) -> Around:
        raise KeyError(str(entrance))

    def start(self, number: int) -> tf.Tensor:
        raise KeyError(f"start {number}")

    def skip_log(self) -> SkipLog:
        raise KeyError("a log of what is skipped")

    def iteration(self) -> tf.Tensor:
        return tf.constant(0, tf.int64)

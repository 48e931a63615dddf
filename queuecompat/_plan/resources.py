"""The objects that a plan refers to by name and its back end provides: the contract for lowering a plan.

A plan is pure data (``ir``, Rule 5). The back end that lowers it implements ``Resources``: that of a session looks the
objects up in the graph's pipelines, that of an eager dataset in the streams of one iterator.
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
    """A source of elements that exists outside of the plan that draws from it."""

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        """Handles of the program's own queues that a draw may wait in."""

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        """As ``Counter.handles``; empty: a function that draws captures what it needs by itself."""

    @property
    def waits_inline(self) -> bool:
        """Whether a draw can wait for its element in the calling thread, rather than in a thread of a pool."""

    def with_handles(self, handles: Sequence[tf.Tensor]) -> Stream:
        """Returns this stream on other *handles*: the arguments of a function."""

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        """Returns tensors of the next element; each run of them takes one element.

        Args:
          name: the name of the op that draws.
          inline: whether the draw is in a function that is called inline (``mapping.mapped``); requires
            *waits_inline*.
        """


@runtime_checkable
class Counter(Protocol):
    """A count of elements in a session."""

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        """The graph's tensors that identify the counter.

        A function that takes them as arguments, rather than capture them, can be shared between graphs.
        """

    def with_handles(self, handles: Sequence[tf.Tensor]) -> Counter:
        """Returns this counter on other *handles*: the arguments of such a function."""

    def add(self, count: tf.Tensor) -> tf.Operation:
        """Adds *count* elements, a scalar int64, to the count."""

    def set(self, count: tf.Tensor) -> tf.Operation:
        """Sets the count to *count*, a scalar int64."""


# The counters of the elements that entered a queue and of those that left it.
Occupancy = Tuple[Counter, Counter]


class Resources(Protocol):
    """Looks up the objects that the steps of a plan refer to."""

    def stream(self, key: str, is_native: bool) -> Stream:
        """Returns the stream of the stage with this *key*; *is_native*: the one that TensorFlow runs itself."""

    def counter(self, count: ir.Count) -> Counter:
        """Returns the counter that the step *count* adds to."""

    def occupancy(self, key: str) -> Occupancy:
        """Returns the counters of the elements that entered and left the queue of the stage with this *key*."""

    def entrance(self, entrance: ir.Entrance) -> Around:
        """Returns what makes a draw pass through *entrance*."""

    def start(self, number: int) -> tf.Tensor:
        """Returns the start (``starts``) of this *number*: int64 ``[2]``, different for each iterator."""

    def skip_log(self) -> SkipLog:
        """Returns the log of the elements that the plan skips."""

    def iteration(self) -> tf.Tensor:
        """Returns how many iterators there were before this one, int64 ``[]``; a service's job is for one iterator."""


class NoResources:
    """For plans that refer to nothing."""

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

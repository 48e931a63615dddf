"""The orders of a sequence: which items an epoch consists of, and in which order.

Rule 1: an order is a function of seed and epoch. It can begin at any item *begin* of the epoch.
Rule 2: a shard takes every *count*-th item of an order that all shards share. So the shards of one seed are disjoint,
        together they are the whole epoch, and their lengths differ by at most one item.
Rule 3: if an item may come several times in an epoch, its random numbers depend on its place in the epoch, not on its
        index: otherwise all occurrences would be augmented in the same way.
"""

from __future__ import annotations

import itertools
import zlib
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Union

import numpy as np

from queuecompat.errors import QueueCompatError, QueueCompatValueError, error
from queuecompat.loader.order import randomness
from queuecompat.loader.order.permutations import ComputedOrder

__all__ = [
    "InOrder",
    "Order",
    "Sampler",
    "Shard",
    "Shuffled",
    "Weighted",
    "balanced_weights",
    "beyond_the_end",
    "skips_too_much",
]

Indices = Union[range, np.ndarray, ComputedOrder]


class Shard(NamedTuple):
    """Shard *index* of *count*: a host's part of each epoch."""

    index: int = 0  # type: ignore[assignment]  # replaces the method of tuples; so does count
    count: int = 1  # type: ignore[assignment]

    def length(self, whole: int) -> int:
        """Returns the number of items of this shard, if all shards together have *whole*."""
        return len(range(self.index, whole, self.count))

    def place(self, offset: int) -> int:
        """Returns the place in the whole epoch of this shard's item number *offset*."""
        return self.index + offset * self.count


class Order:
    """The indices of each epoch of a sequence. This base class keeps the order of the sequence.

    Attributes:
      repeats: whether an index may come several times in one epoch.
      is_quick: whether the next index is computed without calling the user's code.
    """

    repeats = False
    is_quick = True

    def length(self, items: int) -> Optional[int]:
        """Returns the number of indices per epoch for a source with *items* items; None if it is not known."""
        return items

    def indices(self, seed: int, epoch: int, items: int) -> Indices:
        """Returns all indices of an epoch, in order."""
        return range(items)

    def places(self, seed: int, epoch: int, items: int, shard: Shard, begin: int) -> Iterator[int]:
        """Returns the indices of *shard* in *epoch*, from the shard's item number *begin* on.

        Raises:
          QueueCompatValueError: QC617, the shard has fewer than *begin* items.
        """
        indices = self.indices(seed, epoch, items)
        length = shard.length(len(indices))
        if begin > length:
            raise beyond_the_end(begin, length)
        places = range(shard.place(begin), len(indices), shard.count)
        return map(int, map(indices.__getitem__, places))

    def identity(self) -> Dict[str, Any]:
        """Returns the fields of a state that distinguish this order from others; empty for the orders that the state's
        field ``shuffle`` distinguishes."""
        return {}


InOrder = Order


class Shuffled(Order):
    """A new random order each epoch."""

    def indices(self, seed: int, epoch: int, items: int) -> Indices:
        return randomness.epoch_order(seed, epoch, items)


class Weighted(Order):
    """Random draws: an item of weight 2 is drawn twice as often as one of weight 1, an item of weight 0 never.

    Args:
      weights: float64 ``[items]``, finite and not negative.
      replacement: whether an item can be drawn several times in an epoch. If not, an item with a large weight tends to
        come early in the epoch.
      draws: the number of draws per epoch. None: the number of items; without replacement, of items with a weight above
        0.
    """

    def __init__(self, weights: np.ndarray, *, replacement: bool, draws: Optional[int]) -> None:
        self.repeats = replacement
        self._weights = weights
        self._drawable = np.flatnonzero(weights)
        self._sums = np.cumsum(weights[self._drawable]) if replacement else np.zeros(0)
        self._draws = draws or (len(weights) if replacement else len(self._drawable))

    def length(self, items: int) -> Optional[int]:
        return self._draws

    def indices(self, seed: int, epoch: int, items: int) -> Indices:
        if items != len(self._weights):
            given, needed = f"{len(self._weights)} weights", f"{items}, the number of items that the source has now"
            raise error(QueueCompatValueError, "QC601", argument="weights", given=given, needed=needed)
        rng = randomness.epoch_rng(seed, epoch)
        if self.repeats:
            places = np.searchsorted(self._sums, rng.random(self._draws) * self._sums[-1], side="right")
            # The product may be rounded up to the sum of all weights, whose place is one after the last.
            return self._drawable[np.minimum(places, len(self._drawable) - 1)]
        # Exponential waiting times with the weights as rates, sorted: the same distribution as drawing items one after
        # another.
        waits = rng.standard_exponential(len(self._drawable)) / self._weights[self._drawable]
        return self._drawable[np.argsort(waits, kind="stable")[: self._draws]]

    def identity(self) -> Dict[str, Any]:
        digest = zlib.crc32(np.ascontiguousarray(self._weights).tobytes())
        return {"weights": digest, "replacement": self.repeats, "draws": self._draws}


class Sampler(Order):
    """The order that the user's ``sampler`` returns.

    Args:
      sampler: an iterable of indices, iterated again each epoch; or a function of (epoch, rng) that returns one.
    """

    repeats = True
    is_quick = False

    def __init__(self, sampler: Any) -> None:
        self._sampler = sampler

    def length(self, items: int) -> Optional[int]:
        return len(self._sampler) if hasattr(self._sampler, "__len__") else None

    def places(self, seed: int, epoch: int, items: int, shard: Shard, begin: int) -> Iterator[int]:
        indices = itertools.islice(self._of_epoch(seed, epoch), shard.index, None, shard.count)
        passed = sum(1 for _ in itertools.islice(indices, begin))
        if passed < begin:
            raise beyond_the_end(begin, passed)
        return (_checked(index, items) for index in indices)

    def _of_epoch(self, seed: int, epoch: int) -> Iterator[Any]:
        if callable(self._sampler):
            return iter(self._sampler(epoch, randomness.epoch_rng(seed, epoch)))
        set_epoch: Optional[Callable[[int], object]] = getattr(self._sampler, "set_epoch", None)
        if set_epoch is not None:  # samplers written for PyTorch have this method
            set_epoch(epoch)
        return iter(self._sampler)

    def identity(self) -> Dict[str, Any]:
        return {"sampler": type(self._sampler).__name__}


def _checked(index: Any, items: int) -> int:
    whole = index if type(index) is int else _whole(index)
    if whole is None or not 0 <= whole < items:
        raise error(QueueCompatValueError, "QC636", given=repr(index), last=items - 1)
    return whole


def _whole(index: Any) -> Optional[int]:
    if isinstance(index, (bool, np.bool_)):
        return None
    try:
        return index.__index__()
    except AttributeError:
        return None


def beyond_the_end(begin: int, items: int) -> QueueCompatError:
    """Returns the error for a state that begins at item *begin* of an epoch that has only *items* items."""
    what = f"begins at item {begin} of an epoch, but this source has {items}"
    return error(QueueCompatValueError, "QC617", what=what)


def skips_too_much(skip: int) -> QueueCompatError:
    """Returns the error for a state that skips *skip* examples of its first item, which has fewer."""
    what = f"has skip={skip}, but its first item does not have that many examples"
    return error(QueueCompatValueError, "QC617", what=what)


def balanced_weights(labels: Union[Sequence[Any], np.ndarray]) -> np.ndarray:
    """Returns values for ``weights=`` that draw every class equally often, whatever the number of its items.

    Args:
      labels: the class of each item: whole numbers or text, of shape ``[items]``.
    Returns:
      float64 ``[items]``: one divided by the number of items of the item's class; the sum is the number of classes.
    Raises:
      QueueCompatValueError: QC601, *labels* is not one-dimensional.
    """
    classes = np.asarray(labels)
    if classes.ndim != 1:
        needed = "one label for each item, of shape [items]"
        raise error(QueueCompatValueError, "QC601", argument="labels", given=f"shape {classes.shape}", needed=needed)
    _, inverse, counts = np.unique(classes, return_inverse=True, return_counts=True)
    return 1.0 / counts[inverse.reshape(-1)]

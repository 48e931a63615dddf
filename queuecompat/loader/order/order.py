"""Which items of a sequence an epoch consists of, and in which order.

Rule 1: an order is a function of seed and epoch. It may begin anywhere: at item *begin* of the epoch.
Rule 2: a shard takes every *count*-th item of the order that all shards have in common. So the shards of one seed are
        disjoint, together they are the whole epoch, and they differ by one item at most.
Rule 3: an item that may come several times in an epoch draws its random numbers by its place in the epoch, not by its
        index: otherwise its augmentations would all be the same.
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

    index: int = 0  # type: ignore[assignment]  # not the methods of tuples
    count: int = 1  # type: ignore[assignment]

    def length(self, whole: int) -> int:
        """The shard's part of *whole* items."""
        return len(range(self.index, whole, self.count))

    def place(self, offset: int) -> int:
        """The place in the whole epoch of the shard's *offset*-th item."""
        return self.index + offset * self.count


class Order:
    """The indices of each epoch of a sequence; this class has them in the order of the sequence.

    Attributes:
      repeats: whether an index may come several times in one epoch.
      is_quick: whether the next index is known without calling the user's code.
    """

    repeats = False
    is_quick = True

    def length(self, items: int) -> Optional[int]:
        """Indices per epoch of a source of so many *items*; None where that is not known."""
        return items

    def indices(self, seed: int, epoch: int, items: int) -> Indices:
        """All of an epoch."""
        return range(items)

    def places(self, seed: int, epoch: int, items: int, shard: Shard, begin: int) -> Iterator[int]:
        """The indices of *shard* in *epoch*, from its item *begin* on."""
        indices = self.indices(seed, epoch, items)
        length = shard.length(len(indices))
        if begin > length:
            raise beyond_the_end(begin, length)
        places = range(shard.place(begin), len(indices), shard.count)
        return map(int, map(indices.__getitem__, places))

    def identity(self) -> Dict[str, Any]:
        """What distinguishes this order from others, for a state; empty where ``shuffle`` says it."""
        return {}


InOrder = Order


class Shuffled(Order):
    """A new random order each epoch."""

    def indices(self, seed: int, epoch: int, items: int) -> Indices:
        return randomness.epoch_order(seed, epoch, items)


class Weighted(Order):
    """Random draws: an item of weight 2 is drawn twice as often as one of weight 1, one of weight 0 never.

    Args:
      weights: float64, one for each item, finite and not negative.
      replacement: whether an item can be drawn several times in an epoch. Otherwise an item of a large weight comes
        early.
      draws: per epoch; by default one for each item, or, without replacement, for each item of a weight above 0.
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
            given, needed = f"{len(self._weights)} weights", f"{items}: so many items has the source now"
            raise error(QueueCompatValueError, "QC601", argument="weights", given=given, needed=needed)
        rng = randomness.epoch_rng(seed, epoch)
        if self.repeats:
            places = np.searchsorted(self._sums, rng.random(self._draws) * self._sums[-1], side="right")
            # A product may be rounded up to the sum of all.
            return self._drawable[np.minimum(places, len(self._drawable) - 1)]
        # Of waiting times with these rates, the shortest come first: the same as drawing one after another.
        waits = rng.standard_exponential(len(self._drawable)) / self._weights[self._drawable]
        return self._drawable[np.argsort(waits, kind="stable")[: self._draws]]

    def identity(self) -> Dict[str, Any]:
        digest = zlib.crc32(np.ascontiguousarray(self._weights).tobytes())
        return {"weights": digest, "replacement": self.repeats, "draws": self._draws}


class Sampler(Order):
    """The user's own order.

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
        if set_epoch is not None:  # as samplers written for PyTorch have it
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
    """A state says that so many items of the epoch have passed, and there are fewer."""
    what = f"begins at item {begin} of an epoch, and this source has {items}"
    return error(QueueCompatValueError, "QC617", what=what)


def skips_too_much(skip: int) -> QueueCompatError:
    """A state says that so many examples of its first item are in earlier batches, and the item has fewer."""
    return error(QueueCompatValueError, "QC617", what=f"has skip={skip}, and its first item has not that many examples")


def balanced_weights(labels: Union[Sequence[Any], np.ndarray]) -> np.ndarray:
    """For ``weights=``: every class is drawn equally often, whatever the number of its items.

    Args:
      labels: the class of each item: whole numbers or text, of shape ``[items]``.
    Returns:
      float64 ``[items]``: one divided by the number of items of that class; the sum is the number of classes.
    Raises:
      QueueCompatValueError: QC601, *labels* is not one-dimensional.
    """
    classes = np.asarray(labels)
    if classes.ndim != 1:
        needed = "one label for each item, of shape [items]"
        raise error(QueueCompatValueError, "QC601", argument="labels", given=f"shape {classes.shape}", needed=needed)
    _, inverse, counts = np.unique(classes, return_inverse=True, return_counts=True)
    return 1.0 / counts[inverse.reshape(-1)]

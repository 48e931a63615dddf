"""The order in which the items of a source are loaded, over all epochs of one pass.

Rule 1: the order is a function of seed and epoch. A sequence is ordered by index, as a whole (``order.py``). The items
        of an iterable go, not yet loaded, through a shuffle buffer, which is emptied at the end of each epoch.
Rule 2: it can begin at any item *offset* of any epoch.
Rule 3: an epoch has at least one item. A source, a sampler or a shard without any raises an error, in any epoch.

Not thread-safe: one caller at a time.
"""

from __future__ import annotations

import enum
import functools
import itertools
import reprlib
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple, Union, cast

from queuecompat.loader.order import randomness
from queuecompat.loader.order.order import Order, Shard, beyond_the_end
from queuecompat.loader.order.shuffle_buffer import ShuffleBuffer
from queuecompat.plurals import type_of

__all__ = ["NOTHING", "Item", "NoItemsError", "is_sequence", "sampled"]


class _Nothing(enum.Enum):
    """An enumeration, so that ``NOTHING`` is the same object after pickling, in a different process."""

    NOTHING = enum.auto()


NOTHING = _Nothing.NOTHING  # the value of an item that has not been fetched

_SHORT = reprlib.Repr()
_SHORT.maxother = 80


class Item(NamedTuple):
    """Item number *offset* of this loader's *epoch*, which is item number *index* of the source.

    Attributes:
      value: the item itself, if it is already fetched.
      draw: the item's place in the whole epoch, if that decides its random numbers; None if its index does.
    """

    epoch: int
    offset: int
    index: int  # type: ignore[assignment]  # replaces the method of tuples
    value: Any = NOTHING
    draw: Optional[int] = None


class NoItemsError(Exception):
    """*epoch* has no items: a model would be trained on nothing, or the epoch repeated forever. *why* says what is
    empty."""

    def __init__(self, epoch: int, why: str) -> None:
        super().__init__(epoch, why)
        self.epoch = epoch
        self.why = why


def is_sequence(source: Any) -> bool:
    """Returns whether the items of *source* can be fetched by index."""
    return hasattr(source, "__len__") and hasattr(source, "__getitem__")


def sampled(
    source: Union[Sequence[Any], Iterable[Any]],
    epochs: Tuple[int, Optional[int]],
    *,
    seed: int,
    order: Order,
    pool: Optional[int],
    shard: Shard = Shard(),  # noqa: B008 - immutable
    offset: int = 0,
    at_epoch: Callable[[int], None] = lambda epoch: None,
) -> Iterator[Item]:
    """Returns all items of *epochs*, from item *offset* of the first epoch on.

    Args:
      epochs: the first epoch, and the one after the last; None instead of the latter goes on forever.
      order: the order of the items, if *source* is a sequence.
      pool: the depth of an iterable's shuffle buffer, in items; None keeps the order.
      shard: the part of each epoch that is returned; *offset* counts the items of this part.
      at_epoch: called before each epoch, with its number.
    Raises:
      QueueCompatValueError: QC617, the first epoch ends before *offset*; QC636, a sampler's index is out of range.
      NoItemsError: an epoch has no items.
    """
    if is_sequence(source):
        of_epoch = functools.partial(_by_number, cast(Sequence[Any], source), seed=seed, order=order, shard=shard)
    else:
        of_epoch = functools.partial(_from, source, seed=seed, pool=pool, shard=shard)
    why_empty = functools.partial(_why_empty, source, order, shard)
    return itertools.chain.from_iterable(_epochs(of_epoch, epochs, offset, at_epoch, why_empty))


def _why_empty(source: Any, order: Order, shard: Shard) -> str:
    """Returns the text that says why an epoch has no items: the source, the sampler or the shard is empty."""
    of_shard = f" for shard {tuple(shard)}" if shard.count > 1 else ""
    if not is_sequence(source):
        return f"the source, {type_of(source)}, returned no items{of_shard}"
    if not len(source):
        return f"the source is empty: {_SHORT.repr(source)}"
    if not order.is_quick:
        return f"the sampler returned no indices{of_shard}"
    return f"shard {tuple(shard)} has none of {order.length(len(source))} items"


def _epochs(
    of_epoch: Callable[[int, int], Iterator[Item]],
    epochs: Tuple[int, Optional[int]],
    offset: int,
    at_epoch: Callable[[int], None],
    why_empty: Callable[[], str],
) -> Iterator[Iterable[Item]]:
    """Yields the items of each epoch; those of the first epoch from *offset* on."""
    epoch, end = epochs
    while end is None or epoch < end:
        at_epoch(epoch)
        items = of_epoch(epoch, offset)
        first = next(items, None)
        if first is not None:
            yield (first,)
            yield items
        elif not offset:
            raise NoItemsError(epoch, why_empty())
        epoch, offset = epoch + 1, 0


def _by_number(
    source: Sequence[Any], epoch: int, begin: int, *, seed: int, order: Order, shard: Shard
) -> Iterator[Item]:
    count = len(source)
    if not count and not begin:
        return iter(())  # in any order: an empty source has no valid index
    indices = order.places(seed, epoch, count, shard, begin)
    draws = map(shard.place, itertools.count(begin)) if order.repeats else itertools.repeat(None)
    fields = zip(itertools.repeat(epoch), itertools.count(begin), indices, itertools.repeat(NOTHING), draws)
    # Runs in C: ``Item(...)`` in a generator would cost more than everything else that is done here for a trivial item.
    return map(functools.partial(tuple.__new__, Item), fields)


def _from(
    source: Iterable[Any], epoch: int, begin: int, *, seed: int, pool: Optional[int], shard: Shard
) -> Iterator[Item]:
    """Yields the items of an epoch from item *begin* on. The items before are read, too, and dropped."""
    count = 0
    for item in _one_by_one(source, epoch, seed, pool, shard):
        count = item.offset + 1
        if item.offset >= begin:
            yield item
    if count < begin:
        raise beyond_the_end(begin, count)


def _one_by_one(source: Iterable[Any], epoch: int, seed: int, pool: Optional[int], shard: Shard) -> Iterator[Item]:
    for place, (index, value) in enumerate(_mixed(source, epoch, seed, pool)):
        if place % shard.count == shard.index:
            yield Item(epoch, place // shard.count, index, value)


def _mixed(source: Iterable[Any], epoch: int, seed: int, pool: Optional[int]) -> Iterator[Tuple[int, Any]]:
    """Yields the items of a whole epoch in shuffled order, as pairs of the number in the source and the item."""
    buffer: ShuffleBuffer[Tuple[int, Any]] = ShuffleBuffer(
        pool or 0,
        functools.partial(randomness.item_pool_slots, seed, epoch),
        drain_order=functools.partial(randomness.item_drain_order, seed, epoch),
    )
    for numbered in enumerate(source):
        yield from buffer.push(numbered)
    yield from buffer.drain()

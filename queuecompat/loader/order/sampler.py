"""The order in which the items of a source are loaded, over all epochs of one pass.

Rule 1: the order is a function of seed and epoch. That of a sequence is chosen by index (``order.py``), as a whole;
        an iterable goes through a buffer of items that have not been loaded, and it is emptied at the end
        of each epoch.
Rule 2: it may begin anywhere: at item *offset* of *epoch*.
Rule 3: an epoch has an item. A source, a sampler or a shard without any is an error here, wherever it was empty.

No threads: one caller at a time.
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

__all__ = ["NOTHING", "Item", "NoItemsError", "is_sequence", "sampled"]


class _Nothing(enum.Enum):
    """Of an enumeration, so that it is the same in another process."""

    NOTHING = enum.auto()


NOTHING = _Nothing.NOTHING  # an item that has not been fetched

_SHORT = reprlib.Repr()
_SHORT.maxother = 80


class Item(NamedTuple):
    """The *offset*-th item of an epoch: item *index* of the source.

    Its random numbers are those of the *draw*-th item of the epoch; None: those of its index.
    """

    epoch: int
    offset: int
    index: int  # type: ignore[assignment]  # not the method of tuples
    value: Any = NOTHING
    draw: Optional[int] = None


class NoItemsError(Exception):
    """An *epoch* without any item, which would train on nothing, or be repeated forever; *why* says what is empty."""

    def __init__(self, epoch: int, why: str) -> None:
        super().__init__(epoch, why)
        self.epoch = epoch
        self.why = why


def is_sequence(source: Any) -> bool:
    """Whether items can be had by their number."""
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
    """All items from *offset* on.

    Args:
      epochs: the first, and the one after the last; None is without end.
      order: of a sequence.
      pool: the depth of an iterable's shuffle buffer, in items; None keeps the order.
      shard: the part of each epoch that is returned; *offset* counts its items.
      at_epoch: called before each epoch, with its number.
    Raises:
      QueueCompatValueError: QC617, the first epoch ends before *offset*; QC636, a sampler's index is out of range.
      NoItemsError: an epoch has none.
    """
    if is_sequence(source):
        of_epoch = functools.partial(_by_number, cast(Sequence[Any], source), seed=seed, order=order, shard=shard)
    else:
        of_epoch = functools.partial(_from, source, seed=seed, pool=pool, shard=shard)
    why_empty = functools.partial(_why_empty, source, order, shard)
    return itertools.chain.from_iterable(_epochs(of_epoch, epochs, offset, at_epoch, why_empty))


def _why_empty(source: Any, order: Order, shard: Shard) -> str:
    """What has no items, where an epoch has none."""
    of_shard = f" for shard {tuple(shard)}" if shard.count > 1 else ""
    if not is_sequence(source):
        return f"the source, a {type(source).__name__}, returned no items{of_shard}"
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
    """The items of each epoch; of the first from *offset* on."""
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
        return iter(())  # whatever the order: no index is one of an empty source
    indices = order.places(seed, epoch, count, shard, begin)
    draws = map(shard.place, itertools.count(begin)) if order.repeats else itertools.repeat(None)
    fields = zip(itertools.repeat(epoch), itertools.count(begin), indices, itertools.repeat(NOTHING), draws)
    # In C: ``Item(...)`` and a generator would cost more than all else that is done for a trivial item here.
    return map(functools.partial(tuple.__new__, Item), fields)


def _from(
    source: Iterable[Any], epoch: int, begin: int, *, seed: int, pool: Optional[int], shard: Shard
) -> Iterator[Item]:
    """The items of an epoch from its item *begin* on, which those before are read for."""
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
    """The items of a whole epoch, with their numbers in the source."""
    buffer: ShuffleBuffer[Tuple[int, Any]] = ShuffleBuffer(
        pool or 0,
        functools.partial(randomness.item_pool_slots, seed, epoch),
        drain_order=functools.partial(randomness.item_drain_order, seed, epoch),
    )
    for numbered in enumerate(source):
        yield from buffer.push(numbered)
    yield from buffer.drain()

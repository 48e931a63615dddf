"""The order in which the items of a source are loaded, over all epochs of one pass.

Rule 1: the order is a function of seed and epoch. A sequence is permuted whole, since that costs an index an item;
        an iterable goes through a buffer of items that have not been loaded, and it is emptied at the end
        of each epoch.
Rule 2: it may begin anywhere: at item *offset* of *epoch*.

No threads: one caller at a time.
"""

from __future__ import annotations

import enum
import functools
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple, Union

from queuecompat.errors import QueueCompatError, QueueCompatValueError, error
from queuecompat.loader import randomness
from queuecompat.loader.shuffle_buffer import ShuffleBuffer

__all__ = ["NOTHING", "Item", "is_sequence", "sampled"]


class _Nothing(enum.Enum):
    """Of an enumeration, so that it is the same in another process."""

    NOTHING = enum.auto()


NOTHING = _Nothing.NOTHING  # an item that has not been fetched


class Item(NamedTuple):
    """The *offset*-th item of an epoch: item *index* of the source."""

    epoch: int
    offset: int
    index: int  # type: ignore[assignment]  # not the method of tuples
    value: Any = NOTHING


def is_sequence(source: Any) -> bool:
    """Whether items can be had by their number."""
    return hasattr(source, "__len__") and hasattr(source, "__getitem__")


def sampled(
    source: Union[Sequence[Any], Iterable[Any]],
    epochs: Tuple[int, Optional[int]],
    *,
    seed: int,
    pool: Optional[int],
    offset: int = 0,
    at_epoch: Callable[[int], None] = lambda epoch: None,
) -> Iterator[Item]:
    """All items from *offset* on.

    Args:
      epochs: the first, and the one after the last; None is without end.
      pool: the depth of an iterable's shuffle buffer, in items; None keeps the order.
      at_epoch: called before each epoch, with its number.
    Raises:
      QueueCompatValueError: QC617, the first epoch ends before *offset*.
    """
    epoch, end = epochs
    one_epoch: Callable[..., Iterator[Item]] = _by_number if is_sequence(source) else _one_by_one
    while end is None or epoch < end:
        at_epoch(epoch)
        count = 0
        for item in one_epoch(source, epoch, seed, pool, offset):
            count = item.offset + 1
            if item.offset >= offset:
                yield item
        if count < offset and not is_sequence(source):
            raise _beyond_the_end(offset, count)
        if not count and not offset and end is None:
            return  # an endless repetition of nothing
        epoch, offset = epoch + 1, 0


def _by_number(source: Sequence[Any], epoch: int, seed: int, pool: Optional[int], begin: int) -> Iterator[Item]:
    count = len(source)
    if begin > count:
        raise _beyond_the_end(begin, count)
    order = range(count) if pool is None else randomness.epoch_order(seed, epoch, count)
    for offset in range(begin, count):
        yield Item(epoch, offset, int(order[offset]))


def _beyond_the_end(begin: int, count: int) -> QueueCompatError:
    what = f"begins at item {begin} of an epoch, and this source has {count}"
    return error(QueueCompatValueError, "QC617", what=what)


def _one_by_one(source: Iterable[Any], epoch: int, seed: int, pool: Optional[int], _: int) -> Iterator[Item]:
    buffer: ShuffleBuffer[Tuple[int, Any]] = ShuffleBuffer(
        pool or 0,
        functools.partial(randomness.item_pool_slots, seed, epoch),
        drain_order=functools.partial(randomness.item_drain_order, seed, epoch),
    )
    offset = 0
    for pushed in enumerate(source):
        for index, value in buffer.push(pushed):
            yield Item(epoch, offset, index, value)
            offset += 1
    for index, value in buffer.drain():
        yield Item(epoch, offset, index, value)
        offset += 1

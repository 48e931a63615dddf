"""The loader's arguments about order, checked: one that is out of range or contradicts another raises an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Optional

import numpy as np

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error
from queuecompat.loader.order.order import InOrder, Order, Sampler, Shard, Shuffled, Weighted
from queuecompat.loader.order.sampler import is_sequence
from queuecompat.loader.settings import count_of, flag_of, refuse, whole_number
from queuecompat.plurals import counted, type_of

__all__ = ["order_of", "shard_of"]


def order_of(
    source: Any, *, shuffle: bool, sampler: Any, weights: Any, replacement: bool, draws: Any, num_epochs: Optional[int]
) -> Order:
    """Returns the order that these arguments of ``BackgroundLoader`` ask for.

    Raises:
      QueueCompatValueError: QC601, they are out of range or contradict each other; QC604, several epochs with a sampler
        that is an iterator.
      QueueCompatTypeError: QC601, the sampler is not iterable.
    """
    for name, value in (("sampler", sampler), ("weights", weights)):
        if value is not None and not is_sequence(source):
            refuse(name, value, f"{name}=None: items of {type_of(source)} cannot be fetched by index; or a list")
    replacement = flag_of("replacement", replacement)
    if weights is None and not replacement:
        refuse("replacement", replacement, "weights=, too: it says how they are drawn")
    if weights is None and draws is not None:
        refuse("draws", draws, "weights=, too: it is the number of draws per epoch")
    if weights is not None and sampler is not None:
        refuse("weights", weights, "sampler=None, or no weights: both say which items come", shown="an array")
    if sampler is not None:
        return _sampler(sampler, shuffle, num_epochs)
    if weights is not None:
        return _weighted(np.asarray(weights), len(source), replacement, draws)
    return Shuffled() if shuffle else InOrder()


def shard_of(shard: Any) -> Shard:
    """Returns the ``Shard`` for *shard*, a pair (index, count), or None for the whole source.

    Raises:
      QueueCompatValueError: QC601, *shard* is not such a pair.
    """
    if shard is None:
        return Shard()
    try:
        index, count = map(whole_number, shard)
    except (TypeError, ValueError):
        index = count = None
    if index is None or count is None or not 0 <= index < count:
        refuse("shard", shard, "a pair (index, count), such as (0, 4) for the first of four hosts")
    return Shard(index, count)


def _sampler(sampler: Any, shuffle: bool, num_epochs: Optional[int]) -> Sampler:
    if shuffle:
        refuse("shuffle", shuffle, "shuffle=False with sampler=, which has an order of its own")
    if not callable(sampler) and not isinstance(sampler, Iterable):
        needed = "an iterable of indices, or a function of (epoch, rng) that returns one"
        raise error(QueueCompatTypeError, "QC601", argument="sampler", given=repr(sampler), needed=needed)
    if isinstance(sampler, Iterator) and num_epochs != 1:
        given = f"{type_of(sampler)} for a sampler"
        raise error(QueueCompatValueError, "QC604", what=f"num_epochs={num_epochs}", given=given)
    return Sampler(sampler)


def _weighted(weights: np.ndarray, items: int, replacement: bool, draws: Any) -> Weighted:
    needed = f"{counted(items, 'number')}, one for each item: finite, not negative, and not all 0"
    if weights.shape != (items,) or weights.dtype.kind not in "biuf":
        refuse("weights", weights, needed, shown=f"an array of {weights.dtype}{list(weights.shape)}")
    values = weights.astype(np.float64)
    with np.errstate(over="ignore"):
        total = values.sum()
    if not np.isfinite(values).all() or (values < 0).any() or not 0 < total < np.inf:
        bad = values[~((values >= 0) & (values < np.inf))]
        refuse("weights", weights, needed, shown=f"an array with {bad[0] if len(bad) else f'the sum {total}'}")
    count = count_of("draws", draws, least=1, may_be_none=True)
    drawable = int(np.count_nonzero(values))
    if not replacement and count is not None and count > drawable:
        refuse("draws", count, f"{drawable} at most without replacement: so many items have a weight above 0")
    return Weighted(values, replacement=replacement, draws=count)

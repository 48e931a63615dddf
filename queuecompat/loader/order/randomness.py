"""All randomness of the loader, as functions of numbers: nothing here has a state that must be kept.

Rule 1: what an example draws depends on (seed, epoch, index) alone, so neither the number of workers, nor
        which of them loads it, nor when, can change it.
Rule 2: every purpose has its own part of the generator's counter; two purposes never share numbers.
"""

from __future__ import annotations

import functools
import secrets
from typing import Any, Union

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from queuecompat.loader.order.permutations import ComputedOrder

__all__ = [
    "MOST_STORED",
    "batch_rng",
    "drain_order",
    "draw_rng",
    "drawn_seed",
    "epoch_order",
    "epoch_rng",
    "example_rng",
    "item_drain_order",
    "item_pool_slots",
    "pool_slots",
]

_EXAMPLE, _EPOCH_ORDER, _POOL, _DRAIN, _ITEM_POOL, _ITEM_DRAIN, _DRAW, _EPOCH, _BATCH = range(9)
_BITS = (1 << 64) - 1
MOST_STORED = 1 << 22  # indices of an order that is drawn as a whole


def drawn_seed() -> int:
    """A seed for a loader that was made without one; 32 bits, so that it is easily copied out of a repr."""
    return secrets.randbits(32)


def example_rng(seed: int, epoch: int, index: int) -> np.random.Generator:
    """The generator that ``load`` gets for item *index* of the source in *epoch*."""
    return _generator(seed, _EXAMPLE, epoch, index)


def draw_rng(seed: int, epoch: int, place: int) -> np.random.Generator:
    """The same where an item may come several times in *epoch*: for the one at *place*."""
    return _generator(seed, _DRAW, epoch, place)


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The generator for which items *epoch* has, where it is not a permutation."""
    return _generator(seed, _EPOCH, epoch, 0)


def batch_rng(seed: int, pass_number: int, first: int) -> np.random.Generator:
    """The generator that ``batch_transform`` gets, for the batch that *first* examples of the pass came before."""
    return _generator(seed, _BATCH, pass_number, first)


def epoch_order(seed: int, epoch: int, count: int) -> Union[np.ndarray, ComputedOrder]:
    """A permutation of *count* indices: ``order[position]``."""
    generator = _generator(seed, _EPOCH_ORDER, epoch, 0)
    if count > MOST_STORED:
        # To draw it would hold up everything at the epoch's start: for seconds, with 100 million.
        return ComputedOrder(count, generator.integers(1 << 63, size=8, dtype=np.uint64))
    return generator.permutation(count)


def pool_slots(seed: int, pass_number: int, block: int, count: int, depth: int) -> np.ndarray:
    """Places in a shuffle buffer of *depth* examples for the *count* examples of one *block* of the stream."""
    return _generator(seed, _POOL, pass_number, block).integers(depth, size=count)


def item_pool_slots(seed: int, epoch: int, block: int, count: int, depth: int) -> np.ndarray:
    """The same for a buffer of items that have not been loaded."""
    return _generator(seed, _ITEM_POOL, epoch, block).integers(depth, size=count)


def drain_order(seed: int, pass_number: int, count: int) -> np.ndarray:
    """The order in which the last *count* examples leave the shuffle buffer."""
    return _generator(seed, _DRAIN, pass_number, 0).permutation(count)


def item_drain_order(seed: int, epoch: int, count: int) -> np.ndarray:
    """The same for a buffer of items."""
    return _generator(seed, _ITEM_DRAIN, epoch, 0).permutation(count)


class _Key(ISeedSequence):
    """Philox's key itself. As its argument ``key`` it has the same bits, but then Philox also asks the system for
    entropy, which it does not use: three times as long for each item, during which no other thread runs.
    """

    def __init__(self, seed: int) -> None:
        self._words = np.array([seed & _BITS, seed >> 64], np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> np.ndarray:
        return self._words


def _generator(seed: int, purpose: int, first: int, second: int) -> np.random.Generator:
    # Philox counts in its lowest word; the others tell the streams apart.
    counter = np.array([0, second & _BITS, first & _BITS, purpose], np.uint64)
    return np.random.Generator(np.random.Philox(_key(seed), counter=counter))


@functools.lru_cache(maxsize=16)  # every example needs that of its loader; Philox copies it
def _key(seed: int) -> Any:  # NumPy's annotations do not name what its documentation does
    return _Key(seed)

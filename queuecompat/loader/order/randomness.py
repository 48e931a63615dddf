"""All randomness of the loader, as pure functions: no generator's state has to be saved for a resume.

Rule 1: an example's random numbers depend on (seed, epoch, index) alone, so they do not depend on the number of
        workers, on which worker loads the example, or on when it is loaded.
Rule 2: every purpose has its own part of the generator's counter, so two purposes never share random numbers.
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
MOST_STORED = 1 << 22  # a longer order of indices is computed (``ComputedOrder``) instead of drawn and stored


def drawn_seed() -> int:
    """Draws a seed for a loader that was made without one. It has 32 bits, so that it is easily copied from a repr."""
    return secrets.randbits(32)


def example_rng(seed: int, epoch: int, index: int) -> np.random.Generator:
    """Returns the generator that ``load`` gets for item *index* of the source in *epoch*."""
    return _generator(seed, _EXAMPLE, epoch, index)


def draw_rng(seed: int, epoch: int, place: int) -> np.random.Generator:
    """Returns the generator that ``load`` gets for the item at *place* of *epoch*, if items may come several times."""
    return _generator(seed, _DRAW, epoch, place)


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """Returns the generator that decides which items *epoch* has: for weights, and for a function as ``sampler``."""
    return _generator(seed, _EPOCH, epoch, 0)


def batch_rng(seed: int, pass_number: int, first: int) -> np.random.Generator:
    """Returns the generator that ``batch_transform`` gets; *first* is the number of examples of the pass before the
    batch."""
    return _generator(seed, _BATCH, pass_number, first)


def epoch_order(seed: int, epoch: int, count: int) -> Union[np.ndarray, ComputedOrder]:
    """Returns a random permutation of *count* indices: ``order[position]``."""
    generator = _generator(seed, _EPOCH_ORDER, epoch, 0)
    if count > MOST_STORED:
        # Drawing a permutation would delay the epoch's start: by seconds, for 100 million indices.
        return ComputedOrder(count, generator.integers(1 << 63, size=8, dtype=np.uint64))
    return generator.permutation(count)


def pool_slots(seed: int, pass_number: int, block: int, count: int, depth: int) -> np.ndarray:
    """Returns the places, in a shuffle buffer of *depth* examples, of the *count* examples of one *block* of the
    stream."""
    return _generator(seed, _POOL, pass_number, block).integers(depth, size=count)


def item_pool_slots(seed: int, epoch: int, block: int, count: int, depth: int) -> np.ndarray:
    """Like ``pool_slots``, for a buffer of items that have not been loaded."""
    return _generator(seed, _ITEM_POOL, epoch, block).integers(depth, size=count)


def drain_order(seed: int, pass_number: int, count: int) -> np.ndarray:
    """Returns the order in which the last *count* examples leave the shuffle buffer."""
    return _generator(seed, _DRAIN, pass_number, 0).permutation(count)


def item_drain_order(seed: int, epoch: int, count: int) -> np.ndarray:
    """Like ``drain_order``, for a buffer of items that have not been loaded."""
    return _generator(seed, _ITEM_DRAIN, epoch, 0).permutation(count)


class _Key(ISeedSequence):
    """Passes *seed* to Philox as its key, in the form of a seed sequence.

    The argument ``key`` of Philox would set the same bits, but then Philox also asks the system for entropy, which it
    does not use. That takes three times as long for each item, and no other thread runs meanwhile.
    """

    def __init__(self, seed: int) -> None:
        self._words = np.array([seed & _BITS, seed >> 64], np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> np.ndarray:
        return self._words


def _generator(seed: int, purpose: int, first: int, second: int) -> np.random.Generator:
    # Philox counts in the lowest word of its counter; the other words distinguish the streams.
    counter = np.array([0, second & _BITS, first & _BITS, purpose], np.uint64)
    return np.random.Generator(np.random.Philox(_key(seed), counter=counter))


@functools.lru_cache(maxsize=16)  # every example needs its loader's key; Philox copies it
def _key(seed: int) -> Any:  # NumPy's annotations of Philox do not allow what its documentation does
    return _Key(seed)

"""Random orders of very many numbers, of which any part is had at once and in little memory.

Rule 1: an order is a bijection of 0 .. count-1 that is computed, never stored: Feistel rounds on numbers of
        as many bits as *count* has, and once more wherever that leads out of the range.
Rule 2: it is a function of *count* and the keys alone.
"""

from __future__ import annotations

import numpy as np

__all__ = ["ComputedOrder"]

_ROUNDS = 8
_BLOCK = 4096  # numbers computed at a time


class ComputedOrder:
    """A random order of *count* numbers; ``order[position]`` is the number there.

    Args:
      keys: uint64, one for each of the eight rounds.
    """

    def __init__(self, count: int, keys: np.ndarray) -> None:
        assert len(keys) == _ROUNDS
        self._count = count
        self._keys = keys
        bits = max(2, (count - 1).bit_length())
        self._low_bits = np.uint64(bits // 2)
        self._low = np.uint64((1 << bits // 2) - 1)
        self._high = np.uint64((1 << (bits - bits // 2)) - 1)
        self._start = -_BLOCK
        self._block = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: int) -> int:
        if not self._start <= position < self._start + len(self._block):
            self._start = position - position % _BLOCK
            end = min(self._start + _BLOCK, self._count)
            self._block = self.numbers(np.arange(self._start, end, dtype=np.uint64)).astype(np.int64)
        return int(self._block[position - self._start])

    def numbers(self, positions: np.ndarray) -> np.ndarray:
        """The numbers at these *positions*, uint64."""
        found = self._permuted(positions)
        outside = np.flatnonzero(found >= self._count)
        while len(outside):
            # From a number outside of the range on, until one is inside: still a bijection of the range.
            found[outside] = self._permuted(found[outside])
            outside = outside[found[outside] >= self._count]
        return found

    def _permuted(self, numbers: np.ndarray) -> np.ndarray:
        low, high = numbers & self._low, numbers >> self._low_bits
        for number, key in enumerate(self._keys):
            # Halves of different sizes take turns, each changed by a function of the other.
            if number % 2:
                low = low ^ (_mixed(high, key) & self._low)
            else:
                high = high ^ (_mixed(low, key) & self._high)
        return high << self._low_bits | low


def _mixed(numbers: np.ndarray, key: np.uint64) -> np.ndarray:
    """Each number to 64 bits, every one of which depends on all of its own and of *key*."""
    mixed = (numbers ^ key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    return mixed

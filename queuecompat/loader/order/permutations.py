"""Random permutations of very many numbers, any part of which is computed directly and in little memory.

Rule 1: a permutation is a bijection of 0 .. count-1 that is computed, never stored: a Feistel network on numbers with
        as many bits as *count* - 1, applied again as long as the result is out of the range.
Rule 2: it is a function of *count* and the keys alone.
"""

from __future__ import annotations

import numpy as np

__all__ = ["ComputedOrder"]

_ROUNDS = 8
_BLOCK = 4096  # the number of positions that are computed at a time


class ComputedOrder:
    """A random permutation of 0 .. *count* - 1; ``order[position]`` is the number at *position*.

    Args:
      keys: uint64 ``[8]``, one for each round.
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
        """Returns the numbers at *positions*; both are uint64 arrays."""
        found = self._permuted(positions)
        outside = np.flatnonzero(found >= self._count)
        while len(outside):
            # A number outside of the range is permuted again until it is inside (cycle walking); the result is still a
            # bijection of the range.
            found[outside] = self._permuted(found[outside])
            outside = outside[found[outside] >= self._count]
        return found

    def _permuted(self, numbers: np.ndarray) -> np.ndarray:
        low, high = numbers & self._low, numbers >> self._low_bits
        for number, key in enumerate(self._keys):
            # The two halves, which may differ in size by one bit, take turns: each is changed by a function of the
            # other.
            if number % 2:
                low = low ^ (_mixed(high, key) & self._low)
            else:
                high = high ^ (_mixed(low, key) & self._high)
        return high << self._low_bits | low


def _mixed(numbers: np.ndarray, key: np.uint64) -> np.ndarray:
    """Hashes each of *numbers* to 64 bits that depend on all bits of the number and of *key*."""
    mixed = (numbers ^ key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    return mixed

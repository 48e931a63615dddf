"""Pictures to work on, and the values of what was made of them."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import tensorflow as tf

__all__ = ["PICTURES", "is_even", "numbered", "values"]

PICTURES = np.random.RandomState(0).randint(0, 255, [6, 9, 8, 3]).astype(np.uint8)


def values(tensors: Any, runs: int = 1) -> List[Any]:
    """What each of *runs* gives, in a session of its own."""
    with tf.compat.v1.Session() as session:
        return [session.run(tensors) for _ in range(runs)]


def numbered(height: int, width: int, channels: int = 1) -> np.ndarray:
    """An image whose values say where they are: row after row, counting."""
    return np.arange(height * width * channels, dtype=np.int32).reshape(height, width, channels)


def is_even(counts: np.ndarray) -> bool:
    """Whether *counts* may come from draws that are all equally likely: within five deviations each, and as a whole."""
    expected = counts.sum() / counts.size
    distance = np.square(counts - expected).sum() / expected
    freedom = counts.size - 1
    return bool(
        abs(distance - freedom) < 5 * np.sqrt(2 * freedom) and np.all(abs(counts - expected) < 5 * np.sqrt(expected))
    )

"""What ``tf.random.set_seed`` decides for a dataset: everything that no seed of its input function decides.

TensorFlow's own datasets use that seed in the same way: each dataset of a program gets different numbers, which are the
same in every run of the program. Without it, every run has new numbers.
"""

from __future__ import annotations

from typing import Optional, Tuple

import tensorflow as tf

__all__ = ["ProgramSeeds", "key_of", "program_seeds", "seed_of_trace"]

ProgramSeeds = Tuple[int, int]
# The value that TensorFlow uses in place of the graph's seed if only the op has one: an op then draws what it would
# draw without this setting.
_OF_NO_GRAPH = 87654321


def program_seeds() -> Optional[ProgramSeeds]:
    """Returns the seeds of one dataset, which differ for the next one; None if the program has set none."""
    try:
        first, second = tf.compat.v1.get_seed(None)
    except RuntimeError:  # op determinism without a seed: only ops that draw numbers need to raise
        return None
    return None if first is None else (int(first), int(second))


def seed_of_trace() -> Optional[int]:
    """Returns the seed that the current (new) graph needs so that random ops can be made in it; None: none.

    With op determinism, TensorFlow refuses to make random ops without a seed. Ops without a seed of their own then have
    one, and so a fixed order.
    """
    try:
        tf.compat.v1.get_seed(None)
    except RuntimeError:
        return _OF_NO_GRAPH
    return None


def key_of(seeds: ProgramSeeds, iteration: tf.Tensor) -> tf.Tensor:
    """Returns the key, int64 ``[2]``, of the iterator with the number *iteration*."""
    own = tf.stack([tf.constant(seeds[0], tf.int64), seeds[1] + iteration])
    return tf.random.stateless_uniform([2], own, 0, tf.int64.max, tf.int64)

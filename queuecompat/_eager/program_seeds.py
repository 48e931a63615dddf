"""What ``tf.random.set_seed`` decides of a dataset: everything that no seed of its input function does.

TensorFlow's own datasets take that seed in the same way: one after the other gets other numbers, and the same ones in
every run of a program. What has no such seed draws new ones in every run.
"""

from __future__ import annotations

from typing import Optional, Tuple

import tensorflow as tf

__all__ = ["ProgramSeeds", "key_of", "program_seeds", "seed_of_trace"]

ProgramSeeds = Tuple[int, int]
# What TensorFlow takes for a graph without a seed, beside the seed of an op: with it, such an op draws what it would.
_OF_NO_GRAPH = 87654321


def program_seeds() -> Optional[ProgramSeeds]:
    """The seeds of one dataset, those of the next one being others; None: the program has set none."""
    try:
        first, second = tf.compat.v1.get_seed(None)
    except RuntimeError:  # with op determinism a seed is missed: by what draws numbers, if anything does
        return None
    return None if first is None else (int(first), int(second))


def seed_of_trace() -> Optional[int]:
    """The seed that the current graph, a new one, needs for random ops to be made in it; None: it needs none.

    With op determinism TensorFlow makes none without a seed. Ops that would be free have one then, and their order.
    """
    try:
        tf.compat.v1.get_seed(None)
    except RuntimeError:
        return _OF_NO_GRAPH
    return None


def key_of(seeds: ProgramSeeds, iteration: tf.Tensor) -> tf.Tensor:
    """The key, int64 ``[2]``, of the iterator that has that many before it."""
    own = tf.stack([tf.constant(seeds[0], tf.int64), seeds[1] + iteration])
    return tf.random.stateless_uniform([2], own, 0, tf.int64.max, tf.int64)

"""Finds the seed argument of a random op, by keyword or by position, and calls that set the seed of a graph."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["seed_of", "sets_graph_seed"]

# The position of ``seed``, by the last part of a function's name in TensorFlow.
_PLACES = {
    "dropout": 3, "gamma": 4, "glorot_normal_initializer": 0, "glorot_uniform_initializer": 0, "multinomial": 2,
    "normal": 4, "orthogonal_initializer": 1, "poisson": 3, "random_brightness": 2, "random_contrast": 3,
    "random_crop": 2, "random_flip_left_right": 1, "random_flip_up_down": 1, "random_gamma": 4, "random_hue": 2,
    "random_jpeg_quality": 3, "random_normal": 4, "random_normal_initializer": 2, "random_poisson": 3,
    "random_saturation": 3, "random_shuffle": 1, "random_uniform": 4, "random_uniform_initializer": 2,
    "sample_distorted_bounding_box": 2, "shuffle": 1, "truncated_normal": 4, "truncated_normal_initializer": 2,
    "uniform": 4, "variance_scaling_initializer": 3,
}  # fmt: skip


def seed_of(source: Source, call: cst.Call) -> Optional[cst.BaseExpression]:
    """The seed argument of *call*; None if it is missing or ``None``."""
    symbol = source.names.symbol(call.func)
    found = argument(call, "seed", _PLACES.get(symbol.rpartition(".")[2]) if symbol else None)
    return None if found is None or source.code(found) == "None" else found


def sets_graph_seed(source: Source, call: cst.Call) -> bool:
    """Whether *call* sets the graph's seed, from which random ops without a seed of their own derive theirs."""
    return source.names.symbol(call.func) in ("tf.set_random_seed", "tf.random.set_random_seed")

"""Strategies for ``tf.train.replica_device_setter``: they choose the parameter server of each variable."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, List

import tensorflow as tf

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]

# The size in bytes that TF1 used for elements of a type without a size. TensorFlow 2 says 0; with that, all resource
# variables would go to the same server.
_SIZES = {tf.resource: 1, tf.string: 8, tf.variant: 1}


class RandomStrategy:
    """A parameter server for each op, decided by the op's name: the same one in every run.

    Args:
      num_ps_tasks: the number of parameter servers.
      seed: integer; a different one places ops differently.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/device_setter.py``.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: tf.Operation) -> int:
        """Returns the task of the parameter server for *op*."""
        digest = hashlib.md5(f"{op.name}_{self._seed:d}".encode(), usedforsecurity=False)
        return int(digest.hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Chooses the parameter server with the lowest load so far; if there are several, the first of them.

    Args:
      num_tasks: the number of parameter servers.
      load_fn: a function like ``byte_size_load_fn``, which returns the load, a number, that an op adds to its server.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/device_setter.py``.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[tf.Operation], Any]) -> None:
        self._load_fn = load_fn
        self._loads: List[Any] = [0.0] * num_tasks

    def __call__(self, op: tf.Operation) -> int:
        """Returns the task of the parameter server for *op*, and adds the load of *op* to that server."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: tf.Operation) -> int:
    """Returns the size of the output of *op* in bytes; 1 for a resource variable.

    Args:
      op: an op with one output, such as a variable's.
    Raises:
      ValueError: *op* has more outputs or none, or the shape of its output is not known.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/device_setter.py``.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"the op {op.name} must have a single output, but has {len(op.outputs)}")
    (output,) = op.outputs
    # A variable's op is placed before the shape of its output is known, but its attributes have the shape.
    shape = output.shape if output.shape.is_fully_defined() else tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    size = _SIZES.get(output.dtype.base_dtype, output.dtype.size)
    return int(shape.num_elements() * size)

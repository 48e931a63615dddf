"""``numpy_input_fn`` as ``tf.contrib.learn.io`` had it: shuffled by default."""

from __future__ import annotations

from typing import Any, Callable, Optional

from queuecompat.estimator.inputs import numpy_io

__all__ = ["numpy_input_fn"]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """``tf.estimator.inputs.numpy_input_fn``, but with a default for *shuffle*.

    Args:
      x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads: as ``estimator.inputs.numpy_input_fn``.
    Returns:
      As ``estimator.inputs.numpy_input_fn``.
    Raises:
      As ``estimator.inputs.numpy_input_fn``.
    Differs from TF1: As ``estimator.inputs.numpy_input_fn``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/numpy_io.py``.
    """
    return numpy_io.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)

"""Producers: where the elements of a pipeline come from, epoch after epoch."""

from __future__ import annotations

from typing import Any, List, Optional

import tensorflow as tf

from queuecompat._capture import producers
from queuecompat._runtime.entry import require_graph, require_some

__all__ = [
    "input_producer",
    "range_input_producer",
    "slice_input_producer",
    "string_input_producer",
]


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    summary_name: Optional[str] = None,
    name: Optional[str] = None,
    cancel_op: Optional[tf.Operation] = None,
) -> tf.compat.v1.QueueBase:
    """A queue of the rows of a tensor, epoch after epoch.

    Args:
      input_tensor: ``[rows, *element]``. A NumPy array over 1 MB is fed at the start and does not
        enter the graph; do not change it before. A tensor that is not constant is evaluated anew for each epoch.
      element_shape: shape of a row; needed only where the graph does not know it.
      num_epochs: how often each row is given; None: forever.
      shuffle: a new random order in each epoch.
      seed: of that order. Orders are those of TF 1.15.5, bit for bit.
      capacity: rows in TF1's queue; the compiled one holds none.
      shared_name: if given, the pipeline is native (QC204).
      summary_name: of the queue's fullness curve; used by a native pipeline only.
      name: for the queue.
      cancel_op: run when the coordinator stops.
    Returns:
      A queue; ``dequeue()`` gives ``[*element]``.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the row's shape is not known, or contradicts *element_shape*; the tensor is a
        scalar; ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
      tf.errors.InvalidArgumentError: QC303, at run time, there are no rows and no *num_epochs*.
    Differs from TF1: there is no ``epochs`` variable, so ``local_variables_initializer`` is not
      needed; no fullness summary.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("input_producer")
    return producers.input_producer(
        input_tensor,
        element_shape=element_shape,
        num_epochs=num_epochs,
        shuffle=shuffle,
        seed=seed,
        capacity=capacity,
        shared_name=shared_name,
        summary_name=summary_name,
        name=name,
        cancel_op=cancel_op,
    )


def string_input_producer(
    string_tensor: Any,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
    cancel_op: Optional[tf.Operation] = None,
) -> tf.compat.v1.QueueBase:
    """A queue of strings, file names as a rule, epoch after epoch.

    Args:
      string_tensor: ``[n]``, strings.
      num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: as ``input_producer``.
    Returns:
      A queue of scalar strings, for a reader.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the list is empty, or ``num_epochs <= 0``.
      tf.errors.InvalidArgumentError: at run time, the list turned out to be empty.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: as ``input_producer``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_some(
        [] if string_tensor is None else string_tensor, "string_input_producer requires a non-null input tensor"
    )
    require_graph("string_input_producer")
    return producers.string_input_producer(
        string_tensor,
        num_epochs=num_epochs,
        shuffle=shuffle,
        seed=seed,
        capacity=capacity,
        shared_name=shared_name,
        name=name,
        cancel_op=cancel_op,
    )


def range_input_producer(
    limit: Any,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> tf.compat.v1.QueueBase:
    """A queue of the integers from 0 to ``limit - 1``, epoch after epoch.

    Args:
      limit: scalar int32 or int64.
      num_epochs, shuffle, seed, capacity, shared_name, name: as ``input_producer``.
    Returns:
      A queue of scalars of *limit*'s type.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: as ``input_producer``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("range_input_producer")
    return producers.range_input_producer(
        limit,
        num_epochs=num_epochs,
        shuffle=shuffle,
        seed=seed,
        capacity=capacity,
        shared_name=shared_name,
        name=name,
    )


def slice_input_producer(
    tensor_list: Any,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    seed: Optional[int] = None,
    capacity: int = 32,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> List[tf.Tensor]:
    """One row of each of several tensors, the same row of all.

    Args:
      tensor_list: list of tensors or arrays, each ``[rows, *element]``; the first sets the number
        of rows. Arrays over 1 MB are fed at the start and looked up by index: they do not enter
        the graph, and its limit of 2 GB does not hold for them.
      num_epochs, shuffle, seed, capacity, shared_name, name: as ``input_producer``.
    Returns:
      A list of tensors, each ``[*element]``; a list of one for one tensor.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the list is empty, or ``num_epochs <= 0``.
      tf.errors.InvalidArgumentError: at run time, a tensor has fewer rows than the first.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: as ``input_producer``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_some(tensor_list, "Expected at least one tensor in slice_input_producer().")
    require_graph("slice_input_producer")
    return producers.slice_input_producer(
        tensor_list,
        num_epochs=num_epochs,
        shuffle=shuffle,
        seed=seed,
        capacity=capacity,
        shared_name=shared_name,
        name=name,
    )

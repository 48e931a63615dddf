"""Producers: the sources of a pipeline's elements, repeated for a number of epochs."""

from __future__ import annotations

from typing import Any, List, Optional

import tensorflow as tf

from queuecompat._analysis.matched_files import NO_STRINGS
from queuecompat._capture import producers
from queuecompat._session.entry import require_graph, require_some

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
    """A queue of the rows of a tensor, repeated for a number of epochs.

    Args:
      input_tensor: ``[rows, *element]``. A NumPy array over 1 MB is read when the pipeline starts and is
        not copied into the graph: do not change it before. A tensor that is not constant is evaluated again for
        each epoch.
      element_shape: shape of a row; needed only if the graph does not know it.
      num_epochs: how often each row is produced; None: forever.
      shuffle: whether to reshuffle the rows every epoch.
      seed: random seed of the order. With it, the order is that of TF 1.15.5, bit for bit.
      capacity: maximum number of rows in TF1's queue. A compiled producer holds no rows: *capacity* only determines
        what ``size()`` and the fullness summary report.
      shared_name: if given, the pipeline runs on TensorFlow's own queues (QC204).
      summary_name: name of a scalar summary of how full the queue is; None: no summary.
      name: name of the queue.
      cancel_op: op that is run when the coordinator stops.
    Returns:
      A queue; ``dequeue()`` returns ``[*element]``.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the shape of a row is not known, or incompatible with *element_shape*; the tensor is a
        scalar; ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
      tf.errors.InvalidArgumentError: QC303, at run time, there are no rows and no *num_epochs*.
    Differs from TF1: Running a pipeline that was not started is an error (QC301); TF1 waited forever. There is no
      ``epochs`` variable, so ``local_variables_initializer`` is not needed. A NumPy array over 1 MB is read when the
      pipeline starts, not copied at the call, and is not part of the graph. If there are no rows and *num_epochs* is
      None, the first run raises (QC303); TF1 waited forever. The same error is raised for rows with a dimension of size
      0, because TensorFlow 2 crashes on them; TF1 returned them. The numbers of a NumPy array of the other byte order
      (``>f4``) are right; TF1 took their bytes in the wrong order.
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
    """A queue of strings, usually file names, repeated for a number of epochs.

    Args:
      string_tensor: ``[n]``, strings.
      num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: as ``input_producer``.
    Returns:
      A queue of scalar strings, for a reader.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the list is empty, or ``num_epochs <= 0``.
      tf.errors.InvalidArgumentError: at run time, the list is a tensor and empty.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: As ``input_producer``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    is_empty = f"{NO_STRINGS}: the list of files is empty; check the folder and the pattern that it was made from"
    require_some([] if string_tensor is None else string_tensor, is_empty)
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
    """A queue of the integers from 0 to ``limit - 1``, repeated for a number of epochs.

    Args:
      limit: scalar int32 or int64.
      num_epochs, shuffle, seed, capacity, shared_name, name: as ``input_producer``.
    Returns:
      A queue of scalars of *limit*'s type.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: As ``input_producer``.
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
    """One row of each of several tensors: the same row number of all.

    Args:
      tensor_list: list of tensors or arrays, each ``[rows, *element]``; the first determines the number
        of rows. Arrays over 1 MB are read when the pipeline starts and looked up by index: they are not copied into
        the graph, so its limit of 2 GB does not apply to them.
      num_epochs, shuffle, seed, capacity, shared_name, name: as ``input_producer``.
    Returns:
      A list of tensors, each ``[*element]``, also for a single tensor.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: the list is empty, or ``num_epochs <= 0``.
      tf.errors.InvalidArgumentError: at run time, a tensor has fewer rows than the first.
      tf.errors.OutOfRangeError: at run time, after the last epoch.
    Differs from TF1: As ``input_producer``. A NumPy array over 1 MB is read when the pipeline starts, not copied at
      the call, and is not part of the graph. TensorFlow 2 reports a dict as a ValueError, and *tensor_list* may be an
      iterator; TF1 raised TypeError for both. The numbers of a NumPy array of the other byte order (``>f4``) are right;
      TF1 took their bytes in the wrong order.
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

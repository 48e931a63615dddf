"""Buckets: batches of similar examples, so that padding wastes little."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._capture import bucketing
from queuecompat._session.entry import require_graph
from queuecompat.errors import QueueCompatValueError

__all__ = ["bucket", "bucket_by_sequence_length"]


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[tf.Tensor, Any]:
    """Batches of examples that are in the same bucket, each returned as soon as it is full.

    Args:
      tensors: list or dict of tensors (SparseTensors too), each ``[*example]``.
      which_bucket: int32 ``[]``, the number of the example's bucket. Examples whose number is not in
        ``[0, num_buckets)`` are dropped.
      batch_size: examples in a batch; a list or tuple has one size for each bucket. With a tensor that is not
        constant, the pipeline runs on TensorFlow's own queues (QC203).
      num_buckets: number of buckets.
      num_threads: with 1 the order within a bucket is that of the source; with more it is not determined.
      capacity: maximum number of batches held ahead of the consumer; in batches.
      bucket_capacities: in TF1, maximum number of examples in each bucket; None: *capacity*. The compiled buckets
        hold fewer, ``batch_size - 1`` each.
      shapes: shapes of the examples, if the graph does not know them; checked at run time.
      dynamic_pad: pad examples of different sizes on the right to the largest in their batch, with 0, "" or False.
      allow_smaller_final_batch: at the end, also return the examples that remain in the buckets; otherwise they are
        dropped.
      keep_input: bool ``[]``, whether to keep the example.
      shared_name: if given, the pipeline runs on TensorFlow's own queues (QC204).
      name: name scope; the tensors of the batch are ``<name>/dequeue_top:0``, ``:1`` ...
    Returns:
      ``(which_bucket, outputs)``: int32 ``[]``, the bucket of this batch; and the structure of *tensors* (a tensor
      for a list of one, a dict with sorted keys for a dict), each ``[batch_size, *example]``. The first dimension
      is None with *allow_smaller_final_batch* or a list of sizes.
    Raises:
      ValueError: QC101, QC102; no tensors, no buckets, a list of sizes or capacities whose length is not
        *num_buckets*, unknown rank, a shape that is not fully defined without *dynamic_pad*, *shapes* of the wrong
        length, a *keep_input* that is not a scalar.
      ZeroDivisionError: ``capacity == 0``.
      RuntimeError: QC302.
      tf.errors.InvalidArgumentError: QC303, at run time, no example can ever come.
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. Running a pipeline that was
      not started is an error (QC301); TF1 waited forever. *batch_size* may be a tuple. A list of sizes is not
      modified; TF1 wrote into it. With *allow_smaller_final_batch*, the remaining examples come in the order of the
      buckets; in TF1 the order depended on threads. ``num_buckets=0`` is a ValueError; TF1 raised UnboundLocalError.
      If no example can ever come, the first run raises (QC303); TF1 waited forever.
    Source: TF 1.15.5 ``contrib/training/python/training/bucket_ops.py``.
    """
    require_graph("bucket", QueueCompatValueError)
    return bucketing.bucket(
        tensors,
        which_bucket,
        batch_size=batch_size,
        num_buckets=num_buckets,
        num_threads=num_threads,
        capacity=capacity,
        bucket_capacities=bucket_capacities,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        keep_input=keep_input,
        shared_name=shared_name,
        name=name,
    )


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[tf.Tensor, Any]:
    """Batches of sequences of about the same length.

    Args:
      input_length: int32 ``[]``, the length of the sequence.
      bucket_boundaries: increasing lengths. A sequence of length l is in bucket i if
        ``bucket_boundaries[i - 1] <= l < bucket_boundaries[i]``: one bucket more than there are boundaries.
      shapes: shapes of *tensors*, without that of *input_length*.
      tensors, batch_size, num_threads, capacity, bucket_capacities, dynamic_pad, allow_smaller_final_batch, keep_input,
        shared_name, name: as ``bucket``.
    Returns:
      ``(lengths, outputs)``: int32 ``[batch_size]``, and a list or dict as *tensors*, of batches as ``bucket`` returns
      them. For a list of one it is a list, for a dict of one its value is a list of one tensor, as in TF1.
    Raises:
      As ``bucket``, and ValueError: the boundaries are empty or do not increase; TypeError:
      they are not a list or tuple of integers.
    Differs from TF1: As ``bucket``. *tensors* and *shapes* may be tuples; TF1 could not add a list to them. Empty
      *tensors* are a ValueError; TF1 returned a batch of the lengths. A sequence of length 2**31 - 1 is in the last
      bucket; TF1 dropped it.
    Source: TF 1.15.5 ``contrib/training/python/training/bucket_ops.py``.
    """
    require_graph("bucket_by_sequence_length", QueueCompatValueError)
    values = [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else list(tensors)
    _check_boundaries(bucket_boundaries)
    if not values:
        raise ValueError("Expected at least one tensor in bucket_by_sequence_length().")
    with tf.compat.v1.name_scope(name, "bucket_by_sequence_length", [input_length, *values]):
        length = tf.convert_to_tensor(input_length, tf.int32, name="input_length")
        passed = tf.greater_equal(length, tf.constant(list(bucket_boundaries), tf.int32))
        _, (lengths, *batches) = bucket(
            [length, *values],
            tf.reduce_sum(tf.cast(passed, tf.int32)),
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [tf.TensorShape([]), *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
    if not isinstance(tensors, dict):
        return lengths, batches
    # The list around a single value is TF1's; programs unpack it.
    return lengths, dict(zip(sorted(tensors, key=str), batches if len(batches) > 1 else [batches]))


def _check_boundaries(boundaries: Any) -> None:
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, not {boundaries!r}")
    if not boundaries:
        raise ValueError("bucket_boundaries is empty; with one bucket use batch(dynamic_pad=True)")
    for boundary in boundaries:
        if not isinstance(boundary, int):
            raise TypeError(f"bucket_boundaries must contain only integers, not {boundary!r}")
    for smaller, larger in zip(boundaries, boundaries[1:]):
        if smaller >= larger:
            raise ValueError(f"bucket_boundaries must increase, but {smaller} comes before {larger}")

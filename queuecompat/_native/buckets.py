"""``tf.contrib.training.bucket`` on TensorFlow's own queues, as TF1 built it.

Used like TensorFlow's functions (see ``reference.py``): on stand-ins it is the contract, with every error for a wrong
argument; in the user's graph it is the fallback.

Elements are enqueued into the queue of their bucket; a thread for each bucket moves batches into one queue of batches,
from which the program dequeues. There are two runners. When the source has ended, the first one closes the buckets;
when these are empty, the second one closes the queue of batches.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._native.originals import TRAIN

__all__ = ["bucket", "capacities_of_buckets", "sizes_of_buckets"]

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
# A SparseTensor in a queue: its indices, values and dense shape, each as a string.
_STORED_SHAPE = tf.TensorShape([3])


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int,
    capacity: int,
    bucket_capacities: Optional[Sequence[int]],
    shapes: Any,
    dynamic_pad: bool,
    allow_smaller_final_batch: bool,
    keep_input: Any,
    shared_name: Optional[str],
    name: Optional[str] = None,
) -> Tuple[tf.Tensor, Any]:
    """For arguments, results and errors see ``contrib.training.bucket``. No argument has a default here."""
    sizes = sizes_of_buckets(batch_size, num_buckets)
    capacities = capacities_of_buckets(bucket_capacities, capacity, num_buckets)
    given = [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors
    with tf.compat.v1.name_scope(name, "bucket", given):
        values = _converted(given)
        keep = _checked_flag(keep_input)
        stored = [_stored(value) for value in values]
        types = [value.dtype for value in stored]
        sizes = [_static(tf.convert_to_tensor(size, tf.int32, name="batch_size")) for size in sizes]
        shapes = _shapes_of(stored) if shapes is None else shapes
        number = tf.convert_to_tensor(which_bucket, tf.int32, name="which_bucket")
        kind = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        buckets = [
            kind(room, types, shapes=shapes, shared_name=shared_name and f"{shared_name}_{i}", name=f"bucket_queue_{i}")
            for i, room in enumerate(capacities)
        ]
        is_open = allow_smaller_final_batch or isinstance(batch_size, (list, tuple)) or tf.is_tensor(sizes[0])
        rows = tf.TensorShape([None if is_open else sizes[0]])
        # A padding queue for all buckets, because other queues need fully defined shapes.
        top = tf.queue.PaddingFIFOQueue(
            capacity,
            [tf.int32] + types,
            shapes=[tf.TensorShape([])] + [rows.concatenate(shape) for shape in buckets[0].shapes],
            shared_name=shared_name,
            name="top_queue",
        )
        enqueue = _enqueue_kept(keep, lambda: _enqueue_into(buckets, number, stored))
        moves = [
            _move(top, queue, i, size, allow_smaller_final_batch) for i, (queue, size) in enumerate(zip(buckets, sizes))
        ]
        _add_runners(buckets, top, [enqueue] * num_threads, moves)
        _summarise(buckets, top, capacity)
        number, *batched = top.dequeue(name="dequeue_top")
        outputs = [_restored(batch, value) for batch, value in zip(batched, values)]
    if isinstance(tensors, dict):
        return number, dict(zip(sorted(tensors, key=str), outputs))
    return number, outputs if len(outputs) > 1 else outputs[0]


def sizes_of_buckets(batch_size: Any, num_buckets: int) -> List[Any]:
    """The size of each bucket's batches.

    Raises:
      ValueError: there are no buckets, or a different number of sizes.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets must be at least 1, but is {num_buckets}")
    if not isinstance(batch_size, (list, tuple)):
        return [batch_size] * num_buckets
    if len(batch_size) != num_buckets:
        raise ValueError(f"batch_size has {len(batch_size)} numbers, but there are {num_buckets} buckets (num_buckets)")
    return list(batch_size)


def capacities_of_buckets(bucket_capacities: Optional[Sequence[int]], capacity: int, num_buckets: int) -> List[int]:
    """The capacity of each bucket, in elements.

    Raises:
      ValueError: a different number of capacities than of buckets.
    """
    if bucket_capacities is None:
        return [capacity] * num_buckets
    if len(bucket_capacities) != num_buckets:
        raise ValueError(
            f"bucket_capacities has {len(bucket_capacities)} numbers, but there are {num_buckets} buckets (num_buckets)"
        )
    return list(bucket_capacities)


def _converted(values: Any) -> List[Any]:
    # None is not converted: it has no dtype, which raises TF1's AttributeError later.
    converted = [v if v is None or isinstance(v, tf.SparseTensor) else tf.convert_to_tensor(v) for v in values]
    if not converted:
        raise ValueError("Expected at least one tensor in bucket().")
    return converted


def _checked_flag(keep_input: Any) -> tf.Tensor:
    keep = tf.convert_to_tensor(keep_input)
    if keep.shape.rank is None:
        raise ValueError(f"the rank of keep_input must be known at graph construction: {keep}")
    if keep.shape.rank > 0:
        raise ValueError(f"keep_input must be a scalar in bucket(), not {keep}")
    return keep


def _static(size: tf.Tensor) -> Any:
    """*size* as a number if the graph knows it, else the tensor itself."""
    known = tf.get_static_value(size)
    return size if known is None else int(known)


def _stored(value: Any) -> tf.Tensor:
    if not isinstance(value, tf.SparseTensor):
        return value
    stored = tf.io.serialize_sparse(value)
    stored.set_shape(_STORED_SHAPE)
    return stored


def _restored(batch: tf.Tensor, value: Any) -> Any:
    if not isinstance(value, tf.SparseTensor):
        return batch
    rank = value.dense_shape.shape.as_list()[0]
    return tf.io.deserialize_many_sparse(batch, value.dtype, rank=None if rank is None else rank + 1)


def _shapes_of(values: Sequence[tf.Tensor]) -> List[tf.TensorShape]:
    for value in values:
        if value.shape.rank is None:
            raise ValueError(f"the rank of {value} is unknown; pass shapes=")
    return [value.shape for value in values]


def _enqueue_kept(keep: tf.Tensor, enqueue: Callable[[], tf.Operation]) -> Any:
    known = tf.get_static_value(keep)
    if known is None:
        return tf.compat.v1.cond(keep, enqueue, tf.no_op)
    return enqueue() if known else tf.no_op()


def _enqueue_into(buckets: Sequence[Any], number: tf.Tensor, stored: Sequence[tf.Tensor]) -> tf.Operation:
    """Enqueues an element into the bucket with that *number*; drops it if there is no such bucket."""
    enqueues = [
        tf.compat.v1.cond(tf.equal(number, i), lambda queue=queue: queue.enqueue(stored), tf.no_op)
        for i, queue in enumerate(buckets)
    ]
    return tf.group(*enqueues, name="group_enqueues")


def _move(top: Any, queue: Any, number: int, size: Any, allow_smaller_final_batch: bool) -> tf.Operation:
    """Moves one batch from a bucket into the queue of batches."""
    take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
    batch = take(size, name=f"read_bucket_{number}")
    parts = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    return top.enqueue([tf.constant(number), *parts], name=f"enqueue_from_bucket_{number}")


def _add_runners(buckets: Sequence[Any], top: Any, enqueues: List[Any], moves: List[tf.Operation]) -> None:
    """Adds the two runners. Each has the name of the queue whose state it reads, as in TF1."""
    out_of_buckets = tf.compat.v1.train.QueueRunner(
        buckets[0],
        moves,
        close_op=top.close(),
        cancel_op=top.close(cancel_pending_enqueues=True),
        queue_closed_exception_types=_CLOSED,
    )
    into_buckets = tf.compat.v1.train.QueueRunner(
        top,
        enqueues,
        close_op=tf.group(*[queue.close() for queue in buckets]),
        cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in buckets]),
        queue_closed_exception_types=_CLOSED,
    )
    for runner in (out_of_buckets, into_buckets):
        TRAIN["add_queue_runner"](runner)


def _summarise(buckets: Sequence[Any], top: Any, capacity: int) -> None:
    """Adds TF1's summaries, in which every bucket has the size of the queue of batches."""
    ready = tf.cast(top.size(), tf.float32)
    for queue in buckets:
        tf.compat.v1.summary.scalar(f"bucket/{queue.name}/size", ready)
    tf.compat.v1.summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", ready * (1.0 / capacity))

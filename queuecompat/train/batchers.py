"""The batchers of ``tf.train``: in order or shuffled, of one list of tensors or several, of all elements or some."""

from __future__ import annotations

from typing import Any, Optional

from queuecompat._capture import batching
from queuecompat._session.entry import require_graph
from queuecompat.errors import QueueCompatValueError

__all__ = [
    "batch",
    "batch_join",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "shuffle_batch",
    "shuffle_batch_join",
]


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples, in the order of the source.

    Args:
      tensors: list or dict of tensors, each ``[*example]`` (``[n, *example]`` with *enqueue_many*).
      batch_size: examples in a batch. With a tensor that is not constant, the queue is TensorFlow's
        own, which the compiled pipeline fills.
      num_threads: with 1 the order is that of the source; with more it is not determined.
      capacity: maximum number of examples held ahead of the consumer, not counting the batch in flight.
      enqueue_many: one run of *tensors* returns several examples, the rows of each tensor.
      shapes: shapes of the examples, if the graph does not know them; checked at run time.
      dynamic_pad: pad examples of different sizes on the right to the largest in their batch, with 0,
        "" or False.
      allow_smaller_final_batch: also return the last, smaller batch; otherwise it is dropped.
      shared_name: if given, the queue is TensorFlow's own, which the compiled pipeline fills.
      name: name of the batch op; its tensors are ``<name>:0``, ``<name>:1`` ...
    Returns:
      The same structure (a tensor for a list of one, a dict with sorted keys for a dict), each tensor
      ``[batch_size, *example]``; the first dimension is None with *allow_smaller_final_batch*.
    Raises:
      ValueError: QC101, QC102; no tensors, unknown rank, a shape that is not fully defined without
        *dynamic_pad*, *shapes* of the wrong length.
      RuntimeError: QC302.
      tf.errors.OutOfRangeError: at run time, after the last batch.
      any error of the source or of the ops in between: at run time, from the ``session.run`` that needs the element.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. Running a pipeline that was
      not started is an error (QC301); TF1 waited forever. A tensor before the batch that is run by itself reads from
      its own stream; in TF1 it took an element away from the batches. TensorFlow 2 accepts an array as a list of its
      rows, and a set or the values of a dict; it reports a generator as empty (ValueError). TF1 raised TypeError for
      all of them.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("batch", QueueCompatValueError)
    return batching.batch(
        "batch",
        tensors,
        batch_size=batch_size,
        num_threads=num_threads,
        capacity=capacity,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples, each drawn at random from a shuffle buffer.

    Args:
      tensors, batch_size, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        name: as ``batch``.
      capacity: size of the shuffle buffer, in examples.
      min_after_dequeue: number of examples that TF1 guaranteed to be in the buffer after a batch was taken;
        less than *capacity*. The compiled buffer is kept full, so it shuffles at least as well.
      seed: random seed of the order.
    Returns:
      As ``batch``.
    Raises:
      As ``batch``, and ValueError: ``capacity <= min_after_dequeue``.
      tf.errors.InvalidArgumentError: at run time, ``min_after_dequeue < 0``.
    Differs from TF1: As ``batch``. The shuffle buffer holds *capacity* elements; TF1's held between
      *min_after_dequeue* and *capacity*. The first batch waits until the buffer is full; if a ``py_func`` or a seeded
      op produces the elements, it waits for *min_after_dequeue* elements, as in TF1, and the buffer grows afterwards.
      The order under *seed* is reproducible, but it is not TF1's, which depended on the timing of its threads.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("shuffle_batch", QueueCompatValueError)
    return batching.batch(
        "shuffle_batch",
        tensors,
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        num_threads=num_threads,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples from several lists of tensors, which run in parallel.

    Args:
      tensors_list: list of lists (or of dicts with the same keys) of tensors; each list is a separate source,
        in its own order. The batches end when the last of the sources has ended.
      batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name,
        name: as ``batch``.
    Returns:
      As ``batch``, in the structure of one list.
    Raises:
      As ``batch``, and ValueError: no lists, dicts with different keys, incompatible shapes;
      TypeError: different dtypes.
    Differs from TF1: As ``batch``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("batch_join", QueueCompatValueError)
    return batching.batch(
        "batch_join",
        tensors_list,
        batch_size=batch_size,
        capacity=capacity,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of the examples for which *keep_input* is True.

    Args:
      keep_input: bool, whether to keep the example: a scalar, or with *enqueue_many* also ``[n]``, one for each row.
      tensors, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name: as ``batch``.
    Returns:
      As ``batch``.
    Raises:
      As ``batch``, and ValueError: *keep_input* has an unknown rank, more than one dimension, or one without
      *enqueue_many*.
      tf.errors.InvalidArgumentError: QC303, at run time, *keep_input* is the constant False.
    Differs from TF1: As ``batch``. If *keep_input* is the constant False, the first run raises (QC303); TF1 waited
      forever.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("maybe_batch", QueueCompatValueError)
    return batching.batch(
        "maybe_batch",
        tensors,
        keep_input=keep_input,
        batch_size=batch_size,
        num_threads=num_threads,
        capacity=capacity,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples from several lists of tensors, those for which *keep_input* is True.

    Args:
      keep_input: as ``maybe_batch``; the same for all lists.
      tensors_list, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name: as ``batch_join``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``batch_join`` and ``maybe_batch``.
    Differs from TF1: As ``maybe_batch``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("maybe_batch_join", QueueCompatValueError)
    return batching.batch(
        "maybe_batch_join",
        tensors_list,
        keep_input=keep_input,
        batch_size=batch_size,
        capacity=capacity,
        enqueue_many=enqueue_many,
        shapes=shapes,
        dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples from several lists of tensors, each drawn at random from one shuffle buffer.

    Args:
      tensors_list: as ``batch_join``.
      batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch,
        shared_name, name: as ``shuffle_batch``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``batch_join``, and ZeroDivisionError: ``capacity == min_after_dequeue``.
      tf.errors.InvalidArgumentError: at run time, ``min_after_dequeue < 0`` or ``> capacity``.
    Differs from TF1: As ``shuffle_batch``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("shuffle_batch_join", QueueCompatValueError)
    return batching.batch(
        "shuffle_batch_join",
        tensors_list,
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of the examples for which *keep_input* is True, in random order.

    Args:
      keep_input: as ``maybe_batch``.
      tensors, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name: as ``shuffle_batch``.
    Returns:
      As ``batch``.
    Raises:
      As ``shuffle_batch`` and ``maybe_batch``.
    Differs from TF1: As ``shuffle_batch`` and ``maybe_batch``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("maybe_shuffle_batch", QueueCompatValueError)
    return batching.batch(
        "maybe_shuffle_batch",
        tensors,
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        keep_input=keep_input,
        num_threads=num_threads,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of examples from several lists of tensors, those for which *keep_input* is True, in random order.

    Args:
      keep_input: as ``maybe_batch``; the same for all lists.
      tensors_list, batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name: as ``shuffle_batch_join``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``shuffle_batch_join`` and ``maybe_batch``.
    Differs from TF1: As ``shuffle_batch`` and ``maybe_batch``.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("maybe_shuffle_batch_join", QueueCompatValueError)
    return batching.batch(
        "maybe_shuffle_batch_join",
        tensors_list,
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        keep_input=keep_input,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )

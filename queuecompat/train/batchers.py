"""Batchers: examples become batches, in order or shuffled, of one list or of several, all or some of them."""

from __future__ import annotations

from typing import Any, Optional

from queuecompat._capture import batching
from queuecompat._runtime.entry import require_graph
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
    """Batches of examples, in the order in which they come.

    Args:
      tensors: list or dict of tensors, each ``[*example]`` (``[n, *example]`` with *enqueue_many*).
      batch_size: examples in a batch. A tensor that is not constant makes the pipeline native (QC203).
      num_threads: with 1 the order is that of the source; with more it is not fixed.
      capacity: most examples held ahead of the consumer, besides the batch in flight; in examples.
      enqueue_many: each run of *tensors* gives several examples.
      shapes: of the examples, where the graph does not know them; checked at run time.
      dynamic_pad: examples of different sizes are padded on the right, to the largest of their
        batch, with 0, "" or False.
      allow_smaller_final_batch: give the rest at the end too; it is dropped otherwise.
      shared_name: if given, the pipeline is native (QC204).
      name: for the batch; its tensors are ``<name>:0``, ``<name>:1`` ...
    Returns:
      The same structure (a list of one gives a tensor, a dict its keys sorted), each tensor
      ``[batch_size, *example]``; the first dimension is None with *allow_smaller_final_batch*.
    Raises:
      ValueError: QC101, QC102; no tensors, unknown rank, a shape that is not fully defined without
        *dynamic_pad*, *shapes* of the wrong length.
      RuntimeError: QC302.
      tf.errors.OutOfRangeError: at run time, after the last batch.
      any error of the source or of the ops between: at run time, by the run that met it.
    Differs from TF1: no fullness summary.
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
    """Batches of examples, each drawn at random from a pool.

    Args:
      tensors, batch_size, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        name: as ``batch``.
      capacity: size of the pool, in examples.
      min_after_dequeue: what TF1 guaranteed to be in the pool after a batch was taken; less than
        *capacity*. The compiled pool is always full, so it mixes at least as well.
      seed: of the draws. Reproducible, but not TF1's order, which depended on its threads.
    Returns:
      As ``batch``.
    Raises:
      As ``batch``, and ValueError: ``capacity <= min_after_dequeue``.
      tf.errors.InvalidArgumentError: at run time, ``min_after_dequeue < 0``.
    Differs from TF1: no fullness summary; the first batch waits until the pool is full, of encoded
      examples where the ops between allow it.
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
    """Batches of the examples of several lists, which run side by side.

    Args:
      tensors_list: list of lists (or of dicts with the same keys) of tensors; each list is a source of its
        own, in its own order. The lists end one by one; the batches end with the last of them.
      batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name,
        name: as ``batch``.
    Returns:
      As ``batch``, in the structure of one list.
    Raises:
      As ``batch``, and ValueError: no lists, dicts with different keys, shapes that contradict each other;
      TypeError: types that do.
    Differs from TF1: None known.
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
    """Batches of those examples that are to be kept.

    Args:
      keep_input: whether to keep the example: a scalar, or with *enqueue_many* also ``[n]``, one for each row.
      tensors, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name: as ``batch``.
    Returns:
      As ``batch``.
    Raises:
      As ``batch``, and ValueError: *keep_input* has an unknown rank, more than one dimension, or one without
      *enqueue_many*.
      tf.errors.InvalidArgumentError: QC303, at run time, *keep_input* is the constant False.
    Differs from TF1: with a constant False the first run raises; TF1 waited forever.
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
    """Batches of those examples of several lists that are to be kept.

    Args:
      keep_input: as ``maybe_batch``; one for all lists.
      tensors_list, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name: as ``batch_join``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``batch_join`` and ``maybe_batch``.
    Differs from TF1: as ``maybe_batch``.
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
    """Batches of the examples of several lists, each drawn at random from one pool.

    Args:
      tensors_list: as ``batch_join``.
      batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch,
        shared_name, name: as ``shuffle_batch``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``batch_join``, and ZeroDivisionError: ``capacity == min_after_dequeue``.
      tf.errors.InvalidArgumentError: at run time, ``min_after_dequeue < 0`` or ``> capacity``.
    Differs from TF1: as ``shuffle_batch``.
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
    """Batches of those examples that are to be kept, in random order.

    Args:
      keep_input: as ``maybe_batch``.
      tensors, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name: as ``shuffle_batch``.
    Returns:
      As ``batch``.
    Raises:
      As ``shuffle_batch`` and ``maybe_batch``.
    Differs from TF1: as ``shuffle_batch`` and ``maybe_batch``.
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
    """Batches of those examples of several lists that are to be kept, in random order.

    Args:
      keep_input: as ``maybe_batch``; one for all lists.
      tensors_list, batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name: as ``shuffle_batch_join``.
    Returns:
      As ``batch_join``.
    Raises:
      As ``shuffle_batch_join`` and ``maybe_batch``.
    Differs from TF1: as ``shuffle_batch`` and ``maybe_batch``.
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

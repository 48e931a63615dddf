"""The input functions of ``tf.train``, compiled to tf.data. Signatures and results are TF1's.

A drop-in for programs that keep their own TensorFlow import::

    from queuecompat import train
    queue = train.string_input_producer(files)

They need a graph: under eager execution each raises QC101. Programs that import
``queuecompat.v1 as tf`` have them as ``tf.train`` already.
"""

from __future__ import annotations

import threading
from typing import Any, List, Optional

import tensorflow as tf

from queuecompat._runtime import batching, producers
from queuecompat._runtime.entry import require_graph, require_some
from queuecompat._runtime.reference import native, watched
from queuecompat.errors import QueueCompatValueError

__all__ = [
    "add_queue_runner",
    "batch",
    "batch_join",
    "input_producer",
    "limit_epochs",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "range_input_producer",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
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


def limit_epochs(tensor: Any, num_epochs: Optional[int] = None, name: Optional[str] = None) -> Any:
    """*tensor*, which can be had *num_epochs* times.

    Args:
      tensor: any tensor; one that is given to a producer lasts for as many epochs.
      num_epochs: None: no limit, and *tensor* itself is returned.
      name: for the ops.
    Returns:
      A tensor like *tensor*. Its count is a variable in ``LOCAL_VARIABLES``: run
      ``local_variables_initializer`` first.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: ``num_epochs <= 0``.
      tf.errors.OutOfRangeError: at run time, the limit is reached.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("limit_epochs")
    return native("limit_epochs", tensor, num_epochs, name)


def match_filenames_once(pattern: Any, name: Optional[str] = None) -> tf.Variable:
    """The names of the files that match, found once, when local variables are initialised.

    Args:
      pattern: string or list of strings, with ``*``, ``?`` and ``[]`` in the last part of the path.
      name: for the ops.
    Returns:
      A local variable ``[files]`` of sorted names; ``string_input_producer`` takes it.
    Raises:
      RuntimeError: QC101, QC102, QC302.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``python/training/input.py``.
    """
    require_graph("match_filenames_once")
    return native("match_filenames_once", pattern, name)


def start_queue_runners(
    sess: Optional[tf.compat.v1.Session] = None,
    coord: Optional[tf.train.Coordinator] = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = tf.compat.v1.GraphKeys.QUEUE_RUNNERS,
) -> List[threading.Thread]:
    """Starts every pipeline of the session's graph. TensorFlow's own does it too, with a word of advice.

    Args:
      sess: None is the default session.
      coord: stops native pipelines, and hears of their errors.
      daemon: whether a thread may be left running when the program ends.
      start: if false, the program starts the threads; a compiled pipeline has one then as well.
      collection: graph collection of the runners.
    Returns:
      The threads, for ``coord.join``. A compiled pipeline that was started needs none.
    Raises:
      ValueError: no session.
      TypeError: *sess* is not a session.
      tf.errors.OpError: a compiled pipeline could not be started.
    Differs from TF1: compiled pipelines are ready when the call returns.
    Source: TF 1.15.5 ``python/training/queue_runner_impl.py``.
    """
    return native("start_queue_runners", sess=sess, coord=coord, daemon=daemon, start=start, collection=collection)


add_queue_runner = watched("add_queue_runner")

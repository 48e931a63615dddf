"""Readers of files of Examples: file names, records, batches and parsing in one call.

Each is built from the functions of ``queuecompat.train``, and compiled as they are. The arguments that they have in
common are described in ``read_batch_examples`` and ``read_batch_features``.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import tensorflow as tf

from queuecompat import readers, train
from queuecompat._capture.whole_batches import queued
from queuecompat._native.file_cursor import shared_file_names
from queuecompat._session.entry import require_graph

__all__ = [
    "queue_parsed_features",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
]

# The name of the keys among the tensors of a parse_fn that returns a dict.
KEY_FEATURE_NAME = "__key__"
# How many batches TF1's shuffle buffer could lack before the consumer waited; and the fraction of the capacity that
# had to be in it, if the size of a batch is known only at run time.
BATCHES_TO_REFILL = 3
SHARE_KEPT = 0.4


def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    seed: Optional[int] = None,
) -> Any:
    """Batches of the records of files.

    Args:
      file_pattern: a pattern of file names, or a list of patterns or names.
      batch_size: examples in a batch; less than *queue_capacity*. With a tensor that is not constant, the queue
        is TensorFlow's own, which the compiled pipeline fills.
      reader: a reader class, or a function without arguments that returns a reader.
      randomize_input: whether to reshuffle the file names every epoch and to draw the examples from a shuffle
        buffer of *queue_capacity*.
      num_epochs: how often each file is read; None: forever. With a limit, the last batch may be smaller.
      queue_capacity: maximum number of examples held ahead of the consumer, not counting the batch in flight.
      num_threads: number of readers; each file is read by one of them.
      read_batch_size: records that a reader reads at a time.
      parse_fn: a function of the record, a scalar string (``[n]`` with *read_batch_size* above 1), that returns a
        tensor or a dict of tensors; these are batched in place of the record.
      name: name scope of the ops.
      seed: random seed of both orders, that of the files and that of the examples.
    Returns:
      Strings ``[batch_size]``; with *parse_fn*, batches of what it returns. The first dimension is None with
      *num_epochs*.
    Raises:
      ValueError: no file matches; *batch_size*, *queue_capacity*, *num_threads*, *read_batch_size* or *num_epochs* is
        not positive; ``batch_size >= queue_capacity``.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.OutOfRangeError: at run time, after the last batch.
      any error of the files or of parsing: at run time, from the ``session.run`` that needs the batch.
    Differs from TF1: As ``train.shuffle_batch_join`` and ``train.string_input_producer``. A tensor as
      *read_batch_size* raises a subclass of TypeError; TF1 raised TypeError itself.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    _, examples = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        read_batch_size=read_batch_size,
        parse_fn=parse_fn,
        name=name,
        seed=seed,
    )
    return examples


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    seed: Optional[int] = None,
) -> Any:
    """Batches of the records of files, with the keys of the records.

    Args:
      file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity, num_threads, read_batch_size,
        parse_fn, name, seed: as ``read_batch_examples``.
    Returns:
      ``(keys, examples)``: strings ``[batch_size]``, which say where each record is; and what
      ``read_batch_examples`` returns.
    Raises:
      As ``read_batch_examples``.
    Differs from TF1: As ``train.shuffle_batch_join`` and ``train.string_input_producer``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    return _keyed_batches(
        False,
        file_pattern,
        batch_size,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        read_batch_size=read_batch_size,
        parse_fn=parse_fn,
        name=name,
        seed=seed,
    )


def read_keyed_batch_examples_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    seed: Optional[int] = None,
) -> Any:
    """``read_keyed_batch_examples`` for several workers of a cluster: each file is read by one of them.

    The list of files, and the position in it, are global variables ``obtain_next/...``, which have to be initialised.
    Files are read by TensorFlow's own readers; the batches are compiled.

    Args:
      file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity, num_threads, read_batch_size,
        parse_fn, name, seed: as ``read_batch_examples``. *num_epochs* counts the epochs of all workers
        together; without it, the first order of the files is repeated.
    Returns:
      As ``read_keyed_batch_examples``.
    Raises:
      As ``read_batch_examples``, and ValueError: the graph already has such a list.
    Differs from TF1: As ``read_keyed_batch_examples``. With *num_epochs* there are two global variables, not three.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    return _keyed_batches(
        True,
        file_pattern,
        batch_size,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        read_batch_size=read_batch_size,
        parse_fn=parse_fn,
        name=name,
        seed=seed,
    )


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    read_batch_size: Optional[int] = None,
) -> Dict[str, Any]:
    """Batches of parsed tf.Examples.

    Args:
      file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity, name: as
        ``read_batch_examples``.
      features: dict of features, as ``tf.io.parse_example`` takes it.
      feature_queue_capacity: maximum number of parsed batches held ahead of the consumer.
      reader_num_threads: number of readers; each file is read by one of them.
      num_enqueue_threads: threads that parse; with 1, the batches keep their order.
      parse_fn: a function of the record, a scalar string (``[n]`` with *read_batch_size* above 1), that returns a
        serialized tf.Example.
      read_batch_size: records that a reader reads at a time; None: *batch_size*.
    Returns:
      A dict of Tensors and SparseTensors, as ``tf.io.parse_example`` returns it.
    Raises:
      As ``read_batch_examples``, and as ``queue_parsed_features``.
    Differs from TF1: As ``read_batch_examples``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    _, parsed = read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        feature_queue_capacity=feature_queue_capacity,
        num_enqueue_threads=num_enqueue_threads,
        parse_fn=parse_fn,
        name=name,
        read_batch_size=read_batch_size,
    )
    return parsed


def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: Dict[str, Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str = "dequeue_record_examples",
) -> Dict[str, Any]:
    """``read_batch_features`` of TFRecord files.

    Args:
      file_pattern, batch_size, features, randomize_input, num_epochs, queue_capacity, reader_num_threads, name: as
        ``read_batch_features``.
    Returns:
      As ``read_batch_features``.
    Raises:
      As ``read_batch_features``.
    Differs from TF1: As ``read_batch_features``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        readers.TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    read_batch_size: Optional[int] = None,
) -> Tuple[tf.Tensor, Dict[str, Any]]:
    """Batches of parsed tf.Examples, with the keys of the records.

    Args:
      file_pattern, batch_size, features, reader, randomize_input, num_epochs, queue_capacity, reader_num_threads,
        feature_queue_capacity, num_enqueue_threads, parse_fn, name, read_batch_size: as ``read_batch_features``.
    Returns:
      ``(keys, features)``: strings ``[batch_size]``, which say where each record is; and what ``read_batch_features``
      returns.
    Raises:
      As ``read_batch_features``.
    Differs from TF1: As ``read_batch_examples``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    with tf.compat.v1.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size if read_batch_size is None else read_batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = tf.io.parse_example(examples, features)
        return queue_parsed_features(parsed, keys, feature_queue_capacity, num_enqueue_threads, name=scope)


def read_keyed_batch_features_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    features: Dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = 2,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
) -> Tuple[tf.Tensor, Dict[str, Any]]:
    """``read_keyed_batch_features`` for several workers of a cluster: each file is read by one of them.

    Args:
      file_pattern, batch_size, features, reader, randomize_input, num_epochs, queue_capacity, reader_num_threads,
        feature_queue_capacity, parse_fn, name: as ``read_batch_features``; *num_epochs* as
        ``read_keyed_batch_examples_shared_queue``.
      num_queue_runners: as *num_enqueue_threads* of ``read_batch_features``.
    Returns:
      As ``read_keyed_batch_features``.
    Raises:
      As ``read_keyed_batch_examples_shared_queue``.
    Differs from TF1: As ``read_keyed_batch_examples_shared_queue``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    with tf.compat.v1.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples_shared_queue(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = tf.io.parse_example(examples, features)
        return queue_parsed_features(parsed, keys, feature_queue_capacity, num_queue_runners, name=scope)


def queue_parsed_features(
    parsed_features: Dict[str, Any],
    keys: Optional[tf.Tensor] = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: Optional[str] = None,
) -> Tuple[Optional[tf.Tensor], Dict[str, Any]]:
    """A queue of *parsed_features*, usually whole batches, which is filled ahead of the consumer.

    Args:
      parsed_features: a dict of Tensors and SparseTensors of any shapes; one run of all of them is an element.
      keys: a tensor that belongs to the element, or None.
      feature_queue_capacity: maximum number of elements held ahead of the consumer.
      num_enqueue_threads: threads that fill the queue; with 1, the elements keep their order.
      name: name scope of the ops.
    Returns:
      ``(keys, features)``: the next element, in the same structure.
    Raises:
      ValueError: ``num_enqueue_threads < 1``.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.OutOfRangeError: at run time, after the last element.
    Differs from TF1: Arrays are accepted in place of tensors; TF1 raised AttributeError.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
    """
    require_graph("queue_parsed_features")
    names = sorted(parsed_features.keys())
    values = [parsed_features[one] for one in names] + ([] if keys is None else [keys])
    with tf.compat.v1.name_scope(name, "queue_parsed_features", values) as scope:
        given = queued(
            values,
            capacity=feature_queue_capacity,
            num_threads=num_enqueue_threads,
            scope=scope,
            name="fifo_queue_Dequeue",
            tag=f"queue/parsed_features/{scope}fifo_queue/fraction_of_{feature_queue_capacity}_full",
        )
    return (None if keys is None else given[-1]), dict(zip(names, given))


def _keyed_batches(
    is_shared: bool,
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    *,
    randomize_input: bool,
    num_epochs: Optional[int],
    queue_capacity: int,
    num_threads: int,
    read_batch_size: int,
    parse_fn: Optional[Callable[[Any], Any]],
    name: Optional[str],
    seed: Optional[int],
) -> Any:
    files = _files(file_pattern, randomize_input)
    _require_numbers(batch_size, num_epochs, queue_capacity, num_threads, read_batch_size)
    require_graph("read_batch_examples")
    with tf.compat.v1.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with tf.name_scope("file_name_queue") as queue_scope:
            if is_shared:
                queue = shared_file_names(files, num_epochs=num_epochs, shuffle=randomize_input, seed=seed)
            else:
                named = tf.constant(files, name="input")
                queue = train.string_input_producer(named, num_epochs, randomize_input, seed, name=queue_scope)
        with tf.name_scope("read"):
            examples = [_read(reader, queue, read_batch_size, parse_fn) for _ in range(num_threads)]
        common: Dict[str, Any] = dict(
            capacity=queue_capacity,
            enqueue_many=read_batch_size > 1,
            allow_smaller_final_batch=num_epochs is not None,
            name=scope,
        )
        if randomize_input:
            least = _min_after_dequeue(batch_size, queue_capacity)
            batch = train.shuffle_batch_join(examples, batch_size, min_after_dequeue=least, seed=seed, **common)
        else:
            batch = train.batch_join(examples, batch_size, **common)
    if parse_fn and isinstance(batch, dict):
        return batch.pop(KEY_FEATURE_NAME), batch
    return batch


def _read(reader: Callable[[], Any], queue: Any, read_batch_size: int, parse_fn: Optional[Callable[[Any], Any]]) -> Any:
    """Keys and examples of one reader: one source of a join."""
    one = reader()
    keys, examples = one.read_up_to(queue, read_batch_size) if read_batch_size > 1 else one.read(queue)
    if not parse_fn:
        return (keys, examples)
    parsed = parse_fn(examples)
    return {**parsed, KEY_FEATURE_NAME: keys} if isinstance(parsed, dict) else (keys, parsed)


def _min_after_dequeue(batch_size: Any, capacity: int) -> int:
    if tf.is_tensor(batch_size):
        return int(capacity * SHARE_KEPT)
    return max(capacity - BATCHES_TO_REFILL * batch_size, batch_size)


def _files(file_pattern: Any, in_any_order: bool) -> List[str]:
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError("file_pattern is empty")
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    files = [name for pattern in patterns for name in tf.io.gfile.glob(pattern)]
    if not files:
        raise ValueError(f"no files match {file_pattern}")
    return files if in_any_order else sorted(files)


def _require_numbers(
    batch_size: Any, num_epochs: Optional[int], queue_capacity: int, num_threads: int, read_batch_size: Any
) -> None:
    if not queue_capacity or queue_capacity <= 0:
        raise ValueError(f"queue_capacity must be positive, not {queue_capacity}")
    if batch_size is None or not (tf.is_tensor(batch_size) or 0 < batch_size < queue_capacity):
        raise ValueError(f"batch_size must be positive and less than queue_capacity {queue_capacity}, not {batch_size}")
    if read_batch_size is None or not (tf.is_tensor(read_batch_size) or read_batch_size > 0):
        raise ValueError(f"read_batch_size must be positive, not {read_batch_size}")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"num_threads must be positive, not {num_threads}")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"num_epochs must be positive or None, not {num_epochs}")

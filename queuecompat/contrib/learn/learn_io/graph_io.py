"""Readers of files of Examples: file names, records, batches and parsing in one call.

Each is put together from the functions of ``queuecompat.train``, and compiled as these are. All of them
take, where they have it:

Args:
  file_pattern: a pattern of file names, or a list of such.
  batch_size: examples in a batch; less than *queue_capacity*. A tensor that is not constant makes the
    pipeline native (QC203).
  features: what ``tf.parse_example`` takes.
  reader: a reader's class, or a function without arguments that makes one.
  randomize_input: whether file names are shuffled, and examples drawn from a pool of *queue_capacity*.
  num_epochs: how often each file is read; None: for ever. With a limit the last batch may be smaller.
  queue_capacity: most examples ahead of the consumer, besides the batch in flight.
  num_threads, reader_num_threads: so many readers, which share the files out among themselves.
  read_batch_size: records that a reader takes at a time; None, where that is the default: *batch_size*.
  parse_fn: from a scalar string (``[n]`` with *read_batch_size* over 1) to a tensor, or a dict of tensors, that
    is batched in its place.
  name: for the batch.
  seed: of both kinds of order.
  feature_queue_capacity: most parsed batches ahead of the consumer.
  num_enqueue_threads, num_queue_runners: with 1, parsed batches keep their order.
Raises:
  ValueError: no file matches; a number is not as it has to be.
  RuntimeError: QC101, QC102, QC302.
  tf.errors.OutOfRangeError: at run time, after the last batch.
  any error of the files or of parsing: at run time, by the run that met it.

Differs from TF1: as ``train.shuffle_batch_join`` and ``train.string_input_producer``.
Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/graph_io.py``.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import tensorflow as tf

from queuecompat import readers, train
from queuecompat._capture.whole_batches import queued
from queuecompat._native.file_cursor import shared_file_names
from queuecompat._runtime.entry import require_graph

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

# Where keys travel among the tensors of a parse_fn that gives a dict.
KEY_FEATURE_NAME = "__key__"
# How many batches TF1's pool of examples could lack before it waited, and the share of it where the size
# of a batch is known only at run time.
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
      all of them: see the module.
    Returns:
      Strings, ``[batch_size]``, or the batches of what *parse_fn* gives.
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
    """Batches of the records of files, and where each record stands.

    Args:
      all of them: see the module.
    Returns:
      Keys, strings ``[batch_size]``, and what ``read_batch_examples`` gives.
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
    """``read_keyed_batch_examples`` for several workers of a cluster, each file read by one of them.

    The list of files, and the place in it, are global variables ``obtain_next/...``, which have to be
    initialised. Files are read by TensorFlow's own readers; batches are compiled.

    Args:
      all of them: see the module. *num_epochs* is that of all workers together.
    Returns:
      As ``read_keyed_batch_examples``.
    Raises:
      ValueError: also when the graph has such a list already.
    Differs from TF1: two variables and not three; without *num_epochs* both keep one order.
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
    """Batches of Examples, parsed.

    Args:
      all of them: see the module.
    Returns:
      A dict of tensors and SparseTensors, as ``tf.parse_example`` gives them.
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
      all of them: see the module.
    Returns:
      As ``read_batch_features``.
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
    """Batches of Examples, parsed, and where each of them stands.

    Args:
      all of them: see the module.
    Returns:
      Keys, strings ``[batch_size]``, and what ``read_batch_features`` gives.
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
    """``read_keyed_batch_features`` for several workers of a cluster, each file read by one of them.

    Args:
      all of them: see the module, and ``read_keyed_batch_examples_shared_queue``.
    Returns:
      As ``read_keyed_batch_features``.
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
    """Has *parsed_features*, whole batches as a rule, made ahead of who runs them.

    Args:
      parsed_features: a dict of tensors and SparseTensors of any shapes; they stay together.
      keys: a tensor that stays with them; None: there is none.
      feature_queue_capacity, num_enqueue_threads: see the module.
      name: scope of the ops.
    Returns:
      The same keys (or None), and a dict like *parsed_features*.
    Raises:
      ValueError: no thread.
      RuntimeError: QC101, QC102, QC302.
      tf.errors.OutOfRangeError: at run time, after the last one.
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
            least = _least_in_pool(batch_size, queue_capacity)
            batch = train.shuffle_batch_join(examples, batch_size, min_after_dequeue=least, seed=seed, **common)
        else:
            batch = train.batch_join(examples, batch_size, **common)
    if parse_fn and isinstance(batch, dict):
        return batch.pop(KEY_FEATURE_NAME), batch
    return batch


def _read(reader: Callable[[], Any], queue: Any, read_batch_size: int, parse_fn: Optional[Callable[[Any], Any]]) -> Any:
    """Keys and examples of one reader, as a source of a join."""
    one = reader()
    keys, examples = one.read_up_to(queue, read_batch_size) if read_batch_size > 1 else one.read(queue)
    if not parse_fn:
        return (keys, examples)
    parsed = parse_fn(examples)
    return {**parsed, KEY_FEATURE_NAME: keys} if isinstance(parsed, dict) else (keys, parsed)


def _least_in_pool(batch_size: Any, capacity: int) -> int:
    if tf.is_tensor(batch_size):
        return int(capacity * SHARE_KEPT)
    return max(capacity - BATCHES_TO_REFILL * batch_size, batch_size)


def _files(file_pattern: Any, in_any_order: bool) -> List[str]:
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError("no files are given")
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    files = [name for pattern in patterns for name in tf.io.gfile.glob(pattern)]
    if not files:
        raise ValueError(f"no files match {file_pattern}")
    return files if in_any_order else sorted(files)


def _require_numbers(
    batch_size: Any, num_epochs: Optional[int], queue_capacity: int, num_threads: int, read_batch_size: Any
) -> None:
    if not queue_capacity or queue_capacity <= 0:
        raise ValueError(f"queue_capacity must be positive, and is {queue_capacity}")
    if batch_size is None or not (tf.is_tensor(batch_size) or 0 < batch_size < queue_capacity):
        raise ValueError(f"batch_size must be positive and less than queue_capacity {queue_capacity}, not {batch_size}")
    if read_batch_size is None or not (tf.is_tensor(read_batch_size) or read_batch_size > 0):
        raise ValueError(f"read_batch_size must be positive, and is {read_batch_size}")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"num_threads must be positive, and is {num_threads}")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"num_epochs must be positive or None, and is {num_epochs}")

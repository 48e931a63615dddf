"""``slim.parallel_reader``: several readers that read files in parallel into one queue."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional

import tensorflow as tf

from queuecompat import train
from queuecompat._capture.filled_queues import filled_queue
from queuecompat._session.entry import require_graph

__all__ = ["ParallelReader", "get_data_files", "parallel_read", "single_pass_read"]


class ParallelReader(tf.compat.v1.ReaderBase):
    """Several readers that put their records into one queue.

    The queue is created by the program, so it is TensorFlow's; ``parallel_read`` does the same and is compiled.
    As in TF1, ``reset``, ``serialize_state``, ``restore_state``, ``supports_serialize`` and ``reader_ref`` raise
    AttributeError.

    Args:
      reader_class: called once for each reader, with *reader_kwargs*.
      common_queue: a queue of two components, both strings: the key and the record.
      num_readers: number of readers.
      reader_kwargs: dict, or None.
    Raises:
      TypeError: the components of *common_queue* are not two strings.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/parallel_reader.py``.
    """

    def __init__(
        self,
        reader_class: Any,
        common_queue: tf.compat.v1.QueueBase,
        num_readers: int = 4,
        reader_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:
        # The base class is not initialised: it would need the handle of a reader.
        _require_records(common_queue.dtypes)
        self._readers = _readers(reader_class, num_readers, reader_kwargs)
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """The number of readers."""
        return len(self._readers)

    @property
    def common_queue(self) -> tf.compat.v1.QueueBase:
        """The queue that all readers fill."""
        return self._common_queue

    def read(self, queue: Any, name: Optional[str] = None) -> Any:
        """The next record of the common queue, as [key, value].

        Args:
          queue: a queue of file names; the readers share it.
          name: name of the op.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: Optional[str] = None) -> Any:
        """Up to *num_records* records of the common queue, as [keys, values].

        Raises:
          tf.errors.InvalidArgumentError: at run time, the common queue does not know its shapes.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def num_records_produced(self, name: Optional[str] = None) -> tf.Tensor:
        """Records returned by all readers; scalar int64."""
        return tf.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: Optional[str] = None) -> tf.Tensor:
        """Files finished by all readers; scalar int64."""
        return tf.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)

    def _fill_from(self, queue: Any) -> None:
        enqueues = [self._common_queue.enqueue(list(reader.read(queue))) for reader in self._readers]
        train.add_queue_runner(train.QueueRunner(self._common_queue, enqueues))


def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: Optional[int] = None,
    num_readers: int = 4,
    reader_kwargs: Optional[Dict[str, Any]] = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: Optional[int] = None,
    scope: Optional[str] = None,
) -> List[tf.Tensor]:
    """The records of all files, read by several readers in parallel.

    Args:
      data_sources: as ``get_data_files``.
      reader_class: one of ``queuecompat.readers``, or any function that returns a reader.
      num_epochs: how often each file is read; None: forever.
      num_readers: number of readers; each reads a different file, so with more than one the order is not determined.
      reader_kwargs: dict of arguments for *reader_class*, or None.
      shuffle: whether to reshuffle the files every epoch, and to draw the records from a shuffle buffer.
      dtypes: dtypes of key and record; None or two strings.
      capacity: capacity of the common queue, in records; with *shuffle* the size of the shuffle buffer.
      min_after_dequeue: number of records that TF1 guaranteed to be in the buffer after a record was taken; less
        than *capacity*. The compiled buffer is kept full, so it shuffles at least as well.
      seed: random seed of the order of the files, which is TF1's, bit for bit, and of that of the records.
      scope: name scope of the ops.
    Returns:
      A list [key, value], both strings of unknown static shape.
    Raises:
      RuntimeError: QC101, QC102, QC302.
      ValueError: no file matches; ``num_epochs <= 0``; ``num_readers < 1``.
      TypeError: *dtypes* are not two strings.
      ZeroDivisionError: ``capacity == 0``.
      tf.errors.InvalidArgumentError: at run time, ``min_after_dequeue < 0`` or ``>= capacity`` (with *shuffle*).
      tf.errors.OutOfRangeError: at run time, after the last record.
      any error of the reader: at run time.
    Differs from TF1: As ``get_data_files``, ``train.string_input_producer`` and ``train.shuffle_batch``. A run-time
      error (a missing file, a corrupt record, a failing op) is raised by the ``session.run`` that needs the element;
      TF1 stopped a thread and closed the queue.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/parallel_reader.py``.
    """
    require_graph("parallel_read")
    files = get_data_files(data_sources)
    with tf.compat.v1.name_scope(scope, "parallel_read") as full_scope:
        names = train.string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        kind = tf.compat.v1.RandomShuffleQueue if shuffle else tf.compat.v1.FIFOQueue
        pool = {"min_after_dequeue": min_after_dequeue, "seed": seed} if shuffle else {}
        dtypes = dtypes or [tf.string, tf.string]
        make = functools.partial(kind, capacity=capacity, dtypes=dtypes, name="common_queue", **pool)
        with tf.Graph().as_default():
            _require_records(make().dtypes)
        readers = _readers(reader_class, num_readers, reader_kwargs)
        queue = filled_queue(
            make,
            [list(reader.read(names)) for reader in readers],
            scope=full_scope,
            name="common_queue",
            capacity=capacity,
            minimum=min_after_dequeue if shuffle else None,
            seed=seed,
        )
        return queue.dequeue()


def single_pass_read(
    data_sources: Any, reader_class: Any, reader_kwargs: Optional[Dict[str, Any]] = None, scope: Optional[str] = None
) -> Any:
    """The records of all files, read once, one file after another.

    Args:
      data_sources, reader_class, reader_kwargs, scope: as ``parallel_read``.
    Returns:
      What the reader's ``read`` returns: (key, value), both scalar strings.
    Raises:
      As ``parallel_read``, for the arguments that it has.
    Differs from TF1: As ``get_data_files`` and ``train.string_input_producer``.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/parallel_reader.py``.
    """
    require_graph("single_pass_read")
    files = get_data_files(data_sources)
    with tf.compat.v1.name_scope(scope, "single_pass_read"):
        names = train.string_input_producer(files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
        (reader,) = _readers(reader_class, 1, reader_kwargs)
        return reader.read(names)


def get_data_files(data_sources: Any) -> List[str]:
    """The names of the files in *data_sources*.

    Args:
      data_sources: a file's name, a pattern with ``*``, ``?`` or ``[``, or a list or tuple of those.
    Returns:
      A list of names. For a name without such a character, it is not checked whether the file exists.
    Raises:
      ValueError: a pattern matches no file, or there are no sources.
    Differs from TF1: For a pattern below a missing folder, TensorFlow 2 finds no files (ValueError); TF1 raised
      NotFoundError.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/parallel_reader.py``.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(sign in data_sources for sign in "*?["):
        files = tf.compat.v1.gfile.Glob(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


def _require_records(dtypes: Any) -> None:
    if len(dtypes) != 2 or not all(dtype.is_compatible_with(tf.string) for dtype in dtypes):
        raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")


def _readers(reader_class: Any, count: int, arguments: Optional[Dict[str, Any]]) -> List[Any]:
    return [reader_class(**(arguments or {})) for _ in range(count)]

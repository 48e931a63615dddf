"""Pipelines that draw random numbers without a seed, and what they draw for each record."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import queuecompat.v1 as tf
from tests.pipelines.ordered_files import KINDS, READERS, WRITERS

__all__ = ["BUILDS", "SIZES", "by_record", "packed", "write"]

SIZES = (7, 0, 9)
COUNT = sum(SIZES)

_GZIP = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)

Pairs = List[Tuple[float, ...]]


def write(folder: pathlib.Path) -> None:
    """Files of each kind; the numbers in them say which record they are."""
    for kind in KINDS:
        for file, size in enumerate(SIZES):
            WRITERS[kind](str(folder / f"{kind}-{file}"), range(100 * file, 100 * file + size))
    for file, size in enumerate(SIZES):
        with tf.python_io.TFRecordWriter(str(folder / f"packed-{file}"), _GZIP) as packed:
            for number in range(100 * file, 100 * file + size):
                packed.write(b"%d" % number)
    for file in range(COUNT):
        (folder / f"whole-{file}").write_bytes(b"%d" % file)


def _augmented(number: Any) -> List[Any]:
    """As an image is: moved, turned, and with noise."""
    number = tf.to_float(number)
    flipped = tf.cond(tf.random_uniform([]) < 0.5, lambda: tf.constant(1.0), lambda: tf.constant(-1.0))
    return [number, flipped * (1.0 + tf.random_uniform([])), tf.random_normal([])]


def _batched(tensors: List[Any], threads: int) -> Any:
    return tf.train.shuffle_batch(
        tensors, 4, capacity=12, min_after_dequeue=6, num_threads=threads, allow_smaller_final_batch=True
    )


def _records(kind: str, folder: pathlib.Path, threads: int, epochs: int) -> Any:
    names = [str(folder / f"{kind}-{file}") for file in range(len(SIZES))]
    queue = tf.train.string_input_producer(names, num_epochs=epochs)
    return _batched(_augmented(tf.string_to_number(READERS[kind]().read(queue)[1])), threads)


def packed(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    """Compressed files, which can only be read from their beginnings."""
    names = [str(folder / f"packed-{file}") for file in range(len(SIZES))]
    queue = tf.train.string_input_producer(names, num_epochs=epochs)
    reader = tf.TFRecordReader(options=_GZIP)
    return _batched(_augmented(tf.string_to_number(reader.read(queue)[1])), threads)


def _whole_files(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    queue = tf.train.string_input_producer([str(folder / f"whole-{file}") for file in range(COUNT)], num_epochs=epochs)
    return _batched(_augmented(tf.string_to_number(tf.WholeFileReader().read(queue)[1])), threads)


def _rows(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    table = np.arange(2 * COUNT, dtype=np.float32).reshape(COUNT, 2)
    row, _ = tf.train.slice_input_producer([table, np.arange(COUNT)], num_epochs=epochs)
    return _batched(_augmented(row[0]), threads)


def _joined(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    """As many readers of one list of files as there are threads."""
    names = [str(folder / f"TFRecord-{file}") for file in range(len(SIZES))]
    queue = tf.train.string_input_producer(names, num_epochs=epochs)
    lists = [_augmented(tf.string_to_number(tf.TFRecordReader().read(queue)[1])) for _ in range(threads)]
    return tf.train.batch_join(lists, 4, capacity=12, allow_smaller_final_batch=True)


def _joined_files(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    queue = tf.train.string_input_producer([str(folder / f"whole-{file}") for file in range(COUNT)], num_epochs=epochs)
    lists = [_augmented(tf.string_to_number(tf.WholeFileReader().read(queue)[1])) for _ in range(threads)]
    return tf.train.batch_join(lists, 4, capacity=12, allow_smaller_final_batch=True)


def _in_two_steps(folder: pathlib.Path, threads: int, epochs: int) -> Any:
    """The file is read by ops of the program's own, in the midst of those that draw."""
    queue = tf.train.string_input_producer([str(folder / f"whole-{file}") for file in range(COUNT)], num_epochs=epochs)
    return _batched(_augmented(tf.string_to_number(tf.read_file(queue.dequeue()))), threads)


Build = Callable[..., Any]
BUILDS: Dict[str, Build] = {
    **{kind: lambda folder, threads, epochs, kind=kind: _records(kind, folder, threads, epochs) for kind in KINDS},
    "read by an op": _in_two_steps,
    "readers of one list": _joined,
    "readers of whole files": _joined_files,
    "rows": _rows,
    "whole files": _whole_files,
}


def by_record(batches: List[Any]) -> Dict[float, Pairs]:
    """What was drawn for each record, epoch after epoch (or in any order, where epochs mix)."""
    found: Dict[float, Pairs] = {}
    for number, *drawn in batches:
        for row in zip(number.tolist(), *(one.tolist() for one in drawn)):
            found.setdefault(row[0], []).append(row[1:])
    return {number: sorted(pairs) for number, pairs in found.items()}

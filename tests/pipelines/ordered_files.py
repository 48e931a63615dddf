"""Files of several kinds in which numbers follow each other, and pipelines that read them."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List

import tensorflow as real

import queuecompat.v1 as tf

__all__ = ["KINDS", "READERS", "SIZES", "TOTAL", "numbers", "tf_records", "written"]

SIZES = (10, 200, 0, 1, 333)
TOTAL = sum(SIZES)


def tf_records(path: str, numbers: range) -> None:
    with real.io.TFRecordWriter(path) as writer:
        for number in numbers:
            writer.write(b"%d" % number)


def text_lines(path: str, numbers: range) -> None:
    pathlib.Path(path).write_bytes(b"header\r\n" + b"\r\n".join(b"%d" % number for number in numbers))


def fixed_lengths(path: str, numbers: range) -> None:
    pathlib.Path(path).write_bytes(b"head" + b"".join(b"%06d" % number for number in numbers) + b"123" + b"foot")


WRITERS: Dict[str, Callable[[str, range], None]] = {
    "TFRecord": tf_records,
    "TextLine": text_lines,
    "FixedLength": fixed_lengths,
}
READERS: Dict[str, Callable[[], Any]] = {
    "TFRecord": lambda: tf.TFRecordReader(),
    "TextLine": lambda: tf.TextLineReader(skip_header_lines=1),
    "FixedLength": lambda: tf.FixedLengthRecordReader(6, header_bytes=4, footer_bytes=4),
}


KINDS = sorted(READERS)


def written(folder: pathlib.Path, kind: str = "TFRecord", sizes: Any = SIZES) -> List[str]:
    """The names of files of those *sizes* in records, in which the numbers from 0 on follow each other."""
    names, begin = [], 0
    for number, size in enumerate(sizes):
        names.append(str(folder / f"{kind}-{number}"))
        WRITERS[kind](names[-1], range(begin, begin + size))
        begin += size
    return names


def numbers(
    names: Any,
    kind: str = "TFRecord",
    *,
    readers: int = 1,
    capacity: int = 64,
    batch_size: int = 10,
    up_to: int = 0,
    keys: bool = False,
    **producer: Any,
) -> Any:
    """Batches of the numbers in the files *names*, mixed; with the records' keys, if *keys*."""
    queue = tf.train.string_input_producer(names, **{"num_epochs": 1, **producer})
    lists = []
    for _ in range(readers):
        key, value = READERS[kind]().read_up_to(queue, up_to) if up_to else READERS[kind]().read(queue)
        number = tf.string_to_number(value, tf.int32)
        lists.append([key, number] if keys else [number])
    how = dict(
        batch_size=batch_size,
        capacity=capacity,
        min_after_dequeue=capacity // 4,
        allow_smaller_final_batch=True,
        enqueue_many=bool(up_to),
    )
    return tf.train.shuffle_batch_join(lists, **how) if readers > 1 else tf.train.shuffle_batch(lists[0], **how)

"""Files that cannot be read, or not to their ends: with ``on_error="skip"`` the rest of each is skipped, and recorded.

The records before the damage come out; tf.data reports neither where it stopped nor why. So a file that cannot be
opened is found before it is read, and at the end of each file of records its size, and the bytes at that place, show
whether it really ended there. This takes two calls of Python per file, and none per record. Blocks of records are
treated in the same way; for them, the index already knows where a file is damaged, and has a block that begins there.
"""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO, List, Tuple

import numpy as np
import six
import tensorflow as tf

from queuecompat._backends.tfdata.blocks import (
    Block,
    of_all_blocks,
    records_of_block,
    tf_records_of_block,
    with_record_numbers,
)
from queuecompat._backends.tfdata.files import RECORD_FRAME_BYTES, records_of
from queuecompat._backends.tfdata.functions import traced
from queuecompat._backends.tfdata.mapping import no_autograph, specs_of, without_errors
from queuecompat._backends.tfdata.numbered import beside_numbers, first_of_file
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import ir
from queuecompat._plan.skipped import SkipLog
from queuecompat.records.blocks import NUMBERS_BYTES, UNKNOWN, WHOLE_FILE, Column
from queuecompat.records.damage_at import damage_at

__all__ = ["readable_records"]

# zlib's *wbits* that accepts both of its formats, recognised by the first bytes.
_ANY_FORMAT = 47
_PIECE = 1 << 20  # bytes decompressed at a time


def readable_records(dataset: tf.data.Dataset, step: ir.Read, log: SkipLog) -> tf.data.Dataset:
    """The records of the files, or blocks, of *dataset*, as far as they can be read; the rest is recorded in *log*."""
    is_tf_record = step.layout.name == "TFRecord"

    def can_be_opened(name: bytes) -> np.bool_:
        if not step.open_blocks:
            return np.bool_(_can_be_opened(name, step.layout, log))
        path, numbers = name[NUMBERS_BYTES:], np.frombuffer(name[:NUMBERS_BYTES], "<i8")
        if not _can_be_opened(path, step.layout, log):
            return np.bool_(False)
        is_sound = numbers[Column.LENGTH] != UNKNOWN or numbers[Column.COUNT] != 1
        return np.bool_(is_sound or not _note_end(path, int(numbers[Column.OFFSET]), -1, step.layout, log))

    @no_autograph
    def is_open(name: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(numpy_function(can_be_opened, [name], tf.bool), [])

    @no_autograph
    def found_in(name: tf.Tensor) -> tf.data.Dataset:
        if step.open_blocks:
            block = Block.of(name)
            found = records_of_block(block, step) if not is_tf_record else _of_block_to_the_damage(block, step, log)
        else:
            found = records_of(name, step) if not is_tf_record else _of_file_to_the_damage(name, step, log)
        return found

    def records(name: tf.Tensor, *number: tf.Tensor) -> List[tf.Tensor]:
        # A file that cannot be opened has no records.
        found = tf.data.Dataset.from_tensors(name).filter(is_open).flat_map(found_in)
        if number:
            found = beside_numbers(found, first_of_file(number[0]), step.components)
        return [tf.data.experimental.to_variant(found)]

    function = traced(records, specs_of(dataset))
    return of_all_blocks(dataset, function, step.components, step.open_blocks, step.in_turn)


def _of_file_to_the_damage(file_name: tf.Tensor, step: ir.Read, log: SkipLog) -> tf.data.Dataset:
    plain = tf.data.experimental.from_variant(
        tf.raw_ops.TFRecordDataset(filenames=file_name, compression_type=step.layout.compression, buffer_size=262144),
        tf.TensorSpec([], tf.string),
    )
    whole = tf.constant(-1, tf.int64)
    return _to_the_damage(plain, file_name, tf.constant(0, tf.int64), whole, step, log)


def _of_block_to_the_damage(block: Block, step: ir.Read, log: SkipLog) -> tf.data.Dataset:
    end = tf.where(tf.equal(block.count, WHOLE_FILE), tf.constant(-1, tf.int64), block.offset + block.length)
    found = _to_the_damage(tf_records_of_block(block), block.file_name, block.offset, end, step, log)
    return with_record_numbers(found, block, step)


def _to_the_damage(
    plain: tf.data.Dataset, file_name: tf.Tensor, begin: tf.Tensor, last: tf.Tensor, step: ir.Read, log: SkipLog
) -> tf.data.Dataset:
    """The TFRecords *plain* of a file, from byte *begin* to byte *last*, up to the first one that cannot be read.

    Args:
      last: -1 means the end of the file.
    """
    # After an error, TensorFlow's dataset of records goes on with the next file; as there is none, the error ends it.
    readable = tf.data.Dataset.zip((plain, tf.data.Dataset.from_tensors(False).repeat()))
    readable = without_errors(readable)
    with_end = readable.concatenate(tf.data.Dataset.from_tensors(("", True)))

    def end(name: bytes, offset: np.int64, last: np.int64) -> np.bool_:
        return np.bool_(offset != last and _note_end(name, int(offset), int(last), step.layout, log))

    @no_autograph
    def keyed(offset: tf.Tensor, given: Tuple[tf.Tensor, tf.Tensor]) -> Tuple[tf.Tensor, Any]:
        record, is_end = given
        told = tf.cond(
            is_end,
            no_autograph(lambda: tf.ensure_shape(numpy_function(end, [file_name, offset, last], tf.bool), [])),
            no_autograph(lambda: tf.constant(False)),
        )
        key = tf.strings.join([file_name, ":", tf.strings.as_string(offset)])
        size = tf.cast(tf.strings.length(record), tf.int64)
        parts = (key, record) if step.with_key else (record,)
        return offset + size + RECORD_FRAME_BYTES, (*parts, is_end | told)

    records = with_end.scan(begin, keyed)
    records = records.take_while(no_autograph(lambda *parts: tf.logical_not(parts[-1])))
    records = records.map(no_autograph(lambda *parts: parts[:-1]))
    return records if step.up_to is None else records.batch(step.up_to)


def _can_be_opened(name: bytes, layout: ir.FileLayout, log: SkipLog) -> bool:
    """Whether the file *name* can be read at all; if not, that is recorded in *log*."""
    try:
        if tf.io.gfile.isdir(name):
            raise IsADirectoryError("it is a folder")
        with tf.io.gfile.GFile(name, "rb") as file:
            if layout.compression and layout.name != "TFRecord":
                _decompressed_size(file)
            else:
                file.read(1)
    except (OSError, tf.errors.OpError, zlib.error, EOFError) as problem:
        log.note_rest(_text(name), getattr(problem, "message", None) or str(problem))
        return False
    return True


def _note_end(name: bytes, offset: int, last: int, layout: ir.FileLayout, log: SkipLog) -> bool:
    """Records in *log* if the file *name*, of which records were read up to the byte *offset*, is damaged there.

    Args:
      last: the byte up to which there should have been records; -1: the end of the file.
    Returns:
      Whether it is.
    """
    with tf.io.gfile.GFile(name, "rb") as file:
        if layout.compression:
            reason = _damage_of_compressed(file, offset)
        else:
            reason = damage_at(file, offset, int(file.size()))
    if not reason and offset < last:
        reason = "the file ends there, and had more records when they were looked for: it was cut"
    if reason:
        part = "the file" if last < 0 else "its block of records"
        log.note_rest(f"{_text(name)}:{offset}", f"{reason}; the rest of {part} is skipped")
    return bool(reason)


def _text(name: bytes) -> str:
    """*name* as text for people; it may have bytes that are not valid UTF-8."""
    return six.ensure_text(name, errors="replace")


def _damage_of_compressed(file: BinaryIO, offset: int) -> str:
    try:
        size = _decompressed_size(file)
    except (zlib.error, EOFError) as problem:
        return f"its compressed data cannot be read ({problem})"
    if size <= offset:
        return ""
    file.seek(0)
    rest = io.BytesIO(_decompressed(file)[offset:])
    return damage_at(rest, 0, size - offset)


def _decompressed_size(file: BinaryIO) -> int:
    return sum(map(len, _pieces(file)))


def _decompressed(file: BinaryIO) -> bytes:
    return b"".join(_pieces(file))


def _pieces(file: BinaryIO) -> Any:
    """The content of the compressed *file*, piece by piece; it may consist of several streams, one after the other."""
    unpacker, rest = zlib.decompressobj(_ANY_FORMAT), b""
    while True:
        given = rest or file.read(_PIECE)
        if not given:
            break
        yield unpacker.decompress(given)
        rest = unpacker.unused_data
        if unpacker.eof and rest:
            unpacker = zlib.decompressobj(_ANY_FORMAT)
    if not unpacker.eof:
        raise EOFError("it ends too soon: it was cut")

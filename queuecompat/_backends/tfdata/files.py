"""The records of one file as a dataset: one function per file layout, in one table.

The elements are (key, value), or (value) without key; keys are TF1's.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import tensorflow as tf

from queuecompat._backends.tfdata.ends import end_checked
from queuecompat._backends.tfdata.mapping import no_autograph
from queuecompat._plan import ir

__all__ = [
    "LAYOUTS",
    "RECORD_FRAME_BYTES",
    "of_strings",
    "records_of",
    "with_numbers",
    "with_offsets",
]

# A record's framing in its file: length 8, checksum of length 4, checksum of data 4 bytes.
RECORD_FRAME_BYTES = 16
# The size of tf.data's read buffer.
_BUFFER_BYTES = 256 * 1024


def records_of(file_name: tf.Tensor, step: ir.Read) -> tf.data.Dataset:
    """The records of the file *file_name*, in the form that *step* asks for.

    Errors when the dataset runs: NotFoundError, the file is missing; DataLossError, a record is corrupt;
    InvalidArgumentError, a size in the layout is negative.
    """
    if step.checks_ends:
        records = with_offsets(
            file_name, end_checked(file_name, _plain_records(file_name, step.layout)), step.with_key, _beginning()
        )
    else:
        records = LAYOUTS[step.layout.name](file_name, step.layout, step.with_key)
    if step.up_to is not None:
        records = records.batch(step.up_to)
    return records


def _tf_records(file_name: tf.Tensor, layout: ir.FileLayout, with_key: bool) -> tf.data.Dataset:
    return with_offsets(file_name, _plain_records(file_name, layout), with_key, _beginning())


def _plain_records(file_name: tf.Tensor, layout: ir.FileLayout) -> tf.data.Dataset:
    return of_strings(
        tf.raw_ops.TFRecordDataset(
            filenames=_present(file_name), compression_type=layout.compression, buffer_size=_BUFFER_BYTES
        )
    )


def _present(file_name: tf.Tensor) -> tf.Tensor:
    """*file_name*, with an op that fails if there is no such file.

    tf.data's own datasets fail as well, but would try to open that file again in every later step. The error of an op
    is that of one element, after which the next file is read, as by TF1's readers.
    """

    def opened() -> tf.Tensor:
        # The file is missing, or has a name that is a pattern.
        first_byte = tf.data.FixedLengthRecordDataset(file_name, 1).take(1)
        with tf.control_dependencies([first_byte.reduce(False, no_autograph(lambda *_: True))]):
            return tf.identity(file_name)

    is_there = tf.size(tf.raw_ops.MatchingFiles(pattern=file_name)) > 0
    return tf.cond(is_there, no_autograph(lambda: file_name), no_autograph(opened))


def _beginning() -> tf.Tensor:
    return tf.constant(0, tf.int64)


def with_offsets(file_name: tf.Tensor, records: tf.data.Dataset, with_key: bool, offset: tf.Tensor) -> tf.data.Dataset:
    """*records*, consecutive TFRecords that begin at byte *offset*, as elements; with TF1's keys if *with_key*."""
    if not with_key:
        return as_one_component(records)

    @no_autograph
    def keyed(offset: tf.Tensor, record: tf.Tensor) -> Tuple[tf.Tensor, Any]:
        size = tf.cast(tf.strings.length(record), tf.int64)
        return offset + size + RECORD_FRAME_BYTES, (_key(file_name, offset), record)

    return records.scan(offset, keyed)


def of_strings(variant: tf.Tensor) -> tf.data.Dataset:
    # The raw op is used because the public class would read each file in a function of its own, as an element of a
    # second dataset.
    return tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.string))


def _text_lines(file_name: tf.Tensor, layout: ir.FileLayout, with_key: bool) -> tf.data.Dataset:
    skipped = layout.skip_header_lines
    file_name = _require(skipped >= 0, f"skip_header_lines must be >= 0 not {skipped}", file_name)
    lines = of_strings(
        tf.raw_ops.TextLineDataset(filenames=_present(file_name), compression_type="", buffer_size=_BUFFER_BYTES)
    ).skip(max(skipped, 0))
    return with_numbers(file_name, lines, with_key, first=skipped + 1)


def _fixed_length_records(file_name: tf.Tensor, layout: ir.FileLayout, with_key: bool) -> tf.data.Dataset:
    """Reads the records in pieces if the file consists of whole records, otherwise cuts them from the file's content.

    tf.data refuses a file with a partial record at its end, which TF1 ignored, and does not support *hop_bytes*.
    """
    for name in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes"):
        size = getattr(layout, name)
        file_name = _require(size >= 0, f"{name} must be >= 0 not {size}", file_name)
    hop = layout.hop_bytes or layout.record_bytes
    if layout.compression or hop != layout.record_bytes:
        records = _cut_from_the_whole(file_name, layout, hop)
    else:
        whole = tf.data.Dataset.from_tensors(_is_whole_records(file_name, layout))
        in_pieces = whole.filter(no_autograph(lambda yes: yes)).flat_map(
            no_autograph(lambda _: _in_pieces(file_name, layout))
        )
        rest = whole.filter(no_autograph(lambda yes: tf.logical_not(yes))).flat_map(
            no_autograph(lambda _: _cut_from_the_whole(file_name, layout, hop))
        )
        records = in_pieces.concatenate(rest)
    return with_numbers(file_name, records, with_key, first=0)


def _in_pieces(file_name: tf.Tensor, layout: ir.FileLayout) -> tf.data.Dataset:
    return tf.data.FixedLengthRecordDataset(
        file_name, max(layout.record_bytes, 1), max(layout.header_bytes, 0), max(layout.footer_bytes, 0)
    )


def _is_whole_records(file_name: tf.Tensor, layout: ir.FileLayout) -> tf.Tensor:
    """Whether the file has at least one record and no partial one: otherwise tf.data fails on the first record."""

    @no_autograph
    def first(name: tf.Tensor) -> tf.Tensor:
        return _in_pieces(name, layout).take(1).reduce(False, no_autograph(lambda *_: True))

    # The error is raised by the function of a single element, so ignoring it ends this dataset. Ignoring an error of
    # the file's own dataset would make it try again.
    answers = tf.data.Dataset.from_tensors(file_name).map(first).ignore_errors()
    return answers.reduce(False, no_autograph(lambda _, answer: answer))


def _cut_from_the_whole(file_name: tf.Tensor, layout: ir.FileLayout, hop: int) -> tf.data.Dataset:
    content = tf.io.read_file(file_name)
    if layout.compression:
        content = tf.io.decode_compressed(content, layout.compression)
    size = tf.cast(tf.strings.length(content), tf.int64)
    room = size - layout.header_bytes - layout.footer_bytes - layout.record_bytes
    count = tf.where(room < 0, tf.constant(0, tf.int64), room // max(hop, 1) + 1)

    @no_autograph
    def record(number: tf.Tensor) -> tf.Tensor:
        return tf.strings.substr(content, layout.header_bytes + number * hop, layout.record_bytes)

    return tf.data.Dataset.range(count).map(record)


def with_numbers(file_name: tf.Tensor, records: tf.data.Dataset, with_key: bool, first: Any) -> tf.data.Dataset:
    if not with_key:
        return as_one_component(records)
    named = no_autograph(lambda number, record: (_key(file_name, number), record))
    return records.enumerate(start=first).map(named)


def as_one_component(records: tf.data.Dataset) -> tf.data.Dataset:
    """(record,) for each record.

    ``Dataset.zip((records,))`` would add an iterator that every record has to pass.
    """
    return tf.data.experimental.from_variant(tf.data.experimental.to_variant(records), (records.element_spec,))


def _key(file_name: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    return tf.strings.join([file_name, ":", tf.strings.as_string(place)])


def _require(holds: bool, complaint: str, file_name: tf.Tensor) -> tf.Tensor:
    """*file_name*, with an op that fails when it runs unless *holds*: TF1 checks the argument at that moment, too."""
    if holds:
        return file_name
    with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.constant(False), data=[complaint])]):
        return tf.identity(file_name)


LAYOUTS: Dict[str, Callable[[tf.Tensor, ir.FileLayout, bool], tf.data.Dataset]] = {
    "FixedLengthRecord": _fixed_length_records,
    "TFRecord": _tf_records,
    "TextLine": _text_lines,
}

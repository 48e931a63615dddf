"""Turns reads by TensorFlow's own readers into steps of a plan."""

from __future__ import annotations

from typing import Callable, Dict, Optional

import tensorflow as tf

from queuecompat._capture.inputs import constant_size
from queuecompat._capture.reading import known_compression, reading
from queuecompat._plan import ir
from queuecompat.errors import CannotCompileError

__all__ = ["READS", "read_step", "up_to"]

READS = ("ReaderReadUpToV2", "ReaderReadV2")
_WHOLE: Dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "IdentityReaderV2": lambda name: name,
    "WholeFileReaderV2": tf.io.read_file,
}


def read_step(read: tf.Operation) -> ir.Step:
    """Returns the step that turns file names into the output of the op *read*: keys and records, or vectors of these.

    Raises:
      CannotCompileError: QC209, its reader is of an unknown kind.
    """
    reader = read.inputs[0].op
    return reading(_WHOLE.get(reader.type) or _layout(reader), up_to(read))


def up_to(read: tf.Operation) -> Optional[int]:
    """Returns the maximum number of records in the vectors that *read* outputs; None: it outputs single records.

    Raises:
      CannotCompileError: QC203, the number is not constant; QC207, it is less than 1.
    """
    if len(read.inputs) < 3:
        return None
    return constant_size("num_records", read.inputs[2])


def _layout(reader: tf.Operation) -> ir.FileLayout:
    """Returns how *reader* divides files into records, from the attributes of its op."""
    if reader.type == "TFRecordReaderV2":
        return ir.FileLayout("TFRecord", compression=reader.get_attr("compression_type").decode())
    if reader.type == "TextLineReaderV2":
        return ir.FileLayout("TextLine", skip_header_lines=reader.get_attr("skip_header_lines"))
    if reader.type == "FixedLengthRecordReaderV2":
        sizes = {name: reader.get_attr(name) for name in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes")}
        compression = known_compression(reader.get_attr("encoding").decode())
        return ir.FileLayout("FixedLengthRecord", compression=compression, **sizes)
    raise CannotCompileError("QC209", tensor=reader.name, what=f"a {reader.type.replace('V2', '')}")

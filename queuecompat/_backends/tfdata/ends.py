"""Checks, after the records of a TFRecord file, that the file does not end within the header of one more record.

In each session a file is checked once, and not again in later epochs.
"""

from __future__ import annotations

import functools
import os
import uuid
from typing import Tuple

import numpy as np
import six
import tensorflow as tf

from queuecompat._backends.tfdata.functions import NAME
from queuecompat._backends.tfdata.mapping import no_autograph, without_errors
from queuecompat._native.python_functions import numpy_function
from queuecompat.errors import layout
from queuecompat.records.ends import find_cut_header

__all__ = ["end_checked", "problem_of_end"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


def end_checked(file_name: tf.Tensor, records: tf.data.Dataset) -> tf.data.Dataset:
    """*records*, strings, followed by the error QC332 if the file *file_name* was cut within the header of a record.

    If the session's server is a different process, which does not have this Python function, the end is not checked.
    """
    # A TensorFlow table, not a Python set: calling Python for each file takes several times as long as reading a small
    # one.
    sound = functools.partial(
        tf.raw_ops.MutableHashTableV2,
        shared_name=f"{NAME}_ends_{uuid.uuid4().hex}",
        key_dtype=tf.string,
        value_dtype=tf.bool,
    )

    @no_autograph
    def looked_at(name: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        return name, tf.ensure_shape(numpy_function(_problem_of_end, [name], tf.string), [])

    @no_autograph
    def is_more(name: tf.Tensor, problem: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.equal(problem, ""), data=[problem])]):
            noted = tf.raw_ops.LookupTableInsertV2(table_handle=sound(), keys=name, values=tf.constant(True))
        with tf.control_dependencies([noted]):
            return tf.constant(False)

    def checked() -> tf.Tensor:
        problems = without_errors(tf.data.Dataset.from_tensors(file_name).map(looked_at)).filter(is_more)
        return to_variant(records.concatenate(problems.map(no_autograph(lambda name, problem: name))))

    is_sound = tf.raw_ops.LookupTableFindV2(table_handle=sound(), keys=file_name, default_value=tf.constant(False))
    return from_variant(tf.cond(is_sound, lambda: to_variant(records), checked), records.element_spec)


def _problem_of_end(name: bytes) -> np.bytes_:
    return np.bytes_(problem_of_end(name).encode())


def problem_of_end(name: bytes) -> str:
    """The message of QC332 if the TFRecord file *name* was cut within the header of a record.

    Empty if the file is complete, or if its end cannot be checked.
    """
    if os.path.exists(name) and not os.path.isfile(name):
        return ""  # a pipe cannot be read twice
    try:
        with tf.io.gfile.GFile(name, "rb") as file:
            offset = find_cut_header(file, int(file.size()))
    except (OSError, tf.errors.OpError):  # it has been removed since it was read
        return ""
    return "" if offset is None else layout("QC332", path=six.ensure_text(name, errors="replace"), offset=offset)

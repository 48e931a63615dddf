"""After the records of a TFRecord file: an error, if the file ends within the head of one more.

Each session looks at the end of a file once, and not again in the next epoch.
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
from queuecompat.records.ends import cut_head

__all__ = ["end_checked", "problem_of_end"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


def end_checked(file_name: tf.Tensor, records: tf.data.Dataset) -> tf.data.Dataset:
    """*records*, strings; then QC332, if the file *file_name* was cut within the head of a record.

    Where the session's server is a different process, which has no such function, the end is not looked at.
    """
    # A table and not a set of Python's: to ask Python for each file takes several times as long as to read a small one.
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
    """QC332, if the TFRecord file *name* was cut within the head of a record; empty: it is whole, or its end cannot be
    looked at."""
    if os.path.exists(name) and not os.path.isfile(name):
        return ""  # a pipe, of which what was read is gone
    try:
        with tf.io.gfile.GFile(name, "rb") as file:
            offset = cut_head(file, int(file.size()))
    except (OSError, tf.errors.OpError):  # it was read a moment ago, and has gone since
        return ""
    return "" if offset is None else layout("QC332", path=six.ensure_text(name, errors="replace"), offset=offset)

"""After the records of a TFRecord file: an error, if the file ends within the head of one more.

Each dataset looks at the end of a file once, and not again in the next epoch.
"""

from __future__ import annotations

import os
from typing import Set

import numpy as np
import six
import tensorflow as tf

from queuecompat._backends.tfdata.mapping import no_autograph, without_errors
from queuecompat.errors import layout
from queuecompat.records.ends import cut_head

__all__ = ["end_checked", "problem_of_end"]


def end_checked(file_name: tf.Tensor, records: tf.data.Dataset) -> tf.data.Dataset:
    """*records*, strings; then QC332, if the file *file_name* was cut within the head of a record.

    Where the session's server is a different process, which has no such function, the end is not looked at.
    """

    good: Set[bytes] = set()

    def problem_of(name: bytes) -> np.bytes_:
        if name in good:
            return np.bytes_(b"")
        problem = np.bytes_(problem_of_end(name).encode())
        if not problem:
            good.add(name)
        return problem

    @no_autograph
    def looked_at(name: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(tf.numpy_function(problem_of, [name], tf.string), [])

    @no_autograph
    def is_more(problem: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.equal(problem, ""), data=[problem])]):
            return tf.constant(False)

    problems = without_errors(tf.data.Dataset.from_tensors(file_name).map(looked_at))
    return records.concatenate(problems.filter(is_more))


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

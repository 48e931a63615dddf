"""Datasets of ``ir.Read``: the records of all files that a dataset names, and whether there are any."""

from __future__ import annotations

from typing import List

import tensorflow as tf

from queuecompat._backends.tfdata.blocks import Block, records_of_all_groups, records_of_block, traced_reader
from queuecompat._backends.tfdata.files import records_of
from queuecompat._backends.tfdata.mapping import flattened, no_autograph, specs_of
from queuecompat._backends.tfdata.numbered import beside_numbers, first_of_file
from queuecompat._plan import ir

__all__ = ["have_records", "records_of_all"]


def records_of_all(dataset: tf.data.Dataset, step: ir.Read) -> tf.data.Dataset:
    """The records of the files that *dataset* names."""

    def records(file_name: tf.Tensor, *number: tf.Tensor) -> List[tf.Tensor]:
        found = records_of_block(Block.of(file_name), step) if step.open_blocks else records_of(file_name, step)
        if number:
            found = beside_numbers(found, first_of_file(number[0]), step.components)
        return [tf.data.experimental.to_variant(found)]

    if step.open_blocks > 1:
        return records_of_all_groups(dataset, step)
    function = traced_reader(records, specs_of(dataset), "records", step)
    return flattened(dataset, function, step.components)


def have_records(names: tf.Tensor, epoch: tf.Tensor, step: ir.Read) -> tf.Tensor:
    """Whether the files *names* have a record. Checked only from the second *epoch* on, and only in some epochs.

    By then all of them have been read once, so that an error of a file has already been raised by that read.
    """
    first = records_of_all(tf.data.Dataset.from_tensor_slices((names,)), step).take(1)
    # A check takes tens of milliseconds, as long as reading thousands of records, so it is made only in epochs 1, 2, 4,
    # 8, ...
    is_time = (epoch > 0) & tf.equal(tf.bitwise.bitwise_and(epoch, epoch - 1), 0)
    return tf.cond(is_time, lambda: first.reduce(False, no_autograph(lambda *_: True)), lambda: tf.constant(True))

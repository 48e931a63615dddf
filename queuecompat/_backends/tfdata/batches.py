"""Datasets of ``ir.Batch`` and ``ir.Bucket``: elements stacked, and padded where the program asks for it."""

from __future__ import annotations

from typing import Any, Union

import tensorflow as tf

from queuecompat._backends.tfdata.mapping import no_autograph
from queuecompat._plan import ir
from queuecompat._plan.resources import Resources

__all__ = ["batched", "bucketed"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


def batched(dataset: tf.data.Dataset, step: ir.Batch, resources: Resources) -> tf.data.Dataset:
    if step.refills:
        return _refilled(dataset, step)
    return _stacked(dataset, step.components, step.size, step)


def _refilled(dataset: tf.data.Dataset, step: ir.Batch) -> tf.data.Dataset:
    """Batches of ``step.size`` rows, cut from the batches of *dataset*; one that has this size already is passed on."""
    variant = tf.raw_ops.RebatchDatasetV2(
        input_dataset=to_variant(dataset),
        batch_sizes=tf.constant([step.size], tf.int64),
        drop_remainder=tf.constant(step.drop_remainder),
        output_types=[spec.dtype for spec in step.components],
        output_shapes=[spec.shape for spec in step.components],
    )
    return from_variant(variant, tuple(step.components))


def _stacked(
    dataset: tf.data.Dataset, components: ir.Components, size: Any, step: Union[ir.Batch, ir.Bucket]
) -> tf.data.Dataset:
    """Batches of *size*, a number or a tensor.

    *step* says whether to pad, and whether to drop the last partial batch.
    """
    if step.padded and any(spec.dtype == tf.variant for spec in components):
        return _padded_with_variants(dataset, components, size, step.drop_remainder)
    if step.padded:
        shapes = tuple(spec.shape[1:] for spec in components)
        return dataset.padded_batch(size, padded_shapes=shapes, drop_remainder=step.drop_remainder)
    return dataset.batch(size, drop_remainder=step.drop_remainder)


def _padded_with_variants(
    dataset: tf.data.Dataset, components: ir.Components, size: Any, drop_remainder: bool
) -> tf.data.Dataset:
    """``padded_batch`` for elements with variants (stored SparseTensors), which the public method refuses.

    The variants themselves need no padding.
    """
    nothing = tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant([], tf.int32), max_num_elements=0, element_dtype=tf.int32
    )
    shapes = [[-1 if n is None else n for n in spec.shape[1:].as_list()] for spec in components]
    batched = tf.raw_ops.PaddedBatchDatasetV2(
        input_dataset=tf.data.experimental.to_variant(dataset),
        batch_size=tf.convert_to_tensor(size, tf.int64),
        padded_shapes=[tf.constant(shape, tf.int64) for shape in shapes],
        padding_values=[nothing if spec.dtype == tf.variant else tf.zeros([], spec.dtype) for spec in components],
        drop_remainder=tf.constant(drop_remainder),
        output_shapes=[spec.shape for spec in components],
    )
    return tf.data.experimental.from_variant(batched, tuple(components))


def bucketed(dataset: tf.data.Dataset, step: ir.Bucket, resources: Resources) -> tf.data.Dataset:
    """One window per bucket.

    The bucket's number stays in the elements and is stacked with them, since removing it would cost a call per element.
    """
    count, (number, *stacked) = len(step.sizes), step.components
    rows = None if len(set(step.sizes)) > 1 or not step.drop_remainder else step.sizes[0]
    components = (*stacked, tf.TensorSpec([rows], number.dtype))

    def is_bucket(key: tf.Tensor) -> tf.Tensor:
        return (key >= 0) & (key < count)

    @no_autograph
    def size_of(key: tf.Tensor) -> tf.Tensor:
        # An element that is in no bucket forms a window by itself, so that none accumulate; ``batches`` drops it.
        return tf.gather(
            tf.constant([*step.sizes, 1], tf.int64), tf.where(is_bucket(key), key, tf.constant(count, tf.int64))
        )

    @no_autograph
    def batches(key: tf.Tensor, window: tf.data.Dataset) -> tf.data.Dataset:
        size = size_of(key) if len(set(step.sizes)) > 1 else step.sizes[0]
        everything, nothing = tf.constant(-1, tf.int64), tf.constant(0, tf.int64)
        return _stacked(window.take(tf.where(is_bucket(key), everything, nothing)), components, size, step)

    key_of = no_autograph(lambda *components: tf.cast(components[-1], tf.int64))
    grouped = dataset.group_by_window(key_of, batches, window_size_func=size_of)
    return grouped.map(no_autograph(lambda *components: (components[-1][0], *components[:-1])))

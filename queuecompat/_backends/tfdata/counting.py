"""Datasets of ``ir.Count``: the same elements, which a counter counts as they pass."""

from __future__ import annotations

import sys
from typing import List

import tensorflow as tf

from queuecompat._backends.tfdata.functions import shared_over
from queuecompat._backends.tfdata.mapping import mapped, specs_of, unbatched
from queuecompat._plan import ir
from queuecompat._plan.resources import Counter, Resources

__all__ = ["counted"]

from_variant = tf.data.experimental.from_variant
to_variant = tf.data.experimental.to_variant


def counted(dataset: tf.data.Dataset, step: ir.Count, resources: Resources) -> tf.data.Dataset:
    counter = resources.counter(step)
    if step.every > 1:
        return _counted_ahead(dataset, step, counter)
    specs = specs_of(dataset)

    def with_count(*given: tf.Tensor) -> List[tf.Tensor]:
        components = given[: len(specs)]
        count = tf.shape(components[0], tf.int64)[0] if step.batched else tf.constant(1, tf.int64)
        with tf.control_dependencies([counter.with_handles(given[len(specs) :]).add(count + step.room)]):
            return [tf.identity(component) for component in components]

    how = (type(counter), step.batched, step.room)
    function, captured = shared_over(counter.handles, with_count, specs, "counted", *how)
    return mapped(dataset, function, step.components, ends=True, inline=True, captured=captured)


def _counted_ahead(dataset: tf.data.Dataset, step: ir.Count, counter: Counter) -> tf.data.Dataset:
    """Counts ``step.every`` elements at once, before they pass, without a call per element.

    The elements go through a ``choose_from_datasets`` with a single dataset, whose selector does the counting.
    """

    def ticks(_: tf.Tensor, *handles: tf.Tensor) -> List[tf.Tensor]:
        with tf.control_dependencies([counter.with_handles(handles).add(tf.constant(step.every, tf.int64))]):
            return [tf.zeros([step.every], tf.int64)]

    tick = tf.TensorSpec([], tf.int64)
    function, captured = shared_over(counter.handles, ticks, [tick], "ticks", type(counter), step.every)
    numbers, row = tf.data.Dataset.range(sys.maxsize), tf.TensorSpec([step.every], tf.int64)
    rows = mapped(numbers, function, [row], ends=True, captured=captured)
    chosen = tf.raw_ops.DirectedInterleaveDataset(
        selector_input_dataset=to_variant(unbatched(rows, [tick])),
        data_input_datasets=[to_variant(dataset)],
        output_types=[spec.dtype for spec in step.components],
        output_shapes=[spec.shape for spec in step.components],
        stop_on_empty_dataset=True,
    )
    return from_variant(chosen, tuple(step.components))

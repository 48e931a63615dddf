"""``Dataset.map`` by its raw op, which does two things that the public one does not.

It calls a function as it is: ``Dataset.map`` would call it from inside of one of its own, which costs as much again
for each element. And it need not promise as many elements as it takes, so that the function may end the data.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._backends.tfdata.functions import NAME, dataset_function
from queuecompat._native.autograph import unconverted

__all__ = ["filtered", "flattened", "mapped", "no_autograph", "specs_of", "unbatched", "without_errors"]


def no_autograph(function: Callable[..., Any]) -> Any:
    """*function* for a dataset, left alone by AutoGraph: ours are plain functions of tensors."""
    function.__name__ = f"{NAME}_{function.__name__.strip('<>')}"
    return unconverted(function)


def mapped(
    dataset: tf.data.Dataset,
    function: Any,
    components: Sequence[Any],
    *,
    parallel_calls: int = 1,
    ordered: bool = True,
    ends: bool = False,
    inline: bool = False,
    arguments: Sequence[tf.Tensor] = (),
    captured: Optional[Sequence[tf.Tensor]] = None,
) -> tf.data.Dataset:
    """The dataset of what the concrete *function* returns for the elements of *dataset*.

    Args:
      components: the specs of what it returns, flat.
      ends: an OutOfRangeError in *function* ends the dataset; otherwise it is an InvalidArgumentError, as in
        ``Dataset.map``. Calls in parallel have to be *ordered* then, so that no element before the end is lost.
      inline: call by call it runs in the thread that asks for the element, op by op. A function of a few cheap ops
        takes a tenth of the time: 3 and not 30 us for one op.
      arguments: given to *function* after the components of each element.
      captured: given to it in place of what it captured, which was of another graph (``shared_over``).
    """
    common = dict(
        input_dataset=tf.data.experimental.to_variant(dataset),
        other_arguments=[*arguments, *(function.captured_inputs if captured is None else captured)],
        f=dataset_function(function),
        output_types=[spec.dtype for spec in components],
        output_shapes=[spec.shape for spec in components],
        preserve_cardinality=not ends,
    )
    if parallel_calls > 1:
        variant = tf.raw_ops.ParallelMapDatasetV2(
            num_parallel_calls=tf.constant(parallel_calls, tf.int64),
            deterministic="true" if ordered else "false",
            **common,
        )
    else:
        variant = tf.raw_ops.MapDataset(**common, use_inter_op_parallelism=not inline)
    return tf.data.experimental.from_variant(variant, tuple(components))


def flattened(
    dataset: tf.data.Dataset, function: Any, components: Sequence[Any], *, at_once: int = 1, in_turn: int = 1
) -> tf.data.Dataset:
    """The elements of the datasets that the concrete *function* returns for the elements of *dataset*.

    Args:
      components: their specs, flat.
      at_once: of so many of the datasets come *in_turn* elements each in turn.
    """
    common = dict(
        input_dataset=tf.data.experimental.to_variant(dataset),
        other_arguments=function.captured_inputs,
        f=dataset_function(function),
        output_types=[spec.dtype for spec in components],
        output_shapes=[spec.shape for spec in components],
    )
    if at_once > 1:
        count, length = tf.constant(at_once, tf.int64), tf.constant(in_turn, tf.int64)
        variant = tf.raw_ops.InterleaveDataset(**common, cycle_length=count, block_length=length)
    else:
        variant = tf.raw_ops.FlatMapDataset(**common)
    return tf.data.experimental.from_variant(variant, tuple(components))


def filtered(dataset: tf.data.Dataset, predicate: Any, arguments: Sequence[tf.Tensor] = ()) -> tf.data.Dataset:
    """The elements of *dataset* for which the concrete function *predicate* of them, and of *arguments*, is true."""
    specs = tf.nest.flatten(dataset.element_spec)
    variant = tf.raw_ops.FilterDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        other_arguments=[*arguments, *predicate.captured_inputs],
        predicate=dataset_function(predicate),
        output_types=[spec.dtype for spec in specs],
        output_shapes=[spec.shape for spec in specs],
    )
    return tf.data.experimental.from_variant(variant, dataset.element_spec)


def without_errors(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """The elements of *dataset* that are no errors."""
    specs = tf.nest.flatten(dataset.element_spec)
    variant = tf.raw_ops.IgnoreErrorsDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        output_types=[spec.dtype for spec in specs],
        output_shapes=[spec.shape for spec in specs],
    )
    return tf.data.experimental.from_variant(variant, dataset.element_spec)


def unbatched(dataset: tf.data.Dataset, components: Sequence[Any]) -> tf.data.Dataset:
    """``Dataset.unbatch`` of tensors, without the function that the public one traces for other structures.

    Args:
      components: the specs of a row, flat.
    """
    variant = tf.raw_ops.UnbatchDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        output_types=[spec.dtype for spec in components],
        output_shapes=[spec.shape for spec in components],
    )
    return tf.data.experimental.from_variant(variant, tuple(components))


def specs_of(dataset: tf.data.Dataset) -> List[tf.TensorSpec]:
    """What an element of *dataset* consists of, flat."""
    return [tf.TensorSpec(spec.shape, spec.dtype) for spec in tf.nest.flatten(dataset.element_spec)]

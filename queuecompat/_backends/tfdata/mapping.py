"""``Dataset.map`` and its like by their raw ops, which can do two things that the public methods cannot.

The raw op calls a function directly, while ``Dataset.map`` calls it from inside a function of its own, which doubles
the cost per element. And it need not promise as many outputs as inputs, so that the function may end the data.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import tensorflow as tf

from queuecompat._backends.tfdata.functions import NAME, dataset_function
from queuecompat._native.autograph import unconverted

__all__ = ["filtered", "flattened", "mapped", "no_autograph", "specs_of", "unbatched", "without_errors"]


def no_autograph(function: Callable[..., Any]) -> Any:
    """*function*, for use in a dataset, not converted by AutoGraph: ours are plain functions of tensors."""
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
    """The dataset of the results of the concrete *function* for the elements of *dataset*.

    Args:
      components: the specs of the results, flat.
      ends: whether an OutOfRangeError in *function* ends the dataset; otherwise it becomes an InvalidArgumentError, as
        in ``Dataset.map``. Parallel calls have to be *ordered* then, so that no element before the end is lost.
      inline: whether to run each call in the thread that asks for the element, op by op. A function of a few cheap ops
        then takes a tenth of the time: 3 us instead of 30 us for one op.
      arguments: passed to *function* after the components of each element.
      captured: passed to it in place of its own captured inputs, which belong to a different graph (``shared_over``).
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
      components: the specs of the elements, flat.
      at_once: the number of datasets that are open at once, of each of which *in_turn* elements are taken in turn.
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
    """The elements of *dataset* for which the concrete *predicate*, called with them and *arguments*, is true."""
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
    """*dataset* without the elements that raise an error."""
    specs = tf.nest.flatten(dataset.element_spec)
    variant = tf.raw_ops.IgnoreErrorsDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        output_types=[spec.dtype for spec in specs],
        output_shapes=[spec.shape for spec in specs],
    )
    return tf.data.experimental.from_variant(variant, dataset.element_spec)


def unbatched(dataset: tf.data.Dataset, components: Sequence[Any]) -> tf.data.Dataset:
    """``Dataset.unbatch`` for flat tuples, without the function that the public method traces for other structures.

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
    """The specs of the components of an element of *dataset*, flat."""
    return [tf.TensorSpec(spec.shape, spec.dtype) for spec in tf.nest.flatten(dataset.element_spec)]

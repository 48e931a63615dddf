"""``Dataset.map`` by its raw op, which does two things that the public one does not.

It calls a function as it is: ``Dataset.map`` would call it from inside of one of its own, which costs as much again
for each element. And it need not promise as many elements as it takes, so that the function may end the data.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import tensorflow as tf

__all__ = ["as_it_stands", "mapped", "traced"]

# What functions of ours are called in a graph: it may be loaded where nothing else says what they are.
_NAME = "queuecompat"


def as_it_stands(function: Callable[..., Any]) -> Any:
    """*function* for a dataset, left alone by AutoGraph: ours are plain functions of tensors."""
    function.__name__ = f"{_NAME}_{function.__name__.strip('<>')}"
    return tf.autograph.experimental.do_not_convert(function)


def traced(function: Callable[..., Sequence[tf.Tensor]], specs: Sequence[tf.TensorSpec]) -> Any:
    """*function* of tensors of *specs*, which gives several, as a concrete function."""
    return tf.compat.v1.wrap_function(lambda *components: list(function(*components)), list(specs), name=_NAME)


def mapped(
    dataset: tf.data.Dataset,
    function: Any,
    components: Sequence[Any],
    *,
    parallel_calls: int = 1,
    ordered: bool = True,
    ends: bool = False,
    inline: bool = False,
) -> tf.data.Dataset:
    """The dataset of what the concrete *function* gives for the elements of *dataset*.

    Args:
      components: the specs of what it gives, flat.
      ends: an OutOfRangeError in *function* ends the dataset; otherwise it is an InvalidArgumentError, as in
        ``Dataset.map``. Calls in parallel have to be *ordered* then, so that no element before the end is lost.
      inline: call by call it runs in the thread that asks for the element, op by op. A function of a few cheap ops
        takes a tenth of the time: 3 and not 30 us for one op.
    """
    common = dict(
        input_dataset=tf.data.experimental.to_variant(dataset),
        other_arguments=function.captured_inputs,
        f=function,
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

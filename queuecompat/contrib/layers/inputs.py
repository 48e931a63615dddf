"""Parses examples, and builds a first layer, by feature columns.

Source: TF 1.15.5 ``contrib/layers/python/layers/feature_column_ops.py``.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib.layers.columns import check_feature_columns

__all__ = [
    "create_feature_spec_for_parsing",
    "input_from_feature_columns",
    "make_place_holder_tensors_for_base_features",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "weighted_sum_from_feature_columns",
]


def create_feature_spec_for_parsing(feature_columns: Any) -> Dict[str, Any]:
    """The dict of features that ``tf.parse_example`` needs for *feature_columns* (a list, or the values of a dict)."""
    return tf.feature_column.make_parse_example_spec(_listed(feature_columns))


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Any, name: Optional[str] = None, example_names: Any = None
) -> Dict[str, Any]:
    """The features of serialized tf.Examples that the columns use.

    Args:
      serialized: ``[n]`` strings.
      feature_columns: columns of this package.
      name: name of the op.
      example_names: ``[n]`` strings, for messages.
    Returns:
      A dict from the features' names to Tensors and SparseTensors.
    Raises:
      ValueError: two columns with the same name.
      tf.errors.InvalidArgumentError: at run time, an example does not match the columns.
    Differs from TF1: The keys of the dict are the names of features only; in TF1 they included the columns
      themselves.
    """
    check_feature_columns(feature_columns)
    spec = create_feature_spec_for_parsing(feature_columns)
    return tf.parse_example(serialized, spec, name=name, example_names=example_names)


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: Optional[str] = None,
    example_name: Any = None,
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The features of one serialized tf.SequenceExample: those of the whole sequence, and those of each step.

    Args:
      serialized: a string, a scalar or ``[1]``.
      context_feature_columns, sequence_feature_columns: columns, or None.
      name: name of the op.
      example_name: a string, for messages.
    Returns:
      Two dicts from the features' names to Tensors and SparseTensors; those of steps have one more dimension.
    Raises:
      ValueError: *serialized* is more than one example; two columns with the same name.
    Differs from TF1: None known.
    """
    single = tf.reshape(serialized, [])
    context, sequence = context_feature_columns or [], sequence_feature_columns or []
    for columns in (context, sequence):
        check_feature_columns(columns)
    steps = {key: _of_steps(one) for key, one in create_feature_spec_for_parsing(sequence).items()}
    return tf.parse_single_sequence_example(single, create_feature_spec_for_parsing(context), steps, example_name, name)


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> Dict[str, Any]:
    """Placeholders for the features that the columns use: ``[n, size]`` for numbers, sparse ones for words."""
    placeholders = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        if isinstance(feature, tf.VarLenFeature):
            placeholders[key] = tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{key}")
        else:
            placeholders[key] = tf.placeholder(feature.dtype, (None, feature.shape[0]), name=f"Placeholder_{key}")
    return placeholders


def input_from_feature_columns(
    columns_to_tensors: Dict[str, Any],
    feature_columns: Any,
    weight_collections: Optional[List[str]] = None,
    trainable: bool = True,
    scope: Optional[str] = None,
    cols_to_outs: Optional[Dict[Any, tf.Tensor]] = None,
) -> tf.Tensor:
    """The concatenation of all columns: the first layer of a network.

    Args:
      columns_to_tensors: dict from the features' names to Tensors (``[n, size]``) and SparseTensors.
      feature_columns: dense ones: numbers, buckets, one-hot and embeddings.
      weight_collections: collections for the variables of embeddings.
      trainable: whether these are trainable.
      scope: variable scope; "input_from_feature_columns" if None.
      cols_to_outs: a dict; each column's part of the result is added to it.
    Returns:
      ``[n, size of all columns]``, float32, the columns in TF1's order: buckets, embeddings, one-hot, numbers,
      and each of these kinds by name.
    Raises:
      ValueError: two columns with the same name, or a column that is not dense.
    Differs from TF1: The variables have different names, so TF1's checkpoints do not fit.
    """
    check_feature_columns(feature_columns)
    with tf.variable_scope(scope, "input_from_feature_columns", list(columns_to_tensors.values())):
        parts = []
        for column in sorted(_listed(feature_columns), key=_place):
            part = tf.feature_column.input_layer(columns_to_tensors, [column], weight_collections, trainable)
            parts.append(part)
            if cols_to_outs is not None:
                cols_to_outs[column] = part
        return tf.concat(parts, axis=1)


def weighted_sum_from_feature_columns(
    columns_to_tensors: Dict[str, Any],
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Optional[List[str]] = None,
    trainable: bool = True,
    scope: Optional[str] = None,
) -> Tuple[tf.Tensor, Dict[Any, List[tf.Variable]], tf.Variable]:
    """A linear model of all columns, with weights that are 0 initially.

    Args:
      num_outputs: size of the result.
      columns_to_tensors, weight_collections, trainable, scope: as ``input_from_feature_columns``.
      feature_columns: sparse columns, numbers and buckets.
    Returns:
      ``[n, num_outputs]``; a dict from each column to its variables; and the bias.
    Raises:
      ValueError: two columns with the same name, or a column that only works as a dense one.
    Differs from TF1: The *combiner* of a sparse column is ignored: sparse columns are summed. The variables have
      different names, so TF1's checkpoints do not fit.
    """
    check_feature_columns(feature_columns)
    variables: Dict[Any, Any] = {}
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", list(columns_to_tensors.values())):
        total = tf.feature_column.linear_model(
            columns_to_tensors,
            _listed(feature_columns),
            units=num_outputs,
            weight_collections=weight_collections,
            trainable=trainable,
            cols_to_vars=variables,
        )
    bias = variables.pop("bias")
    return total, variables, bias[0] if isinstance(bias, list) else bias


def _listed(feature_columns: Any) -> List[Any]:
    return list(feature_columns.values() if isinstance(feature_columns, dict) else feature_columns)


def _of_steps(feature: Any) -> Any:
    """The features of each step; a default value means that the feature may be missing."""
    if isinstance(feature, tf.VarLenFeature):
        return feature
    return tf.FixedLenSequenceFeature(feature.shape, feature.dtype, allow_missing=feature.default_value is not None)


# TF1 sorted columns by their repr, which began with the name of their class.
_KINDS = ("Bucketized", "Embedding", "Indicator", "Numeric")


def _place(column: Any) -> Tuple[int, str]:
    kinds = [number for number, kind in enumerate(_KINDS) if kind in type(column).__name__]
    return (kinds[0] if kinds else len(_KINDS), column.name)

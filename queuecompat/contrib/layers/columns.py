"""contrib's feature columns, as ``tf.feature_column`` has them.

Each function returns a column of TensorFlow's own, which ``tf.feature_column.input_layer`` and
``make_parse_example_spec`` accept too. The *combiner* of a sparse column has no effect, because
``weighted_sum_from_feature_columns`` always sums.
"""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence

import tensorflow.compat.v1 as tf

__all__ = [
    "bucketized_column",
    "check_feature_columns",
    "crossed_column",
    "embedding_column",
    "one_hot_column",
    "real_valued_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]

_columns = tf.feature_column


def real_valued_column(
    column_name: str, dimension: int = 1, default_value: Any = None, dtype: Any = tf.float32, normalizer: Any = None
) -> Any:
    """Numbers: ``[n, dimension]``. ValueError, TypeError: *dimension* is not a positive integer."""
    if not isinstance(dimension, int):
        raise TypeError(f"real_valued_column: dimension must be an integer, not {dimension!r}")
    if dimension < 1:
        raise ValueError(f"real_valued_column: dimension is {dimension}; it must be greater than 0")
    return _columns.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> Any:
    """Which of the intervals between *boundaries* (increasing) a number is in, one-hot."""
    return _columns.bucketized_column(source_column, list(boundaries))


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = tf.string, hash_keys: Any = None
) -> Any:
    """Words or integers by their hash. ValueError: *hash_keys* is given, which TensorFlow 2 does not support."""
    if hash_keys is not None:
        raise ValueError("sparse_column_with_hash_bucket: TensorFlow 2 hashes a word into one bucket; remove hash_keys")
    return _columns.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """Integers from 0 to *bucket_size* - 1.

    Args:
      column_name: name of the feature, integers.
      bucket_size: number of different integers.
      combiner: has no effect.
      dtype: an integer type.
    Raises:
      TypeError: *dtype* is not an integer type.
    Differs from TF1: An integer out of range adds nothing to a one-hot column and is an error in an embedding or a
      weighted sum; TF1 used the remainder of the division by *bucket_size*.
    Source: TF 1.15.5 ``contrib/layers/python/layers/feature_column.py``.
    """
    if not tf.as_dtype(dtype).is_integer:
        raise ValueError(f"sparse_column_with_integerized_feature: {tf.as_dtype(dtype).name} is not an integer type")
    return _columns.categorical_column_with_identity(column_name, bucket_size)


def sparse_column_with_keys(
    column_name: str, keys: Sequence[Any], default_value: int = -1, combiner: str = "sum", dtype: Any = tf.string
) -> Any:
    """Words or integers by their index in *keys*."""
    return _columns.categorical_column_with_vocabulary_list(column_name, tuple(keys), dtype, default_value)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """Words by their line number in a file. ValueError: no *vocab_size*."""
    if vocab_size is None:
        raise ValueError("sparse_column_with_vocabulary_file: pass vocab_size, the number of lines")
    return _columns.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets, None if num_oov_buckets else default_value, dtype
    )


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32) -> Any:
    """Words with weights; the weights are a second feature."""
    return _columns.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> Any:
    """Combinations of the values of several columns, by their hash.

    Args:
      columns: the columns to combine.
      hash_bucket_size: number of buckets.
      combiner: has no effect.
      ckpt_to_load_from, tensor_name_in_ckpt: not supported; pass None.
      hash_key: key of the hash.
    Raises:
      ValueError: a checkpoint is given, which TensorFlow 2 does not support here.
    Differs from TF1: The hash, and so the bucket of a combination, is different from TF1's.
    Source: TF 1.15.5 ``contrib/layers/python/layers/feature_column.py``.
    """
    if ckpt_to_load_from is not None or tensor_name_in_ckpt is not None:
        raise ValueError("crossed_column: restore the weights by tf.train.init_from_checkpoint")
    # A column without buckets is passed to ``crossed_column`` as the name of its feature.
    keys = [one if hasattr(one, "boundaries") or hasattr(one, "keys") else one.key for one in columns]
    return _columns.crossed_column(keys, hash_bucket_size, hash_key)


def one_hot_column(sparse_id_column: Any) -> Any:
    """How often each value occurs: ``[n, size]``."""
    return _columns.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> Any:
    """A trainable vector for each value: ``[n, dimension]``.

    Args:
      initializer: None: a truncated normal distribution with standard deviation 1 / sqrt(number of values), as in TF1.
      sparse_id_column, dimension, combiner, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable: as in
        ``tf.feature_column.embedding_column``.
    """
    return _columns.embedding_column(
        sparse_id_column,
        dimension,
        combiner,
        initializer or _default_initializer(sparse_id_column),
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: Optional[str] = None,
    initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> List[Any]:
    """``embedding_column`` for several columns that share their vectors."""
    return _columns.shared_embedding_columns(
        list(sparse_id_columns),
        dimension,
        combiner,
        initializer or _default_initializer(sparse_id_columns[0]),
        shared_embedding_name,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def check_feature_columns(feature_columns: Any) -> None:
    """Checks that no two columns have the same name. ValueError: two have."""
    columns = list(feature_columns.values() if isinstance(feature_columns, dict) else feature_columns)
    names = [one.name for one in columns]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two feature columns are named {name}")


def _default_initializer(column: Any) -> Any:
    return tf.truncated_normal_initializer(0.0, 1 / math.sqrt(column.num_buckets))

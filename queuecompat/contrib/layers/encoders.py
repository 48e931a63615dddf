"""Embeddings of sequences of symbols. Source: TF 1.15.5 ``contrib/layers/python/layers/encoders.py`` and
``embedding_ops.py``."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

from queuecompat.contrib.framework.variables import model_variable

__all__ = ["bow_encoder", "embed_sequence", "embedding_lookup_unique"]


def embed_sequence(
    ids: Any,
    vocab_size: Optional[int] = None,
    embed_dim: Optional[int] = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Optional[bool] = None,
) -> tf.Tensor:
    """The embedding of each symbol: ``[n, steps]`` to ``[n, steps, embed_dim]``.

    Args:
      ids: the numbers of the symbols.
      vocab_size, embed_dim: the shape of the variable ``embeddings``.
      unique: each symbol is looked up once.
      initializer, regularizer, trainable: of the variable.
      scope, reuse: the variable scope; "EmbedSequence" if None.
    Raises:
      ValueError: neither *reuse* nor both sizes.
    Differs from TF1: None known.
    """
    if not reuse and not (vocab_size and embed_dim):
        raise ValueError(f"embed_sequence needs vocab_size and embed_dim, or reuse, not {vocab_size} and {embed_dim}")
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = None if embed_dim is None or (reuse and vocab_size is None) else [vocab_size, embed_dim]
        embeddings = model_variable(
            "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
        )
        return embedding_lookup_unique(embeddings, ids) if unique else tf.nn.embedding_lookup(embeddings, ids)


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Optional[bool] = None,
) -> tf.Tensor:
    """The mean of the embeddings of an example's symbols: ``[n, steps]`` to ``[n, embed_dim]``.

    Args:
      ids: the numbers of the symbols; or a SparseTensor of them.
      sparse_lookup: symbol 0 is padding and does not count; an example without symbols has the embedding of 0.
      vocab_size, embed_dim, initializer, regularizer, trainable: as ``embed_sequence``.
      scope, reuse: the variable scope; "bow_encoder" if None.
    Raises:
      ValueError: a size is missing.
      TypeError: a SparseTensor without *sparse_lookup*.
    Differs from TF1: None known.
    """
    if not vocab_size or not embed_dim:
        raise ValueError(f"bow_encoder needs vocab_size and embed_dim, not {vocab_size} and {embed_dim}")
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            present = ids if isinstance(ids, tf.SparseTensor) else tf.sparse.from_dense(ids)
            return tf.nn.safe_embedding_lookup_sparse([embeddings], present, combiner="mean", default_id=0)
        if isinstance(ids, tf.SparseTensor):
            raise TypeError(f"bow_encoder without sparse_lookup needs a dense tensor, not {ids}")
        return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: Optional[str] = None
) -> tf.Tensor:
    """``tf.nn.embedding_lookup``, which looks every different one of *ids* up only once.

    Raises:
      ValueError: *params* is empty.
    Differs from TF1: None known.
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        different, positions = tf.unique(tf.reshape(ids, [-1]))
        rows = tf.gather(tf.nn.embedding_lookup(params, different, partition_strategy), positions)
        embedded = tf.reshape(rows, tf.concat([tf.shape(ids), tf.shape(rows)[1:]], 0))
        embedded.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return embedded

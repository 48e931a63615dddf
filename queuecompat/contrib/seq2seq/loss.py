"""The loss of a model of sequences."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow.compat.v1 as tf

__all__ = ["sequence_loss"]


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """The cross-entropy of sequences, weighted, and reduced over steps, over examples or over both.

    Args:
      logits: ``[n, steps, classes]``.
      targets: ``[n, steps]``, the classes.
      weights: ``[n, steps]``; 0 leaves a step out, such as the padding in ``tf.sequence_mask``.
      average_across_timesteps, average_across_batch: sums over this dimension, and divides by the sum of the weights.
      sum_over_timesteps, sum_over_batch: sums over this dimension, and divides by the number of weights that are not 0.
      softmax_loss_function: called with *labels* ``[n * steps]`` and *logits* ``[n * steps, classes]``, by name;
        the sparse softmax cross-entropy if None.
    Returns:
      A scalar, ``[n]``, ``[steps]`` or ``[n, steps]``, depending on what is reduced. A quotient is 0 if its divisor is.
    Raises:
      ValueError: *logits* do not have three dimensions, *targets* or *weights* not two; or the same dimension is to be
        averaged and summed.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/seq2seq/python/ops/loss.py``.
    """
    for title, tensor, shape in (
        ("logits", logits, "[batch, steps, classes]"),
        ("targets", targets, "[batch, steps]"),
        ("weights", weights, "[batch, steps]"),
    ):
        if len(tensor.get_shape()) != shape.count(",") + 1:
            raise ValueError(f"{title} must be {shape}, but have shape {tensor.get_shape()}")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("average_across_timesteps and sum_over_timesteps cannot both be True")
    if average_across_batch and sum_over_batch:
        raise ValueError("average_across_batch and sum_over_batch cannot both be True")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        compute = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        flat = tf.reshape(logits, [-1, tf.shape(logits)[2]])
        losses = compute(labels=tf.reshape(targets, [-1]), logits=flat) * tf.reshape(weights, [-1])
        # To reduce both dimensions, as in TF1, sum the flat losses: a sum of sums would differ in the last bits.
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.cast(tf.math.count_nonzero(weights), losses.dtype))
        losses = tf.reshape(losses, tf.shape(logits)[:2])
        # If one dimension is to be averaged and the other summed, TF 1.15 only does the averaging.
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            return tf.div_no_nan(tf.reduce_sum(losses, axis), tf.reduce_sum(weights, axis))
        if sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            count = tf.cast(tf.math.count_nonzero(weights, axis=axis), losses.dtype)
            return tf.div_no_nan(tf.reduce_sum(losses, axis), count)
        return losses

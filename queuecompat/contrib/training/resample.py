"""Resampling: each row of a batch is repeated a random number of times, possibly 0."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import tensorflow as tf

__all__ = ["resample_at_rate", "weighted_resample"]


def resample_at_rate(
    inputs: Sequence[Any], rates: Any, scope: Optional[str] = None, seed: Optional[int] = None, back_prop: bool = False
) -> List[tf.Tensor]:
    """Rows of *inputs*, each repeated a random number of times.

    The numbers are drawn from Poisson distributions. For a queue, pass the result to
    ``train.batch(..., enqueue_many=True)``; both are compiled into one pipeline.

    Args:
      inputs: list of tensors ``[n, *example]``.
      rates: floating point ``[n]``, how often each row is repeated on average.
      scope: name scope of the ops.
      seed: random seed; with it, the random numbers are TF1's.
      back_prop: has no effect: the numbers of repetitions have no gradients. Gradients of *inputs* are always
        computed.
    Returns:
      A list of tensors ``[m, *example]``, with the same rows repeated in all of them; m may be 0.
    Raises:
      tf.errors.InvalidArgumentError: at run time, *rates* and *inputs* have different lengths and a row is missing.
    Differs from TF1: The static shapes of the results are known, except for m; TF1 knew nothing of them.
    Source: TF 1.15.5 ``contrib/training/python/training/resample.py``.
    """
    with tf.compat.v1.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        drawn = tf.compat.v1.random_poisson(rates, (), rates.dtype, seed=seed)
        counts = tf.cast(drawn, tf.int32)
        rows = tf.repeat(tf.range(tf.shape(counts)[0]), counts)
        return [tf.gather(tensor, rows) for tensor in inputs]


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: Any,
    scope: Optional[str] = None,
    mean_decay: float = 0.999,
    seed: Optional[int] = None,
) -> Tuple[List[tf.Tensor], tf.Tensor]:
    """Rows of *inputs*, each repeated a random number of times, on average in proportion to its weight.

    Args:
      inputs: list of tensors ``[n, *example]``.
      weights: floating point tensor ``[n]``.
      overall_rate: how often a row is repeated on average, over all rows of all batches.
      scope: name scope of the ops and of the variables.
      mean_decay: decay of the moving average, over batches, of the mean of the weights.
      seed: random seed; with it, the random numbers are TF1's.
    Returns:
      ``(outputs, rates)``: a list of tensors ``[m, *example]``, and ``[m]``, the rate at which each row was drawn.
    Raises:
      As ``resample_at_rate``.
    Creates the local variable ``<scope>/estimated_mean`` and the global variables
    ``<scope>/<scope>/estimated_mean/biased`` and ``.../local_step``, where the default of *scope* is
    ``estimate_mean``. They have to be initialised before the pipeline runs.
    Differs from TF1: The static shapes of the results are known, except for m; TF1 knew nothing of them. *weights*
      may be a list; TF1 raised AttributeError.
    Source: TF 1.15.5 ``contrib/training/python/training/resample.py``.
    """
    with tf.compat.v1.name_scope(scope, "weighted_resample", inputs) as name:
        weights = tf.convert_to_tensor(weights, name="weights")
        with tf.compat.v1.variable_scope(scope, "estimate_mean", inputs):
            mean = _moving_mean(tf.reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        drawn_at, *outputs = resample_at_rate([rates, *inputs], rates, scope=name, seed=seed)
        return outputs, drawn_at


def _moving_mean(value: tf.Tensor, decay: float) -> tf.Tensor:
    """The moving average of *value* after this step, corrected for its start at 0."""
    zeros = tf.compat.v1.zeros_initializer()
    mean = tf.compat.v1.get_local_variable("estimated_mean", [], value.dtype, zeros)
    gain = tf.cast(tf.convert_to_tensor(1.0 - decay), value.dtype)
    # In TF1 the names of these two begin with the full name of their variable.
    with tf.compat.v1.variable_scope(mean.op.name):
        biased = tf.compat.v1.get_variable("biased", value.shape, value.dtype, zeros, trainable=False)
        steps = tf.compat.v1.get_variable("local_step", [], value.dtype, zeros, trainable=False)
    updated = biased.assign_sub((biased - value) * gain)
    counted = steps.assign_add(1)
    return mean.assign(updated / (1 - tf.pow(1 - gain, counted)))

"""Attention that only moves forward (Raffel et al., 2017).

Source: TF 1.15.5 ``contrib/seq2seq/python/ops/attention_wrapper.py``.
"""

from __future__ import annotations

import functools
from typing import Any, Optional, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from queuecompat.contrib.seq2seq.attention import (
    _BaseAttentionMechanism,
    bahdanau_score_with_variables,
    dense,
    luong_score_with_variables,
)

__all__ = ["BahdanauMonotonicAttention", "LuongMonotonicAttention", "monotonic_attention", "safe_cumprod"]


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The cumulative products of numbers from 0 to 1, as sums of their logarithms, so that gradients stay finite.

    Args:
      x: a tensor; numbers outside are clipped.
      args, kwargs: as for ``tf.cumsum``.
    Differs from TF1: None known.
    """
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """How much of each row is taken, if the rows before the last one that was taken are out of reach.

    Args:
      p_choose_i: ``[n, rows]``, the probability that a row is taken when it is reached.
      previous_attention: ``[n, rows]``, of the step before; 1 for the first row, and 0 for the others, at the start.
      mode: "recursive" (exact), "parallel" (faster, inexact if probabilities are near 0 or 1) or "hard" (the numbers
        are 0 and 1).
    Returns:
      ``[n, rows]``.
    Raises:
      ValueError: *mode* has a different value.
    Differs from TF1: None known.
    """
    chosen = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        count = chosen.shape.as_list()[0] or tf.shape(chosen)[0]
        passed = tf.concat([tf.ones([count, 1], chosen.dtype), 1 - chosen[:, :-1]], 1)
        reached = tf.scan(
            lambda before, row: tf.reshape(row[0] * before + row[1], [count]),
            [tf.transpose(passed), tf.transpose(previous)],
            tf.zeros([count], chosen.dtype),
        )
        return chosen * tf.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - chosen, axis=1, exclusive=True)
        return chosen * passed * tf.cumsum(previous / tf.clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        in_reach = chosen * tf.cumsum(previous, axis=1)
        return in_reach * tf.cumprod(1 - in_reach, axis=1, exclusive=True)
    raise ValueError(f"mode must be 'recursive', 'parallel' or 'hard', not {mode!r}")


class _BaseMonotonicAttentionMechanism(_BaseAttentionMechanism):
    """The base class of mechanisms that start at the first row."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """1 for the first row and 0 for the others, ``[n, rows]``."""
        return tf.one_hot(tf.zeros([batch_size], tf.int32), self._alignments_size, dtype=dtype)


class BahdanauMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention with the scores of ``BahdanauAttention``.

    Args:
      num_units, memory, memory_sequence_length, normalize, score_mask_value, dtype: as there.
      sigmoid_noise: how much of a normal distribution is added to the scores.
      sigmoid_noise_seed: of this.
      score_bias_init: the first value of ``attention_score_bias``, which is added to the scores.
      mode: as for ``monotonic_attention``.
    Raises:
      AttributeError: Keras 2 is missing.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=dense(self, num_units, "query_layer", dtype),
            memory_layer=dense(self, num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=functools.partial(
                _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = bahdanau_score_with_variables(self, query, self._normalize)
            alignments = self._probability_fn(score + _score_bias(query, self._score_bias_init), state)
        return alignments, alignments


class LuongMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention with the scores of ``LuongAttention``.

    Args:
      num_units, memory, memory_sequence_length, scale, score_mask_value, dtype: as there.
      sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode: as for ``BahdanauMonotonicAttention``.
    Raises:
      AttributeError: Keras 2 is missing.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=dense(self, num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=functools.partial(
                _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        with tf.variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score_with_variables(self, query, self._scale)
            alignments = self._probability_fn(score + _score_bias(query, self._score_bias_init), state)
        return alignments, alignments


def _score_bias(query: Any, first: float) -> Any:
    initializer = tf.constant_initializer(first)
    return tf.get_variable("attention_score_bias", dtype=query.dtype, initializer=initializer, shape=())


def _monotonic_probability_fn(
    score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: Optional[int] = None
) -> Any:
    """The alignments, ``[n, rows]``, of scores and the alignments of the step before."""
    if sigmoid_noise > 0:
        score += sigmoid_noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
    chosen = tf.cast(score > 0, score.dtype) if mode == "hard" else tf.sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)

"""``tf.contrib.crf``: chains of tags, for taggers.

The score of a chain is the sum of the scores of its tags, which a model computes, and of the transitions between them:

    likelihoods, transitions = tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)
    loss = tf.reduce_mean(-likelihoods)
    best_tags, _ = tf.contrib.crf.crf_decode(scores, transitions, lengths)

Shapes: *n* examples, *steps*, *tags*. Steps beyond the length of an example count for nothing. The classes of cells
``CrfForwardRnnCell``, ``CrfDecodeForwardRnnCell`` and ``CrfDecodeBackwardRnnCell`` are not available.
Source: TF 1.15.5 ``contrib/crf/python/ops/crf.py``.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import aliases

__all__ = [
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> tf.Tensor:
    """The scores of chains of tags, ``[n]``: ``crf_unary_score`` and ``crf_binary_score``.

    Args:
      inputs: ``[n, steps, tags]``, the score of each tag.
      tag_indices: ``[n, steps]``, the chains; int32 or int64.
      sequence_lengths: ``[n]``.
      transition_params: ``[tags, tags]``, the score of each transition, from the row's tag to the column's.
    Differs from TF1: None known.
    """
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> tf.Tensor:
    """The sums of the scores of the tags themselves, ``[n]``. Arguments: as ``crf_sequence_score``."""
    inputs, tag_indices = tf.convert_to_tensor(inputs), tf.convert_to_tensor(tag_indices)
    counts = _steps_that_count(sequence_lengths, tag_indices)
    chosen = tf.gather(inputs, tag_indices, batch_dims=2)
    return tf.reduce_sum(chosen * tf.cast(counts, inputs.dtype), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> tf.Tensor:
    """The sums of the scores of transitions, ``[n]``. Arguments: as ``crf_sequence_score``."""
    transitions, tags = tf.convert_to_tensor(transition_params), tf.convert_to_tensor(tag_indices)
    counts = _steps_that_count(sequence_lengths, tags)
    numbers = tags[:, :-1] * tf.shape(transitions, out_type=tags.dtype)[0] + tags[:, 1:]
    scores = tf.gather(tf.reshape(transitions, [-1]), numbers)
    return tf.reduce_sum(scores * tf.cast(counts[:, 1:], scores.dtype), 1)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> tf.Tensor:
    """The logarithm of the sum of ``exp(score)`` over all chains, ``[n]``; 0 for a length of 0.

    Arguments: as ``crf_sequence_score``. Differs from TF1: None known.
    """
    inputs, lengths = tf.convert_to_tensor(inputs), tf.convert_to_tensor(sequence_lengths)
    transitions = tf.convert_to_tensor(transition_params)[tf.newaxis]

    def following(ending: tf.Tensor, step: Tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
        scores, counts = step
        longer = scores + tf.reduce_logsumexp(ending[:, :, tf.newaxis] + transitions, [1])
        return tf.where(counts, longer, ending)

    ending = tf.foldl(following, _later_steps(inputs, lengths), initializer=inputs[:, 0])
    norm = tf.reduce_logsumexp(ending, [1])
    return tf.where(lengths <= 0, tf.zeros_like(norm), norm)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> Tuple[tf.Tensor, Any]:
    """The log-likelihoods of chains, ``[n]``, and the scores of transitions, ``[tags, tags]``.

    Arguments: as ``crf_sequence_score``; without *transition_params*, the variable ``transitions`` is made.
    Differs from TF1: None known.
    """
    if transition_params is None:
        tags = tf.convert_to_tensor(inputs).shape[2]
        transition_params = tf.get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> tf.Tensor:
    """The logarithm of the sum of ``exp(score)`` over the chains of allowed tags, ``[n]``.

    Args:
      tag_bitmap: ``[n, steps, tags]``, bool; True for each tag that is allowed in a step.
      inputs, sequence_lengths, transition_params: as ``crf_sequence_score``.
    Differs from TF1: None known.
    """
    inputs = tf.convert_to_tensor(inputs)
    allowed = tf.where(tag_bitmap, inputs, tf.fill(tf.shape(inputs), tf.constant(-np.inf, inputs.dtype)))
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Tuple[tf.Tensor, tf.Tensor]:
    """The chains with the highest scores, ``[n, steps]`` of int32, and their scores, ``[n]``.

    Args:
      potentials: the *inputs* of ``crf_sequence_score``.
      transition_params, sequence_length: as there.
    Returns:
      Steps beyond the length of an example have tag 0, except for the first step of an example of length 0.
    Differs from TF1: None known.
    """
    inputs, lengths = tf.convert_to_tensor(potentials), tf.convert_to_tensor(sequence_length)
    transitions = tf.convert_to_tensor(transition_params)[tf.newaxis]
    start = inputs[:, 0]
    same = tf.zeros_like(start, tf.int32) + tf.range(tf.shape(start)[1])

    def forward(before: Tuple[tf.Tensor, tf.Tensor], step: Tuple[tf.Tensor, tf.Tensor]) -> Tuple[tf.Tensor, tf.Tensor]:
        (ending, _), (scores, counts) = before, step
        longer = ending[:, :, tf.newaxis] + transitions
        best = tf.argmax(longer, 1, output_type=tf.int32)
        return tf.where(counts, scores + tf.reduce_max(longer, [1]), ending), tf.where(counts, best, same)

    def backward(tag: tf.Tensor, best: tf.Tensor) -> tf.Tensor:
        return tf.gather(best, tag, batch_dims=1)

    endings, before = tf.scan(forward, _later_steps(inputs, lengths), initializer=(start, same))
    last = tf.argmax(endings[-1], axis=1, output_type=tf.int32)
    # What the first step points to is dropped: it is scanned for the same reason as in _later_steps.
    tags = tf.concat([tf.scan(backward, before, initializer=last, reverse=True)[1:], last[tf.newaxis]], 0)
    counts = _steps_that_count(tf.maximum(lengths, 1), tf.transpose(tags))
    return tf.transpose(tags) * tf.cast(counts, tf.int32), tf.reduce_max(endings[-1], axis=1)


def viterbi_decode(score: np.ndarray, transition_params: np.ndarray) -> Tuple[List[Any], Any]:
    """The chain with the highest score, a list of one tag for each step, and its score. Without TensorFlow.

    Args:
      score: ``[steps, tags]``, the *inputs* of ``crf_sequence_score`` for one example, without padding.
      transition_params: ``[tags, tags]``.
    Differs from TF1: None known.
    """
    ending = np.array(score[0])
    best = []
    for scores in score[1:]:
        longer = ending[:, np.newaxis] + transition_params
        best.append(np.argmax(longer, 0))
        ending = (scores + np.max(longer, 0)).astype(score.dtype)
    tags = [np.argmax(ending)]
    for before in reversed(best):
        tags.append(before[tags[-1]])
    return tags[::-1], np.max(ending)


def _steps_that_count(lengths: Any, tags: tf.Tensor) -> tf.Tensor:
    """``[n, steps]``: whether a step is within the length of its example."""
    return tf.sequence_mask(lengths, maxlen=tf.shape(tags)[1])


def _later_steps(inputs: tf.Tensor, lengths: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """The scores of every step, ``[steps, n, tags]``, and whether it follows another within its example's length.

    The first step is there too, and does not: without any step there would be no shape for TensorFlow's loops.
    """
    steps = tf.range(tf.shape(inputs)[1])
    return tf.transpose(inputs, [1, 0, 2]), (steps[:, tf.newaxis] > 0) & (
        steps[:, tf.newaxis] < tf.cast(lengths, tf.int32)
    )


__getattr__, __dir__ = aliases(__name__, {})

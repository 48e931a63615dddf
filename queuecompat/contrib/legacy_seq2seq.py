"""``tf.contrib.legacy_seq2seq``: its losses, and ``rnn_decoder``, which runs a cell over a list of inputs. Its models
are not available."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import aliases

__all__ = ["rnn_decoder", "sequence_loss", "sequence_loss_by_example"]


def rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Callable[[Any, Any], Tuple[Any, Any]],
    loop_function: Optional[Callable[[Any, int], Any]] = None,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """Runs a cell on one input after another, or on inputs that *loop_function* makes of its last output.

    Args:
      decoder_inputs: list of ``[n, size]``; with *loop_function*, only the first is read.
      initial_state: the state before the first step.
      loop_function: called with the last output ``[n, size]`` and the number of the step; returns the next input.
      scope: variable scope, or its name; "rnn_decoder" if None.
    Returns:
      The outputs, a list as long as *decoder_inputs*, and the last state.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/legacy_seq2seq/python/ops/seq2seq.py``.
    """
    state, outputs = initial_state, []  # type: Any, List[Any]
    with tf.variable_scope(scope or "rnn_decoder"):
        for step, value in enumerate(decoder_inputs):
            if step and loop_function is not None:
                with tf.variable_scope("loop_function", reuse=True):
                    value = loop_function(outputs[-1], step)
            if step:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(value, state)
            outputs.append(output)
    return outputs, state


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the weighted cross-entropy of each sequence; the arguments are lists with a tensor for each step.

    Args:
      logits: list of ``[n, classes]``.
      targets: list of ``[n]``, the classes.
      weights: list of ``[n]``.
      average_across_timesteps: divides by the sum of the weights of the sequence, plus 1e-12.
      softmax_loss_function: called with *labels* and *logits* of one step, by name; the sparse softmax
        cross-entropy if None.
    Returns:
      ``[n]``.
    Raises:
      ValueError: the lists are of different lengths.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/legacy_seq2seq/python/ops/seq2seq.py``.
    """
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            f"logits, targets and weights must be lists of one length, not of {len(logits)}, {len(targets)} and "
            f"{len(weights)}"
        )
    with tf.name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                labels = tf.reshape(target, [-1])  # programs with one example pass a scalar
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        return total / (tf.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the sum of ``sequence_loss_by_example`` over the examples, or the mean.

    Args:
      logits, targets, weights, average_across_timesteps, softmax_loss_function: see ``sequence_loss_by_example``.
      average_across_batch: divides by the number of examples.
    Returns:
      A scalar.
    Raises:
      ValueError: the lists are of different lengths.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/legacy_seq2seq/python/ops/seq2seq.py``.
    """
    with tf.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        by_example = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function=softmax_loss_function
        )
        total = tf.reduce_sum(by_example)
        return total / tf.cast(tf.shape(targets[0])[0], total.dtype) if average_across_batch else total


__getattr__, __dir__ = aliases(__name__, {})

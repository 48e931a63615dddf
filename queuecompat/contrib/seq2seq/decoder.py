"""Decoders, and the loop that runs one until every sequence is finished.

Rule 1: nothing here needs Keras: a decoder may run any cell, or none.
Rule 2: a sequence that is finished is still computed until all are; ``impute_finished`` hides what comes after its end.
Source: TF 1.15.5 ``contrib/seq2seq/python/ops/decoder.py``.
"""

from __future__ import annotations

import abc
import contextlib
from typing import Any, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib.rnn.stacking import transpose_batch_time

__all__ = ["Decoder", "dynamic_decode"]


class Decoder(abc.ABC):
    """The base class of decoders, which ``dynamic_decode`` runs. A subclass has all but the last two members.

    Differs from TF1: None known.
    """

    @property
    def batch_size(self) -> Any:
        """The number of sequences: an integer or a scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The shape of the outputs of one step without the batch: integers or shapes, in a structure."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of the outputs of one step, in a structure like *output_size*."""
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, Any]:
        """Returns which sequences are finished, ``[n]``, the first inputs and the first state."""
        raise NotImplementedError

    @abc.abstractmethod
    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Tuple[Any, Any, Any, Any]:
        """Returns the outputs of a step, the next state, the next inputs, and which sequences are finished, ``[n]``."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Tuple[Any, Any]:
        """Returns what ``dynamic_decode`` returns in place of *outputs* (``[steps, n, ...]``) and *final_state*."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """If False, a sequence that was finished once stays finished."""
        return False


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> Tuple[Any, Any, Any]:
    """Runs *decoder* step by step until all sequences are finished.

    Args:
      decoder: a ``Decoder``.
      output_time_major: the outputs are ``[steps, n, ...]`` instead of ``[n, steps, ...]``.
      impute_finished: after the end of a sequence its outputs are zeros, and its state stays the same.
      maximum_iterations: the greatest number of steps, a scalar; no limit if None.
      parallel_iterations, swap_memory: as for ``tf.while_loop``.
      scope: variable scope, or its name; "decoder" if None.
      kwargs: without effect.
    Returns:
      The outputs, the last state, and the number of steps of each sequence, int32, ``[n]``.
    Raises:
      TypeError: *decoder* is not a ``Decoder``.
      ValueError: *maximum_iterations* is not a scalar.
    Differs from TF1: None known.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"decoder must be a tf.contrib.seq2seq.Decoder, not {type(decoder).__name__}")
    with tf.variable_scope(scope, "decoder") as variables:
        if variables.caching_device is None and not _is_in_a_loop():
            variables.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, tf.int32, name="maximum_iterations")
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        zeros = _create_zero_outputs(decoder.output_size, decoder.output_dtype, decoder.batch_size)
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        arrays = tf.nest.map_structure(
            lambda size, dtype: tf.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=_element_shape(size, decoder.batch_size)
            ),
            decoder.output_size,
            decoder.output_dtype,
        )

        def step(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Tuple[Any, ...]:
            outputs, next_state, next_inputs, is_finished = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                is_finished = tf.logical_or(is_finished, finished)
            lengths = tf.where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))
            for old, new in ((state, next_state), (arrays, outputs), (inputs, next_inputs)):
                tf.nest.assert_same_structure(old, new)
            if impute_finished:
                outputs = tf.nest.map_structure(lambda new, zero: tf.where(finished, zero, new), outputs, zeros)
                next_state = tf.nest.map_structure(lambda new, old: _kept(finished, new, old), next_state, state)
            arrays = tf.nest.map_structure(lambda array, output: array.write(time, output), arrays, outputs)
            return time + 1, arrays, next_state, next_inputs, is_finished, lengths

        _, arrays, state, _, _, lengths = tf.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(tf.reduce_all(finished)),
            step,
            (tf.constant(0), arrays, state, inputs, finished, tf.zeros_like(finished, tf.int32)),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf.nest.map_structure(transpose_batch_time, outputs)
    return outputs, state, lengths


def _is_in_a_loop() -> bool:
    context = tf.get_default_graph()._get_control_flow_context()
    while context is not None and not context.IsWhileContext():
        context = context.outer_context
    return context is not None


def _kept(finished: Any, new: Any, old: Any) -> Any:
    """*old* for the sequences that are finished, and else *new*. What has no batch dimension always goes on."""
    if isinstance(old, tf.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else tf.where(finished, old, new)


def _shape(size: Any) -> Any:
    return tf.TensorShape(size if isinstance(size, (list, tuple, tf.TensorShape)) else [size])


def _create_zero_outputs(size: Any, dtype: Any, batch_size: Any) -> Any:
    """Outputs of one step that are zeros, in the structure of *size* and *dtype*."""
    return tf.nest.map_structure(lambda one, its: tf.zeros([batch_size, *_shape(one).as_list()], its), size, dtype)


def _element_shape(size: Any, batch_size: Any) -> Any:
    if not isinstance(size, tf.TensorShape) or size.ndims == 0:
        return None
    return tf.TensorShape([tf.get_static_value(tf.convert_to_tensor(batch_size))]).concatenate(size)

"""Beam search: the decoder keeps the best beams of each sequence.

A beam is a sequence of symbols and its log-probability. Each step extends every beam by every symbol and keeps the
best of these; what a finished beam is extended by is its end token, for free. ``gather_tree`` follows the parents of
the last beams back to the first step.

Shapes: *n* sequences, *beams*, *steps*. States are ``[n * beams, ...]`` for the cell and ``[n, beams, ...]`` in the
decoder's own state.
Source: TF 1.15.5 ``contrib/seq2seq/python/ops/beam_search_decoder.py``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from queuecompat.contrib.seq2seq.basic_decoder import check_cell, check_layer, output_size
from queuecompat.contrib.seq2seq.decoder import Decoder

__all__ = [
    "BeamSearchDecoder",
    "BeamSearchDecoderOutput",
    "BeamSearchDecoderState",
    "FinalBeamSearchDecoderOutput",
    "gather_tree",
    "tile_batch",
]


class BeamSearchDecoderState(NamedTuple):
    """The state of the cell, and of each beam: its log-probability, whether it is finished, and its length."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """Of each beam of a step: its score, its last symbol, and the number of the beam that it extends."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The symbols of the best beams, ``[n, steps, beams]``, the best first, and the outputs of the steps."""

    predicted_ids: Any
    beam_search_decoder_output: Any


class BeamSearchDecoder(Decoder):
    """Finds the most probable sequences of symbols.

    Args:
      cell: has the members of a cell of ``tf.nn.rnn_cell``.
      embedding: ``[symbols, size]``, or a function of numbers of symbols.
      start_tokens: ``[n]``, int32.
      end_token: int32, a scalar.
      initial_state: of the cell, for ``n * beam_width`` examples, such as made by ``tile_batch``.
      beam_width: how many beams a sequence has.
      output_layer: applied to the outputs of the cell, such as ``tf.layers.Dense``.
      length_penalty_weight: scores are log-probabilities, divided by ``((5 + length) / 6) ** weight``.
      coverage_penalty_weight: how much worse the score is if rows of the memory got little attention.
      reorder_tensor_arrays: sorts TensorArrays in the last state, such as the alignment history, like the beams; they
        are then tensors.
    Raises:
      TypeError: *cell* or *output_layer* is of a different type.
      ValueError: *start_tokens* is not a vector, or *end_token* not a scalar; or there is a coverage penalty, but no
        ``AttentionWrapper``.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        check_cell(cell)
        check_layer(output_layer)
        self._cell, self._output_layer, self._beam_width = cell, output_layer, beam_width
        self._length_weight, self._coverage_weight = length_penalty_weight, coverage_penalty_weight
        self._reorders = reorder_tensor_arrays
        self._embedding_fn: Callable[[Any], Any] = (
            embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)
        )
        tokens = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
        if tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(tokens)
        self._dtype = tf.nest.flatten(initial_state)[0].dtype
        self._initial_cell_state = tf.nest.map_structure(self._split, initial_state)
        self._start_inputs = self._embedding_fn(tf.tile(tokens[:, tf.newaxis], [1, beam_width]))
        # At the start, all beams of a sequence are equal: only the first counts.
        self._finished = tf.one_hot(tf.zeros([self._batch_size], tf.int32), beam_width, False, True, dtype=tf.bool)

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: the beam at a place may be finished in one step, and in the next an unfinished one may be there."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        return BeamSearchDecoderOutput(*[tf.TensorShape([self._beam_width])] * 3)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        dtypes = tf.nest.map_structure(lambda _: self._dtype, output_size(self._cell, self._output_layer))
        return BeamSearchDecoderOutput(dtypes, tf.int32, tf.int32)

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, Any]:
        first = tf.zeros([self._batch_size], tf.int32)
        log_probs = tf.one_hot(
            first,
            self._beam_width,
            tf.constant(0.0, self._dtype),
            tf.constant(-math.inf, self._dtype),
            dtype=self._dtype,
        )
        attention: Any = ()
        if self._coverage_weight != 0.0:
            attention = tf.zeros_like(_attention_of(self._initial_cell_state))
        lengths = tf.zeros([self._batch_size, self._beam_width], tf.int64)
        state = BeamSearchDecoderState(self._initial_cell_state, log_probs, self._finished, lengths, attention)
        return self._finished, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Tuple[Any, Any, Any, Any]:
        with tf.name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            outputs, cell_state = self._cell(
                tf.nest.map_structure(self._merge, inputs), tf.nest.map_structure(self._merge, state.cell_state)
            )
            outputs = tf.nest.map_structure(self._split, outputs)
            cell_state = tf.nest.map_structure(self._split, cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            result, state = self._search(outputs, cell_state, state)
            inputs = tf.cond(
                tf.reduce_all(state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(result.predicted_ids),
            )
        return result, state, inputs, state.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Tuple[Any, Any]:
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorders:
            cell_state = tf.nest.map_structure(
                lambda one: self._sorted(one, outputs.parent_ids, final_state.lengths), final_state.cell_state
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _search(self, logits: Any, cell_state: Any, state: Any) -> Tuple[Any, Any]:
        """Extends the beams by a symbol, and keeps the best."""
        going = tf.logical_not(state.finished)
        symbols = logits.shape.as_list()[-1] or tf.shape(logits)[-1]
        is_end = tf.one_hot(self._end_token, symbols, True, False, dtype=tf.bool)
        free = tf.where(is_end, tf.zeros_like(logits[0, 0]), tf.fill(tf.shape(logits)[2:], logits.dtype.min))
        steps = tf.where(
            tf.broadcast_to(state.finished[:, :, tf.newaxis], tf.shape(logits)),
            tf.broadcast_to(free, tf.shape(logits)),
            tf.nn.log_softmax(logits),
        )
        totals = state.log_probs[:, :, tf.newaxis] + steps
        # For the score of the step, the end token does not count.
        longer = tf.cast(tf.logical_and(going[:, :, tf.newaxis], tf.logical_not(is_end)), tf.int64)
        attention: Any = ()
        if self._coverage_weight != 0.0:
            now = _attention_of(cell_state)
            attention = state.accumulated_attention_probs + now * tf.cast(going, now.dtype)[:, :, tf.newaxis]
        scores = totals / self._length_penalty(state.lengths[:, :, tf.newaxis] + longer)
        if self._coverage_weight != 0.0:
            # As in TF1, of finished beams only, and without the rows that got no attention at all.
            clipped = tf.where(tf.equal(attention, 0.0), tf.ones_like(attention), tf.minimum(attention, 1.0))
            coverage = tf.reduce_sum(tf.log(clipped), -1) * tf.cast(state.finished, attention.dtype)
            scores += (self._coverage_weight * coverage)[:, :, tf.newaxis]
        best, places = tf.nn.top_k(tf.reshape(scores, [self._batch_size, -1]), k=self._beam_width)
        for one in (best, places):  # control flow of TensorFlow 2 does not know that the batch is a constant
            one.set_shape(state.lengths.shape)
        parents, ids = places // symbols, places % symbols

        def of_parents(tensor: Any) -> Any:
            taken = tf.gather(tensor, parents, batch_dims=1)
            taken.set_shape(tensor.shape)
            return taken

        log_probs = tf.gather(tf.reshape(totals, [self._batch_size, -1]), places, batch_dims=1)
        log_probs.set_shape(state.log_probs.shape)
        was_finished = of_parents(state.finished)
        next_state = BeamSearchDecoderState(
            cell_state=tf.nest.map_structure(
                lambda one: of_parents(one) if _has_beams(one) and one.shape.ndims > 1 else one, cell_state
            ),
            log_probs=log_probs,
            finished=tf.logical_or(was_finished, tf.equal(ids, self._end_token)),
            lengths=of_parents(state.lengths) + tf.cast(tf.logical_not(was_finished), tf.int64),
            accumulated_attention_probs=of_parents(attention) if self._coverage_weight != 0.0 else (),
        )
        return BeamSearchDecoderOutput(best, ids, parents), next_state

    def _length_penalty(self, lengths: Any) -> Any:
        weight = tf.convert_to_tensor(self._length_weight, name="penalty_factor")
        if tf.get_static_value(weight) == 0:
            return 1.0
        return tf.divide((5.0 + tf.cast(lengths, tf.float32)) ** weight, 6.0**weight)

    def _split(self, tensor: Any) -> Any:
        """``[n * beams, ...]`` to ``[n, beams, ...]``."""
        if not _has_beams(tensor):
            return tensor
        split = tf.reshape(tensor, tf.concat([[self._batch_size, self._beam_width], tf.shape(tensor)[1:]], 0))
        count = tf.get_static_value(self._batch_size)
        split.set_shape([count, self._beam_width, *tensor.shape.as_list()[1:]])
        return split

    def _merge(self, tensor: Any) -> Any:
        """``[n, beams, ...]`` to ``[n * beams, ...]``."""
        if not _has_beams(tensor):
            return tensor
        merged = tf.reshape(tensor, tf.concat([[self._batch_size * self._beam_width], tf.shape(tensor)[2:]], 0))
        count = tf.get_static_value(self._batch_size)
        merged.set_shape([None if count is None else count * self._beam_width, *tensor.shape.as_list()[2:]])
        return merged

    def _sorted(self, array: Any, parent_ids: Any, lengths: Any) -> Any:
        """The steps of *array*, in the order of the beams that they led to."""
        if not isinstance(array, tf.TensorArray):
            return array
        count, shape = tf.get_static_value(self._batch_size), array.element_shape
        if shape.ndims is None or shape.ndims < 1:
            return array
        sides = shape.as_list()
        if count is not None and sides[0] is not None:
            # As in TF1, elements with a known second dimension are not sorted if the first is known, too.
            is_merged = sides[0] == count * self._beam_width and (len(sides) == 1 or sides[1] is None)
            if not is_merged:
                return array
        steps = array.stack()
        numbers = tf.zeros_like(parent_ids) + tf.range(self._beam_width)
        longest = tf.cast(tf.reduce_max(lengths, axis=1), tf.int32)
        order = gather_tree(numbers, parent_ids, longest, self._beam_width + 1)
        is_within = tf.transpose(tf.sequence_mask(lengths, tf.shape(parent_ids)[0]), [2, 0, 1])
        order = tf.where(is_within, order, numbers)
        by_beam = tf.reshape(steps, tf.concat([tf.shape(parent_ids), [-1]], 0))
        ordered = tf.reshape(tf.gather(by_beam, order, batch_dims=2), tf.shape(steps))
        ordered.set_shape(steps.shape)
        return ordered


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Optional[str] = None
) -> Any:
    """The whole of each beam, from the beam that each symbol extended.

    Args:
      step_ids: ``[steps, n, beams]``, int32, the symbols.
      parent_ids: of the same shape, the numbers of the beams of the step before.
      max_sequence_lengths: ``[n]``; steps after it are end tokens.
      end_token: also follows the first end token of a beam.
    Returns:
      ``[steps, n, beams]``, int32.
    Differs from TF1: None known.
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids, parent_ids = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(parent_ids)
        end = tf.convert_to_tensor(end_token, step_ids.dtype)
        shape = tf.shape(step_ids)
        start = tf.broadcast_to(tf.range(shape[2]), shape[1:])
        lengths = tf.cast(max_sequence_lengths, tf.int32)[:, tf.newaxis]

        def back(following: Tuple[Any, Any], row: Tuple[Any, Any, Any]) -> Tuple[Any, Any]:
            beams, _ = following
            time, ids, parents = row
            is_within = tf.broadcast_to(time < lengths, shape[1:])
            taken = tf.where(is_within, tf.gather(ids, beams, batch_dims=1), tf.fill(shape[1:], end))
            return tf.where(is_within, tf.gather(parents, beams, batch_dims=1), beams), taken

        rows = (tf.range(shape[0]), step_ids, parent_ids)
        _, ids = tf.scan(back, rows, (start, tf.zeros(shape[1:], step_ids.dtype)), reverse=True)
        is_after = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), axis=0, exclusive=True) > 0
        ids = tf.where(is_after, tf.fill(shape, end), ids)
        ids.set_shape(step_ids.shape)
        return ids


def tile_batch(t: Any, multiplier: Any, name: Optional[str] = None) -> Any:
    """Repeats each example: ``[n * multiplier, ...]``.

    Args:
      t: ``[n, ...]``, or a structure of such.
      multiplier: how often.
    Raises:
      ValueError: the rank of a tensor is not known, or is 0.
    Differs from TF1: None known.
    """
    with tf.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(lambda one: _tiled(one, multiplier), t)


def _tiled(tensor: Any, multiplier: Any) -> Any:
    tensor = tf.convert_to_tensor(tensor, name="t")
    if not tensor.shape.ndims:
        raise ValueError(f"t must have a known rank of at least 1, but has shape {tensor.shape}")
    shape = tf.shape(tensor)
    repeated = tf.tile(tf.expand_dims(tensor, 1), [1, multiplier] + [1] * (tensor.shape.ndims - 1))
    tiled = tf.reshape(repeated, tf.concat([[shape[0] * multiplier], shape[1:]], 0))
    count, times = tensor.shape.as_list()[0], tf.get_static_value(tf.convert_to_tensor(multiplier))
    tiled.set_shape([None if count is None or times is None else count * int(times), *tensor.shape.as_list()[1:]])
    return tiled


def _has_beams(tensor: Any) -> bool:
    """A scalar, such as the number of the step, is not one per beam, and a TensorArray is left as it is."""
    return not isinstance(tensor, tf.TensorArray) and tensor.shape.ndims > 0


def _attention_of(cell_state: Any) -> Any:
    """The mean of the alignments of every mechanism of a state, ``[n, beams, rows]``."""
    states = cell_state if type(cell_state) in (tuple, list) else [cell_state]
    found: List[Any] = []
    for state in states:
        if isinstance(state, AttentionWrapperState):
            found += state.alignments if isinstance(state.alignments, tuple) else [state.alignments]
    if not found:
        raise ValueError("coverage_penalty_weight must be 0.0 if there is no AttentionWrapper")
    return found[0] if len(found) == 1 else tf.add_n(found) / len(found)

"""Helpers: they select the inputs of each step of a ``BasicDecoder``.

Helper                                          the base class, also of a program's own helpers
CustomHelper, InferenceHelper                   made of functions
TrainingHelper                                  the known sequences
ScheduledEmbedding-, ScheduledOutputTrainingHelper   these, or by chance what the model itself produced
GreedyEmbedding-, SampleEmbeddingHelper         the most probable symbol, or a random one

Source: TF 1.15.5 ``contrib/seq2seq/python/ops/helper.py``.
"""

from __future__ import annotations

import abc
from typing import Any, Callable, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib.rnn.stacking import transpose_batch_time as _transpose_batch_time

__all__ = [
    "CustomHelper",
    "GreedyEmbeddingHelper",
    "Helper",
    "InferenceHelper",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
    "TrainingHelper",
]

Next = Tuple[Any, Any, Any]


class Helper(abc.ABC):
    """The base class of helpers. A subclass defines every member.

    Differs from TF1: None known.
    """

    @property
    @abc.abstractmethod
    def batch_size(self) -> Any:
        """The number of sequences: an integer or a scalar."""

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> Any:
        """The shape of what ``sample`` returns, without the batch."""

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> Any:
        """The dtype of what ``sample`` returns."""

    @abc.abstractmethod
    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        """Returns which sequences are finished, ``[n]``, and the first inputs."""

    @abc.abstractmethod
    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        """Returns what is sampled from the outputs of a step, ``[n, ...]``."""

    @abc.abstractmethod
    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Next:
        """Returns which sequences are finished, ``[n]``, the next inputs and the next state."""


class _OfSamples(Helper):
    """A helper that knows its batch, and the shape and dtype of what it samples: numbers of symbols by default."""

    _batch_size: Any
    _sample_ids_shape: Any = tf.TensorShape([])
    _sample_ids_dtype: Any = tf.int32

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_ids_dtype


class CustomHelper(_OfSamples):
    """A helper made of functions; their arguments are passed by name.

    Args:
      initialize_fn: without arguments; see ``Helper.initialize``.
      sample_fn: of *time*, *outputs* and *state*.
      next_inputs_fn: of these and *sample_ids*.
      sample_ids_shape: of what *sample_fn* returns, without the batch; scalars if None.
      sample_ids_dtype: int32 if None.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Tuple[Any, Any]],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Next],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn, self._next_inputs_fn = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        if self._batch_size is None:
            raise ValueError("batch_size is known only after initialize was called")
        return self._batch_size

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        with tf.name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        with tf.name_scope(name, "CustomHelperSample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Next:
        with tf.name_scope(name, "CustomHelperNextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(_OfSamples):
    """The inputs are known sequences.

    Args:
      inputs: ``[n, steps, ...]``, or a structure of such.
      sequence_length: ``[n]``, int32.
      time_major: *inputs* are ``[steps, n, ...]``.
    Raises:
      ValueError: *sequence_length* is not a vector.
    Differs from TF1: None known.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: Optional[str] = None) -> None:
        with tf.name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            self._inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
            steps = _steps(self._inputs, time_major)
            self._arrays = tf.nest.map_structure(_unstack_ta, steps)
            self._sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.ndims != 1:
                raise ValueError(f"sequence_length must be a vector, but has shape {self._sequence_length.shape}")
            self._zero_inputs = tf.nest.map_structure(lambda one: tf.zeros_like(one[0, :]), steps)
            self._batch_size = tf.size(self._sequence_length)

    @property
    def inputs(self) -> Any:
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        return self._sequence_length

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        with tf.name_scope(name, "TrainingHelperInitialize"):
            return self._at(0)

    def sample(  # type: ignore[override]
        self, time: Any, outputs: Any, name: Optional[str] = None, **unused_kwargs: Any
    ) -> Any:
        with tf.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, name: Optional[str] = None, **unused_kwargs: Any
    ) -> Next:
        with tf.name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            return (*self._at(time + 1), state)

    def _at(self, time: Any) -> Tuple[Any, Any]:
        finished = tf.greater_equal(time, self._sequence_length)
        inputs = tf.cond(
            tf.reduce_all(finished), lambda: self._zero_inputs, lambda: _read(self._arrays, time), strict=True
        )
        return finished, inputs


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """The inputs are known sequences, or at random the embedding of a symbol that is sampled from the outputs.

    Args:
      inputs, sequence_length, time_major: as for ``TrainingHelper``.
      embedding: ``[symbols, size]``, or a function of numbers of symbols.
      sampling_probability: how often it is sampled: a scalar, or ``[n]``.
      seed: of the symbols.
      scheduling_seed: of the choice between the two.
    Raises:
      ValueError: *sampling_probability* has more dimensions.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Optional[int] = None,
        scheduling_seed: Optional[int] = None,
        name: Optional[str] = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]):
            self._embedding_fn = _embedding_fn(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:  # type: ignore[override]
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            is_sampled = _chance(self._sampling_probability, self._batch_size, self._scheduling_seed)
            none = tf.fill([self._batch_size], -1)
            return tf.where(is_sampled, _symbols(outputs, self._seed), none)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Next:
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, known, state = super().next_inputs(time, outputs, state)

            def mixed() -> Any:
                where = tf.cast(tf.where(sample_ids > -1), tf.int32)
                return _replaced(known, where, self._embedding_fn(tf.gather_nd(sample_ids, where)), sample_ids <= -1)

            return finished, tf.cond(tf.reduce_all(finished), lambda: known, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """The inputs are known sequences, or at random the outputs of the step before.

    Args:
      inputs, sequence_length, time_major: as for ``TrainingHelper``.
      sampling_probability: how often outputs are taken: a scalar, or ``[n]``.
      seed: of the choice between the two.
      next_inputs_fn: applied to the outputs that are taken.
      auxiliary_inputs: like *inputs*; appended to these and to the outputs, along the last dimension.
    Raises:
      ValueError: *sampling_probability* has more dimensions.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Optional[int] = None,
        next_inputs_fn: Optional[Callable[[Any], Any]] = None,
        auxiliary_inputs: Any = None,
        name: Optional[str] = None,
    ) -> None:
        with tf.name_scope(name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary: Any = None
            if auxiliary_inputs is not None:
                auxiliary_inputs = tf.nest.map_structure(tf.convert_to_tensor, auxiliary_inputs)
                inputs = tf.nest.map_structure(lambda one, more: tf.concat((one, more), -1), inputs, auxiliary_inputs)
                self._auxiliary = tf.nest.map_structure(_unstack_ta, _steps(auxiliary_inputs, time_major))
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:  # type: ignore[override]
        with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            return tf.cast(_chance(self._sampling_probability, self._batch_size, self._seed), tf.int32)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None
    ) -> Next:
        with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, known, state = super().next_inputs(time, outputs, state)
            is_sampled = tf.cast(sample_ids, tf.bool)

            def extended(taken: Any, where: Any) -> Any:
                if self._auxiliary is None:
                    return taken
                more = tf.nest.map_structure(lambda one: tf.gather_nd(one, where), _read(self._auxiliary, time + 1))
                return tf.nest.map_structure(lambda one, also: tf.concat((one, also), -1), taken, more)

            def mixed() -> Any:
                where = tf.cast(tf.where(is_sampled), tf.int32)
                taken = tf.gather_nd(outputs, where)
                if self._next_inputs_fn is not None:
                    taken = self._next_inputs_fn(taken)
                return _replaced(known, where, extended(taken, where), tf.logical_not(is_sampled))

            is_known = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(is_sampled)))
            return finished, tf.cond(is_known, lambda: known, mixed), state


class GreedyEmbeddingHelper(_OfSamples):
    """The next input is the embedding of the most probable symbol; a sequence ends with *end_token*.

    Args:
      embedding: ``[symbols, size]``, or a function of numbers of symbols.
      start_tokens: ``[n]``, int32, the first symbols.
      end_token: int32, a scalar.
    Raises:
      ValueError: *start_tokens* is not a vector, or *end_token* not a scalar.
      TypeError: in ``sample``, the outputs are not one tensor.
    Differs from TF1: None known.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = _embedding_fn(embedding)
        self._start_tokens = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        _check_one_tensor(outputs)
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Next:
        finished = tf.equal(sample_ids, self._end_token)
        inputs = tf.cond(tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The next input is the embedding of a symbol that is drawn by its probability.

    Args:
      embedding, start_tokens, end_token: as for ``GreedyEmbeddingHelper``.
      softmax_temperature: the outputs are divided by it; smaller: more often the most probable symbol.
      seed: of the draws.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: Optional[int] = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        _check_one_tensor(outputs)
        logits = outputs if self._softmax_temperature is None else outputs / self._softmax_temperature
        return _symbols(logits, self._seed)


class InferenceHelper(_OfSamples):
    """What is sampled is the next input.

    Args:
      sample_fn: of the outputs of a step.
      sample_shape, sample_dtype: of what it returns, without the batch.
      start_inputs: the first inputs, ``[n, ...]``.
      end_fn: of what was sampled; returns which sequences are finished, ``[n]``.
      next_inputs_fn: applied to what was sampled.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Optional[Callable[[Any], Any]] = None,
    ) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_ids_shape, self._sample_ids_dtype = tf.TensorShape(sample_shape), sample_dtype
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = tf.shape(start_inputs)[0]

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any]:
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Optional[str] = None) -> Any:
        return self._sample_fn(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Optional[str] = None) -> Next:
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


def _steps(inputs: Any, time_major: bool) -> Any:
    """*inputs*, a tensor or a structure, with the steps in the first dimension."""
    return inputs if time_major else tf.nest.map_structure(_transpose_batch_time, inputs)


def _unstack_ta(steps: Any) -> Any:
    """*steps*, ``[steps, n, ...]``, as a TensorArray."""
    array = tf.TensorArray(steps.dtype, size=tf.shape(steps)[0], element_shape=steps.shape[1:])
    return array.unstack(steps)


def _read(arrays: Any, time: Any) -> Any:
    return tf.nest.map_structure(lambda array: array.read(time), arrays)


def _embedding_fn(embedding: Any) -> Callable[[Any], Any]:
    return embedding if callable(embedding) else lambda ids: tf.nn.embedding_lookup(embedding, ids)


def _probability(value: Any) -> Any:
    probability = tf.convert_to_tensor(value, name="sampling_probability")
    if probability.shape.ndims not in (0, 1):
        raise ValueError(f"sampling_probability must be a scalar or a vector, but has shape {probability.shape}")
    return probability


def _chance(probability: Any, batch_size: Any, seed: Optional[int]) -> Any:
    """True with *probability*, for each sequence by itself."""
    return tf.less(tf.random_uniform([batch_size], seed=seed, dtype=probability.dtype), probability)


def _symbols(logits: Any, seed: Optional[int]) -> Any:
    """A symbol for each sequence, drawn by its probability."""
    # As in TF1, the draws of 64-bit numbers are 64-bit numbers first.
    draws = tf.multinomial(logits, 1, seed=seed, output_dtype=tf.int64 if logits.dtype.size > 4 else tf.int32)
    return tf.cast(tf.squeeze(draws, [1]), tf.int32)


def _replaced(known: Any, where: Any, rows: Any, is_known: Any) -> Any:
    """*known*, but with *rows* at the places *where*."""
    shape, others = tf.shape(known), tf.cast(tf.where(is_known), tf.int32)
    return tf.scatter_nd(where, rows, shape) + tf.scatter_nd(others, tf.gather_nd(known, others), shape)


def _check_one_tensor(outputs: Any) -> None:
    if not tf.is_tensor(outputs):
        raise TypeError(f"the outputs must be one tensor, not {type(outputs).__name__}")

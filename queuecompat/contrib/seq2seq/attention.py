"""Attention mechanisms: for each step, how much of each row of a memory is taken.

AttentionMechanism        what a mechanism has
_BaseAttentionMechanism   one with a memory, the base class of all others and of those of programs
BahdanauAttention         the query and the keys are added
LuongAttention            the query and the keys are multiplied

Shapes: *n* sequences, *rows* of the memory, *units*. The score of a row becomes its alignment by a probability
function. Variables have the names and shapes of TF 1.15.5; so have the attributes and functions with an underscore,
which programs with mechanisms of their own use.
Source: TF 1.15.5 ``contrib/seq2seq/python/ops/attention_wrapper.py``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import without_keras_2

__all__ = ["AttentionMechanism", "BahdanauAttention", "LuongAttention", "hardmax"]

Probability = Optional[Callable[[Any], Any]]


class AttentionMechanism:
    """The base class of mechanisms: ``mechanism(query, state)`` returns the alignments and the next state."""

    @property
    def alignments_size(self) -> Any:
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        raise NotImplementedError


class _BaseAttentionMechanism(AttentionMechanism):
    """A mechanism with a memory.

    Args:
      query_layer, memory_layer: applied to the query and to the memory; none if None.
      memory: ``[n, rows, ...]``, such as the outputs of an encoder.
      probability_fn: of the scores ``[n, rows]`` and the state.
      memory_sequence_length: ``[n]``; rows after it are zeros, and have no alignment.
      check_inner_dims_defined: refuses a memory whose last dimensions are not known.
      score_mask_value: the score of these rows; minus infinity if None.
      custom_key_value_fn: of the keys and the values; returns both.
    Raises:
      TypeError: a layer is not a layer.
      ValueError: the last dimensions of *memory* are not known.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[[Any, Any], Any],
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Optional[Callable[[Any, Any], Tuple[Any, Any]]] = None,
        name: Optional[str] = None,
    ) -> None:
        for title, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not (callable(layer) and hasattr(layer, "compute_output_shape")):
                raise TypeError(f"{title} must be a layer, not {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, not {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._values = _prepare_memory(
                memory, memory_sequence_length, check_inner_dims_defined=check_inner_dims_defined
            )
            self._keys = memory_layer(self._values) if memory_layer is not None else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            if score_mask_value is None:
                score_mask_value = self._values.dtype.as_numpy_dtype(-np.inf)
            self._batch_size, self._alignments_size = (_side(self._keys, axis) for axis in (0, 1))
        self._probability_fn: Any = lambda score, state: probability_fn(
            _maybe_mask_score(score, memory_sequence_length, score_mask_value=score_mask_value), state
        )

    @property
    def memory_layer(self) -> Any:
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, with zeros after the end of each sequence."""
        return self._values

    @property
    def keys(self) -> Any:
        """What the queries are compared with: the values after ``memory_layer``."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """The alignments before the first step: zeros, ``[n, rows]``."""
        return _zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first step: ``initial_alignments``."""
        return self.initial_alignments(batch_size, dtype)


class BahdanauAttention(_BaseAttentionMechanism):
    """The score is the sum over units of ``v * tanh(query + keys)`` (Bahdanau et al., 2015).

    Args:
      num_units: the size of query and keys after their layers.
      memory, memory_sequence_length, score_mask_value, custom_key_value_fn: as for ``_BaseAttentionMechanism``.
      normalize: also a factor ``attention_g`` for ``v`` of length 1, and ``attention_b``, which is added to the sum.
      probability_fn: of the scores ``[n, rows]``; the softmax if None.
      dtype: of the layers; float32 if None.
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
        probability_fn: Probability = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        compute = probability_fn or tf.nn.softmax
        super().__init__(
            query_layer=dense(self, num_units, "query_layer", dtype),
            memory_layer=dense(self, num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=lambda score, _: compute(score),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        with tf.variable_scope(None, "bahdanau_attention", [query]):
            score = bahdanau_score_with_variables(self, query, self._normalize)
            alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongAttention(_BaseAttentionMechanism):
    """The score is the product of query and keys (Luong et al., 2015).

    Args:
      num_units: the size of the keys after their layer, and of the query.
      memory, memory_sequence_length, score_mask_value, custom_key_value_fn: as for ``_BaseAttentionMechanism``.
      scale: also a factor ``attention_g``.
      probability_fn: of the scores ``[n, rows]``; the softmax if None.
      dtype: of the layer; float32 if None.
    Raises:
      AttributeError: Keras 2 is missing.
      ValueError: when called, the query is of a different size.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Probability = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        compute = probability_fn or tf.nn.softmax
        super().__init__(
            query_layer=None,
            memory_layer=dense(self, num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=lambda score, _: compute(score),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name

    def __call__(self, query: Any, state: Any) -> Tuple[Any, Any]:
        with tf.variable_scope(None, "luong_attention", [query]):
            score = luong_score_with_variables(self, query, self._scale)
            alignments = self._probability_fn(score, state)
        return alignments, alignments


def hardmax(logits: Any, name: Optional[str] = None) -> Any:
    """1 for the greatest of each row, the first of equal ones, and 0 for the others.

    Args:
      logits: ``[..., classes]``.
    Differs from TF1: None known.
    """
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        return tf.one_hot(tf.argmax(logits, -1), _side(logits, -1), dtype=logits.dtype)


def dense(mechanism: Any, units: int, name: str, dtype: Any) -> Any:
    """A layer for *mechanism* without biases."""
    try:
        make = tf.layers.Dense
    except (AttributeError, ImportError) as problem:
        raise without_keras_2(f"tf.contrib.seq2seq.{type(mechanism).__name__}") from problem
    return make(units, name=name, use_bias=False, dtype=dtype or tf.float32)


def bahdanau_score_with_variables(mechanism: Any, query: Any, normalize: bool) -> Any:
    """The scores, ``[n, rows]``, with the variables of the current scope."""
    processed = mechanism.query_layer(query) if mechanism.query_layer else query
    v = tf.get_variable("attention_v", [mechanism._num_units], dtype=query.dtype)
    if not normalize:
        return _bahdanau_score(processed, mechanism.keys, v)
    first = tf.constant_initializer(math.sqrt(1.0 / mechanism._num_units))
    g = tf.get_variable("attention_g", dtype=query.dtype, initializer=first, shape=())
    b = tf.get_variable("attention_b", [mechanism._num_units], dtype=query.dtype, initializer=tf.zeros_initializer())
    return _bahdanau_score(processed, mechanism.keys, v, attention_g=g, attention_b=b)


def luong_score_with_variables(mechanism: Any, query: Any, scale: bool) -> Any:
    """The scores, ``[n, rows]``, with the variable of the current scope."""
    g = None
    if scale:
        g = tf.get_variable("attention_g", dtype=query.dtype, initializer=tf.ones_initializer(), shape=())
    return _luong_score(query, mechanism.keys, g)


def _bahdanau_score(
    processed_query: Any, keys: Any, attention_v: Any, attention_g: Any = None, attention_b: Any = None
) -> Any:
    """The scores, ``[n, rows]``, of *processed_query*, ``[n, units]``, and *keys*, ``[n, rows, units]``."""
    both = keys + tf.expand_dims(processed_query, 1)
    if attention_g is None or attention_b is None:
        return tf.reduce_sum(attention_v * tf.tanh(both), [2])
    unit = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
    return tf.reduce_sum(unit * tf.tanh(both + attention_b), [2])


def _luong_score(query: Any, keys: Any, scale: Any) -> Any:
    """The scores, ``[n, rows]``, of *query*, ``[n, units]``, and *keys*, ``[n, rows, units]``."""
    units, key_units = (one.shape.as_list()[-1] for one in (query, keys))
    if units != key_units:
        raise ValueError(
            f"query and keys of LuongAttention must have the same size, but have {units} ({query.shape}) and "
            f"{key_units} ({keys.shape}); set num_units to {units}"
        )
    score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True), [1])
    return score if scale is None else scale * score


def _maybe_mask_score(
    score: Any, memory_sequence_length: Any = None, memory_mask: Any = None, score_mask_value: Any = None
) -> Any:
    """*score*, ``[n, rows]``, but *score_mask_value* after each sequence, or where *memory_mask* is False."""
    if memory_sequence_length is None and memory_mask is None:
        return score
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask cannot both be passed")
    if memory_sequence_length is not None:
        message = "every memory_sequence_length must be greater than 0"
        with tf.control_dependencies([tf.assert_positive(memory_sequence_length, message=message)]):
            memory_mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(score)[1])
    return tf.where(memory_mask, score, score_mask_value * tf.ones_like(score))


def _prepare_memory(
    memory: Any,
    memory_sequence_length: Any = None,
    memory_mask: Any = None,
    check_inner_dims_defined: bool = True,
) -> Any:
    """*memory* (a tensor or a structure), with zeros after the end of each sequence."""
    memory = tf.nest.map_structure(lambda one: tf.convert_to_tensor(one, name="memory"), memory)
    if check_inner_dims_defined:
        for one in tf.nest.flatten(memory):
            if not one.shape[2:].is_fully_defined():
                raise ValueError(f"the last dimensions of memory {one.name} must be known, but are {one.shape[2:]}")
    if memory_sequence_length is None and memory_mask is None:
        return memory

    def masked(one: Any) -> Any:
        mask = memory_mask
        if mask is None:
            mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(tf.nest.flatten(memory)[0])[1])
        mask = tf.cast(mask, one.dtype)
        return one * tf.reshape(mask, tf.concat([tf.shape(mask), tf.ones(tf.rank(one) - 2, tf.int32)], 0))

    return tf.nest.map_structure(masked, memory)


def _zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros of the shape ``[n, state_size]``, for each size of a structure."""
    return tf.nest.map_structure(
        lambda size: tf.zeros([batch_size, *(size if isinstance(size, (list, tuple)) else [size])], dtype), state_size
    )


def _side(tensor: Any, axis: int) -> Any:
    """The length of a dimension: an integer if it is known."""
    static = tensor.shape.as_list()[axis]
    return tf.shape(tensor)[axis] if static is None else static

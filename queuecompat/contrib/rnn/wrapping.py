"""The wrappers of ``tf.contrib.rnn`` with variables of their own: highway connections, and attention to past outputs.

They need Keras 2. The variables have the names and shapes of TF 1.15.5.
Source: TF 1.15.5 ``contrib/rnn/python/ops/rnn_cell.py``.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import cell_class
from queuecompat.contrib.rnn.linear import linear

__all__ = ["AttentionCellWrapper", "HighwayWrapper"]

_RNNCell: Any = cell_class("RNNCell", "contrib.rnn")


class HighwayWrapper(_RNNCell):
    """A cell whose output is mixed with its inputs by gates that see the inputs (Srivastava et al., 2015).

    Args:
      cell: its outputs have the sizes of its inputs.
      couple_carry_transform_gates: whether output and inputs have weights that sum up to one; if not, each has a gate.
      carry_bias_init: the first bias of the gate of the inputs.
    Raises:
      ValueError, TypeError: on the first call: outputs and inputs differ in size or structure.
    Differs from TF1: None known.
    """

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__()
        self._cell, self._is_coupled, self._carry_bias = cell, couple_carry_transform_gates, carry_bias_init

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._cell.zero_state(batch_size, dtype)

    # Not call: the variables are in the scope of the caller, not in one of this cell.
    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        outputs, state = self._cell(inputs, state, scope=scope)
        tf.nest.assert_same_structure(inputs, outputs)
        tf.nest.map_structure(lambda one, other: one.shape.assert_is_compatible_with(other.shape), inputs, outputs)
        return tf.nest.map_structure(self._mixed, inputs, outputs), state

    def _mixed(self, inputs: Any, outputs: Any) -> Any:
        carry = self._gate("carry", inputs, self._carry_bias)
        transform = 1 - carry if self._is_coupled else self._gate("transform", inputs, -self._carry_bias)
        return inputs * carry + outputs * transform

    def _gate(self, name: str, inputs: Any, bias: float) -> Any:
        size = inputs.shape.with_rank(2)[1]
        weights = tf.get_variable(f"{name}_w", [size, size])
        biases = tf.get_variable(f"{name}_b", [size], initializer=tf.constant_initializer(bias))
        return tf.sigmoid(tf.nn.xw_plus_b(inputs, weights, biases))


class AttentionCellWrapper(_RNNCell):
    """A cell that also sees a weighted mean of its last outputs (Bahdanau et al., 2014).

    Args:
      cell: its state decides the weights.
      attn_length: of how many outputs the mean is taken.
      attn_size: the size of an output; that of *cell* by default.
      attn_vec_size: the size of the features from which weights are computed; *attn_size* by default.
      input_size: the size of what *cell* sees; that of the inputs by default.
      state_is_tuple: whether the state is a tuple of the cell's state, the mean and the outputs; if not, one matrix.
      reuse: the variables exist already.
    Raises:
      ValueError: *attn_length* is not positive, or *cell* has a tuple as its state without *state_is_tuple*.
      TypeError: *cell* is not a cell.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: Optional[int] = None,
        attn_vec_size: Optional[int] = None,
        input_size: Optional[int] = None,
        state_is_tuple: bool = True,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if not hasattr(cell, "state_size") or not callable(cell):
            raise TypeError(f"cell must be an RNNCell, not {type(cell).__name__}")
        if tf.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(f"the state of the cell is a tuple, {cell.state_size}, so state_is_tuple must be True")
        if attn_length <= 0:
            raise ValueError(f"attn_length must be positive, not {attn_length}")
        self._cell, self._length, self._state_is_tuple, self._input_size = cell, attn_length, state_is_tuple, input_size
        self._size = cell.output_size if attn_size is None else attn_size
        self._feature_size = self._size if attn_vec_size is None else attn_vec_size

    @property
    def state_size(self) -> Any:
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        return self._size

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        if not self._state_is_tuple:
            state = tf.split(state, [self._cell.state_size, self._size, self._size * self._length], axis=1)
        of_cell, mean, past = state
        past = tf.reshape(past, [-1, self._length, self._size])
        seen = linear([inputs, mean], self._input_size or inputs.shape[1], True)
        outputs, of_cell = self._cell(seen, of_cell)
        mean = self._mean(tf.concat(tf.nest.flatten(of_cell), 1), past)
        with tf.variable_scope("attn_output_projection"):
            outputs = linear([outputs, mean], self._size, True)
        past = tf.concat([past[:, 1:], outputs[:, tf.newaxis]], 1)
        state = (of_cell, mean, tf.reshape(past, [-1, self._length * self._size]))
        return outputs, state if self._state_is_tuple else tf.concat(state, 1)

    def _mean(self, query: Any, past: Any) -> Any:
        with tf.variable_scope("attention"):
            kernel = tf.get_variable("attn_w", [1, 1, self._size, self._feature_size])
            vector = tf.get_variable("attn_v", [self._feature_size])
            features = tf.nn.conv2d(past[:, :, tf.newaxis], kernel, [1, 1, 1, 1], "SAME")
            features += linear(query, self._feature_size, True)[:, tf.newaxis, tf.newaxis]
            weights = tf.nn.softmax(tf.reduce_sum(vector * tf.tanh(features), [2, 3]))
            return tf.reduce_sum(weights[:, :, tf.newaxis] * past, 1)

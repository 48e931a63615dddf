"""Cells, and layers of cells, that ``tf.contrib.rnn`` had and ``tf.compat.v1.nn.rnn_cell`` does not have.

They are made of TensorFlow's own cells, so that all but ``LSTMBlockFusedCell`` need Keras 2. The variables have the
names and shapes of TF 1.15.5.
Source: TF 1.15.5 ``contrib/rnn/python/ops/`` (``core_rnn_cell.py``, ``rnn_cell.py``, ``lstm_ops.py``, ``gru_ops.py``,
``fused_rnn_cell.py``).
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import cell_class

__all__ = [
    "EmbeddingWrapper",
    "GRUBlockCellV2",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LayerNormBasicLSTMCell",
    "OutputProjectionWrapper",
    "TimeReversedFusedRNN",
]

Activation = Optional[Callable[[Any], Any]]


class _State(NamedTuple):
    c: Any
    h: Any


_RNNCell: Any = cell_class("RNNCell", "contrib.rnn")
_GRUCell: Any = cell_class("GRUCell", "contrib.rnn")
_LSTMStateTuple: Any = getattr(tf.nn.rnn_cell, "LSTMStateTuple", _State)


class _Block:
    """The variables of an LSTM cell, and the op that runs it over several steps."""

    def __init__(self, num_units: int, forget_bias: float, cell_clip: Optional[float], use_peephole: bool) -> None:
        self._num_units, self._forget_bias, self._use_peephole = num_units, forget_bias, use_peephole
        self._cell_clip = -1.0 if cell_clip is None else cell_clip

    def run(self, steps: Any, state: Any, dtype: Any, longest: Any) -> Tuple[Any, Any]:
        """The state and the output of every one of *steps*, ``[steps, n, size]``."""
        units = self._num_units
        kernel = tf.get_variable("kernel", [steps.shape[2] + units, 4 * units], dtype)
        bias = tf.get_variable("bias", [4 * units], dtype, tf.constant_initializer(0.0))
        diagonals = {gate: tf.zeros([units], dtype) for gate in "ifo"}
        if self._use_peephole:
            diagonals = {gate: tf.get_variable(f"w_{gate}_diag", [units], dtype) for gate in "ifo"}
        _, states, _, _, _, _, outputs = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(longest, tf.int64),
            x=steps,
            cs_prev=state[0],
            h_prev=state[1],
            w=kernel,
            wci=diagonals["i"],
            wcf=diagonals["f"],
            wco=diagonals["o"],
            b=bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return states, outputs


class LSTMBlockCell(_RNNCell):
    """``tf.nn.rnn_cell.LSTMCell`` as one op. With *cell_clip*, gradients are those without it.

    Args:
      num_units: the size of the state.
      forget_bias: is added to the forget gate.
      cell_clip: the greatest size of a number of the state.
      use_peephole: gates also see the state.
      dtype: of the variables; float32 if None.
      reuse: the variables exist already.
      name: the variable scope.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Optional[bool] = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units, self._block = num_units, _Block(num_units, forget_bias, cell_clip, use_peephole)

    @property
    def state_size(self) -> Any:
        return _LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        states, outputs = self._block.run(inputs[tf.newaxis], state, inputs.dtype, 1)
        return outputs[0], _LSTMStateTuple(states[0], outputs[0])


class GRUBlockCellV2(_GRUCell):
    """``tf.nn.rnn_cell.GRUCell``; TF1's was one op.

    Args:
      num_units, reuse, name: as there.
      cell_size: an earlier name of *num_units*.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: Optional[int] = None,
        cell_size: Optional[int] = None,
        reuse: Optional[bool] = None,
        name: str = "gru_cell",
    ) -> None:
        if (num_units is None) == (cell_size is None):
            raise ValueError("GRUBlockCellV2 needs either num_units or cell_size")
        super().__init__(cell_size if num_units is None else num_units, reuse=reuse, name=name)


class LayerNormBasicLSTMCell(_RNNCell):
    """An LSTM cell whose gates and state are normalized over the units (Ba et al., 2016), with recurrent dropout.

    Args:
      num_units: the size of the state.
      forget_bias: is added to the forget gate.
      input_size: without effect.
      activation: of the new values and of the output.
      layer_norm: False: biases instead of normalization.
      norm_gain, norm_shift: the first values of each ``gamma`` and ``beta``.
      dropout_keep_prob, dropout_prob_seed: of the dropout of new values; none if it is the float 1.
      reuse: the variables exist already.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Callable[[Any], Any] = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Optional[int] = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias, self._activation = num_units, forget_bias, activation
        self._is_normalized, self._gain, self._shift = layer_norm, norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self) -> Any:
        return _LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        c, h = state
        both = tf.concat([inputs, h], 1)
        gates = tf.matmul(both, tf.get_variable("kernel", [both.shape[-1], 4 * self._num_units], dtype=both.dtype))
        if not self._is_normalized:
            gates = tf.nn.bias_add(gates, tf.get_variable("bias", [4 * self._num_units], dtype=both.dtype))
        names = ("input", "transform", "forget", "output")
        i, j, f, o = (self._normalized(one, name) for one, name in zip(tf.split(gates, 4, axis=1), names))
        new = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = tf.nn.dropout(new, self._keep_prob, seed=self._seed)
        c = self._normalized(c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * new, "state")
        h = self._activation(c) * tf.sigmoid(o)
        return h, _LSTMStateTuple(c, h)

    def _normalized(self, values: Any, scope: str) -> Any:
        if not self._is_normalized:
            return values
        shape = values.shape[-1:]
        with tf.variable_scope(scope):
            gamma = tf.get_variable("gamma", shape, values.dtype, tf.constant_initializer(self._gain))
            beta = tf.get_variable("beta", shape, values.dtype, tf.constant_initializer(self._shift))
        mean, variance = tf.nn.moments(values, [1], keepdims=True)
        epsilon = 1e-3 if values.dtype == tf.float16 else 1e-12
        return tf.nn.batch_normalization(values, mean, variance, beta, gamma, epsilon)


class _Wrapper(_RNNCell):
    """A cell around *cell*, with its state."""

    def __init__(self, cell: Any, reuse: Optional[bool]) -> None:
        super().__init__(_reuse=reuse)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Wrapper):
    """A cell whose inputs are numbers of symbols, each with a vector in the variable ``embedding``.

    Args:
      cell: its inputs are the vectors.
      embedding_classes, embedding_size: the shape of the variable.
      initializer: that of the variable scope if None, or else vectors whose numbers have a variance of 1.
      reuse: the variable exists already.
    Raises:
      ValueError: a size is not positive.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Optional[bool] = None,
    ) -> None:
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(f"sizes of an embedding must be positive, not {embedding_classes} and {embedding_size}")
        super().__init__(cell, reuse)
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        with tf.device("/cpu:0"):
            wide = tf.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
            embedding = tf.get_variable(
                "embedding",
                self._shape,
                dtype=tf.nest.flatten(state)[0].dtype,
                initializer=self._initializer or tf.get_variable_scope().initializer or wide,
            )
            embedded = tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1]))
        return self._cell(embedded, state)


class InputProjectionWrapper(_Wrapper):
    """A cell with a linear layer before its inputs.

    Args:
      cell: its inputs are what the layer computes.
      num_proj: the size of these.
      activation: applied to them.
      input_size: without effect.
      reuse: the variables ``kernel`` and ``bias`` exist already.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Activation = None,
        input_size: Any = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._projected_by = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        return self._cell(_projected(inputs, self._num_proj, self._projected_by), state)


class OutputProjectionWrapper(_Wrapper):
    """A cell with a linear layer after its outputs.

    Args:
      cell: its outputs go into the layer.
      output_size: the size of the layer's outputs.
      activation: applied to them.
      reuse: the variables ``kernel`` and ``bias`` exist already.
    Raises:
      ValueError: *output_size* is not positive.
    Differs from TF1: None known.
    """

    def __init__(
        self, cell: Any, output_size: int, activation: Activation = None, reuse: Optional[bool] = None
    ) -> None:
        if output_size < 1:
            raise ValueError(f"output_size must be positive, not {output_size}")
        super().__init__(cell, reuse)
        self._output_size, self._projected_by = output_size, activation

    @property
    def output_size(self) -> int:
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        outputs, state = self._cell(inputs, state)
        return _projected(outputs, self._output_size, self._projected_by), state


class LSTMBlockFusedCell:
    """A whole layer of LSTM cells as one op, for inputs ``[steps, n, size]``.

    Args:
      num_units: the size of the state.
      forget_bias: is added to the forget gate.
      cell_clip: the greatest size of a number of the state.
      use_peephole: gates also see the state.
      reuse: the variables exist already.
      dtype: of the variables; float32 if None.
      name: the variable scope.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        reuse: Optional[bool] = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        self._num_units, self._block = num_units, _Block(num_units, forget_bias, cell_clip, use_peephole)
        self._reuse, self._dtype, self._name = reuse, dtype or tf.float32, name
        self._scope: Any = None

    @property
    def num_units(self) -> int:
        return self._num_units

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        """The outputs, ``[steps, n, num_units]``, and the last state of each example.

        Args:
          initial_state: a pair of ``[n, num_units]``; zeros if None.
          dtype: of an initial state that is None.
          sequence_length: ``[n]``; outputs after it are zeros. None: all steps.
        Raises:
          ValueError: neither *initial_state* nor *dtype*.
        """
        steps = tf.convert_to_tensor(inputs)
        if initial_state is None:
            if dtype is None:
                raise ValueError("LSTMBlockFusedCell needs initial_state or dtype")
            initial_state = (tf.zeros([tf.shape(steps)[1], self._num_units], dtype),) * 2
        is_again = self._scope is not None
        with tf.variable_scope(
            self._scope if is_again else scope, self._name, reuse=True if is_again else self._reuse
        ) as self._scope:
            longest = tf.shape(steps)[0] if sequence_length is None else tf.reduce_max(sequence_length)
            states, outputs = self._block.run(steps, initial_state, self._dtype, longest)
        last = [one[-1] for one in (states, outputs)]
        if sequence_length is not None:
            lengths = tf.cast(sequence_length, tf.int32)
            mask = tf.transpose(tf.sequence_mask(lengths, tf.shape(steps)[0], outputs.dtype))
            outputs *= mask[:, :, tf.newaxis]
            which = tf.stack([lengths, tf.range(tf.shape(steps)[1])], axis=1)
            both = zip(initial_state, (states, outputs))
            last = [tf.gather_nd(tf.concat([first[tf.newaxis], later], 0), which) for first, later in both]
        return outputs, _LSTMStateTuple(*last)


class TimeReversedFusedRNN:
    """A layer of cells that runs from the last step of each example to its first.

    Args:
      cell: a layer, such as ``LSTMBlockFusedCell``.
    Differs from TF1: None known.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        """Arguments and results: as for *cell*; the outputs are in the order of *inputs*."""

        def reverse(steps: Any) -> Any:
            return (
                tf.reverse(steps, [0]) if sequence_length is None else tf.reverse_sequence(steps, sequence_length, 0, 1)
            )

        outputs, state = self._cell(
            reverse(inputs), initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope
        )
        return reverse(outputs), state


def _projected(values: Any, size: int, activation: Activation) -> Any:
    kernel = tf.get_variable("kernel", [values.shape[1], size], values.dtype)
    bias = tf.get_variable("bias", [size], values.dtype, tf.constant_initializer(0.0, values.dtype))
    projected = tf.nn.bias_add(tf.matmul(values, kernel), bias)
    return activation(projected) if activation else projected

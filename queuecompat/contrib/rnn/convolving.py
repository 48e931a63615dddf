"""The cells of ``tf.contrib.rnn`` whose gates are convolutions (Shi et al., 2015), for sequences of images.

They need Keras 2. The variables have the names and shapes of TF 1.15.5.
Source: TF 1.15.5 ``contrib/rnn/python/ops/rnn_cell.py``.
"""

from __future__ import annotations

from typing import Any, Sequence, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import cell_class

__all__ = ["Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell"]

_RNNCell: Any = cell_class("RNNCell", "contrib.rnn")
_CONVOLUTIONS = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}


class ConvLSTMCell(_RNNCell):
    """An LSTM cell with one convolution of inputs and output in place of a matrix; it pads with zeros.

    Args:
      conv_ndims: 1, 2 or 3: how many dimensions the convolution has.
      input_shape: the shape of one example, with its channels last.
      output_channels: the channels of the state.
      kernel_shape: the sizes of the window, one for each dimension.
      use_bias: whether a bias is added to the gates.
      skip_connection: whether the channels of the inputs follow those of the output.
      forget_bias: is added to the forget gate.
      initializers: without effect.
      name: the variable scope.
    Raises:
      ValueError: *input_shape* does not have one dimension more than the convolution.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        *sides, channels = input_shape
        if conv_ndims != len(sides):
            raise ValueError(f"input_shape {input_shape} must have {conv_ndims + 1} dimensions")
        self._conv_ndims, self._output_channels, self._kernel_shape = conv_ndims, output_channels, list(kernel_shape)
        self._use_bias, self._skip_connection, self._forget_bias = use_bias, skip_connection, forget_bias
        state = tf.TensorShape([*sides, output_channels])
        self._state_size = tf.nn.rnn_cell.LSTMStateTuple(state, state)
        self._output_size = tf.TensorShape([*sides, output_channels + (channels if skip_connection else 0)])

    @property
    def state_size(self) -> Any:
        return self._state_size

    @property
    def output_size(self) -> Any:
        return self._output_size

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        c, h = state
        i, j, f, o = tf.split(self._convolved(tf.concat([inputs, h], -1)), 4, axis=-1)
        c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        if self._skip_connection:
            h = tf.concat([h, inputs], -1)
        return h, tf.nn.rnn_cell.LSTMStateTuple(c, h)

    def _convolved(self, images: Any) -> Any:
        channels = 4 * self._output_channels
        kernel = tf.get_variable("kernel", [*self._kernel_shape, images.shape[-1], channels], images.dtype)
        strides = 1 if self._conv_ndims == 1 else [1] * (self._conv_ndims + 2)
        gates = _CONVOLUTIONS[self._conv_ndims](images, kernel, strides, padding="SAME")
        if not self._use_bias:
            return gates
        zeros = tf.constant_initializer(0.0, dtype=images.dtype)
        return gates + tf.get_variable("biases", [channels], images.dtype, zeros)


class Conv1DLSTMCell(ConvLSTMCell):
    """``ConvLSTMCell`` for sequences of vectors with channels; *kwargs* are its other arguments.

    Differs from TF1: None known.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """``ConvLSTMCell`` for images; *kwargs* are its other arguments.

    Differs from TF1: None known.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """``ConvLSTMCell`` for volumes; *kwargs* are its other arguments.

    Differs from TF1: None known.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)

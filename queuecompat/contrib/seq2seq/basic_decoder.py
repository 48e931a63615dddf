"""A decoder that runs one cell, with a helper that selects its inputs.

Source: TF 1.15.5 ``contrib/seq2seq/python/ops/basic_decoder.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib.seq2seq.decoder import Decoder
from queuecompat.contrib.seq2seq.helper import Helper

__all__ = ["BasicDecoder", "BasicDecoderOutput"]


class BasicDecoderOutput(NamedTuple):
    """The outputs of the cell (or of the output layer), and what the helper sampled from them."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """Runs *cell* on the inputs that *helper* selects.

    Args:
      cell: has the members of a cell of ``tf.nn.rnn_cell``.
      helper: a ``Helper``.
      initial_state: the state before the first step.
      output_layer: applied to the outputs of the cell before sampling, such as ``tf.layers.Dense``: any callable
        object that has ``compute_output_shape``.
    Raises:
      TypeError: an argument is of a different type.
    Differs from TF1: None known.
    """

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None) -> None:
        check_cell(cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a tf.contrib.seq2seq.Helper, not {type(helper).__name__}")
        check_layer(output_layer)
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        dtypes = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BasicDecoderOutput(dtypes, self._helper.sample_ids_dtype)

    def _rnn_output_size(self) -> Any:
        return output_size(self._cell, self._output_layer)

    def initialize(self, name: Optional[str] = None) -> Tuple[Any, Any, Any]:
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: Optional[str] = None) -> Tuple[Any, Any, Any, Any]:
        with tf.name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            samples = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=samples
            )
        return BasicDecoderOutput(outputs, samples), state, inputs, finished


def check_cell(cell: Any) -> None:
    """Raises TypeError if *cell* lacks a member of a cell."""
    lacking = [name for name in ("output_size", "state_size", "zero_state") if not hasattr(cell, name)]
    lacking += [] if callable(cell) else ["__call__"]
    if lacking:
        raise TypeError(f"cell must be an RNN cell, but {type(cell).__name__} has no {', '.join(lacking)}")


def check_layer(layer: Any) -> None:
    """Raises TypeError if *layer* is neither None nor a layer."""
    if layer is not None and not (callable(layer) and hasattr(layer, "compute_output_shape")):
        raise TypeError(f"output_layer must be a layer, not {type(layer).__name__}")


def output_size(cell: Any, layer: Any) -> Any:
    """The size of the outputs of *cell*, or of *layer* after it."""
    if layer is None:
        return cell.output_size
    shapes = tf.nest.map_structure(
        lambda size: tf.TensorShape([None]).concatenate(size), cell.output_size, check_types=False
    )
    return tf.nest.map_structure(lambda shape: shape[1:], layer.compute_output_shape(shapes))

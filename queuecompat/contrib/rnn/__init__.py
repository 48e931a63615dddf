"""``tf.contrib.rnn``: the cells and loops of ``tf.compat.v1.nn``, other cells, and stacks of bidirectional layers.

The cells are TensorFlow's own, or made of these, and need Keras 2 (the package tf-keras); the loops run any object that
has the methods of a cell.
"""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases
from queuecompat.contrib.rnn.stacking import (
    stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn,
    transpose_batch_time,
)

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "GRUBlockCellV2",
    "GRUCell",
    "HighwayWrapper",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "MultiRNNCell",
    "OutputProjectionWrapper",
    "RNNCell",
    "ResidualWrapper",
    "TimeReversedFusedRNN",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]

_OURS = (
    "EmbeddingWrapper",
    "GRUBlockCellV2",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LayerNormBasicLSTMCell",
    "OutputProjectionWrapper",
    "TimeReversedFusedRNN",
)
_CONVOLVING = ("Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell")
_PLACES = {
    **{name: f"compat.v1.nn.rnn_cell.{name}" for name in __all__ if name[0].isupper()},
    **{name: f"queuecompat.contrib.rnn.cells:{name}" for name in _OURS},
    **{name: f"queuecompat.contrib.rnn.convolving:{name}" for name in _CONVOLVING},
    **{name: f"queuecompat.contrib.rnn.wrapping:{name}" for name in ("AttentionCellWrapper", "HighwayWrapper")},
    **{name: f"compat.v1.nn.{name}" for name in __all__ if name.startswith("static_")},
}

__getattr__, __dir__ = aliases(__name__, _PLACES)

"""The cells of ``tf.contrib.rnn`` that TensorFlow 2 does not have, with the numbers and names of TF 1.15.5."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest

import queuecompat.v1 as tf

HAS_KERAS_2 = hasattr(tf.keras.layers, "DenseFeatures")

pytestmark = pytest.mark.filterwarnings("ignore:.tf.nn.rnn_cell.* is deprecated:UserWarning")  # TensorFlow's

INPUTS = np.cos(np.arange(24, dtype=np.float32)).reshape(2, 3, 4)
SYMBOLS = np.array([[1, 4, 0], [2, 2, 3]], np.int32)
LENGTHS = np.array([2, 3], np.int32)


def sines(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    sides = [int(side) for side in shape]
    return tf.constant(np.sin(np.arange(np.prod(sides), dtype=np.float32) + 1).reshape(sides))


def of_steps(make: Callable[[Any], Any]) -> Callable[[], Any]:
    """A cell in both of TensorFlow's loops, with the same variables."""

    def run() -> Any:
        cell = make(tf.contrib.rnn)
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(INPUTS), LENGTHS, dtype=tf.float32)
        listed, _ = tf.nn.static_rnn(cell, tf.unstack(tf.constant(INPUTS), axis=1), dtype=tf.float32)
        return [outputs, *tf.contrib.framework.nest.flatten(state), tf.stack(listed)]

    return run


def of_images(make: Callable[[Any], Any], shape: List[int], steps: int = 3) -> Callable[[], Any]:
    """A cell in a loop over images of *shape*."""

    def run() -> Any:
        images = tf.reshape(tf.constant(INPUTS[:, :steps]), [2, steps, *shape])
        outputs, state = tf.nn.static_rnn(make(tf.contrib.rnn), tf.unstack(images, axis=1), dtype=tf.float32)
        return [tf.stack(outputs), *tf.contrib.framework.nest.flatten(state)]

    return run


def embedded() -> Any:
    cell = tf.contrib.rnn.EmbeddingWrapper(tf.contrib.rnn.GRUCell(3), 5, 2)
    outputs, state = tf.nn.static_rnn(cell, tf.unstack(tf.constant(SYMBOLS), axis=1), dtype=tf.float32)
    return [tf.stack(outputs), state]


def fused() -> Any:
    """Both directions in one scope, as taggers have them, and the same layer once more."""
    rnn = tf.contrib.rnn
    steps = tf.transpose(tf.constant(INPUTS), [1, 0, 2])
    forward, backward = rnn.LSTMBlockFusedCell(3, use_peephole=True), rnn.LSTMBlockFusedCell(3, 0.5, 0.1)
    made = [*forward(steps, dtype=tf.float32, sequence_length=LENGTHS)]
    made += rnn.TimeReversedFusedRNN(backward)(steps, dtype=tf.float32, sequence_length=LENGTHS)
    made += forward(steps, initial_state=made[1])
    return tf.contrib.framework.nest.flatten(made)


CELLS: Dict[str, Callable[[], Any]] = {
    "output": of_steps(lambda rnn: rnn.OutputProjectionWrapper(rnn.BasicLSTMCell(3), 2, tf.tanh)),
    "input": of_steps(lambda rnn: rnn.InputProjectionWrapper(rnn.GRUCell(3), 2)),
    "normalized": of_steps(lambda rnn: rnn.LayerNormBasicLSTMCell(3, 0.5, norm_gain=2.0, norm_shift=0.25)),
    "not_normalized": of_steps(lambda rnn: rnn.LayerNormBasicLSTMCell(3, layer_norm=False, activation=tf.sigmoid)),
    "lstm": of_steps(lambda rnn: rnn.LSTMBlockCell(3, 0.5, 0.2, use_peephole=True)),
    "gru": of_steps(lambda rnn: rnn.GRUBlockCellV2(3)),
    "stack": of_steps(lambda rnn: rnn.MultiRNNCell([rnn.LSTMBlockCell(3), rnn.LSTMBlockCell(2, name="second")])),
    "embedded": embedded,
    "fused": fused,
    "highway": of_images(lambda rnn: rnn.HighwayWrapper(rnn.GRUCell(4)), [4]),
    "two_gates": of_images(lambda rnn: rnn.HighwayWrapper(rnn.BasicLSTMCell(4), False, 0.5), [4]),
    "attention": of_steps(lambda rnn: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(3), 2, 5, 4, 3)),
    "attention_in_one_state": of_steps(lambda rnn: rnn.AttentionCellWrapper(rnn.GRUCell(3), 2, state_is_tuple=False)),
    "convolution": of_images(lambda rnn: rnn.ConvLSTMCell(2, [2, 2, 1], 3, [3, 1], forget_bias=0.5), [2, 2, 1]),
    "convolution_1d": of_images(
        lambda rnn: rnn.Conv1DLSTMCell(input_shape=[2, 2], output_channels=1, kernel_shape=[2]), [2, 2]
    ),
    "convolution_2d": of_images(
        lambda rnn: rnn.Conv2DLSTMCell(
            input_shape=[2, 1, 2], output_channels=2, kernel_shape=[1, 1], use_bias=False, skip_connection=True
        ),
        [2, 1, 2],
        1,
    ),
    "convolution_3d": of_images(
        lambda rnn: rnn.Conv3DLSTMCell(input_shape=[1, 2, 2, 1], output_channels=2, kernel_shape=[1, 2, 2]),
        [1, 2, 2, 1],
    ),
}
# The sum of each result, the sum of the size of each gradient, and the variables of the gradients, of TF 1.15.5.
EXPECTED: Dict[str, Tuple[List[float], List[float], List[str]]] = {
    "output": (
        [-0.0406, -2.2949, -0.7444, -0.0577],
        [1.7335, 1.9534, 0.3606, 1.0183],
        [
            "v/rnn/output_projection_wrapper/basic_lstm_cell/kernel",
            "v/rnn/output_projection_wrapper/basic_lstm_cell/bias",
            "v/rnn/output_projection_wrapper/kernel",
            "v/rnn/output_projection_wrapper/bias",
        ],
    ),
    "input": (
        [1.3956, 0.6056, 1.2487],
        [2.5497, 2.4308, 0.5526, 0.4365, 0.6524, 1.3592],
        [
            "v/rnn/input_projection_wrapper/kernel",
            "v/rnn/input_projection_wrapper/bias",
            "v/rnn/input_projection_wrapper/gru_cell/gates/kernel",
            "v/rnn/input_projection_wrapper/gru_cell/gates/bias",
            "v/rnn/input_projection_wrapper/gru_cell/candidate/kernel",
            "v/rnn/input_projection_wrapper/gru_cell/candidate/bias",
        ],
    ),
    "normalized": (
        [0.4354, 1.5, 0.1952, 1.8464],
        [16.0167, 0.7315, 0.7259, 1.7614, 5.3582, 0.4657, 0.7262, 1.1527, 1.7136, 16.9546, 14.4487],
        [
            "v/rnn/layer_norm_basic_lstm_cell/kernel",
            "v/rnn/layer_norm_basic_lstm_cell/input/gamma",
            "v/rnn/layer_norm_basic_lstm_cell/input/beta",
            "v/rnn/layer_norm_basic_lstm_cell/transform/gamma",
            "v/rnn/layer_norm_basic_lstm_cell/transform/beta",
            "v/rnn/layer_norm_basic_lstm_cell/forget/gamma",
            "v/rnn/layer_norm_basic_lstm_cell/forget/beta",
            "v/rnn/layer_norm_basic_lstm_cell/output/gamma",
            "v/rnn/layer_norm_basic_lstm_cell/output/beta",
            "v/rnn/layer_norm_basic_lstm_cell/state/gamma",
            "v/rnn/layer_norm_basic_lstm_cell/state/beta",
        ],
    ),
    "not_normalized": (
        [3.0976, 2.0317, 1.6414, 4.2108],
        [1.0574, 1.6283],
        ["v/rnn/layer_norm_basic_lstm_cell/kernel", "v/rnn/layer_norm_basic_lstm_cell/bias"],
    ),
    "lstm": (
        [0.1501, -0.161, 0.1507, 0.3957],
        [0.5016, 0.3774, 0.025, 0.0083, 0.0045],
        [
            "v/rnn/lstm_cell/kernel",
            "v/rnn/lstm_cell/bias",
            "v/rnn/lstm_cell/w_i_diag",
            "v/rnn/lstm_cell/w_f_diag",
            "v/rnn/lstm_cell/w_o_diag",
        ],
    ),
    "gru": (
        [0.8862, -0.2672, 0.6521],
        [1.4505, 1.253, 3.7146, 2.9882],
        [
            "v/rnn/gru_cell/gates/kernel",
            "v/rnn/gru_cell/gates/bias",
            "v/rnn/gru_cell/candidate/kernel",
            "v/rnn/gru_cell/candidate/bias",
        ],
    ),
    "stack": (
        [0.3513, -2.2949, -0.7444, 0.3823, 0.1887, 0.4936],
        [1.8512, 2.0519, 0.2506, 1.2026],
        [
            "v/rnn/multi_rnn_cell/cell_0/lstm_cell/kernel",
            "v/rnn/multi_rnn_cell/cell_0/lstm_cell/bias",
            "v/rnn/multi_rnn_cell/cell_1/second/kernel",
            "v/rnn/multi_rnn_cell/cell_1/second/bias",
        ],
    ),
    "embedded": (
        [0.1841, -0.381],
        [1.3697, 0.2469, 0.4054, 0.8402, 0.5097],
        [
            "v/rnn/embedding_wrapper/embedding",
            "v/rnn/embedding_wrapper/gru_cell/gates/kernel",
            "v/rnn/embedding_wrapper/gru_cell/gates/bias",
            "v/rnn/embedding_wrapper/gru_cell/candidate/kernel",
            "v/rnn/embedding_wrapper/gru_cell/candidate/bias",
        ],
    ),
    "fused": (
        [-1.1451, -1.9832, -0.5263, 0.2008, -0.4, -0.0569, -1.7938, -1.3678, -0.5003],
        [2.598, 2.3186, 0.3827, 0.8814, 0.3647, 0.3085, 0.3283],
        [
            "v/lstm_fused_cell/kernel",
            "v/lstm_fused_cell/bias",
            "v/lstm_fused_cell/w_i_diag",
            "v/lstm_fused_cell/w_f_diag",
            "v/lstm_fused_cell/w_o_diag",
            "v/lstm_fused_cell_1/kernel",
            "v/lstm_fused_cell_1/bias",
        ],
    ),
    "highway": (
        [-1.4323, 0.0632],
        [0.174, 0.0573, 0.8544, 0.7919, 0.7572, 1.7302],
        [
            "v/rnn/gru_cell/gates/kernel",
            "v/rnn/gru_cell/gates/bias",
            "v/rnn/gru_cell/candidate/kernel",
            "v/rnn/gru_cell/candidate/bias",
            "v/rnn/carry_w",
            "v/rnn/carry_b",
        ],
    ),
    "two_gates": (
        [-1.4442, -0.7813, -0.3982],
        [1.1445, 1.4337, 0.7224, 1.6873, 0.1747, 0.1363],
        [
            "v/rnn/basic_lstm_cell/kernel",
            "v/rnn/basic_lstm_cell/bias",
            "v/rnn/carry_w",
            "v/rnn/carry_b",
            "v/rnn/transform_w",
            "v/rnn/transform_b",
        ],
    ),
    "attention": (
        [-0.556, -1.9006, -0.7323, -0.2782, -0.3121, -0.1742],
        [3.3379, 11.2211, 8.5534, 15.8837, 0.6237, 0.1914, 0.0023, 0.0093, 8.7869, 39.9439],
        [
            "v/rnn/attention_cell_wrapper/kernel",
            "v/rnn/attention_cell_wrapper/bias",
            "v/rnn/attention_cell_wrapper/basic_lstm_cell/kernel",
            "v/rnn/attention_cell_wrapper/basic_lstm_cell/bias",
            "v/rnn/attention_cell_wrapper/attention/attn_w",
            "v/rnn/attention_cell_wrapper/attention/attn_v",
            "v/rnn/attention_cell_wrapper/attention/kernel",
            "v/rnn/attention_cell_wrapper/attention/bias",
            "v/rnn/attention_cell_wrapper/attn_output_projection/kernel",
            "v/rnn/attention_cell_wrapper/attn_output_projection/bias",
        ],
    ),
    "attention_in_one_state": (
        [-0.0259, -0.0216, -0.0668],
        [0.2816, 0.1271, 0.0224, 0.0329, 0.1414, 0.1258, 0.0, 0.0, 0.0, 0.0, 0.0302, 0.2564],
        [
            "v/rnn/attention_cell_wrapper/kernel",
            "v/rnn/attention_cell_wrapper/bias",
            "v/rnn/attention_cell_wrapper/gru_cell/gates/kernel",
            "v/rnn/attention_cell_wrapper/gru_cell/gates/bias",
            "v/rnn/attention_cell_wrapper/gru_cell/candidate/kernel",
            "v/rnn/attention_cell_wrapper/gru_cell/candidate/bias",
            "v/rnn/attention_cell_wrapper/attention/attn_w",
            "v/rnn/attention_cell_wrapper/attention/attn_v",
            "v/rnn/attention_cell_wrapper/attention/kernel",
            "v/rnn/attention_cell_wrapper/attention/bias",
            "v/rnn/attention_cell_wrapper/attn_output_projection/kernel",
            "v/rnn/attention_cell_wrapper/attn_output_projection/bias",
        ],
    ),
    "convolution": (
        [-2.7606, -3.4157, -1.1002],
        [2.3035, 4.8416],
        ["v/rnn/conv_lstm_cell/kernel", "v/rnn/conv_lstm_cell/biases"],
    ),
    "convolution_1d": (
        [0.9317, -0.521, -0.203],
        [0.6008, 0.3932],
        ["v/rnn/conv_1d_lstm_cell/kernel", "v/rnn/conv_1d_lstm_cell/biases"],
    ),
    "convolution_2d": ([0.5698, -0.6542, 0.5698], [2.3853], ["v/rnn/conv_2d_lstm_cell/kernel"]),
    "convolution_3d": (
        [-3.5492, -2.1578, -1.1992],
        [3.2665, 3.6633],
        ["v/rnn/conv_3d_lstm_cell/kernel", "v/rnn/conv_3d_lstm_cell/biases"],
    ),
}


def numbers(name: str) -> Tuple[List[float], List[float], List[str]]:
    with tf.Graph().as_default(), tf.variable_scope("v", initializer=sines), tf.Session() as session:
        results = CELLS[name]()
        variables = tf.trainable_variables()
        gradients = tf.gradients([tf.reduce_sum(one**2) for one in results], variables)
        session.run(tf.global_variables_initializer())
        sums = session.run(
            [[tf.reduce_sum(one) for one in results], [tf.norm(tf.convert_to_tensor(one)) for one in gradients]]
        )
        return (*([round(float(one), 4) for one in part] for part in sums), [one.op.name for one in variables])


@pytest.mark.skipif(HAS_KERAS_2, reason="Keras 2 is there")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("AttentionCellWrapper", (None, 2)),
        ("ConvLSTMCell", (1, [2, 2], 3, [1])),
        ("EmbeddingWrapper", (None, 5, 2)),
        ("GRUBlockCellV2", (3,)),
        ("HighwayWrapper", (None,)),
        ("LSTMBlockCell", (3,)),
        ("LayerNormBasicLSTMCell", (3,)),
    ],
)
def test_a_cell_says_what_it_needs(name: str, arguments: Tuple[Any, ...]) -> None:
    with pytest.raises(AttributeError, match=f"(?s)tf.contrib.rnn.{name}' was not found: .*pip install tf_keras"):
        getattr(tf.contrib.rnn, name)(*arguments)


@pytest.mark.parametrize("name", CELLS if HAS_KERAS_2 else ["fused"])
def test_a_cell_computes_what_it_computed(name: str) -> None:
    results, gradients, names = numbers(name)
    np.testing.assert_allclose(results, EXPECTED[name][0], atol=2e-3)
    np.testing.assert_allclose(gradients, EXPECTED[name][1], rtol=2e-3, atol=2e-3)
    assert names == EXPECTED[name][2]


@pytest.mark.skipif(not HAS_KERAS_2, reason="needs Keras 2")
def test_sizes_that_cannot_be_are_refused() -> None:
    rnn = tf.contrib.rnn
    for make in (
        lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(3), 0),
        lambda: rnn.EmbeddingWrapper(rnn.GRUCell(3), 0, 2),
        lambda: rnn.GRUBlockCellV2(),
        lambda: rnn.LSTMBlockFusedCell(3)(tf.zeros([2, 3, 4])),
        lambda: rnn.AttentionCellWrapper(rnn.GRUCell(3), 0),
        lambda: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(3), 2, state_is_tuple=False),
        lambda: rnn.ConvLSTMCell(2, [3, 1], 2, [3, 3]),
    ):
        with pytest.raises(
            ValueError, match=r"must be positive|needs either|needs initial_state|must be True|dimensions"
        ):
            make()

"""Attention of ``tf.contrib.seq2seq``, with the numbers and names of TF 1.15.5."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest

import queuecompat.v1 as tf
from queuecompat._namespace import modules

HAS_KERAS_2 = hasattr(tf.keras.layers, "DenseFeatures")
WRAPPER = modules.find("contrib.seq2seq.python.ops.attention_wrapper")

pytestmark = pytest.mark.filterwarnings(
    "ignore:.tf.nn.rnn_cell.* is deprecated:UserWarning", "ignore:.tf.layers.*:UserWarning"
)  # TensorFlow's

MEMORY = np.cos(np.arange(60, dtype=np.float32)).reshape(3, 5, 4)
INPUTS = np.sin(np.arange(24, dtype=np.float32)).reshape(3, 4, 2)
EMBEDDING = np.sin(np.arange(10, dtype=np.float32) * 3).reshape(5, 2)
ROWS = np.array([5, 2, 3], np.int32)
LENGTHS = np.array([4, 1, 3], np.int32)
UNITS = 3

Run = Callable[[], Any]


def sines(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    sides = [int(side) for side in shape]
    return tf.constant(np.sin(np.arange(np.prod(sides), dtype=np.float32) + 1).reshape(sides))


def tensors(results: Any) -> List[Any]:
    """The tensors of a structure; a TensorArray counts as what it holds."""
    flat = tf.contrib.framework.nest.flatten(results)
    return [one.stack() if isinstance(one, tf.TensorArray) else one for one in flat]


def decoded(cell: Any, state: Any = None, greedy: bool = False, **arguments: Any) -> Any:
    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.TrainingHelper(tf.constant(INPUTS), tf.constant(LENGTHS))
    if greedy:
        helper = seq2seq.GreedyEmbeddingHelper(tf.constant(EMBEDDING), tf.constant([0, 1, 2]), 3)
    state = cell.zero_state(3, tf.float32) if state is None else state
    layer = tf.layers.Dense(5, use_bias=False, name="projection") if greedy else None
    return tensors(seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, state, layer), **arguments))


def of(make: Callable[[Any], Any], greedy: bool = False, **wrapping: Any) -> Run:
    """A decoder over a GRU cell with the mechanism that *make* makes."""

    def run() -> Any:
        cell = tf.nn.rnn_cell.GRUCell(UNITS)
        cell = tf.contrib.seq2seq.AttentionWrapper(cell, make(tf.contrib.seq2seq), **wrapping)
        return decoded(cell, greedy=greedy, maximum_iterations=4)

    return run


def encoded() -> Any:
    """A translator: the last state of an encoder is the first of the decoder; sizes are not known."""
    seq2seq = tf.contrib.seq2seq
    inputs = tf.placeholder_with_default(INPUTS, [None, None, 2])
    memory, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(UNITS), inputs, LENGTHS, dtype=tf.float32)
    mechanism = seq2seq.LuongAttention(UNITS, memory, tf.constant(LENGTHS), scale=True)
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(UNITS), mechanism, attention_layer_size=2, alignment_history=True
    )
    first = cell.zero_state(tf.shape(inputs)[0], tf.float32).clone(cell_state=state)
    return decoded(cell, first, greedy=True, maximum_iterations=5, impute_finished=True)


def several() -> Any:
    """A stack of cells, two mechanisms with a layer each, and an initial state of the cells."""
    seq2seq, rnn = tf.contrib.seq2seq, tf.nn.rnn_cell
    cells = rnn.MultiRNNCell([rnn.GRUCell(UNITS), rnn.LSTMCell(UNITS)])
    first = cells.zero_state(3, tf.float32)
    first = tf.contrib.framework.nest.map_structure(lambda one: one + 0.5, first)
    both = [
        seq2seq.BahdanauAttention(2, tf.constant(MEMORY), ROWS, normalize=True),
        seq2seq.LuongAttention(UNITS, tf.constant(MEMORY), probability_fn=seq2seq.hardmax),
    ]
    cell = seq2seq.AttentionWrapper(
        cells, both, [2, 3], True, lambda inputs, attention: inputs * attention[:, :2], False, first
    )
    return decoded(cell)


def own() -> Any:
    """As Tacotron 2 programs have it: a mechanism that also sees where it looked before, and a helper of their own."""

    class LocationSensitiveAttention(WRAPPER.BahdanauAttention):  # type: ignore[misc]
        def __init__(self, num_units: int, memory: Any, memory_sequence_length: Any) -> None:
            super().__init__(
                num_units=num_units,
                memory=memory,
                memory_sequence_length=memory_sequence_length,
                probability_fn=lambda score: tf.nn.sigmoid(score),
                name="Location",
            )

        def __call__(self, query: Any, state: Any) -> Any:
            with tf.variable_scope(None, "Location_Sensitive_Attention", [query]):
                processed = self.query_layer(query) if self.query_layer else query
                where = tf.layers.dense(tf.expand_dims(state, 2), self._num_units, use_bias=False, name="location")
                v = tf.get_variable("v", [self._num_units])
                score = WRAPPER._bahdanau_score(processed, self.keys + where, v)
                alignments = self._probability_fn(score, state)
            return alignments, alignments + state

        def get_size(self) -> Any:
            return self._alignments_size, self._batch_size, self.values

    class Helper(tf.contrib.seq2seq.Helper):  # type: ignore[misc]
        batch_size, sample_ids_shape, sample_ids_dtype = 3, tf.TensorShape([]), np.int32

        def initialize(self, name: Any = None) -> Any:
            return tf.tile([False], [3]), tf.zeros([3, 2])

        def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
            return tf.tile([0], [3])

        def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None) -> Any:
            return tf.reduce_all(outputs > 0.9, 1), outputs[:, -2:], state

    mechanism = LocationSensitiveAttention(UNITS, tf.constant(MEMORY), tf.constant(ROWS))
    seq2seq, rnn = tf.contrib.seq2seq, tf.nn.rnn_cell
    cell = seq2seq.AttentionWrapper(rnn.GRUCell(UNITS), mechanism, alignment_history=True, output_attention=False)
    cell = tf.contrib.rnn.OutputProjectionWrapper(cell, 4)
    decoder = seq2seq.BasicDecoder(cell, Helper(), cell.zero_state(3, tf.float32))
    size, _, values = mechanism.get_size()
    assert size == 5
    return [*tensors(seq2seq.dynamic_decode(decoder, maximum_iterations=5)), values]


def layered() -> Any:
    """A layer of the program's own, and its own function of the attention."""
    seq2seq = tf.contrib.seq2seq

    def doubled(mechanism: Any, output: Any, state: Any, layer: Any) -> Any:
        attention, alignments, following = WRAPPER._compute_attention(mechanism, output, state, layer)
        return attention * 2, alignments, following

    mechanism = seq2seq.BahdanauAttention(UNITS, tf.constant(MEMORY), ROWS, score_mask_value=-2.0)
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(UNITS),
        mechanism,
        attention_layer=tf.layers.Dense(2, activation=tf.tanh, name="of_mine"),
        attention_fn=doubled,
        name="wrapped",
    )
    return decoded(cell, impute_finished=True)


def searched(known: bool, end: int = 3, **arguments: Any) -> Run:
    """Beam search with attention; the alignments are sorted like the beams if the batch is not known."""

    def run() -> Any:
        seq2seq = tf.contrib.seq2seq
        memory = tf.constant(MEMORY) if known else tf.placeholder_with_default(MEMORY, [None, None, 4])
        tokens = tf.constant([0, 1, 2]) if known else tf.placeholder_with_default([0, 1, 2], [None])
        memory, rows, state = seq2seq.tile_batch((memory, tf.constant(ROWS), tf.ones([3, UNITS])), 2)
        mechanism = seq2seq.LuongAttention(UNITS, memory, rows)
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), mechanism, 2, alignment_history=True)
        first = cell.zero_state(tf.shape(memory)[0], tf.float32).clone(cell_state=state)
        layer = tf.layers.Dense(5, use_bias=False, name="projection")
        decoder = seq2seq.BeamSearchDecoder(cell, tf.constant(EMBEDDING), tokens, end, first, 2, layer, **arguments)
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
        parts = tensors(state)
        history = tf.reshape(parts[4], [-1])
        order = tf.reduce_sum(history * tf.range(tf.cast(tf.size(history), tf.float32)))
        parts = [tf.maximum(one, -1e6) if one.dtype == tf.float32 else tf.cast(one, tf.int64) for one in parts]
        return [*tensors(outputs), *parts, lengths, order]

    return run


CASES: Dict[str, Run] = {
    "bahdanau": of(lambda s: s.BahdanauAttention(UNITS, tf.constant(MEMORY), ROWS), alignment_history=True),
    "bahdanau_normalized": of(
        lambda s: s.BahdanauAttention(2, tf.constant(MEMORY), ROWS, normalize=True), True, attention_layer_size=3
    ),
    "luong": of(lambda s: s.LuongAttention(UNITS, tf.constant(MEMORY)), alignment_history=True),
    "luong_scaled": of(lambda s: s.LuongAttention(UNITS, tf.constant(MEMORY), ROWS, scale=True), True),
    "bahdanau_monotonic": of(
        lambda s: s.BahdanauMonotonicAttention(UNITS, tf.constant(MEMORY), ROWS, True, score_bias_init=-0.5),
        alignment_history=True,
    ),
    "luong_monotonic": of(
        lambda s: s.LuongMonotonicAttention(UNITS, tf.constant(MEMORY), scale=True, mode="recursive"), True
    ),
    "hard": of(lambda s: s.LuongMonotonicAttention(UNITS, tf.constant(MEMORY), ROWS, mode="hard")),
    "encoded": encoded,
    "several": several,
    "own": own,
    "layered": layered,
    "searched": searched(True),
    "searched_and_sorted": searched(False, 1, length_penalty_weight=0.5),
    "searched_and_covered": searched(False, 0, coverage_penalty_weight=0.3, reorder_tensor_arrays=False),
}
# The sum of each result, the size of each gradient, and the variables, of TF 1.15.5.
EXPECTED: Dict[str, Tuple[List[float], List[float], List[str]]] = {
    "bahdanau": (
        [0.991, 0.0, 2.723, 0.218, 4.0, 3.0, 12.0, 3.0, 8.0],
        [18.528, 1.024, 0.526, 3.68, 3.276, 1.572, 16.312],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_v",
        ],
    ),
    "bahdanau_normalized": (
        [-5.443, 47.0, -3.916, -2.552, 4.0, 3.0, 3.0, 9.0],
        [3.945, 13.626, 11.166, 16.228, 18.231, 0.567, 1.276, 2.699, 0.786, 24.775, 8.783],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_v",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_g",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_b",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/projection/kernel",
        ],
    ),
    "luong": (
        [0.332, 7.0, 0.643, 0.101, 4.0, 3.0, 12.0, 3.0, 8.0],
        [3.222, 0.715, 0.912, 3.199, 3.541],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
        ],
    ),
    "luong_scaled": (
        [-0.964, 35.0, -3.883, 0.526, 4.0, 3.0, 3.0, 9.0],
        [41.134, 15.952, 13.062, 10.808, 14.302, 31.166, 28.518],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/luong_attention/attention_g",
            "v/decoder/projection/kernel",
        ],
    ),
    "bahdanau_monotonic": (
        [0.272, 1.0, 1.241, 0.257, 4.0, 0.723, 5.881, 0.723, 8.0],
        [2.507, 0.454, 0.162, 1.194, 1.977, 0.209, 0.489, 4.827, 1.444, 4.152],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/bahdanau_monotonic_attention/query_layer/kernel",
            "v/decoder/attention_wrapper/bahdanau_monotonic_attention/attention_v",
            "v/decoder/attention_wrapper/bahdanau_monotonic_attention/attention_g",
            "v/decoder/attention_wrapper/bahdanau_monotonic_attention/attention_b",
            "v/decoder/attention_wrapper/bahdanau_monotonic_attention/attention_score_bias",
        ],
    ),
    "luong_monotonic": (
        [-1.974, 37.0, -3.963, 0.328, 4.0, 1.981, 1.981, 10.0],
        [15.335, 6.619, 6.049, 6.055, 9.343, 12.046, 10.922, 7.027],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/luong_monotonic_attention/attention_g",
            "v/decoder/attention_wrapper/luong_monotonic_attention/attention_score_bias",
            "v/decoder/projection/kernel",
        ],
    ),
    "hard": (
        [-0.911, 8.0, 1.113, -0.228, 4.0, 3.0, 3.0, 8.0],
        [0.434, 0.61, 3.102, 1.309],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/luong_monotonic_attention/attention_score_bias",
        ],
    ),
    "encoded": (
        [0.921, 35.0, -6.4, -1.842, 0.1, 5.0, 3.0, 15.0, 3.0, 13.0],
        [9.431, 16.761, 0.084, 20.819, 25.124, 0.036, 10.648, 1.338],
        [
            "v/rnn/basic_lstm_cell/kernel",
            "v/rnn/basic_lstm_cell/bias",
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/basic_lstm_cell/kernel",
            "v/decoder/attention_wrapper/basic_lstm_cell/bias",
            "v/decoder/attention_wrapper/luong_attention/attention_g",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/projection/kernel",
        ],
    ),
    "several": (
        [-2.709, 0.0, 1.812, -7.003, -1.907, 6.425, 4.0, 3.0, 3.0, 12.0, 12.0, 3.0, 3.0, 8.0],
        [2.793, 3.055, 4.102, 15.388, 27.226, 6.424, 12.576, 0.124, 0.35, 3.684, 0.542, 3.145, 7.94],
        [
            "v/memory_layer/kernel",
            "v/memory_layer_1/kernel",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_0/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_0/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_0/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_0/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_1/lstm_cell/kernel",
            "v/decoder/attention_wrapper/multi_rnn_cell/cell_1/lstm_cell/bias",
            "v/decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_v",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_g",
            "v/decoder/attention_wrapper/bahdanau_attention/attention_b",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/attention_wrapper/attention_layer_1/kernel",
        ],
    ),
    "own": (
        [0.131, 0.0, 2.333, 0.841, 5.0, 8.208, 33.92, 33.92, 15.0, 1.198],
        [33.363, 9.596, 7.846, 38.377, 63.702, 15.109, 29.646, 46.29, 2.332, 11.958],
        [
            "v/memory_layer/kernel",
            "v/decoder/output_projection_wrapper/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/output_projection_wrapper/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/output_projection_wrapper/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/output_projection_wrapper/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/output_projection_wrapper/attention_wrapper/Location_Sensitive_Attention/query_layer/kernel",
            "v/decoder/output_projection_wrapper/attention_wrapper/Location_Sensitive_Attention/location/kernel",
            "v/decoder/output_projection_wrapper/attention_wrapper/Location_Sensitive_Attention/v",
            "v/decoder/output_projection_wrapper/kernel",
            "v/decoder/output_projection_wrapper/bias",
        ],
    ),
    "layered": (
        [5.903, 0.0, 3.425, 1.97, 4.0, 3.0, 3.0, 8.0],
        [14.112, 4.732, 3.999, 14.628, 19.978, 1.524, 12.437, 43.723, 40.789],
        [
            "v/memory_layer/kernel",
            "v/decoder/wrapped/gru_cell/gates/kernel",
            "v/decoder/wrapped/gru_cell/gates/bias",
            "v/decoder/wrapped/gru_cell/candidate/kernel",
            "v/decoder/wrapped/gru_cell/candidate/bias",
            "v/decoder/wrapped/bahdanau_attention/query_layer/kernel",
            "v/decoder/wrapped/bahdanau_attention/attention_v",
            "v/decoder/wrapped/of_mine/kernel",
            "v/decoder/wrapped/of_mine/bias",
        ],
    ),
    "searched": (
        [17.0, -65.252, 17.0, 2.0, 8.058, 3.076, 4.0, 6.0, 24.0, 6.0, -26.545, 0.0, 24.0, 24.0, 1403.365],
        [26182.424, 3448.537, 2310.213, 7080.296, 5628.421, 10037.535, 208.542],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/projection/kernel",
        ],
    ),
    "searched_and_sorted": (
        [26.0, -40.567, 26.0, 9.0, 5.88, 2.541, 4.0, 6.0, 24.0, 6.0, -14.657, 4.0, 13.0, 13.0, 1403.352],
        [24714.838, 3364.817, 2296.652, 6807.61, 5389.917, 9434.609, 61.592],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/projection/kernel",
        ],
    ),
    "searched_and_covered": (
        [17.0, -60.212, 16.0, 4.0, 7.983, 3.145, 4.0, 6.0, 24.0, 6.0, -22.267, 3.0, 20.0, 20.0, 18.0, 1403.405],
        [26153.686, 3565.354, 2390.281, 7316.718, 5830.165, 10403.937, 208.454],
        [
            "v/memory_layer/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/kernel",
            "v/decoder/attention_wrapper/gru_cell/gates/bias",
            "v/decoder/attention_wrapper/gru_cell/candidate/kernel",
            "v/decoder/attention_wrapper/gru_cell/candidate/bias",
            "v/decoder/attention_wrapper/attention_layer/kernel",
            "v/decoder/projection/kernel",
        ],
    ),
}


def numbers(name: str) -> Tuple[List[float], List[float], List[str]]:
    with tf.Graph().as_default(), tf.variable_scope("v", initializer=sines), tf.Session() as session:
        results = CASES[name]()
        variables = tf.trainable_variables()
        losses = [tf.reduce_sum(one**2) for one in results if one.dtype == tf.float32]
        gradients = [one for one in tf.gradients(losses, variables) if one is not None]
        session.run(tf.global_variables_initializer())
        sums = session.run([[tf.reduce_sum(one) for one in results], [tf.norm(one) for one in gradients]])
        return (*([round(float(one), 3) for one in part] for part in sums), [one.op.name for one in variables])


@pytest.mark.skipif(HAS_KERAS_2, reason="Keras 2 is there")
@pytest.mark.parametrize("name", [
    "BahdanauAttention", "BahdanauMonotonicAttention", "LuongAttention", "LuongMonotonicAttention", "AttentionWrapper",
])  # fmt: skip
def test_attention_says_what_it_needs(name: str) -> None:
    with pytest.raises(AttributeError, match=f"(?s)tf.contrib.seq2seq.{name}' was not found: .*pip install tf_keras"):
        getattr(tf.contrib.seq2seq, name)(3, MEMORY)


@pytest.mark.skipif(not HAS_KERAS_2, reason="needs Keras 2")
@pytest.mark.parametrize("name", CASES)
def test_attention_computes_what_it_computed(name: str) -> None:
    results, gradients, names = numbers(name)
    np.testing.assert_allclose(results, EXPECTED[name][0], rtol=2e-3, atol=4e-3)
    np.testing.assert_allclose(gradients, EXPECTED[name][1], rtol=2e-3, atol=4e-3)
    assert names == EXPECTED[name][2]


@pytest.mark.skipif(not HAS_KERAS_2, reason="needs Keras 2")
def test_what_does_not_fit_is_refused() -> None:
    seq2seq, rnn = tf.contrib.seq2seq, tf.nn.rnn_cell
    with tf.Graph().as_default():
        mechanism = seq2seq.LuongAttention(UNITS, tf.constant(MEMORY))
        cell = rnn.GRUCell(UNITS)
        layer = tf.layers.Dense(2)
        wrap, beams = seq2seq.AttentionWrapper, seq2seq.BeamSearchDecoder
        coverage = beams(cell, EMBEDDING, [0, 1, 2], 3, tf.zeros([6, 3]), 2, coverage_penalty_weight=0.2)
        state = wrap(cell, mechanism).zero_state(3, tf.float32)
        for error, call in (
            (TypeError, lambda: wrap(cell, cell)),
            (TypeError, lambda: wrap(None, mechanism)),
            (TypeError, lambda: wrap(cell, mechanism, cell_input_fn=3)),
            (ValueError, lambda: wrap(cell, mechanism, 2, attention_layer=layer)),
            (ValueError, lambda: wrap(cell, mechanism, [2, 3])),
            (ValueError, lambda: wrap(cell, [mechanism, mechanism], attention_layer=[layer])),
            (ValueError, lambda: state.clone(attention=tf.zeros([2, 4]))),
            ((TypeError, ValueError), lambda: state.clone(cell_state=(tf.zeros([3, 3]), tf.zeros([3, 3])))),
            (tf.errors.InvalidArgumentError, lambda: wrap(cell, mechanism).zero_state(4, tf.float32)),
            (ValueError, lambda: mechanism(tf.zeros([3, 2]), state.attention_state)),
            (TypeError, lambda: wrap(cell, mechanism)(tf.zeros([3, 2]), tf.zeros([3, 3]))),
            (ValueError, lambda: seq2seq.LuongAttention(UNITS, tf.placeholder(tf.float32, [3, None, None]))),
            (ValueError, lambda: beams(cell, EMBEDDING, 0, 3, tf.zeros([6, 3]), 2)),
            (ValueError, lambda: beams(cell, EMBEDDING, [0, 1, 2], [3], tf.zeros([6, 3]), 2)),
            (TypeError, lambda: beams(3, EMBEDDING, [0, 1, 2], 3, tf.zeros([6, 3]), 2)),
            (TypeError, lambda: beams(cell, EMBEDDING, [0, 1, 2], 3, tf.zeros([6, 3]), 2, 3)),
            (ValueError, lambda: coverage.initialize()),
        ):
            with pytest.raises(error):
                call()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("attention_wrapper", "_BaseAttentionMechanism"),
        ("attention_wrapper", "_BaseMonotonicAttentionMechanism"),
        ("attention_wrapper", "_maybe_mask_score"),
        ("attention_wrapper", "_prepare_memory"),
        ("attention_wrapper", "AttentionWrapperState"),
        ("basic_decoder", "BasicDecoderOutput"),
        ("beam_search_decoder", "tile_batch"),
        ("decoder", "_create_zero_outputs"),
        ("decoder", "_transpose_batch_time"),
        ("helper", "_unstack_ta"),
    ],
)
def test_what_programs_import_from_files_is_there(file: str, name: str) -> None:
    assert callable(getattr(modules.find(f"contrib.seq2seq.python.ops.{file}"), name))
    assert (name in dir(tf.contrib.seq2seq)) == (not name.startswith("_"))

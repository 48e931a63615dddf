"""``tf.contrib.seq2seq``: the loss, and decoders over a program's own cell, which need no Keras."""

from typing import Any, Callable, List

import numpy as np

from .harness import Result, collect, error_at_run, gold, near, static_shape, word, words

__all__: List[str] = []

_LENGTHS = np.array([3, 0, 5, 2], np.int32)
_SYMBOLS = 6


def _inputs() -> np.ndarray:
    return np.random.RandomState(1).randn(4, 5, 3).astype(np.float32)


def _embedding() -> np.ndarray:
    return np.random.RandomState(2).randn(_SYMBOLS, 3).astype(np.float32)


class _Cell:
    """A cell without Keras: its state is a pair, and one part of it counts the steps."""

    def __init__(self, tf: Any, size: int) -> None:
        self.tf, self.output_size, self.state_size = tf, size, (size, 1)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return (self.tf.zeros([batch_size, self.output_size], dtype), self.tf.zeros([batch_size, 1], dtype))

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        tf = self.tf
        weights = np.random.RandomState(3).randn(int(inputs.shape[1]) + self.output_size, self.output_size)
        with tf.variable_scope("own_cell"):
            kernel = tf.get_variable("kernel", initializer=weights.astype(np.float32))
        output = tf.tanh(tf.matmul(tf.concat([inputs, state[0]], 1), kernel))
        return output, (output, state[1] + 1)


def _unknown(tf: Any) -> Any:
    return tf.placeholder_with_default(_LENGTHS, [None])


def _flat(tf: Any, results: Any) -> List[Any]:
    return list(tf.contrib.framework.nest.flatten(results))


def _decoded(tf: Any, make: Callable[[], Any], size: int = _SYMBOLS, **arguments: Any) -> Result:
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        helper = make()
        cell = _Cell(tf, size)
        decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32))
        results = tf.contrib.seq2seq.dynamic_decode(decoder, **arguments)
        fetched = _flat(tf, results)
        inputs = [one for one in tf.global_variables() if one.op.name.startswith("decoder")]
        gradients = tf.gradients([one for one in fetched if one.dtype == tf.float32], inputs)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            # Random draws have one order only in a loop whose steps do not overlap.
            values, changes = session.run([fetched, [one for one in gradients if one is not None]])
        result = near(4, {"%d" % number: value for number, value in enumerate(values)})
        # Each step back multiplies the rounding of the one before: machines differ by up to 0.0005.
        result.update(near(2, {"gradient_%d" % number: value for number, value in enumerate(changes)}))
        result.update({"shape_%d" % number: static_shape(one) for number, one in enumerate(fetched)})
        return dict(
            result,
            kinds=word(type(results[0]).__name__),
            dtypes=words([one.dtype.name for one in fetched]),
            names=words([one.op.name for one in tf.global_variables()]),
        )


@gold
def sequences_have_losses(tf: Any) -> Result:
    random = np.random.RandomState(0)
    logits, targets = random.randn(3, 4, 5).astype(np.float32), random.randint(5, size=[3, 4]).astype(np.int32)
    weights = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 0.5, 2, 1]], np.float32)
    with tf.Graph().as_default():
        constants = [tf.constant(one) for one in (logits, targets, weights)]
        fetched = {}
        for number in range(16):
            flags = [bool(number & 1 << place) for place in range(4)]
            if not ((flags[0] and flags[2]) or (flags[1] and flags[3])):
                fetched["%d" % number] = tf.contrib.seq2seq.sequence_loss(*(constants + flags))

        def own(labels: Any, logits: Any) -> Any:
            return tf.reduce_sum(logits, 1) * tf.cast(labels, tf.float32)

        fetched["own"] = tf.contrib.seq2seq.sequence_loss(*constants, softmax_loss_function=own)
        with tf.Session() as session:
            result = session.run(fetched)
        return dict(
            near(5, result),
            both=error_at_run(lambda: tf.contrib.seq2seq.sequence_loss(*constants, sum_over_batch=True)),
            ranks=error_at_run(lambda: tf.contrib.seq2seq.sequence_loss(*([constants[0][0]] + constants[1:]))),
        )


@gold
def known_sequences_are_decoded(tf: Any) -> Result:
    return _decoded(tf, lambda: tf.contrib.seq2seq.TrainingHelper(tf.constant(_inputs()), tf.constant(_LENGTHS)))


@gold
def what_comes_after_the_end_of_a_sequence_is_hidden(tf: Any) -> Result:
    return _decoded(
        tf,
        lambda: tf.contrib.seq2seq.TrainingHelper(
            tf.transpose(tf.constant(_inputs()), [1, 0, 2]), tf.constant(_LENGTHS), time_major=True
        ),
        output_time_major=True,
        impute_finished=True,
        maximum_iterations=4,
        swap_memory=True,
        scope="decoder/of_mine",
    )


@gold
def sequences_of_unknown_sizes_are_decoded(tf: Any) -> Result:
    def make() -> Any:
        inputs = tf.placeholder_with_default(_inputs(), [None, None, 3])
        return tf.contrib.seq2seq.TrainingHelper(inputs, _unknown(tf))

    return _decoded(tf, make, impute_finished=True)


@gold
def the_most_probable_symbols_are_decoded(tf: Any) -> Result:
    def make() -> Any:
        return tf.contrib.seq2seq.GreedyEmbeddingHelper(tf.constant(_embedding()), tf.constant([0, 3, 1]), 2)

    return _decoded(tf, make, maximum_iterations=7, impute_finished=True)


@gold
def random_symbols_are_decoded(tf: Any) -> Result:
    def make() -> Any:
        table = tf.constant(_embedding())
        return tf.contrib.seq2seq.SampleEmbeddingHelper(
            lambda ids: tf.nn.embedding_lookup(table, ids), tf.constant([0, 3, 1]), 2, 0.5, seed=4
        )

    return _decoded(tf, make, maximum_iterations=6, parallel_iterations=1)


@gold
def embeddings_of_random_symbols_replace_known_inputs(tf: Any) -> Result:
    def make() -> Any:
        return tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper(
            tf.constant(_inputs()), tf.constant(_LENGTHS), tf.constant(_embedding()), 0.5, seed=5, scheduling_seed=6
        )

    return _decoded(tf, make, parallel_iterations=1)


@gold
def outputs_replace_known_inputs_at_random(tf: Any) -> Result:
    def make() -> Any:
        return tf.contrib.seq2seq.ScheduledOutputTrainingHelper(
            tf.constant(_inputs()), _unknown(tf), tf.constant(0.5), seed=5, next_inputs_fn=lambda one: one * 2
        )

    return _decoded(tf, make, size=3, parallel_iterations=1)


@gold
def outputs_with_auxiliary_inputs_replace_known_inputs(tf: Any) -> Result:
    def make() -> Any:
        return tf.contrib.seq2seq.ScheduledOutputTrainingHelper(
            tf.constant(_inputs()),
            _unknown(tf),
            tf.constant(0.5),
            seed=5,
            auxiliary_inputs=tf.constant(_inputs()[:, :, :1]),
        )

    return _decoded(tf, make, size=3, parallel_iterations=1)


@gold
def what_is_sampled_is_the_next_input(tf: Any) -> Result:
    def make() -> Any:
        return tf.contrib.seq2seq.InferenceHelper(
            lambda outputs: outputs * 0.5, [3], tf.float32, tf.constant(_inputs()[:, 0]), lambda one: one[:, 0] > 0.2
        )

    return _decoded(tf, make, size=3, maximum_iterations=5)


@gold
def functions_select_the_inputs(tf: Any) -> Result:
    def make() -> Any:
        helper = tf.contrib.seq2seq.CustomHelper(
            lambda: (tf.constant([False, True, False, False]), tf.constant(_inputs()[:, 0])),
            lambda time, outputs, state: tf.fill([4, 2], time),
            lambda time, outputs, state, sample_ids: (state[1][:, 0] > [2.0, 3.0, 1.0, 4.0], outputs, state),
            [2],
        )
        helper.initialize()
        return helper

    return _decoded(tf, make, size=3)


def _spectrum_helper(tf: Any, targets: Any) -> Any:
    """As Tacotron programs have it: frames as inputs, no samples, and the last of each *r* frames is the next input."""

    class Helper(tf.contrib.seq2seq.Helper):
        def __init__(self) -> None:
            self._targets = targets[:, 1::2, :]
            self._lengths = tf.tile([tf.shape(self._targets)[1]], [self.batch_size])

        @property
        def batch_size(self) -> Any:
            return tf.shape(targets)[0]

        @property
        def sample_ids_shape(self) -> Any:
            return tf.TensorShape([])

        @property
        def sample_ids_dtype(self) -> Any:
            return np.int32

        def initialize(self, name: Any = None) -> Any:
            return tf.tile([False], [self.batch_size]), tf.tile([[0.0]], [self.batch_size, 3])

        def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
            return tf.tile([0], [self.batch_size])

        def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None) -> Any:
            return time + 1 >= self._lengths, self._targets[:, time, :], state

    return Helper()


@gold
def frames_of_a_queue_are_decoded_by_a_helper_of_the_program(tf: Any) -> Result:
    """A PaddingFIFOQueue feeds batches of spectra; the decoder runs over them."""
    frames = np.random.RandomState(8).randn(4, 6, 3).astype(np.float32)

    def build() -> Any:
        queue = tf.PaddingFIFOQueue(2, [tf.float32], [[None, None, 3]])
        index = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = tf.gather(tf.constant(frames), [index, 3 - index])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(batch)]))
        targets = queue.dequeue()
        cell = _Cell(tf, 6)
        helper = _spectrum_helper(tf, targets)
        decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32))
        (outputs, samples), state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=10)
        outputs = tf.reshape(outputs, [helper.batch_size, -1, 3])
        return {"outputs~4": outputs, "state~4": state[0], "samples": samples, "lengths": lengths}

    return collect(tf, build)


@gold
def what_is_not_a_decoder_is_refused(tf: Any) -> Result:
    seq2seq = tf.contrib.seq2seq
    with tf.Graph().as_default():
        cell = _Cell(tf, 3)
        state = cell.zero_state(4, tf.float32)
        helper = seq2seq.TrainingHelper(tf.constant(_inputs()), tf.constant(_LENGTHS))
        decoder = seq2seq.BasicDecoder(cell, helper, state)
        own = seq2seq.CustomHelper(None, None, None)
        return dict(
            decoder=error_at_run(lambda: seq2seq.dynamic_decode(cell)),
            limit=error_at_run(lambda: seq2seq.dynamic_decode(decoder, maximum_iterations=[1])),
            cell=error_at_run(lambda: seq2seq.BasicDecoder(object(), helper, state)),
            helper=error_at_run(lambda: seq2seq.BasicDecoder(cell, object(), state)),
            layer=error_at_run(lambda: seq2seq.BasicDecoder(cell, helper, state, object())),
            lengths=error_at_run(lambda: seq2seq.TrainingHelper(tf.constant(_inputs()), tf.constant(3))),
            tokens=error_at_run(lambda: seq2seq.GreedyEmbeddingHelper(_embedding(), 0, 2)),
            token=error_at_run(lambda: seq2seq.GreedyEmbeddingHelper(_embedding(), [0], [2])),
            size=error_at_run(lambda: own.batch_size),
            probability=error_at_run(
                lambda: seq2seq.ScheduledOutputTrainingHelper(_inputs(), _LENGTHS, tf.zeros([1, 1]))
            ),
            abstract=error_at_run(lambda: seq2seq.Helper().batch_size),
            done=word("yes"),
        )


@gold
def functions_of_attention_need_no_keras(tf: Any) -> Result:
    seq2seq = tf.contrib.seq2seq
    random = np.random.RandomState(9)
    chosen, before = random.rand(3, 5).astype(np.float32), random.rand(3, 5).astype(np.float32)
    chosen[0, 2], chosen[1, 0] = 1, 0
    with tf.Graph().as_default():
        known, unknown = tf.constant(chosen), tf.placeholder_with_default(chosen, [None, None])
        rows = {"a": tf.placeholder_with_default(chosen, [None, 5]), "b": (tf.constant([1, 2, 3]),)}
        tiled, named = seq2seq.tile_batch(rows, 2), seq2seq.tile_batch(known, 3, name="mine")
        fetched = {
            "hardmax": seq2seq.hardmax(tf.constant([[1.0, 3.0, 3.0], [2.0, 1.0, 0.0]])),
            "hardmax_unknown": seq2seq.hardmax(unknown),
            "product": seq2seq.safe_cumprod(known, axis=1),
            "exclusive": seq2seq.safe_cumprod(unknown, 1, exclusive=True),
            "recursive": seq2seq.monotonic_attention(known, before, "recursive"),
            "recursive_unknown": seq2seq.monotonic_attention(unknown, before, "recursive"),
            "parallel": seq2seq.monotonic_attention(known, before, "parallel"),
            "hard": seq2seq.monotonic_attention(tf.round(known), np.eye(5, dtype=np.float32)[:3], "hard"),
            "tiled": tiled["a"],
            "tiled_tuple": tiled["b"][0],
            "named": named,
        }
        with tf.Session() as session:
            result = near(5, session.run(fetched))
        result.update({"shape_" + name: static_shape(one) for name, one in fetched.items()})
        return dict(
            result,
            dtypes=words([fetched[name].dtype.name for name in sorted(fetched)]),
            mode=error_at_run(lambda: seq2seq.monotonic_attention(known, before, "soft")),
            scalar=error_at_run(lambda: seq2seq.tile_batch(tf.constant(1), 2)),
            rank=error_at_run(lambda: seq2seq.tile_batch(tf.placeholder(tf.float32), 2)),
        )


@gold
def a_tree_of_beams_is_gathered(tf: Any) -> Result:
    random = np.random.RandomState(10)
    ids, parents = random.randint(6, size=[5, 3, 4]).astype(np.int32), random.randint(4, size=[5, 3, 4])
    with tf.Graph().as_default(), tf.Session() as session:
        tree = tf.contrib.seq2seq.gather_tree(ids, parents.astype(np.int32), np.array([5, 3, 0], np.int32), 2)
        return {"tree": session.run(tree)}


def _searched(tf: Any, unknown: bool = False, **arguments: Any) -> Result:
    with tf.Graph().as_default():
        cell = _Cell(tf, _SYMBOLS)
        start = tf.placeholder_with_default([0, 3, 1], [None]) if unknown else tf.constant([0, 3, 1])
        state = cell.zero_state(9, tf.float32)
        decoder = tf.contrib.seq2seq.BeamSearchDecoder(
            cell, tf.constant(_embedding()), start, 2, state, beam_width=3, **arguments
        )
        results = _flat(tf, tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=5))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = session.run(results)
        result = near(4, {"%d" % number: value for number, value in enumerate(values)})
        if not unknown:
            result.update({"shape_%d" % number: static_shape(one) for number, one in enumerate(results)})
        return dict(result, dtypes=words([one.dtype.name for one in results]))


@gold
def the_best_beams_are_decoded(tf: Any) -> Result:
    return _searched(tf)


@gold
def long_beams_are_decoded_with_a_penalty(tf: Any) -> Result:
    return _searched(tf, True, length_penalty_weight=0.7)

"""``tf.contrib.crf``: the scores and the best chains of examples of different lengths, and a tagger."""

from typing import Any, List

import numpy as np

from .harness import Result, collect, gold, near, static_shape, word, words

__all__: List[str] = []

_LENGTHS = [4, 1, 0, 2, 5]


def _made(steps: int, tags: int = 3) -> Any:
    random = np.random.RandomState(steps)
    scores = random.randn(len(_LENGTHS), steps, tags).astype(np.float32)
    chains = random.randint(tags, size=[len(_LENGTHS), steps]).astype(np.int32)
    transitions = random.randn(tags, tags).astype(np.float32)
    return scores, chains, np.minimum(_LENGTHS, steps).astype(np.int32), transitions


def _all_functions(tf: Any, steps: int, known: bool, dtype: str) -> Result:
    crf = tf.contrib.crf
    scores, chains, lengths, transitions = _made(steps)
    allowed = np.random.RandomState(0).rand(*scores.shape) < 0.5
    allowed[:, :, 1] = True
    with tf.Graph().as_default():
        shape = list(scores.shape) if known else [None, None, scores.shape[2]]
        inputs = tf.placeholder_with_default(scores, shape)
        tags = tf.placeholder_with_default(chains.astype(dtype), shape[:2])
        length = tf.placeholder_with_default(lengths.astype(dtype), shape[:1])
        matrix = tf.constant(transitions)
        likelihood, same = crf.crf_log_likelihood(inputs, tags, length, matrix)
        best, best_score = crf.crf_decode(inputs, matrix, length)
        fetched = {
            "sequence": crf.crf_sequence_score(inputs, tags, length, matrix),
            "unary": crf.crf_unary_score(tags, length, inputs),
            "binary": crf.crf_binary_score(tags, length, matrix),
            "norm": crf.crf_log_norm(inputs, length, matrix),
            "likelihood": likelihood,
            "best": best,
            "best_score": best_score,
            "gradient": tf.gradients(-tf.reduce_mean(likelihood), inputs)[0],
            "gradient_of_best": tf.gradients(best_score, inputs)[0],
        }
        if steps > 1:
            fetched["gradient_of_transitions"] = tf.gradients(-tf.reduce_mean(likelihood), matrix)[0]
            fetched["several"] = crf.crf_multitag_sequence_score(inputs, tf.constant(allowed), length, matrix)
        with tf.Session() as session:
            result = session.run(fetched)
        best_chains = result.pop("best")
        return dict(
            near(5, result),
            best=best_chains,
            static_best=static_shape(best),
            static_score=static_shape(best_score),
            dtypes=words([best.dtype.name, best_score.dtype.name]),
            is_same=word(str(same is matrix)),
        )


@gold
def chains_of_tags_have_scores(tf: Any) -> Result:
    return _all_functions(tf, 5, True, "int32")


@gold
def chains_of_tags_of_an_unknown_length_have_scores(tf: Any) -> Result:
    return _all_functions(tf, 5, False, "int64")


@gold
def chains_of_one_tag_have_scores(tf: Any) -> Result:
    return _all_functions(tf, 1, True, "int32")


@gold
def chains_of_one_tag_in_an_unknown_length_have_scores(tf: Any) -> Result:
    return _all_functions(tf, 1, False, "int64")


@gold
def a_chain_is_decoded_without_tensorflow(tf: Any) -> Result:
    scores, _, lengths, transitions = _made(5)
    decoded = [tf.contrib.crf.viterbi_decode(one[: max(n, 1)], transitions) for one, n in zip(scores, lengths)]
    decoded.append(tf.contrib.crf.viterbi_decode(scores[0].astype(np.float64), transitions))
    result = {"score_%d" % number: np.array(score) for number, (_, score) in enumerate(decoded)}
    result.update({"tags_%d" % number: np.array(tags, np.int64) for number, (tags, _) in enumerate(decoded)})
    return dict(result, kinds=words([type(tags).__name__ for tags, _ in decoded]))


@gold
def a_tagger_is_trained_from_batches_of_a_queue(tf: Any) -> Result:
    scores, chains, lengths, _ = _made(5)
    names: List[str] = []

    def build() -> Any:
        rows = tf.train.slice_input_producer([scores, chains, lengths], num_epochs=3, shuffle=False)
        inputs, tags, length = tf.train.batch(rows, 5)
        with tf.variable_scope("tagger", initializer=tf.zeros_initializer()):
            likelihood, transitions = tf.contrib.crf.crf_log_likelihood(inputs, tags, length)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(-tf.reduce_mean(likelihood))
        names.extend(one.op.name for one in tf.global_variables())
        with tf.control_dependencies([step]):
            return {"transitions~4": transitions.read_value()}

    return dict(collect(tf, build), names=words(names))

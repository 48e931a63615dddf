"""The losses of sequences, with the numbers and names of TF 1.15.5."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np
import pytest

import queuecompat.v1 as tf
from queuecompat._namespace import modules

# Two examples of three steps with four classes.
LOGITS = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 3, 4)
TARGETS = np.array([[0, 3, 1], [2, 2, 0]], np.int32)
WEIGHTS = np.array([[1.0, 0.5, 0.0], [1.0, 1.0, 0.0]], np.float32)
# (average over steps, over examples, sum over steps, over examples), and what TF 1.15.5 computes.
REDUCED: List[Tuple[Tuple[bool, bool, bool, bool], Any]] = [
    ((True, True, False, False), 1.4070661067962646),
    ((False, False, True, True), 1.2311828136444092),
    ((True, False, False, False), [1.4950302839279175, 1.3410929441452026]),
    ((True, False, False, True), [1.4950302839279175, 1.3410929441452026]),
    ((False, True, True, False), [1.4265897274017334, 1.38103449344635, 0.0]),
    ((False, True, False, False), [1.4265897274017334, 1.38103449344635, 0.0]),
    ((False, False, True, False), [1.1212726831436157, 1.3410929441452026]),
    ((False, False, False, True), [1.4265897274017334, 1.035775899887085, 0.0]),
    (
        (False, False, False, False),
        [[1.939305067062378, 0.30324026942253113, 0.0], [0.9138744473457336, 1.7683115005493164, 0.0]],
    ),
]


def steps(array: np.ndarray) -> List[Any]:
    """One tensor for each step, as the older functions take them."""
    return [tf.constant(array[:, step]) for step in range(array.shape[1])]


@pytest.mark.parametrize(("flags", "expected"), REDUCED)
def test_a_loss_is_reduced_as_the_arguments_say(flags: Tuple[bool, bool, bool, bool], expected: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        loss = tf.contrib.seq2seq.sequence_loss(*map(tf.constant, (LOGITS, TARGETS, WEIGHTS)), *flags)
        np.testing.assert_allclose(sess.run(loss), expected, rtol=1e-6)


def test_weights_of_zero_are_a_loss_of_zero() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        loss = tf.contrib.seq2seq.sequence_loss(tf.constant(LOGITS), tf.constant(TARGETS), tf.zeros([2, 3]))
        assert loss.name == "sequence_loss/div_no_nan:0" and sess.run(loss) == 0


def test_a_loss_takes_another_function_than_the_softmax() -> None:
    def compute(labels: Any, logits: Any) -> Any:
        return tf.cast(labels, tf.float32) + tf.reduce_sum(logits, -1)

    with tf.Graph().as_default(), tf.Session() as sess:
        whole = tf.contrib.seq2seq.sequence_loss(
            *map(tf.constant, (LOGITS, TARGETS, WEIGHTS)), softmax_loss_function=compute
        )
        by_example = tf.contrib.legacy_seq2seq.sequence_loss_by_example(
            steps(LOGITS), steps(TARGETS), steps(WEIGHTS), softmax_loss_function=compute
        )
        np.testing.assert_allclose(sess.run(whole), 1.8276826, rtol=1e-6)
        np.testing.assert_allclose(sess.run(by_example), [1.8152070, 1.8370392], rtol=1e-6)


def test_wrong_shapes_and_contradictions_are_refused() -> None:
    loss = tf.contrib.seq2seq.sequence_loss
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"targets must be \[batch, steps\]"):
            loss(tf.zeros([2, 3, 4]), tf.zeros([6], tf.int32), tf.zeros([2, 3]))
        with pytest.raises(ValueError, match="cannot both be True"):
            loss(tf.zeros([2, 3, 4]), tf.zeros([2, 3], tf.int32), tf.zeros([2, 3]), sum_over_batch=True)
        with pytest.raises(ValueError, match="lists of one length, not of 3, 2 and 3"):
            tf.contrib.legacy_seq2seq.sequence_loss(steps(LOGITS), steps(TARGETS)[:2], steps(WEIGHTS))


def test_the_loss_of_lists_is_by_example_or_one_number() -> None:
    legacy = tf.contrib.legacy_seq2seq
    lists = (LOGITS, TARGETS, WEIGHTS)
    with tf.Graph().as_default(), tf.Session() as sess:
        by_example = [legacy.sequence_loss_by_example(*map(steps, lists), average) for average in (True, False)]
        whole = [legacy.sequence_loss(*map(steps, lists), *flags) for flags in ((True, True), (False, False))]
        assert [tensor.op.name for tensor in (by_example[0], whole[0])] == [
            "sequence_loss_by_example/truediv", "sequence_loss/truediv",
        ]  # fmt: skip
        expected = [[1.4950302839279175, 1.3410929441452026], [2.2425453662872314, 2.6821858882904053]]
        np.testing.assert_allclose(sess.run(by_example), expected, rtol=1e-6)
        np.testing.assert_allclose(sess.run(whole), [1.41806161403656, 4.924731254577637], rtol=1e-6)


def test_a_cell_runs_over_a_list_or_over_its_own_outputs() -> None:
    def cell(value: Any, state: Any) -> Tuple[Any, Any]:
        return value * tf.get_variable("w", [2], initializer=tf.constant_initializer([1.0, 2.0])) + state, state + 1.0

    with tf.Graph().as_default(), tf.Session() as sess:
        ones, start = [tf.ones([1, 2])] * 3, tf.zeros([1, 2])
        decode = tf.contrib.legacy_seq2seq.rnn_decoder
        outputs, state = decode(ones, start, cell)
        fed_back, _ = decode(ones, start, cell, loop_function=lambda last, step: last * step, scope="d")
        sess.run(tf.global_variables_initializer())
        assert [value.tolist() for value in sess.run(outputs)] == [[[1, 2]], [[2, 3]], [[3, 4]]]
        assert [value.tolist() for value in sess.run(fed_back)] == [[[1, 2]], [[2, 5]], [[6, 22]]]
        assert sess.run(state).tolist() == [[3, 3]]
        assert [variable.name for variable in tf.global_variables()] == ["rnn_decoder/w:0", "d/w:0"]


def test_they_are_found_by_their_files() -> None:
    loss = modules.find("contrib.seq2seq.python.ops.loss")
    assert loss.sequence_loss is tf.contrib.seq2seq.sequence_loss
    legacy = modules.find("contrib.legacy_seq2seq.python.ops.seq2seq")
    assert legacy.sequence_loss_by_example is tf.contrib.legacy_seq2seq.sequence_loss_by_example

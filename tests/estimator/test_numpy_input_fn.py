"""``numpy_input_fn``: compiled, out of the graph, as thoroughly mixed as TF1's, and at home in every session."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.estimator.inputs import numpy_input_fn
from tests.forking import Server
from tests.pipelines.running import drain, started

ROWS = 40


def rows(batches: Any) -> np.ndarray:
    return np.concatenate(batches)


def test_the_whole_pipeline_is_compiled_and_rows_are_looked_up_by_the_batch() -> None:
    numpy_input_fn({"a": np.arange(ROWS)}, np.arange(ROWS), 8, shuffle=True, num_threads=4)()
    explanation = queuecompat.explain()
    assert explanation.native == []
    assert [name for name, _ in explanation.compiled] == ["random_shuffle_queue_DequeueUpTo"]
    assert "on whole batches" in str(explanation)


@pytest.mark.parametrize("dtype", ["int64", "S40"])
def test_no_array_enters_the_graph(dtype: str, graph: Any) -> None:
    array = np.arange(10_000).astype(dtype)
    batch = numpy_input_fn(array, batch_size=5000, shuffle=False)()
    assert graph.as_graph_def().ByteSize() < array.nbytes
    assert (rows(drain(batch)) == array).all()


def test_a_file_mapped_into_memory_is_served(tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "rows.npy", np.arange(200_000).reshape(-1, 2))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    with started_with(numpy_input_fn(mapped, batch_size=7, shuffle=False)) as (sess, batch):
        assert (sess.run(batch) == mapped[:7]).all()


class started_with:  # noqa: N801 - reads as a statement
    def __init__(self, input_fn: Any) -> None:
        self._batch = input_fn()
        self._started = started()

    def __enter__(self) -> Any:
        return self._started.__enter__(), self._batch

    def __exit__(self, *args: Any) -> None:
        self._started.__exit__(*args)


def test_a_row_may_come_out_anywhere_in_its_epoch() -> None:
    """TF1's pool of 4 rows could not carry the last row to the front; nor may it stay near its place here."""
    first, sums = set(), np.zeros(ROWS)
    for _ in range(60):
        with tf.Graph().as_default():
            given = rows(drain(numpy_input_fn(np.arange(ROWS), batch_size=8, shuffle=True, queue_capacity=4)()))
        assert sorted(given) == list(range(ROWS))
        first.add(int(given[0]))
        sums += np.argsort(given)
    assert len(first) > 20
    # The mean place of a row is that of a uniform draw, 19.5, within four standard errors.
    assert np.abs(sums / 60 - (ROWS - 1) / 2).max() < 4 * ROWS / 12**0.5 / 60**0.5


def test_each_epoch_has_an_order_of_its_own() -> None:
    given = rows(drain(numpy_input_fn(np.arange(ROWS), None, ROWS, 3, shuffle=True, queue_capacity=2)()))
    epochs = given.reshape(3, ROWS)
    assert not (epochs[0] == epochs[1]).all() and not (epochs[1] == epochs[2]).all()


def test_the_seed_of_the_graph_fixes_the_order() -> None:
    def given() -> Any:
        with tf.Graph().as_default():
            tf.set_random_seed(7)
            return rows(drain(numpy_input_fn(np.arange(ROWS), batch_size=8, shuffle=True)())).tolist()

    assert given() == given()


def test_every_session_of_the_graph_gets_all_rows() -> None:
    batch = numpy_input_fn(np.arange(ROWS), batch_size=8, shuffle=False)()
    assert rows(drain(batch)).tolist() == rows(drain(batch)).tolist() == list(range(ROWS))


def test_a_monitored_session_starts_and_ends_it(tmp_path: pathlib.Path) -> None:
    features, target = numpy_input_fn({"a": np.arange(ROWS)}, np.arange(ROWS), 8, shuffle=True)()
    step = tf.train.get_or_create_global_step()
    train = tf.group(tf.assign_add(step, 1), tf.assert_equal(features["a"], target))
    seen = 0
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as sess:
        while not sess.should_stop():
            sess.run(train)
            seen += 1
    assert seen == ROWS // 8


def test_under_eager_execution_it_says_what_to_do(tmp_path: pathlib.Path, server: Server) -> None:
    code = """
import numpy, sys, queuecompat.estimator.inputs as inputs
input_fn = inputs.numpy_input_fn(numpy.arange(3), shuffle=False)
try:
    input_fn()
except RuntimeError as error:
    sys.exit(error.code)
"""
    ended = server.run(["-c", code], str(tmp_path))
    assert ended.err.splitlines()[-1] == "QC101", ended.err


def test_an_estimator_trains_and_predicts_from_it(tmp_path: pathlib.Path) -> None:
    if not hasattr(tf.estimator, "Estimator"):
        pytest.skip("this TensorFlow has no estimators")
    numbers = np.arange(ROWS, dtype=np.float32)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        factor = tf.get_variable("factor", initializer=0.0)
        predicted = factor * features["a"]
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions=predicted)
        loss = tf.reduce_mean((predicted - labels) ** 2)
        train_op = tf.train.GradientDescentOptimizer(1e-3).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    estimator = tf.estimator.Estimator(model_fn, model_dir=str(tmp_path))
    estimator.train(numpy_input_fn({"a": numbers}, numbers * 2, 8, num_epochs=10, shuffle=True))
    predicted = list(estimator.predict(numpy_input_fn({"a": numbers}, batch_size=8, shuffle=False)))
    assert np.allclose(predicted, numbers * 2, atol=0.5)

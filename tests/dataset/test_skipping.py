"""``as_dataset(..., on_error="skip")``, and the options of a dataset."""

from __future__ import annotations

import gc
import pathlib
import weakref
from typing import Any, List

import pytest
import tensorflow as tf2

import queuecompat
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import skipped
from queuecompat.errors import NativePipelineWarning, RestartWarning
from tests.pipelines.bad_data import KEY, places, write_examples

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf

FEATURES = {KEY: tf2.io.FixedLenFeature([], tf2.int64)}
BAD = (3, 11, 12)
GOOD = [value for value in range(24) if value not in BAD]


def one_by_one(files: List[str]) -> Any:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))[1]
    return tf.train.batch([tf.parse_single_example(record, FEATURES)[KEY]], 8)


def vectors(files: List[str]) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    records = tf.TFRecordReader().read_up_to(queue, 5)[1]
    return tf.train.batch([tf.parse_example(records, FEATURES)[KEY]], 8, enqueue_many=True)


def sparse_vectors(files: List[str]) -> Any:
    """The vectors are serialised to a tensor of which TensorFlow cannot infer the number of rows."""
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    records = tf.TFRecordReader().read_up_to(queue, 5)[1]
    features = tf.parse_example(records, {KEY: tf.VarLenFeature(tf.int64)})
    return tf.reshape(tf.sparse_tensor_to_dense(tf.train.batch([features[KEY]], 8, enqueue_many=True)), [8])


def after_the_batch(files: List[str]) -> Any:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))[1]
    return tf.parse_example(tf.train.batch([record], 8), FEATURES)[KEY]


@pytest.mark.parametrize("function", [one_by_one, vectors, sparse_vectors, after_the_batch])
def test_only_the_bad_records_are_lost_however_they_are_parsed(function: Any, tmp_path: pathlib.Path) -> None:
    earlier = len(skipped.LOGS)
    path = write_examples(tmp_path / "a", range(24), BAD)
    dataset = queuecompat.as_dataset(function, [path], on_error="skip")
    assert dataset.element_spec.shape.as_list() == [8]
    assert [value for batch in dataset for value in batch.numpy().tolist()] == GOOD[:16]
    assert len(places(earlier)) == 3
    assert all(place.startswith(f"{path}:") for place in places(earlier))
    reasons = {one.reason for log in skipped.LOGS[earlier:] for one in log.listed()}
    assert reasons == {"Could not parse example input, value: 'no example'"}


def _one(files: List[str]) -> Any:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))[1]
    return tf.parse_single_example(record, FEATURES)[KEY]


def unbatchable(files: List[str]) -> Any:
    """Calls a Python function for each element, so nothing of it moves to the batch, where it would keep the rows."""
    return tf.train.batch([tf.reshape(tf.py_func(lambda key: key, [_one(files)], tf.int64), [])], 8)


def sparse(files: List[str]) -> Any:
    one = tf.SparseTensor([[0]], tf.reshape(_one(files), [1]), [3])
    return tf.train.batch([one], 8)


def looked_up(files: List[str]) -> Any:
    table = tf.contrib.lookup.index_table_from_tensor([str(number) for number in range(24)])
    return tf.train.batch([table.lookup(tf.as_string(_one(files)))], 8)


@pytest.mark.parametrize(
    "function",
    [
        lambda files: tf.transpose(tf.expand_dims(unbatchable(files), 1)),
        lambda files: tf.concat([unbatchable(files)] * 2, 0),
        lambda files: unbatchable(files)[:3],
        sparse,
        looked_up,
    ],
    ids=["transposed", "twice as many", "a part", "sparse", "a table"],
)
def test_a_batch_may_be_followed_by_ops_that_do_not_keep_its_rows(function: Any, tmp_path: pathlib.Path) -> None:
    """What they made was filled up like a batch: an error, or no elements at all."""
    path = write_examples(tmp_path / "a", range(24), BAD)
    batches = list(queuecompat.as_dataset(function, [path], on_error="skip"))
    rows = [getattr(batch, "values", batch).numpy().reshape(-1)[:8].tolist() for batch in batches]
    assert rows == [GOOD[:8][: len(rows[0])], GOOD[8:16][: len(rows[0])]]


def test_only_the_bad_records_of_a_vector_that_several_lists_share_are_lost(tmp_path: pathlib.Path) -> None:
    """A whole vector was lost with its first bad record, and listed as one element."""

    def lists(files: List[str]) -> Any:
        queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        records = tf.TFRecordReader().read_up_to(queue, 5)[1]
        value = tf.parse_example(records, FEATURES)[KEY]
        return tf.train.batch_join([[value]] * 2, 8, enqueue_many=True, allow_smaller_final_batch=True)

    earlier = len(skipped.LOGS)
    path = write_examples(tmp_path / "a", range(24), BAD)
    dataset = queuecompat.as_dataset(lists, [path], on_error="skip")
    assert sorted(value for batch in dataset for value in batch.numpy().tolist()) == GOOD
    assert len(places(earlier)) == 3


def test_more_failures_than_allowed_end_the_dataset(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(24), BAD)
    dataset = queuecompat.as_dataset(one_by_one, [path], on_error="skip", max_errors=2)
    with pytest.raises(tf2.errors.InvalidArgumentError, match="QC330"):
        list(dataset)


def test_the_report_lists_what_a_dataset_skipped(tmp_path: pathlib.Path) -> None:
    report = queuecompat.report()
    path = write_examples(tmp_path / "a", range(24), BAD)
    list(queuecompat.as_dataset(one_by_one, [path], on_error="skip"))
    assert f"{path}:" in str(report)
    assert "3 elements" in str(report)


def test_a_checkpoint_of_a_dataset_that_skips_is_restored_to_its_place(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(24), BAD)
    dataset = queuecompat.as_dataset(one_by_one, [path], on_error="skip")
    iterator = iter(dataset)
    next(iterator)
    saved = tf2.train.Checkpoint(iterator=iterator).write(str(tmp_path / "saved"))
    other = iter(dataset)
    tf2.train.Checkpoint(iterator=other).read(saved)
    assert next(other).numpy().tolist() == GOOD[8:16]


@pytest.mark.parametrize("function", [one_by_one, unbatchable])
def test_a_position_after_what_is_left_out_is_computed_again_and_the_warning_says_why(
    function: Any, tmp_path: pathlib.Path
) -> None:
    path = write_examples(tmp_path / "a", range(24), BAD)
    with pytest.warns(RestartWarning, match=r"QC353 .*: with on_error='skip', what is left out"):
        queuecompat.as_dataset(function, [path], on_error="skip", checkpoint=True)


def test_the_program_of_a_dataset_that_skips_says_what_it_leaves_out(tmp_path: pathlib.Path) -> None:
    path = write_examples(tmp_path / "a", range(24), [3])
    dataset = queuecompat.as_dataset(one_by_one, [path], on_error="skip")
    code = queuecompat.explain(dataset).code()
    assert "ignore_errors" in str(code)
    assert all(batch.shape == (8,) for batch in code.build())


def test_a_dataset_that_comes_from_a_session_says_that_it_skips_nothing(tmp_path: pathlib.Path) -> None:
    def function() -> Any:
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        return tf.train.batch([number], 2, shared_name="everybodys")

    with pytest.warns(NativePipelineWarning) as warned:
        dataset = queuecompat.as_dataset(function, on_error="skip")
    assert len([w for w in warned if "QC334" in str(w.message)]) == 1
    assert "QC334" in str(queuecompat.explain(dataset))


def test_what_a_dataset_calls_in_python_lives_as_long_as_the_outermost_graph() -> None:
    """tf-nightly (2.23) keeps it in the graph of the innermost function alone: "Could not find callback"."""
    functions = [lambda number: number]
    kept = weakref.ref(functions[0])
    with tf2.Graph().as_default() as graph:
        spec = tf2.TensorSpec([], tf2.int64)
        concrete = tf2.compat.v1.wrap_function(lambda one: numpy_function(functions.pop(), [one], tf2.int64), [spec])
    for one in graph, concrete.graph:
        getattr(one, "_py_funcs_used_in_graph", []).clear()
    del concrete
    gc.collect()
    assert kept() is not None and graph is not None

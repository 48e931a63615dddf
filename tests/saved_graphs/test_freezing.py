"""What looks for the variables of a model finds none of ours, and what cuts a model out of its graph needs none."""

from __future__ import annotations

import pathlib
from typing import Any, Iterator, List

import numpy as np
import pytest

import queuecompat.v1 as tf


class Model:
    """Batches of 2 of the numbers below 100, doubled by a variable, and one more than that by a resource variable."""

    def __init__(self, *, use_resource: bool = True) -> None:
        numbers = np.arange(400_000, dtype=np.float32)  # large: is fed at the start
        number = tf.train.slice_input_producer([numbers], shuffle=False, num_epochs=1)[0]
        self.batch = tf.train.batch([number], 2, name="input")
        factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(2.0))
        offset = tf.get_variable("offset", [], initializer=tf.constant_initializer(1.0), use_resource=use_resource)
        self.logits = tf.add(self.batch * factor, offset, name="logits")
        self.summary = tf.summary.merge_all()

    def initialise(self, session: tf.Session) -> None:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])


@pytest.fixture
def model(graph: Any) -> Iterator[Model]:
    yield Model()


def names(variables: List[Any]) -> List[str]:
    return [variable.name for variable in variables]


def test_the_lists_of_variables_are_the_models(model: Model) -> None:
    """1.15.5 lists an epoch count among the local ones, which is in the known differences."""
    assert names(tf.global_variables()) == names(tf.trainable_variables()) == ["factor:0", "offset:0"]
    assert names(tf.local_variables()) == names(tf.model_variables()) == []


@pytest.mark.parametrize("is_started", [False, True])
def test_what_is_not_initialised_is_the_models(model: Model, is_started: bool) -> None:
    missing = tf.report_uninitialized_variables()
    with tf.Session() as sess:
        if is_started:
            tf.train.start_queue_runners(sess=sess)
        assert sess.run(missing).tolist() == [b"factor", b"offset"]
        model.initialise(sess)
        assert sess.run(missing).tolist() == []


def test_a_saver_of_everything_saves_the_model(model: Model, tmp_path: pathlib.Path) -> None:
    saver = tf.train.Saver()
    with tf.Session() as sess:
        model.initialise(sess)
        tf.train.start_queue_runners(sess=sess)
        sess.run(model.logits)
        path = saver.save(sess, str(tmp_path / "model"))
    assert [name for name, _ in tf.train.list_variables(path)] == ["factor", "offset"]


def frozen(model: Model, outputs: List[str], is_started: bool) -> tf.GraphDef:
    with tf.Session() as sess:
        model.initialise(sess)
        if is_started:
            tf.train.start_queue_runners(sess=sess)
        return tf.graph_util.convert_variables_to_constants(sess, sess.graph.as_graph_def(), outputs)


@pytest.mark.parametrize("is_started", [False, True])
def test_a_frozen_model_is_fed_where_its_input_was(model: Model, is_started: bool) -> None:
    """The freezing used to look for a value of 'input/started', and failed."""
    graph_def = frozen(model, ["logits"], is_started)
    assert not {"VariableV2", "VarHandleOp"} & {node.op for node in graph_def.node}
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        assert sess.run("logits:0", {"input:0": [1.0, 2.0]}).tolist() == [3.0, 5.0]
    with tf.Graph().as_default(), tf.Session() as sess:
        given = {"input:0": tf.constant([1.0, 2.0])}
        logits = tf.import_graph_def(graph_def, name="", input_map=given, return_elements=["logits:0"])
        assert sess.run(logits)[0].tolist() == [3.0, 5.0]


def test_the_batch_of_a_frozen_model_has_a_static_size(model: Model) -> None:
    """In TF1 the size was unknown."""
    graph_def = frozen(model, ["logits"], True)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        assert sess.graph.get_tensor_by_name("input:0").shape == [2]
        with pytest.raises(ValueError, match=r"\(3,\)"):
            sess.run("logits:0", {"input:0": [1.0, 2.0, 3.0]})


def test_a_frozen_model_that_is_run_with_its_input_says_what_that_was(model: Model) -> None:
    graph_def = frozen(model, ["logits"], True)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input/queuecompat_[\s\S]*QC301"):
            sess.run("logits:0")


def test_a_placeholder_with_the_batch_as_its_default_is_frozen_with_the_model(graph: Any) -> None:
    number = tf.cast(tf.train.range_input_producer(6, shuffle=False).dequeue(), tf.float32)
    images = tf.placeholder_with_default(tf.train.batch([number], 2), [None], name="images")
    factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(2.0))
    tf.multiply(images, factor, name="logits")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        graph_def = tf.graph_util.convert_variables_to_constants(sess, sess.graph.as_graph_def(), ["logits"])
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        assert sess.run("logits:0", {"images:0": [4.0]}).tolist() == [8.0]


def test_the_part_of_a_graph_that_makes_an_output_has_the_draw_and_nothing_that_fills_it(model: Model) -> None:
    part = tf.graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ["logits"])
    kinds = {node.op for node in part.node}
    assert {"IteratorV2", "IteratorGetNext"} <= kinds
    assert not {kind for kind in kinds if kind.endswith("Dataset") or kind in ("MakeIterator", "Placeholder")}


def test_tensorflows_tool_freezes_a_checkpoint(tmp_path: pathlib.Path) -> None:
    model = Model(use_resource=False)  # the tool can do no others, in 1.15.5 either
    freeze_graph = pytest.importorskip("tensorflow.python.tools.freeze_graph")
    with tf.Session() as sess:
        model.initialise(sess)
        tf.train.start_queue_runners(sess=sess)
        checkpoint = tf.train.Saver().save(sess, str(tmp_path / "model"))
        tf.train.write_graph(sess.graph_def, str(tmp_path), "graph.pbtxt")
    text, frozen_file = str(tmp_path / "graph.pbtxt"), str(tmp_path / "frozen.pb")
    freeze_graph.freeze_graph(
        text, "", False, checkpoint, "logits", "save/restore_all", "save/Const:0", frozen_file, True, ""
    )
    graph_def = tf.GraphDef.FromString(pathlib.Path(frozen_file).read_bytes())
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        assert sess.run("logits:0", {"input:0": [1.0, 2.0]}).tolist() == [3.0, 5.0]

"""Names of TensorFlow 0.x: they do what they did."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import tensorflow as real

import queuecompat.v1 as tf


def test_arithmetic_under_its_old_names() -> None:
    with tf.Session() as sess:
        both = tf.pack([tf.mul(2.0, 3.0), tf.sub(2.0, 3.0), tf.neg(4.0), tf.inv(4.0)])
        chosen = tf.select([True, False], [1, 2], [3, 4])
        product = tf.batch_matmul(tf.ones([2, 3, 4]), tf.ones([2, 5, 4]), adj_y=True)
        assert sess.run(both).tolist() == [6.0, -1.0, -4.0, 0.25]
        assert sess.run(chosen).tolist() == [1, 4]
        assert sess.run(product).shape == (2, 3, 5)
        assert [t.shape.as_list() for t in tf.unpack(both)] == [[]] * 4


def test_summaries_keep_their_tags_and_are_merged() -> None:
    with tf.name_scope("scope"), tf.Session() as sess:
        tf.scalar_summary("loss value", 1.5)
        tf.scalar_summary(["a", "b"], [1.0, 2.0])
        tf.histogram_summary("weights", tf.zeros([3]))
        tf.image_summary("images", tf.zeros([2, 4, 4, 1]), max_images=1)
        tf.audio_summary("sound", tf.zeros([1, 8]), 8000)
        tf.scalar_summary("elsewhere", 1.0, collections=["other"])
        merged = tf.Summary.FromString(sess.run(tf.merge_all_summaries()))
    assert [value.tag for value in merged.value] == ["loss value", "a", "b", "weights", "images/image", "sound/audio/0"]
    assert merged.value[0].simple_value == 1.5
    assert len(tf.get_collection("other")) == 1


def test_a_summary_writer_writes(tmp_path: pathlib.Path) -> None:
    with tf.Session() as sess:
        writer = tf.train.SummaryWriter(str(tmp_path), sess.graph)
        writer.add_summary(sess.run(tf.scalar_summary("x", 2.0)), 7)
        writer.close()
    (path,) = tmp_path.iterdir()
    events = [event for event in tf.train.summary_iterator(str(path)) if event.summary.value]
    assert [(event.step, event.summary.value[0].simple_value) for event in events] == [(7, 2.0)]


def test_a_checkpoint_reader_is_where_scripts_take_it_from(tmp_path: pathlib.Path) -> None:
    variable = tf.Variable([1.0, 2.0], name="v")
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        path = tf.train.Saver([variable]).save(sess, str(tmp_path / "model"))
    reader = tf.pywrap_tensorflow.NewCheckpointReader(path)
    np.testing.assert_array_equal(reader.get_tensor("v"), [1.0, 2.0])
    assert real.train.list_variables(path) == [("v", [2])]


def test_shapes_have_their_private_names() -> None:
    # Copies of the retraining tutorial draw a number of shape tensor_shape.scalar(); it was an AttributeError.
    from queuecompat._namespace import modules

    tensor_shape: Any = modules.find("python.framework.tensor_shape")
    assert tf.random_uniform(tensor_shape.scalar(), 1.0, 2.0).shape.as_list() == []
    assert tensor_shape.vector(3).as_list() == [3]
    assert tensor_shape.matrix(None, 2).as_list() == [None, 2]
    assert tensor_shape.TensorShape is tf.TensorShape  # all else is TensorFlow's own


def test_a_cell_of_ones_own_gets_its_first_state() -> None:
    from queuecompat._namespace import modules

    zeros = modules.find("python.ops.rnn_cell_impl")._zero_state_tensors
    rows = tf.shape(tf.placeholder(tf.float32, [None, 2]))[0]
    known, unknown = zeros((3, tf.TensorShape([2, 4])), 5, tf.float32), zeros(3, rows, tf.int32)
    assert [one.shape.as_list() for one in known] == [[5, 3], [5, 2, 4]]
    assert unknown.shape.as_list() == [None, 3] and unknown.dtype == tf.int32

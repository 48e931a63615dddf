"""``tf.contrib.layers``: every name, tf-slim's layers where it is installed, columns in pipelines."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, write_records

layers = tf.contrib.layers


@pytest.mark.parametrize("name", layers.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(layers, name) is not None


@pytest.mark.parametrize("name", ["conv2d", "feature_column", "transform_features", "x"])
def test_a_removed_name_says_why(name: str) -> None:
    code = f"""
import sys
sys.modules["tf_slim"] = None
import importlib.util
importlib.util.find_spec = lambda name: None
from queuecompat.contrib import layers
try:
    layers.{name}
except AttributeError as error:
    assert "'tf.contrib.layers.{name}' was not found: " in str(error), error
    sys.exit(0)
sys.exit(1)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_layers_are_those_of_tf_slim_where_it_is_installed(tmp_path: Any) -> None:
    (tmp_path / "tf_slim").mkdir()
    scopes = "add_arg_scope = arg_scope = arg_scoped_arguments = current_arg_scope = has_arg_scope = lambda f: f\n"
    (tmp_path / "tf_slim" / "__init__.py").write_text(scopes + "summarize_tensor = sum\n")
    (tmp_path / "tf_slim" / "layers.py").write_text("conv2d = max\nflatten = min\n")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from queuecompat.contrib import layers
assert layers.conv2d is max and layers.summarize_tensor is sum
assert layers.flatten is not min
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_columns_parse_the_batches_of_a_compiled_pipeline(tmp_path: Any) -> None:
    records = []
    for number in range(4):
        value = tf.train.Feature(float_list=tf.train.FloatList(value=[number]))
        records.append(tf.train.Example(features=tf.train.Features(feature={"x": value})).SerializeToString())
    files = tf.train.string_input_producer([write_records(tmp_path / "r", records)], num_epochs=1, shuffle=False)
    _, record = tf.TFRecordReader().read(files)
    columns = [layers.real_valued_column("x", normalizer=lambda x: x * 10)]
    features = layers.parse_feature_columns_from_examples(tf.train.batch([record], 4), columns)
    (given,) = drain(layers.input_from_feature_columns(features, columns))
    assert given.ravel().tolist() == [0, 10, 20, 30]
    assert not queuecompat.explain().native


def test_embeddings_begin_as_widely_spread_as_contribs() -> None:
    column = layers.embedding_column(layers.sparse_column_with_hash_bucket("w", 400), 3)
    features = {"w": tf.SparseTensor([[0, 0]], ["a"], [1, 1])}
    layers.input_from_feature_columns(features, [column])
    (weights,) = tf.trainable_variables()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        # 1200 draws: their deviation is within a tenth of the distribution's own, 0.88 / sqrt(400).
        assert sess.run(weights).std() == pytest.approx(0.044, rel=0.1)


def test_words_of_a_file_and_weights_and_crosses_make_columns(tmp_path: Any) -> None:
    (tmp_path / "words").write_text("a\nb\n")
    of_file = layers.sparse_column_with_vocabulary_file("w", str(tmp_path / "words"), num_oov_buckets=1, vocab_size=2)
    weighted = layers.one_hot_column(layers.weighted_sparse_column(of_file, "weight"))
    age = layers.bucketized_column(layers.real_valued_column("age"), [10.0])
    crossed = layers.one_hot_column(layers.crossed_column([of_file, age], 5))
    first, second = layers.shared_embedding_columns(
        [layers.sparse_column_with_hash_bucket(name, 4) for name in ("p", "q")], 2
    )
    sparse = tf.SparseTensor([[0, 0], [0, 1]], ["b", "z"], [1, 2])
    features = {
        "w": sparse,
        "weight": tf.SparseTensor([[0, 0], [0, 1]], [0.5, 2.0], [1, 2]),
        "age": tf.constant([[20.0]]),
        "p": sparse,
        "q": sparse,
    }
    parts: Any = {}
    columns = [weighted, crossed, first, second]
    joined = layers.input_from_feature_columns(features, columns, cols_to_outs=parts)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert sess.run(joined).shape == (1, 3 + 5 + 2 + 2)
        assert sess.run(parts[weighted]).tolist() == [[0, 0.5, 2.0]]
        assert sess.run(parts[crossed]).sum() == 2

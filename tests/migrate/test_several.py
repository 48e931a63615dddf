"""Parts of a batch that are dicts or lists, under names of their own: ``features, label = inputs(files)``."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server
from tests.migrate.forms import output
from tests.migrate.sources import migrated

_LINE = "    row = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()\n"
_SESSION = """\
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            x, y = sess.run([features, label])
            print(x, y)
    except tf.errors.OutOfRangeError:
        print("done")
    coord.request_stop()
    coord.join(threads)
"""


def program(body: str) -> str:
    return f"import tensorflow as tf\n\n\ndef inputs():\n{_LINE}{body}\n\nfeatures, label = inputs()\n{_SESSION}"


_BOTH = "    a, b = tf.train.batch([row, row * 2], 4)\n"
_DICTS = {
    "popped": "    batch = tf.train.batch({'a': row, 'b': row * 2}, 4)\n    b = batch.pop('b')\n    return batch, b\n",
    "built": f"{_BOTH}    features = {{'a': a}}\n    features['c'] = b + 1\n    return features, b\n",
    "written": f"{_BOTH}    return {{'a': a}}, b\n",
    "comprehended": f"{_BOTH}    return {{name: a for name in 'de'}}, b\n",
    "listed": f"{_BOTH}    return [a, b], b\n",
    "by_a_helper": f"{_BOTH}    return named(a), b\n\n\ndef named(a):\n    return dict(a=a)\n",
}


@pytest.mark.parametrize("body", _DICTS.values(), ids=_DICTS)
def test_each_tensor_of_a_dict_or_a_list_becomes_an_array(body: str) -> None:
    text = migrated(program(body), "as-dataset")
    assert "tf.nest.map_structure(lambda tensor: tensor.numpy(), features), label.numpy()" in text


@pytest.mark.parametrize(
    "body",
    [
        "    return tf.train.batch([row, row * 2], 4)\n",
        "    a, b = tf.train.batch([row, row * 2], 4)\n    return a, tf.reshape(b, [4])\n",
        "    a, b = tf.train.batch([row, row * 2], 4)\n    a = tf.cast(a, tf.float32)\n    return (a, b)\n",
    ],
)
def test_a_tensor_is_asked_for_its_array(body: str) -> None:
    assert "x, y = features.numpy(), label.numpy()" in migrated(program(body), "as-dataset")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_dict_in_a_batch_has_the_same_values(to: str, tmp_path: pathlib.Path, server: Server) -> None:
    """It was an AttributeError: 'dict' object has no attribute 'numpy'."""
    text = program(_DICTS["popped"])
    assert output(server, migrated(text, to), tmp_path) == output(server, migrated(text, "v1"), tmp_path)


def test_a_dict_of_a_function_in_a_different_file_is_one_too() -> None:
    text = program(_DICTS["popped"])
    reader, _, main = text.partition("features, label = ")
    files = [
        parsed("reader.py", reader),
        parsed("main.py", f"import tensorflow as tf\n\nimport reader\n\nfeatures, label = reader.{main}"),
    ]
    new = rewritten_together(files, "as-dataset")[files[1]].text
    assert "tf.nest.map_structure(lambda tensor: tensor.numpy(), features), label.numpy()" in new

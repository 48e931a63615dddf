"""Pipelines without a batcher, whose elements are numbers of batches: ``range_input_producer(n).dequeue()``."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.migrating import migrate
from tests.forking import Server

FUNCTION = """import tensorflow as tf


def words(text, length):
    with tf.name_scope("words"):
        text = tf.convert_to_tensor(text)
        i = tf.train.range_input_producer(4, shuffle=False).dequeue()
        x = tf.strided_slice(text, [i * length], [(i + 1) * length])
        x.set_shape([length])
        return x, i
"""
LOOP = """
with tf.Session() as sess:
    threads = tf.train.start_queue_runners(sess)
    for _ in range(5):
        print(*sess.run([x, i]))
"""
PROGRAMS = {
    "a function": {"main.py": FUNCTION + "\n\nx, i = words(list(range(12)), 3)" + LOOP},
    "another file": {
        "main.py": "import tensorflow as tf\nimport reader\n\nx, i = reader.words(list(range(12)), 3)" + LOOP,
        "reader.py": FUNCTION,
    },
    "the block itself": {
        "main.py": "import tensorflow as tf\n\ntext = tf.range(12)\n"
        "queue = tf.train.range_input_producer(4, shuffle=True, seed=3)\ni = queue.dequeue()\n"
        "x = text[i * 3 : i * 3 + 3]" + LOOP
    },
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_their_elements_are_those_of_a_dataset(name: str, server: Server, tmp_path: pathlib.Path) -> None:
    for file, text in PROGRAMS[name].items():
        (tmp_path / file).write_text(text)
    before = server.run(["main.py"], str(tmp_path), launcher=["run"])
    assert before.exit_code == 0 and len(before.out.splitlines()) == 5, before.err
    for one in migrate([str(tmp_path)], "as-dataset"):
        assert not one.left
        one.path.write_bytes(one.new)
    assert "Session" not in (tmp_path / "main.py").read_text()
    after = server.run(["main.py"], str(tmp_path))
    assert after.out == before.out, after.err


def test_with_tf_data_the_reason_is_that_there_is_no_batcher(tmp_path: pathlib.Path) -> None:
    text = FUNCTION.replace('    with tf.name_scope("words"):\n', "").replace("        ", "    ")
    (tmp_path / "reader.py").write_text(text)
    [one] = migrate([str(tmp_path)], "tf-data")
    assert "unless each is a batch already" in one.left[0].message


def test_the_number_beside_a_batch_is_no_batch(tmp_path: pathlib.Path) -> None:
    text = FUNCTION.replace("return x, i", "return tf.train.batch([x], 2), i")
    (tmp_path / "reader.py").write_text(text)
    [one] = migrate([str(tmp_path)], "as-dataset")
    assert "does not come from a batcher" in one.left[0].message

"""``--to tf-data``: what depends on the order in which records are computed keeps that order."""

from __future__ import annotations

from typing import Dict

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import Source
from tests.migrate.sources import source

INPUTS = """\
import tensorflow as tf
{top}
def inputs():
    row = tf.train.range_input_producer(9, shuffle=False).dequeue()
    new = {new}
    return {batch}

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    batch = inputs()
    for _ in range(3):
        print(sess.run(batch))
"""
BATCH = "tf.train.batch([row, new], 2)"
SHUFFLED = "tf.train.shuffle_batch([row, new], 2, 20, 10)"
CALLED = "tf.py_func(number, [row], tf.int32)"
# Each with what it does to the order.
ORDERED = {
    "a seed": "tf.random_uniform([], seed=3)",
    "a seed by its place": "tf.random_uniform([], 0, 9, tf.int32, 3)",
    "a seed of an image op": "tf.image.random_flip_left_right(image(row), 3)",
    "a function of Python": CALLED,
    "a function that is handed over": "tf.map_fn(noisy, row)",
}
PARALLEL = {
    "no seed": "tf.random_uniform([])",
    "None for a seed": "tf.random_uniform([], seed=None)",
    "an argument in front of a seed": "tf.random_uniform([], 0, 9, tf.int32)",
    "a function of Python without a state": "tf.py_func(number, [row], tf.int32, stateful=False)",
    "the same by its place": "tf.py_func(number, [row], tf.int32, False)",
}
TOP = "def noisy(x):\n    return x + tf.random_uniform([], seed=1)\n"


def dataset(new: str, *, top: str = TOP, batch: str = BATCH, others: Dict[str, str] = {}) -> str:  # noqa: B006
    """What the file of the input function becomes, in a program with the *others*."""
    one = source(INPUTS.format(top=top, new=new, batch=batch))
    files = [one, *(_file(name, text) for name, text in others.items())]
    return rewritten_together(files, "tf-data")[one].text


def _file(name: str, text: str) -> Source:
    found = source(text)
    found.file = name
    return found


@pytest.mark.parametrize("new", ORDERED.values(), ids=ORDERED)
def test_records_are_computed_in_their_order(new: str) -> None:
    assert "dataset.map(decode)\n" in dataset(new)


@pytest.mark.parametrize("new", PARALLEL.values(), ids=PARALLEL)
def test_what_no_order_decides_is_computed_in_parallel(new: str) -> None:
    assert "dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\n" in dataset(new)


@pytest.mark.parametrize("new", [ORDERED["a seed"], CALLED])
def test_records_are_shuffled_after_what_depends_on_their_order(new: str) -> None:
    text = dataset(new, batch=SHUFFLED)
    assert text.index("dataset.map(") < text.index("dataset.shuffle(20)")


def test_functions_of_python_run_in_parallel_where_several_threads_called_them() -> None:
    text = dataset(CALLED, batch="tf.train.batch([row, new], 2, num_threads=4)")
    assert "dataset.map(decode, num_parallel_calls=" in text
    text = dataset(CALLED, batch="tf.train.batch([row, new], 2, num_threads=THREADS)")
    assert "dataset.map(decode)\n" in text
    text = dataset(CALLED, top="THREADS = 4", batch="tf.train.batch([row, new], 2, num_threads=THREADS)")
    assert "dataset.map(decode, num_parallel_calls=" in text


def test_functions_of_other_files_are_followed() -> None:
    ops = "import tensorflow as tf\nfrom draws import draw\ndef noisy(x):\n    return x + draw()\n"
    draws = "import tensorflow as tf\ndef draw():\n    return tf.random_uniform([]{})\n"
    for call, top in (
        ("noisy(row)", "from ops import noisy"),
        ("ops.noisy(row)", "import ops"),
        ("noisy(row)", "from ops import *"),
    ):
        files = {"ops.py": ops, "draws.py": draws.format(", seed=3")}
        assert "dataset.map(decode)\n" in dataset(call, top=top, others=files)
        files["draws.py"] = draws.format("")
        assert "dataset.map(decode, num_parallel_calls=" in dataset(call, top=top, others=files)

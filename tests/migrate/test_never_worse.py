"""Rewrites that public programs showed to be wrong: each of these was done, and raised or changed each time."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sources import migrated, require_left_with_one_comment, source

HEAD = "import tensorflow as tf\n\n\n"
LOOP = HEAD + (
    "def inputs():\n"
    "    [x] = tf.train.slice_input_producer([[1.0, 2.0]], num_epochs=1, shuffle=False)\n"
    "    return tf.train.batch([x], 1)\n\n\n"
    "x = inputs()\n"
    "{line}\n"
    "with tf.Session() as sess:\n"
    "    coord = tf.train.Coordinator()\n"
    "    tf.train.start_queue_runners(sess, coord)\n"
    "    for _ in range(2):\n"
    "        print(sess.run(y))\n"
)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(
    "function",
    [
        "def batched(image, n):\n    return tf.train.batch([image], n)\n",
        "def batched(image, n):\n    x = tf.to_float(image)\n    return tf.train.shuffle_batch([x], n, 9, 3)\n",
        "def batched(queue, n):\n    _, line = tf.TextLineReader().read(queue)\n    return tf.train.batch([line], n)\n",
        "def batched(queue, n):\n    line = queue.dequeue()\n    return tf.train.batch([line], n)\n",
    ],
)
def test_a_function_of_its_callers_tensors_or_queue_is_no_input_function(function: str, to: str) -> None:
    code = {"as-dataset": "QC743", "tf-data": "QC744"}[to]
    reason = "which the caller of 'batched' passes" if to == "as-dataset" else ""
    require_left_with_one_comment(HEAD + function, to, code, reason)


def test_the_outermost_function_is_the_input_function() -> None:
    text = HEAD + (
        "def batched(image, n):\n    return tf.train.batch([image], n)\n\n\n"
        "def inputs(files):\n"
        "    queue = tf.train.string_input_producer(files)\n"
        "    _, line = tf.TextLineReader().read(queue)\n"
        "    return batched(line, 2)\n"
    )
    new = migrated(text, "as-dataset")
    assert "@queuecompat.input_pipeline\ndef inputs(files)" in new and "\n\n\ndef batched" in new


def test_a_function_of_arrays_that_its_caller_passes_is_an_input_function() -> None:
    text = HEAD + "def inputs(images):\n    return tf.train.batch([images], 2, enqueue_many=True)\n"
    assert "@queuecompat.input_pipeline\ndef inputs" in migrated(text, "as-dataset")


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.examples.tutorials.mnist import mnist\ny = mnist.inference(x, 128, 32)",
        "y = tf.gradients(x * x, x)[0]",
        "y = tf.hessians(x * x, x)[0]",
    ],
)
def test_what_makes_variables_or_needs_a_graph_does_not_move_into_the_loop(line: str) -> None:
    require_left_with_one_comment(LOOP.format(line=line), "as-dataset", "QC743", "")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_the_comment_above_the_first_statement_is_written_once(to: str) -> None:
    text = "import sys, tensorflow as tf; sys.stdout = tf.train.batch([tf.constant(1)], 2); tf.Session()\n"
    once = TARGETS[to](source(text)).text
    assert once != text and once.count("# queuecompat: ") == 1
    assert TARGETS[to](source(once)).text == once


def test_mixed_tabs_and_spaces_get_advice_that_works(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "old.py"
    path.write_bytes(b"if True:\n        x = 1\n\ty = 2\n")
    [one] = migrate([str(path)], "v1")
    [unread] = one.unread
    assert unread.code == "QC731" and "expand -i -t 8" in unread.what
    path.write_bytes(path.read_bytes().expandtabs(8))  # what that command does
    [one] = migrate([str(path)], "v1")
    assert not one.unread

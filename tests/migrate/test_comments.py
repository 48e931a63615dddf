"""The comments of statements that a rewrite takes away: what goes with them, and what stays."""

from __future__ import annotations

import re
from typing import Sequence

import pytest

from tests.migrate.sources import migrated

HEAD = """\
import tensorflow as tf


def inputs():
    return tf.train.batch([tf.train.range_input_producer(9, shuffle=False).dequeue()], 3)


def main():
"""
LOOP = """\
    for step in range(2):
        print(step, sess.run(batch))
"""


def comments_after(lines: str, to: str = "as-dataset") -> Sequence[str]:
    """The comments of a program whose ``main`` is *lines* and a loop, after the rewrite."""
    return re.findall("#.*", migrated(HEAD + lines + LOOP, to))


@pytest.mark.parametrize(
    "comment",
    [
        "# Start the session",
        "# Launch the graph",
        "# Initialise all of it",
        "# Coordinate the loading of image files.",
        "# one for all threads",
        "# noqa: F841",
        "# type: ignore",
    ],
)
def test_comments_on_a_session_are_removed_with_it(comment: str) -> None:
    above = "" if comment.startswith(("# noqa", "# type")) else f"    {comment}\n"
    lines = f"    batch = inputs()\n{above}    sess = tf.Session()  {comment}\n    tf.train.start_queue_runners(sess)\n"
    assert comments_after(lines) == []


@pytest.mark.parametrize(
    "comment", ["# Tuned on eight cards", "# TODO: use one session for both", "# XXX the threads hang on old machines"]
)
def test_what_says_something_else_or_has_to_be_done_stays_once(comment: str) -> None:
    """Those after a statement were lost, and those above one stood there twice."""
    for lines in (
        f"    batch = inputs()\n    {comment}\n    sess = tf.Session()\n",
        f"    batch = inputs()\n    sess = tf.Session()  {comment}\n",
        f"    batch = inputs()  {comment}\n    sess = tf.Session()\n",
        f"    batch = inputs()\n    sess = tf.Session(\n        config=None,  {comment}\n    )\n",
    ):
        assert comments_after(lines + "    tf.train.start_queue_runners(sess)\n") == [comment], lines


def test_what_takes_many_lines_or_stands_apart_is_no_description() -> None:
    text = "".join(f"    # {number} lines about a session\n" for number in range(5))
    lines = f"    batch = inputs()\n\n    # -- The session --\n\n{text}    sess = tf.Session()\n"
    assert len(comments_after(lines)) == 6


def test_what_is_said_of_the_pipeline_stands_above_the_loop_that_builds_it() -> None:
    """It stood alone where the pipeline was."""
    lines = "    # The batches\n    batch = inputs()\n\n    # A name\n    name = 'digits'\n    sess = tf.Session()\n"
    after = migrated(HEAD + lines + "\n    # The loop\n" + LOOP, "as-dataset")
    assert (
        "def main():\n    # A name\n    name = 'digits'\n\n    # The batches\n    # The loop\n    for step, batch in"
        in after
    )


def test_what_is_said_of_a_step_stands_above_it() -> None:
    run = LOOP.replace("print(step, sess.run(batch))", "sess.run(train_op)  # slowly")
    model = "    batch = inputs()\n    w = tf.Variable(1.0)\n    loss = w * tf.cast(batch[0], tf.float32)\n"
    optimizer = "    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)  # Adam was worse\n"
    session = "    sess = tf.Session()\n    sess.run(tf.global_variables_initializer())\n"
    after = migrated(HEAD + model + optimizer + session + run, "as-dataset")
    assert "        # slowly\n        with tf.GradientTape()" in after
    assert "        # Adam was worse\n        variables =" in after


def test_comments_in_the_lines_of_a_pipeline_stay_in_front_of_their_part_of_the_dataset() -> None:
    text = """\
        import tensorflow as tf

        def inputs(names):
            # Create a queue of names.
            queue = tf.train.string_input_producer(
                names,
                shuffle=False,  # the order matters
            )
            _, line = tf.TextLineReader().read(queue)  # without keys
            # Four of them.
            return tf.train.batch([line], 4, num_threads=1)  # one thread, for the order
    """
    after = migrated(text, "tf-data")
    assert "    # the order matters\n    dataset = tf.data.Dataset" in after
    assert "    # without keys\n    dataset = tf.data.TextLineDataset" in after
    assert "    # Four of them.\n    dataset = dataset.batch(4" in after
    assert "queue" not in after and "thread" not in after


def test_blank_lines_in_front_of_what_goes_stay() -> None:
    """They went with it, and the loop stood right below an import or a function."""
    text = (
        "import tensorflow as tf\n\n\ndef show(value):\n    print(value)\n\n\n"
        "rate = tf.placeholder(tf.float32, [])\n"
        "batch = tf.train.batch([tf.train.range_input_producer(9).dequeue()], 2)\n"
        "scaled = tf.to_float(batch) * rate\n"
        "with tf.Session() as sess:\n    tf.train.start_queue_runners(sess)\n"
        "    for step in range(3):\n        show(sess.run(scaled, {rate: 0.5}))\n"
    )
    assert "    print(value)\n\n\ndef input_pipeline" in migrated(text, "as-dataset").replace(
        "@queuecompat.input_pipeline\n", ""
    )

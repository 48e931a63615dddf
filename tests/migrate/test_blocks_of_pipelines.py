"""Loops and ``if`` between the lines of a pipeline that stands beside its session."""

import pathlib

import pytest

from tests.forking import Server
from tests.migrate.forms import output
from tests.migrate.sources import migrated, require_left_with_one_comment

# A script with its pipeline beside the session: no function holds it.
SCRIPT = """\
import tensorflow as tf

mirrored = True
with tf.Graph().as_default():
    numbers = list(range(12))
    # Rows, in order.
    queue = tf.train.slice_input_producer([numbers, numbers], shuffle=False)
    lists = []
    for i in range(2):
        number = tf.to_float(queue[0])
        # Every one of them.
        if mirrored:
            number = -number
        lists.append([number, queue[1]])
{block}
    first, second = tf.train.batch_join(lists, 3)
    total = tf.reduce_sum(first)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for i in range(4):
            value, rows = sess.run([total, second])
            print(i, value, len(rows))
        coord.request_stop()
        coord.join(threads)
"""
PLAIN = SCRIPT.replace("{block}\n", "")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_loop_that_fills_lists_goes_into_the_input_function(to: str) -> None:
    text = migrated(PLAIN, to)
    assert "# Rows, in order.\n" in text and "Session" not in text and "QC74" not in text
    assert "# Every one of them." in text
    assert ("for i in range(2):" in text) is (to == "as-dataset")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_it_delivers_the_same_values(to: str, tmp_path: pathlib.Path, server: Server) -> None:
    """Each batch has a different row twice, whichever thread came first; so rows are counted only."""
    text = PLAIN.replace("number, queue[1]", "number * 0.0 - 1.0, queue[1]")
    assert output(server, migrated(text, to), tmp_path) == output(server, migrated(text, "v1"), tmp_path)


def test_an_if_between_its_lines_goes_along() -> None:
    block = "    if mirrored:\n        lists = list(lists)\n    else:\n        lists = lists + []"
    text = migrated(SCRIPT.format(block=block), "as-dataset")
    assert "Session" not in text and "        lists = lists + []\n    return tf.train.batch_join(lists, 3)" in text


def test_a_value_from_before_that_an_if_may_change_becomes_an_argument() -> None:
    text = PLAIN.replace("    queue =", "    size = 2\n    queue =", 1)
    text = text.replace("    lists = []\n", "    if mirrored:\n        size = size + 1\n    lists = []\n").replace(
        "batch_join(lists, 3)", "batch_join(lists, size)"
    )
    # The argument is read in the block before the block changes it.
    require_left_with_one_comment(text, "as-dataset", "QC743", "built inside a block")


@pytest.mark.parametrize(
    "block",
    [
        "    for name in []:\n        lists = [[1, 2]]\n        break",
        "    if mirrored:\n        size = 3\n    lists = lists * size",
        "    with tf.device('cpu:0'):\n        pass\n    while not lists:\n        pass",
    ],
)
def test_a_block_that_may_leave_or_leaves_a_name_without_a_value_stays(block: str) -> None:
    require_left_with_one_comment(SCRIPT.format(block=block), "as-dataset", "QC743", "built inside a block")


def test_a_loop_of_batches_is_no_part_of_one_pipeline() -> None:
    text = SCRIPT.format(block="    for one in [1, 2]:\n        more = tf.train.batch([number], 2)")
    require_left_with_one_comment(text, "as-dataset", "QC743", "built inside a block")


def test_the_number_of_the_loop_may_not_be_read_after_it() -> None:
    text = PLAIN.replace("        coord = ", "        print(i)\n        coord = ")
    require_left_with_one_comment(text, "as-dataset", "QC743", "used outside the pipeline")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_name_between_the_queues_may_be_used_for_something_else_after_them(to: str) -> None:
    text = PLAIN.replace(
        "        coord.request_stop", "        number = 3\n        print(number)\n        coord.request_stop"
    )
    new = migrated(text, to)
    assert "Session" not in new and new.endswith("number = 3\nprint(number)\n")

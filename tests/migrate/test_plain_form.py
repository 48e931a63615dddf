"""Pipelines that are spread over helpers and objects, as ``--to tf-data`` writes them; ``catalogue`` runs such ones."""

from __future__ import annotations

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.pipelines import function
from tests.migrate.sources import migrated, require_left_with_one_comment

QUEUE = "    queue = tf.train.string_input_producer(files)\n"
BATCH = "    return tf.train.batch([line], 2)\n"
READ = "def read(queue):\n    _, line = tf.TextLineReader().read(queue)\n    return line\n\n\n"
HELPED = (
    "def made(names):\n    return tf.train.string_input_producer(names)\n\n\n"
    + READ
    + "def inputs(files):\n    line = read(made(files))\n"
    + BATCH
)


def test_helpers_are_written_out_and_go_where_nothing_else_calls_them() -> None:
    text = migrated(function(HELPED), "tf-data")
    assert "def made" not in text and "def read" not in text
    assert "from_tensor_slices(files)" in text and "TextLineDataset(dataset)" in text


@pytest.mark.parametrize(
    "other", ["import reader\n\nprint(reader.made)\n", "from reader import made\n", "from reader import *\n\nmade(1)\n"]
)
def test_a_helper_that_a_different_file_names_stays(other: str) -> None:
    one = parsed("reader.py", function(HELPED))
    text = rewritten_together([one, parsed("show.py", other)], "tf-data")[one].text
    assert "def made" in text and "def read" not in text


def test_what_a_helper_reads_with_may_depend_on_its_arguments() -> None:
    helper = (
        "def read(queue, n):\n    _, line = tf.TextLineReader(skip_header_lines=n).read(queue)\n    return line\n\n\n"
    )
    text = migrated(function(f"{helper}def inputs(files):\n{QUEUE}    line = read(queue, 3)\n{BATCH}"), "tf-data")
    assert "TextLineDataset(name).skip(3)" in text


def test_names_of_a_helper_that_are_taken_get_an_underscore() -> None:
    helper = READ.replace("return line", "size = tf.size([line])\n    return line, size").replace(
        "(queue):", "(queue, n):"
    )
    body = f"{helper}def inputs(files, size):\n{QUEUE}    line, count = read(queue, 1)\n"
    text = migrated(function(f"{body}    return tf.train.batch([line, count], size)\n"), "tf-data")
    assert "batch(size, drop_remainder=True)" in text


@pytest.mark.parametrize(
    "helper",
    [
        # A name of the file that means something else in the function.
        "def made(names):\n    return tf.train.string_input_producer(names, num_epochs=epochs)\n\n\n",
        "def made(names):\n    if epochs:\n        return None\n    return tf.train.string_input_producer(names)\n\n\n",
        "def made(*names):\n    return tf.train.string_input_producer(names)\n\n\n",
        "@cached\ndef made(names):\n    return tf.train.string_input_producer(names)\n\n\n",
    ],
)
def test_a_helper_that_cannot_be_written_out_leaves_the_function_as_it_is(helper: str) -> None:
    body = f"epochs = 3\n\n\n{helper}def inputs(files, epochs):\n    queue = made(files)\n"
    text = function(f"{body}    _, line = tf.TextLineReader().read(queue)\n{BATCH}")
    require_left_with_one_comment(
        text, "tf-data", "QC744", "'made' builds a part of the pipeline, and its statements cannot take the place of"
    )


def test_a_helper_that_is_written_out_is_not_the_reason_to_leave_the_function() -> None:
    helper = "def made(names):\n    return tf.train.string_input_producer(names, element_shape=[])\n\n\n"
    text = function(
        f"{helper}def inputs(files):\n    queue = made(files)\n    _, line = tf.TextLineReader().read(queue)\n{BATCH}"
    )
    require_left_with_one_comment(text, "tf-data", "QC744", "its argument element_shape has no counterpart")


CHOOSING = (
    "def made(names, num_epochs=None):\n    if num_epochs is None:\n"
    "        return tf.train.string_input_producer(names)\n"
    "    return tf.train.string_input_producer(names, num_epochs)\n\n\n"
)


@pytest.mark.parametrize(("given", "epochs"), [("", ""), (", None", ""), (", 3", "3"), (", num_epochs='x'", "'x'")])
def test_a_helper_that_returns_early_is_written_out_within_an_expression(given: str, epochs: str) -> None:
    """The reason for leaving it was that the function around the call was not supported."""
    body = f"{CHOOSING}{READ}def inputs(files):\n    line = tf.identity(read(made(files{given})))\n{BATCH}"
    text = migrated(function(body), "tf-data")
    assert f"dataset.repeat({epochs})" in text and "if " not in text and "def made" not in text


def test_what_a_helper_chooses_at_run_time_is_chosen_in_the_function() -> None:
    body = f"{CHOOSING}{READ}def inputs(files, n, result):\n    line = read(made(files, n))\n{BATCH}"
    text = migrated(function(body), "tf-data")
    chosen = "    if n is None:\n        dataset = dataset.repeat()\n    else:\n        dataset = dataset.repeat(n)\n"
    assert chosen in text and "def made" not in text


RETURNING = (
    "def grouped(line, {flag}):\n"
    "    if {test}:\n"
    "        return tf.train.batch([line], 2)\n"
    "    return tf.train.shuffle_batch([line], 2, 20, 5)\n\n\n"
)


@pytest.mark.parametrize(
    ("flag", "test", "given", "is_shuffled"),
    [
        ("train", "not train", "True", True),
        ("train", "not train", "False", False),
        ("mode='eval'", "mode != 'train'", "'train'", True),
        ("mode='eval'", "mode == 'eval'", "", False),
    ],
)
def test_a_helper_that_returns_early_takes_the_branch_of_its_argument(
    flag: str, test: str, given: str, is_shuffled: bool
) -> None:
    helper = RETURNING.format(flag=flag, test=test)
    body = f"{helper}{READ}def inputs(files):\n{QUEUE}    lines = grouped(read(queue), {given})\n    return lines\n"
    text = migrated(function(body), "tf-data")
    assert (".shuffle(20)" in text) == is_shuffled and "if " not in text and "def grouped" not in text


def test_a_helper_that_returns_early_becomes_conditional_lines() -> None:
    helper = RETURNING.format(flag="train", test="not train")
    body = f"{helper}{READ}def inputs(files, train):\n{QUEUE}    return grouped(read(queue), train)\n"
    text = migrated(function(body), "tf-data")
    assert "    if train:\n        dataset = dataset.shuffle(20)\n" in text and "def grouped" not in text


@pytest.mark.parametrize(
    "helper",
    [
        "def grouped(line, train):\n    for one in train:\n        if one:\n"
        "            return tf.train.batch([line], 2)\n    return tf.train.batch([line], 3)\n\n\n",
        "def grouped(line, train):\n    if train:\n        if line is None:\n            return None\n"
        "        return tf.train.batch([line], 2)\n    return tf.train.batch([line], 3)\n\n\n",
        "def grouped(line, train):\n    if train:\n        return tf.train.batch([line], 2)\n"
        "    else:\n        pass\n\n\n",
        "def grouped(line, train):\n    if train.pop():\n        return tf.train.batch([line], 2)\n"
        "    return tf.train.batch([line], 3)\n\n\n",
    ],
)
def test_a_helper_whose_branches_do_not_all_return_leaves_the_function_as_it_is(helper: str) -> None:
    body = f"{helper}{READ}def inputs(files, train):\n{QUEUE}    return grouped(read(queue), train)\n"
    require_left_with_one_comment(function(body), "tf-data", "QC744", "'grouped' already returns a batch")


def test_a_name_that_the_rewrite_needs_is_taken_from_the_program() -> None:
    head = f"def inputs(dataset):\n{QUEUE.replace('files', 'dataset')}"
    body = f"{head}    _, line = tf.TextLineReader().read(queue)\n{BATCH}"
    assert "    dataset_ = dataset\n" in migrated(function(body), "tf-data")


def test_an_object_that_is_used_as_a_whole_stays() -> None:
    body = (
        f"class One: pass\n\n\ndef inputs(files):\n{QUEUE}    one = One()\n"
        "    _, one.line = tf.TextLineReader().read(queue)\n    print(one)\n    return tf.train.batch([one.line], 2)\n"
    )
    require_left_with_one_comment(function(body), "tf-data", "QC744", "")


def test_a_summary_is_left_out_with_a_comment() -> None:
    body = (
        f"def inputs(files):\n{QUEUE}    _, line = tf.TextLineReader().read(queue)\n"
        "    tf.summary.text(\n        'lines', line)\n" + BATCH
    )
    text = migrated(function(body), "tf-data")
    assert "# A dataset writes no summary: tf.summary.text( 'lines', line)\n" in text


def test_a_queue_of_its_own_that_two_ops_fill_stays() -> None:
    body = (
        f"def inputs(files):\n{QUEUE}    _, line = tf.TextLineReader().read(queue)\n"
        "    own = tf.FIFOQueue(9, [tf.string])\n"
        "    runner = tf.train.QueueRunner(own, [own.enqueue([line]), own.enqueue([line])])\n"
        "    tf.train.add_queue_runner(runner)\n    one = own.dequeue()\n    return tf.train.batch([one], 2)\n"
    )
    require_left_with_one_comment(function(body), "tf-data", "QC744", "'tf.FIFOQueue' is part of a pipeline")


def own_queue(kind: str, filling: str, taking: str) -> str:
    return function(
        f"def inputs(files, n):\n{QUEUE}    _, line = tf.TextLineReader().read(queue)\n    own = tf.{kind}\n"
        f"    {filling}\n    tf.train.add_queue_runner(tf.train.QueueRunner(own, [op] * 2))\n    return {taking}\n"
    )


@pytest.mark.parametrize(
    ("kind", "taking", "expected"),
    [
        ("FIFOQueue(9, [tf.string], [[]])", "own.dequeue_many(n)", ".batch(n, drop_remainder=True)"),
        ("FIFOQueue(9, [tf.string], [[]])", "own.dequeue_up_to(n)", ".batch(n)"),
        ("PaddingFIFOQueue(9, [tf.string], [[]])", "own.dequeue_many(n)", ".padded_batch(n, drop_remainder=True)"),
        ("RandomShuffleQueue(9, 3, [tf.string], [[]])", "own.dequeue_many(n)", ".shuffle(9)"),
    ],
)
def test_a_batch_out_of_a_queue_of_its_own_ends_as_it_did(kind: str, taking: str, expected: str) -> None:
    text = migrated(own_queue(kind, "op = own.enqueue([line])", taking), "tf-data")
    assert expected in text and "Queue(" not in text and "tf.ensure_shape(line, [])" in text


@pytest.mark.parametrize(
    ("kind", "filling", "taking"),
    [
        ("FIFOQueue(9, [tf.string])", "op = own.enqueue([line])", "own.dequeue_many(n)"),
        ("FIFOQueue(9, [tf.string], [[]])", "op = own.enqueue([line]); print(own.size())", "own.dequeue_many(n)"),
        ("FIFOQueue(9, [tf.string], [[]])", "op = own.enqueue([line])\n    own.close()", "own.dequeue_many(n)"),
        ("FIFOQueue(9, [tf.string], [[]])", "op = own.enqueue([line])\n    line = 1", "own.dequeue_many(n)"),
        ("FIFOQueue(9, [tf.string], [[]], names=['x'])", "op = own.enqueue({'x': line})", "own.dequeue_many(n)"),
        ("RandomShuffleQueue(9, 3, [tf.string], [[]])", "op = own.enqueue([line])",
         "tf.train.batch([own.dequeue()], 2)"),
    ],
)  # fmt: skip
def test_a_queue_that_something_else_uses_or_that_knows_no_shapes_stays(kind: str, filling: str, taking: str) -> None:
    require_left_with_one_comment(own_queue(kind, filling, taking), "tf-data", "QC744", "")


def test_a_helper_that_is_called_like_a_method_of_datasets_goes_too() -> None:
    text = migrated(function(HELPED.replace("made", "prefetch")), "tf-data")
    assert "def prefetch" not in text and "from_tensor_slices(files)" in text


def test_a_name_of_the_file_is_not_renamed_in_a_function() -> None:
    """The function used 'dataset_', which nothing bound: a NameError."""
    text = (
        "import tensorflow as tf\nimport dataset\n\n\n"
        "def inputs():\n    queue = tf.train.string_input_producer(dataset.FILES, num_epochs=2)\n"
        "    _, line = tf.TextLineReader().read(queue)\n    line = tf.string_to_number(line)\n"
        "    return tf.train.batch([line], 2)\n"
    )
    assert "QC744 the name 'dataset' is already used in it" in migrated(text, "tf-data")

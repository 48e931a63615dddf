"""A queue of records between readers and what decodes them, in ``migrate --to tf-data``."""

import pytest

from tests.migrate.pipelines import function
from tests.migrate.sources import migrated, require_left_with_one_comment

QUEUE = "    queue = tf.train.string_input_producer(files)\n"
_LOOP = (
    "    ops = []\n    for _ in range(n):\n        _, value = tf.TextLineReader().read(queue)\n"
    "        ops.append(own.enqueue([value]))\n"
)
_MADE = "    own = tf.RandomShuffleQueue(9, 3, [tf.string])\n"
_RUNNER = "    tf.train.add_queue_runner(tf.train.QueueRunner(own, ops))\n"
_TAKEN = "    line = own.dequeue()\n"
_END = "    return tf.train.batch([tf.string_to_number(line)], 2)\n"


def inputs(*parts: str) -> str:
    return function(f"def inputs(files, n, shuffle):\n{QUEUE}{''.join(parts)}")


def test_a_queue_that_several_readers_fill_becomes_files_in_turn_and_a_shuffle() -> None:
    text = migrated(inputs(_MADE, _LOOP, _RUNNER, _TAKEN, _END), "tf-data")
    assert "cycle_length=n" in text and "Queue" not in text
    assert text.index("interleave") < text.index("dataset.shuffle(9)") < text.index("dataset.map(decode")


@pytest.mark.parametrize(
    "filling",
    [
        "    _, value = tf.TextLineReader().read(queue)\n    ops = [own.enqueue([value])]\n",
        "    _, value = tf.TextLineReader().read(queue)\n    ops = [own.enqueue(value)] * 4\n",
        "    key, line = tf.TextLineReader().read(queue)\n    ops = [own.enqueue([line])]\n",
    ],
)
def test_one_op_that_fills_it_reads_one_file_after_the_other(filling: str) -> None:
    text = migrated(inputs(_MADE, filling, _RUNNER, _TAKEN, _END), "tf-data")
    assert "tf.data.TextLineDataset(dataset)" in text and "dataset.shuffle(9)" in text and "Queue" not in text


@pytest.mark.parametrize(
    ("runner", "ops"),
    [
        ("tf.train.QueueRunner(own, [op])", "op"),
        ("tf.train.QueueRunner(own, [op] * 4)", "op"),
        ("tf.train.QueueRunner(own, enqueue_ops=[own.enqueue([value])] * n)", ""),
    ],
)
def test_the_op_may_be_listed_in_its_runner(runner: str, ops: str) -> None:
    filling = "    _, value = tf.TextLineReader().read(queue)\n" + (
        f"    {ops} = own.enqueue([value])\n" if ops else ""
    )
    text = migrated(inputs(_MADE, filling, f"    tf.train.add_queue_runner({runner})\n", _TAKEN, _END), "tf-data")
    assert "dataset.shuffle(9)" in text and "Queue" not in text


def test_whether_it_shuffles_may_be_decided_while_the_program_runs() -> None:
    made = (
        "    if shuffle:\n        own = tf.RandomShuffleQueue(9, 3, [tf.string], seed=n)\n"
        "    else:\n        own = tf.FIFOQueue(9, [tf.string])\n"
    )
    text = migrated(inputs(made, _LOOP, _RUNNER, _TAKEN, _END), "tf-data")
    assert "    if shuffle:\n        dataset = dataset.shuffle(9, seed=n)\n    dataset = dataset.map" in text


@pytest.mark.parametrize(
    "parts",
    [
        (_MADE, _LOOP, _RUNNER, "    print(own.size())\n", _TAKEN, _END),
        (_MADE, _LOOP, _RUNNER, "    print(ops)\n", _TAKEN, _END),
        (_MADE, _LOOP, _RUNNER, _TAKEN, "    return tf.train.batch([line, own.dequeue()], 2)\n"),
        (_MADE, _LOOP, _RUNNER, _TAKEN, "    return tf.train.batch([line, value], 2)\n"),
        (_MADE, _LOOP, _LOOP.replace("    ops = []\n", ""), _RUNNER, _TAKEN, _END),
        (_MADE, _LOOP, _RUNNER.replace("ops))", "ops, own.close()))"), _TAKEN, _END),
        (_MADE, _LOOP.replace("[value]", "[value + 'x']"), _RUNNER, _TAKEN, _END),
        (_MADE, _LOOP.replace("_, value", "value, _"), _RUNNER, _TAKEN, _END),
        (_MADE, _LOOP.replace(".read(queue)", ".read_up_to(queue, 4)"), _RUNNER, _TAKEN, _END),
        (_MADE, _LOOP.replace("        ops.", "        value = value + 'x'\n        ops."), _RUNNER, _TAKEN, _END),
        (_MADE.replace(")\n", ", names=['a'])\n"), _LOOP, _RUNNER, _TAKEN, _END),
        (f"    if len(files):\n    {_MADE}    else:\n    {_MADE}", _LOOP, _RUNNER, _TAKEN, _END),
        (f"    if shuffle:\n    {_MADE}", _LOOP, _RUNNER, _TAKEN, _END),
    ],
)  # fmt: skip
def test_a_queue_that_does_more_stays(parts: str) -> None:
    require_left_with_one_comment(inputs(*parts), "tf-data", "QC744", "")


def test_a_reason_names_the_function_that_makes_the_queue_and_not_what_stands_beside_it() -> None:
    text = function(
        "def shuffled(line):\n    own = tf.RandomShuffleQueue(9, 3, [line.dtype])\n"
        "    tf.train.add_queue_runner(tf.train.QueueRunner(own, [own.enqueue(line)] * 4))\n"
        "    return own.dequeue()\n\n\n"
        f"def inputs(files, n, shuffle):\n{QUEUE}    _, line = tf.TextLineReader().read(queue)\n    if shuffle:\n"
        "        if n < 2:\n            raise ValueError('more')\n        line = shuffled(line)\n"
        "    return tf.train.batch([line], 2)\n"
    )
    require_left_with_one_comment(text, "tf-data", "QC744", "'shuffled' is called in a branch of an 'if'")

"""``--to tf-data`` of a batcher or producer that the program chooses: ``if shuffle:``; what it refuses first."""

from __future__ import annotations

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sources import migrated, require_left_with_one_comment, source

PROGRAM = """\
import tensorflow as tf


def inputs(files, batch_size, shuffle, mode):
    queue = tf.train.string_input_producer(files)
    _, line = tf.TextLineReader().read(queue)
    size = tf.strings.length(line)
{}"""
MIXED = "tf.train.shuffle_batch([line, size], batch_size, 1000 + 3 * batch_size, 1000)"
IN_ORDER = "tf.train.batch([line, size], batch_size, 4, 1000)"
CHOICE = f"""\
    if shuffle:
        lines, sizes = {MIXED}
    else:
        lines, sizes = {IN_ORDER}
    return lines, sizes
"""
SWAPPED = CHOICE.replace(MIXED, "x").replace(IN_ORDER, MIXED).replace("= x", f"= {IN_ORDER}")
RETURNS = f"""\
    if shuffle:
        return {MIXED}
    return {IN_ORDER}
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (IN_ORDER, IN_ORDER.replace("line, size", "size, line"), "different tensors than the branch above"),
        (IN_ORDER, IN_ORDER.replace("line, size", "line, line"), "different tensors than the branch above"),
        (IN_ORDER, IN_ORDER.replace(", 4, 1000", ", dynamic_pad=True"), "different tensors than the branch above"),
        (f"lines, sizes = {IN_ORDER}", f"sizes, lines = {IN_ORDER}", "different names than the branch above"),
        (IN_ORDER, "[line], [size]", "its only call"),
        (f"    lines, sizes = {IN_ORDER}", f"    lines, sizes = {IN_ORDER}\n        sizes += 1", "its only call"),
        (
            f"    lines, sizes = {IN_ORDER}",
            f"    more = {IN_ORDER}\n        lines, sizes = {IN_ORDER}",
            "its only call",
        ),
        (f"    else:\n        lines, sizes = {IN_ORDER}\n", "", "only some of its branches"),
        ("if shuffle:", "if shuffle():", "a different value when it is evaluated again"),
        ("if shuffle:", "if size is None:", "depends on 'size', which belongs to a single record"),
        ("if shuffle:\n", "if shuffle:\n        shuffle = False\n", "a different value when it is evaluated again"),
        ("if shuffle:\n", "if mode[0]:\n        mode.reverse()\n", "a different value when it is evaluated again"),
        (IN_ORDER, IN_ORDER.replace("batch_size", "int(size)"), "an argument of its batcher depends on 'size'"),
    ],
)
def test_a_choice_between_other_pipelines_stays_with_one_comment(old: str, new: str, reason: str) -> None:
    text = PROGRAM.format(CHOICE)
    assert old in text
    text = text.replace(old, new)
    require_left_with_one_comment(text, "tf-data", "QC744", reason)


def named(names: str, returned: str) -> str:
    """Branches that return, with names for the batch of the last one."""
    return RETURNS.replace(f"return {IN_ORDER}", f"{names} = {IN_ORDER}\n    return {returned}")


@pytest.mark.parametrize("returned", ["sizes, lines", "lines", "lines, sizes + 1", "shuffle"])
def test_a_branch_that_returns_among_others_that_do_not_is_left(returned: str) -> None:
    text = PROGRAM.format(named("lines, sizes", returned))
    assert "its only call of a batcher" in TARGETS["tf-data"](source(text)).left[0].what


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[line, size], batch_size, 4", "[size, line], batch_size, 4", "different tensors than the branch above"),
        (IN_ORDER, "tf.squeeze(line), size", "its only call of a batcher"),
    ],
)
def test_a_branch_that_is_left_may_return_its_batch_by_a_name(old: str, new: str, reason: str) -> None:
    """The finding was at a line that only the rewrite had, which ended in a KeyError."""
    text = PROGRAM.format(named("both", "both"))
    assert old in text
    require_left_with_one_comment(text.replace(old, new), "tf-data", "QC744", reason)


def stages(body: str) -> str:
    """The lines from the reader to the batch."""
    text = migrated(PROGRAM.format(body), "tf-data")
    return text[text.index("(dataset)\n") + 10 : text.index("    return dataset.prefetch")]


MAP = "    dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)\n"
SHUFFLED = f"""\
    if shuffle:
        dataset = dataset.shuffle(1000 + 3 * batch_size)
{MAP}    dataset = dataset.batch(batch_size, drop_remainder=True)
"""


@pytest.mark.parametrize(
    "body",
    [
        CHOICE,
        RETURNS,
        RETURNS.replace("    return tf.train.batch", "    else:\n        return tf.train.batch"),
        named("lines, sizes", "lines, sizes"),
        named("lines, sizes", "(lines, sizes)"),
        named("both", "both"),
        CHOICE.replace("    return lines, sizes\n", "").replace(")\n", ")\n        return lines, sizes\n"),
        CHOICE.replace("return lines, sizes", "return (lines, sizes)").replace("lines, sizes", "both"),
        SWAPPED.replace("if ", "if not "),
    ],
)
def test_a_shuffle_buffer_that_is_chosen_is_inside_an_if(body: str) -> None:
    assert stages(body) == SHUFFLED


def test_a_condition_is_negated_where_the_shuffle_buffer_is_in_the_else() -> None:
    assert stages(SWAPPED) == SHUFFLED.replace("if shuffle", "if not shuffle")
    assert stages(SWAPPED.replace("if shuffle", "if mode == 'eval'")) == SHUFFLED.replace(
        "if shuffle", "if not (mode == 'eval')"
    )


def test_batches_that_differ_are_chosen_too() -> None:
    more = CHOICE.replace("    else:", f"    elif mode == 'eval':\n        lines, sizes = {IN_ORDER}\n    else:")
    last = more.replace(f"{IN_ORDER}\n    return", "tf.train.batch([line, size], 1)\n    return")
    assert (
        stages(last)
        == f"""\
    if shuffle:
        dataset = dataset.shuffle(1000 + 3 * batch_size)
{MAP}    if shuffle:
        dataset = dataset.batch(batch_size, drop_remainder=True)
    elif mode == 'eval':
        dataset = dataset.batch(batch_size, drop_remainder=True)
    else:
        dataset = dataset.batch(1, drop_remainder=True)
"""
    )


def test_the_rest_of_the_branches_stays_in_front_or_goes_with_the_record() -> None:
    front = CHOICE.replace("if shuffle:\n", "if shuffle:\n        print('mixing')\n")
    own = CHOICE.replace("if shuffle:\n", "if shuffle:\n        line = line + 'x'\n")
    assert "    if shuffle:\n        print('mixing')\n\n    def decode" in migrated(PROGRAM.format(front), "tf-data")
    assert "\n        if shuffle:\n            line = line + 'x'\n" in migrated(PROGRAM.format(own), "tf-data")
    assert stages(front) == stages(own) == SHUFFLED


QUEUES = """\
    # The files.
    if mode == 'train':
        # all of them
        queue = tf.train.string_input_producer(files)
    else:
        chosen = files[:1]
        queue = tf.train.string_input_producer(chosen, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([line], batch_size)
"""
HEAD = "import tensorflow as tf\n\n\ndef inputs(files, batch_size, mode):\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("mode == 'train'", "mode.is_train()", "its condition may have a different value when it is evaluated again"),
        ("chosen = files[:1]", "chosen, mode = files[:1], 0", "a different value when it is evaluated again"),
        (
            "        queue = tf.train.string_input_producer(files)\n",
            "        queue = files\n",
            "in a branch of an 'if'",
        ),
        (
            "queue = tf.train.string_input_producer(files)",
            "other = tf.train.string_input_producer(files)",
            "a branch of",
        ),
        ("string_input_producer(files)", "range_input_producer(9)", "'tf.train.range_input_producer' is called in a"),
        ("chosen = files[:1]", "chosen = tf.train.range_input_producer(9)", "is called in a branch of an 'if'"),
        ("    _, line", "    queue = tf.train.string_input_producer(files)\n    _, line", "there is a second producer"),
        ("    # The", "    queue = tf.train.string_input_producer(files)\n    # The", "there is a second producer"),
        ("    _, line", "    files.append('more')\n    _, line", "changes after it is used: use a second name"),
        ("files)\n    else", "files, seed=3, shuffle=mode)\n    else", "the seed of its producer determines an order"),
    ],
)
def test_a_choice_between_other_queues_stays_with_one_comment(old: str, new: str, reason: str) -> None:
    text = HEAD + QUEUES
    assert text.count(old) == 1
    require_left_with_one_comment(text.replace(old, new), "tf-data", "QC744", reason)


def test_a_queue_that_only_some_branches_create_stays() -> None:
    text = HEAD + "    if mode is None:\n        mode = tf.train.string_input_producer(files)\n"
    text += "    _, line = tf.TextLineReader().read(mode)\n    return tf.train.batch([line], batch_size)\n"
    require_left_with_one_comment(text, "tf-data", "QC744", "'tf.train.string_input_producer' is called in a branch")


def test_producers_that_are_chosen_become_an_if_around_what_differs() -> None:
    text = migrated(HEAD + QUEUES, "tf-data")
    assert (
        text.partition("mode):\n")[2]
        == """\
    # The files.
    if mode == 'train':
        pass
    else:
        chosen = files[:1]
    # all of them
    if mode == 'train':
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.shuffle(dataset.cardinality())
        dataset = dataset.repeat()
    else:
        dataset = tf.data.Dataset.from_tensor_slices(chosen)
        dataset = dataset.repeat(1)
    dataset = tf.data.TextLineDataset(dataset)
    dataset = dataset.batch(batch_size, drop_remainder=True)
    return dataset.prefetch(tf.data.AUTOTUNE)
"""
    )


def test_lines_that_chosen_producers_share_stand_before_the_if() -> None:
    one = "tf.train.range_input_producer(9, {}shuffle=False)\n"
    body = f"    if mode:\n        queue = {one.format('')}    else:\n        queue = {one.format('num_epochs=mode, ')}"
    text = migrated(f"{HEAD}{body}    return tf.train.batch([queue.dequeue()], batch_size)\n", "tf-data")
    assert (
        text.partition("mode):\n")[2].partition("    dataset = dataset.batch")[0]
        == """\
    dataset = tf.data.Dataset.from_tensor_slices(tf.range(9))
    if mode:
        dataset = dataset.repeat()
    else:
        dataset = dataset.repeat(mode)
"""
    )

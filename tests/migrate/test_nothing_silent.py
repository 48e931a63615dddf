"""Every file in which ``check`` reports a part of a pipeline is rewritten, or says why it is not."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.todo_comments import commented
from tests.migrate.silence import reported, silence
from tests.migrate.sources import source

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("tests/inputs/files", "tests/scripts/programs")
HEAD = "import tensorflow as tf\n\n\n"


FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
PIPELINES = [path for path in FILES if reported(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("to", sorted(TARGETS))
def test_each_file_with_a_pipeline_is_rewritten_or_has_a_reason_at_a_line(to: str) -> None:
    silent = []
    for path in PIPELINES:
        [one] = migrate([str(path)], to)
        wrong = silence(one.old.decode(), one.new.decode(), one.left, is_comment=one.is_comment, to=to)
        silent += [f"{path.name}: {wrong}"] if wrong else []
    assert len(PIPELINES) > 30 and silent == []


def left(tmp_path: pathlib.Path, text: str, to: str = "as-dataset") -> Migrated:
    path = tmp_path / "inputs.py"
    path.write_text(text)
    [one] = migrate([str(path)], to)
    assert one.left and (one.is_comment or to == "v1")
    path.write_bytes(one.new)
    [again] = migrate([str(path)], to)
    assert again.new == one.new
    return one


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (
            "class Reader:\n    def read(self):\n        return tf.train.batch([self.x], 2)\n",
            6,
            "'tf.train.batch' is used in the class 'Reader'",
        ),
        (
            "def make(x):\n    def run():\n        tf.train.batch([x], 2)\n\n    return run\n",
            6,
            "'tf.train.batch' is used in 'run', a nested function",
        ),
        (
            "def read(queue):\n    return tf.TextLineReader().read(queue)\n",
            5,
            "'tf.TextLineReader' is used in 'read', which returns no batch of its own",
        ),
        (  # told of 'reader', which is a parameter, that the function returns no batch of its own
            "slim = tf.contrib.slim\n\n\ndef get_split(files, decoder, reader=None):\n    if reader is None:\n"
            "        reader = tf.TFRecordReader\n    return slim.dataset.Dataset(files, reader, decoder, 3, None)\n",
            8,
            "'get_split' only describes records, which DatasetDataProvider of tf.contrib.slim reads in a different",
        ),
        ("queue = tf.train.string_input_producer(['a'])\n", 4, "'tf.train.string_input_producer' is used outside"),
        (  # told to build it outside the class
            "class Feeder:\n    def __init__(self):\n        self.x = [tf.placeholder('int32', [])]\n"
            "        self.queue = tf.FIFOQueue(9, 'int32', [[]])\n        self.put = self.queue.enqueue(self.x)\n",
            7,
            "'tf.FIFOQueue' creates a queue that the program fills itself, through placeholders",
        ),
        (  # told to batch its tensors with tf.train.batch
            "x = tf.placeholder('int32', [])\nqueue = tf.FIFOQueue(9, 'int32', [[]])\nput = queue.enqueue([x])\n"
            "batch = queue.dequeue_many(2)\nwith tf.Session() as sess:\n    print(sess.run(batch))\n",
            5,
            "'tf.FIFOQueue' creates a queue that the program fills itself, through placeholders",
        ),
    ],
)
def test_the_reason_names_what_stands_there(text: str, line: int, reason: str, tmp_path: pathlib.Path) -> None:
    [found] = left(tmp_path, HEAD + text).left
    assert found.line == line and reason in found.what


def test_names_that_are_imported_one_by_one_are_a_reason(tmp_path: pathlib.Path) -> None:
    text = "from tensorflow import train\n\n\ndef inputs(x):\n    return train.batch([x], 2)\n"
    [found] = left(tmp_path, text).left
    assert "it imports names from TensorFlow" in found.what


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_names_that_are_imported_one_by_one_beside_tensorflow_are_none_of_a_rewritten_pipeline(
    to: str, tmp_path: pathlib.Path
) -> None:
    """Their import was said to be a part of a pipeline that is used outside of functions."""
    path = tmp_path / "inputs.py"
    path.write_text(
        "from tensorflow import TextLineReader, train\n" + HEAD + "def inputs(files):\n"
        "    _, line = TextLineReader().read(train.string_input_producer(files, shuffle=False))\n"
        "    return train.batch([line], 2)\n\n\n"
        "with tf.Session() as sess:\n    batch = inputs(['a'])\n    tf.train.start_queue_runners(sess)\n"
        "    for _ in range(2):\n        print(sess.run(batch))\n"
    )
    [one] = migrate([str(path)], to)
    assert one.left == [] and b"Session" not in one.new and b"# queuecompat" not in one.new
    path.write_bytes(one.new)
    [again] = migrate([str(path)], to)
    assert again.new == one.new and again.left == []


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_sampler_of_contrib_that_is_imported_by_its_name_ends_a_pipeline(to: str, tmp_path: pathlib.Path) -> None:
    """Its call was taken for one of the program's own, and the reason was that the pipeline had no batcher."""
    path = tmp_path / "inputs.py"
    path.write_text(
        HEAD.rstrip("\n") + "\nfrom tensorflow.contrib.training import stratified_sample\n\n\n"
        "def inputs(files):\n"
        "    _, line = tf.TextLineReader().read(tf.train.string_input_producer(files))\n"
        "    [x], y = stratified_sample([line], tf.size(line) - 1, [1.0], 2, init_probs=[1.0])\n"
        "    return x, y\n\n\n"
        "with tf.Session() as sess:\n    x, y = inputs(['a'])\n    tf.train.start_queue_runners(sess)\n"
        "    for _ in range(2):\n        print(sess.run(x))\n"
    )
    [one] = migrate([str(path)], to)
    if to == "as-dataset":
        assert one.left == [] and b"Session" not in one.new
    else:
        assert ["'stratified_sample' is part of a pipeline" in found.what for found in one.left] == [True]


def test_all_obstacles_of_a_pipeline_are_listed_each_at_its_line_and_in_one_comment(tmp_path: pathlib.Path) -> None:
    text = HEAD + (
        "def inputs(files, size):\n"
        "    queue = tf.train.string_input_producer(files, seed=3)\n"
        "    tf.summary.scalar('files', 1)\n"
        "    number = tf.placeholder(tf.int32)\n"
        "    _, line = tf.TextLineReader().read(queue)\n"
        "    return tf.train.batch([line], size, capacity=number)\n"
    )
    one = left(tmp_path, text.replace("seed=3", "shuffle=mix(), seed=3"), "tf-data")
    assert [found.line for found in one.left] == [5, 6, 7]
    [comment] = [line for line in one.new.decode().splitlines() if "# queuecompat: " in line]
    assert "the seed of its producer determines an order" in comment and "'tf.summary.scalar' belongs" in comment
    assert "'tf.placeholder' belongs to a graph" in comment


def test_what_is_in_the_way_of_two_pipelines_is_said_once_of_each_line() -> None:
    """A helper of both: its reason stood twice in the summary, and twice in the comment."""
    read = source("tf.summary.image('images', images)\ntf.summary.image('others', images)\n")
    first, second = (line.body[0] for line in read.tree.body)
    found = [refused("graph-op", one, call="tf.summary.image") for one in (first, first, second)]
    done = commented(read, "QC744", UnsupportedPatternError.of_all(found))
    assert [one.line for one in done.left] == [1, 2] and done.text.count("belongs to a graph") == 1


def test_what_only_follows_from_an_obstacle_is_not_listed(tmp_path: pathlib.Path) -> None:
    text = HEAD + (
        "def inputs(files):\n"
        "    queue = tf.train.string_input_producer(files, shuffle=mix(), seed=3)\n"
        "    _, line = tf.TextLineReader().read(queue)\n"
        "    return tf.train.batch([line], 2)\n"
    )
    assert [found.line for found in left(tmp_path, text, "tf-data").left] == [5]


def test_a_name_that_queuecompat_v1_has_not_is_said(tmp_path: pathlib.Path) -> None:
    text = "import tensorflow as tf\nfrom tensorflow.models.rnn import ptb\n\ntf.Session()\n"
    one = left(tmp_path, text, "v1")
    assert [(found.code, found.line) for found in one.left] == [("QC707", 2)]
    assert b"import queuecompat.v1 as tf" in one.new


BATCH = (
    "def inputs():\n    i = tf.train.range_input_producer(9).dequeue()\n    return tf.train.batch([i], 2)\n\n\n"
    "def main():\n"
)


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        (
            "    batch = inputs()\n    sv = tf.train.Supervisor()\n    with sv.managed_session() as sess:\n"
            "        for _ in range(3):\n            sess.run(batch)\n",
            12,
            "'sv.managed_session' creates the session",
        ),
        (
            "    evaluate(inputs())\n\n\ndef evaluate(batch):\n    print('begins')\n    with tf.Session() as sess:\n"
            "        for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):\n"
            "            qr.create_threads(sess, daemon=True, start=True)\n"
            "        for _ in range(3):\n            sess.run(batch)\n",
            18,
            "no statement here builds a pipeline",
        ),
    ],
)
def test_the_reason_is_true_and_at_the_line_that_it_is_about(body: str, line: int, reason: str) -> None:
    """They were "no loop runs it in a session" and "it runs no pipeline", at the first line of the function."""
    found = TARGETS["as-dataset"](source(HEAD + BATCH + body)).left
    assert [(one.line, reason in one.what) for one in found] == [(line, True)]

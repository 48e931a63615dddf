"""``--to tf-data``: what it refuses first, then that the datasets give what the queues gave."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap
from typing import Dict

import numpy as np
import pytest

import queuecompat
from queuecompat.migrate.rewrites import WAYS
from tests.migrate.sources import codes, migrated, source
from tests.scripts.catalogue import PROGRAMS

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])

# An input function alone, and a program that prints what it gives.
HEAD = "import tensorflow as tf\n\n\n"
LOOP = """\


def show(value):
    print(value.tolist() if hasattr(value, 'tolist') else value)


with tf.Graph().as_default():
    batch = inputs()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(15):
            values = sess.run(batch)
            for value in values.values() if isinstance(values, dict) else values:
                show(value)
        coord.request_stop()
        coord.join(threads)
"""


def function(body: str) -> str:
    return HEAD + "def inputs():\n" + textwrap.indent(textwrap.dedent(body), "    ")


READ = """\
queue = tf.train.string_input_producer(['a.csv', 'b.csv'], shuffle=False)
_, line = tf.TextLineReader().read(queue)
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (READ + "return tf.train.batch_join([[line], [line]], 2)", "no counterpart"),
        (READ + "return tf.train.batch([line], 2, enqueue_many=True)", "enqueue_many has no counterpart"),
        (READ + "return tf.train.batch([line], 2, shapes=[[]])", "shapes has no counterpart"),
        (READ + "return tf.train.batch(tensors, 2)", "not listed here"),
        (READ + "return tf.train.shuffle_batch([line], 2, 9, 5, seed=1)", "seed has no counterpart"),
        (READ + "return tf.train.batch([line], 2, dynamic_pad=pads)", "decided while it runs"),
        (READ + "tf.train.add_queue_runner(queue)\nreturn tf.train.batch([line], 2)", "in another way"),
        (READ + "if True:\n    return tf.train.batch([line], 2)\n", "no counterpart"),
        (READ.replace("_, line", "key, line") + "return tf.train.batch([key, line], 2)", "uses the reader's keys"),
        (READ.replace(".read(", ".read_up_to(") + "return tf.train.batch([line], 2)", "takes the queue"),
        (READ + READ + "return tf.train.batch([line], 2)", "a second producer"),
        (READ.replace("queue", "self.queue") + "return tf.train.batch([line], 2)", "no plain name"),
        (READ + "queue.size()\nreturn tf.train.batch([line], 2)", "in another way"),
        (READ + "dataset = 3\nreturn tf.train.batch([line], 2)", "called 'dataset' already"),
        ("row = tf.train.slice_input_producer([x], seed=1)[0]\nreturn tf.train.batch([row], 2)", "no counterpart"),
        ("[row] = tf.train.slice_input_producer([x], seed=1)\nreturn tf.train.batch([row], 2)", "another order"),
        ("reader = tf.TFRecordReader(options=o)\n" + READ.replace("tf.TextLineReader()", "reader")
         + "return tf.train.batch([line], 2)", "options has no counterpart"),
    ],
)  # fmt: skip
def test_a_pipeline_without_a_counterpart_stays_with_one_comment(body: str, reason: str) -> None:
    text = function(body) + "\n"
    rewritten = WAYS["tf-data"](source(text))
    [left] = rewritten.left
    assert left.code == "QC744" and reason in left.what
    lines = rewritten.text.splitlines()
    [mark] = [line for line in lines if line.lstrip().startswith("# queuecompat: QC744 ")]
    lines.remove(mark)
    assert lines == text.splitlines()
    assert WAYS["tf-data"](source(rewritten.text)).text == rewritten.text


def test_a_function_that_reads_for_others_too_is_left() -> None:
    text = function(READ.replace("_, line = tf.TextLineReader().read(queue)", "line = read(queue)")) + (
        "    return tf.train.batch([line], 2)\n\n\n"
        "def read(queue):\n    _, line = tf.TextLineReader().read(queue)\n    return line\n\n\n"
    )
    assert "dataset" in migrated(text, "tf-data")
    more = text + "def other(queue):\n    return read(queue)\n"
    assert "is called here, too" in WAYS["tf-data"](source(more)).left[0].what


def test_the_programs_own_lines_become_a_function_that_is_mapped() -> None:
    text = '''\
import tensorflow as tf


# Batches of flowers.
def inputs(files, batch_size, num_epochs=None, training=True):
    """Images and labels."""
    size = [32, 32]
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=training)
    reader = tf.TFRecordReader()
    _, record = reader.read(queue)

    # An image and a label.
    features = tf.parse_single_example(record, FEATURES)
    image = tf.image.decode_png(features["image"])  # of any size
    image = tf.image.resize_images(image, size)
    min_after_dequeue = 1000
    # Twenty more batches.
    images, labels = tf.train.shuffle_batch(
        [image, features["label"]],
        batch_size=batch_size,
        num_threads=4,
        capacity=min_after_dequeue + 20 * batch_size,
        min_after_dequeue=min_after_dequeue,  # mixes well
        allow_smaller_final_batch=not training,
    )
    return images, tf.reshape(labels, [-1])
'''
    assert (
        migrated(text, "tf-data")
        == '''\
import tensorflow.compat.v1 as tf


# Batches of flowers.
def inputs(files, batch_size, num_epochs=None, training=True):
    """Images and labels."""
    size = [32, 32]
    min_after_dequeue = 1000

    def decode(record):
        # An image and a label.
        features = tf.parse_single_example(record, FEATURES)
        image = tf.image.decode_png(features["image"])  # of any size
        image = tf.image.resize_images(image, size)
        return image, features["label"]

    def finish(images, labels):
        return images, tf.reshape(labels, [-1])

    # Twenty more batches.
    # mixes well
    dataset = tf.data.Dataset.from_tensor_slices(files)
    if training:
        dataset = dataset.shuffle(dataset.cardinality())
    dataset = dataset.repeat(num_epochs)
    dataset = tf.data.TFRecordDataset(dataset)
    dataset = dataset.shuffle(min_after_dequeue + 20 * batch_size)
    dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(batch_size, drop_remainder=not (not training))
    dataset = dataset.map(finish)
    return dataset.prefetch(tf.data.AUTOTUNE)
'''
    )


def test_nothing_is_found_in_what_came_out() -> None:
    assert codes(migrated(function(READ + "return tf.train.batch([line], 2)\n"), "tf-data")) == []


def test_the_way_leads_over_as_dataset_too() -> None:
    text = function(READ + "return tf.train.batch([line], 2)\n") + LOOP
    step = migrated(text, "as-dataset")
    assert "@queuecompat.input_pipeline" in step
    after = migrated(step, "tf-data")
    assert "@queuecompat" not in after
    assert after.replace("import queuecompat\n", "") == migrated(text, "tf-data")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where the pipelines below find their files."""
    folder = tmp_path_factory.mktemp("pipelines")
    for number, name in enumerate(("a", "b", "c")):
        lines = [f"{number * 10 + row},{row / 2}" for row in range(4 + number)]
        (folder / f"{name}.csv").write_text("\n".join(["number,half", *lines]) + "\n")
        np.arange(12, dtype=np.uint8).tofile(folder / f"{name}.bin")
    return folder


def output(text: str, folder: pathlib.Path) -> str:
    (folder / "program.py").write_text(text)
    environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "program.py"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip
    assert ran.returncode == 0, text + ran.stderr[-3000:]
    return ran.stdout


CSV = """\
queue = tf.train.string_input_producer(['a.csv', 'b.csv', 'c.csv'], {producer})
reader = tf.TextLineReader(skip_header_lines=1)
_, line = reader.read(queue)
number, half = tf.decode_csv(line, [[0], [0.0]])
"""
PIPELINES: Dict[str, str] = {
    "lines in order": CSV.format(producer="shuffle=False") + "return tf.train.batch([number, half], 3)",
    "files in the order of a seed": CSV.format(producer="seed=5") + "return tf.train.batch([number, half], 3)",
    "a dict": CSV.format(producer="shuffle=False")
    + "return tf.train.batch({'half': half, 'number': number}, batch_size=3)",
    "seeded crops": CSV.format(producer="shuffle=False")
    + "drawn = tf.random_uniform([], seed=3) + half\nreturn tf.train.batch([number, drawn], 2)",
    "work on batches": CSV.format(producer="shuffle=False")
    + "batch = tf.train.batch([number, half], 3)\nsums = batch[0] + 1\nreturn sums, batch[1]",
    "padding": CSV.format(producer="shuffle=False")
    + "return tf.train.batch([tf.range(number), half], 3, dynamic_pad=True)",
    "whole files with their names": (
        "queue = tf.train.string_input_producer(tf.train.match_filenames_once('?.csv'), shuffle=False)\n"
        "name, text = tf.WholeFileReader().read(queue)\nreturn tf.train.batch([name, tf.strings.length(text)], 2)"
    ),
    "records of a fixed length": (
        "files = tf.train.match_filenames_once('?.bin')\n"
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "reader = tf.FixedLengthRecordReader(4, footer_bytes=4)\n_, record = reader.read(queue)\n"
        "pixels = tf.decode_raw(record, tf.uint8)\npixels.set_shape([4])\n"
        "return tf.train.batch([pixels, tf.reduce_sum(pixels)], 2)"
    ),
    "rows": (
        "rows, names = [[1, 2], [3, 4], [5, 6]], ['one', 'two', 'three']\n"
        "row, name = tf.train.slice_input_producer([rows, names], shuffle=False)\n"
        "return tf.train.batch([row, name], 2)"
    ),
    "a range": (
        "number = tf.train.range_input_producer(5, seed=1).dequeue()\n"
        "return tf.train.batch([number, number * 2], 2)"
    ),
    "shuffled lines": CSV.format(producer="num_epochs=1") + (
        "return tf.train.shuffle_batch([number, half], 1, capacity=15, min_after_dequeue=9)"
    ),
    "a smaller last batch": (
        "number = tf.train.range_input_producer(44, num_epochs=1, shuffle=False).dequeue()\n"
        "return tf.train.batch([number, number], 3, allow_smaller_final_batch=True)"
    ),
}  # fmt: skip


def test_the_datasets_give_what_the_queues_gave(folder: pathlib.Path) -> None:
    """All pipelines in one program each way: TensorFlow takes longer to load than they take."""
    texts = [function(body + "\n") + LOOP for body in PIPELINES.values()]
    programs: Dict[str, str] = {}
    for way in ("v1", "tf-data"):
        parts = [migrated(text, way) for text in texts]
        bodies = [f"print({name!r})\n{part}" for name, part in zip(PIPELINES, parts)]
        programs[way] = "\n".join(bodies)
    assert "Session" not in programs["tf-data"]
    before, after = output(programs["v1"], folder), output(programs["tf-data"], folder)
    for name, old, new in zip(PIPELINES, _sections(before), _sections(after)):
        if name == "shuffled lines":
            assert new != old
            old, new = sorted(old), sorted(new)
        assert new == old, name
    assert len(_sections(before)) == len(PIPELINES)


def _sections(text: str) -> list[list[str]]:
    sections: list[list[str]] = []
    for line in text.splitlines():
        if line in PIPELINES:
            sections.append([])
        else:
            sections[-1].append(line)
    return sections


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_of_any_shape_is_changed_at_most_once(name: str) -> None:
    path = pathlib.Path(PROGRAMS[name].command("", "")[0])
    compile(migrated(path.read_text(encoding="utf-8"), "tf-data"), name, "exec")

"""Queue pipelines as programs write them, each of which ``--to tf-data`` takes; and the files that they read."""

from __future__ import annotations

import dataclasses
import pathlib
import struct
import textwrap
from typing import Dict

import numpy as np

from queuecompat.records.checksums import crc32c, masked

__all__ = ["LOOP", "PIPELINES", "READ", "Queued", "function", "tf_record", "write_files"]

READ = """\
queue = tf.train.string_input_producer(['a.csv', 'b.csv'], shuffle=False)
_, line = tf.TextLineReader().read(queue)
"""

# What runs an input function, and prints what it gives.
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
    """A module with an input function of that body, or with the functions that *body* is."""
    if "def inputs(" not in body:
        body = "def inputs():\n" + textwrap.indent(textwrap.dedent(body), "    ")
    return f"import tensorflow as tf\n\n\n{body}"


def write_files(folder: pathlib.Path) -> None:
    """Three CSV files of 4, 5 and 6 lines below a header, three of records of a fixed length, and three of others."""
    for number, name in enumerate(("a", "b", "c")):
        lines = [f"{number * 10 + row},{row / 2}" for row in range(4 + number)]
        (folder / f"{name}.csv").write_text("\n".join(["number,half", *lines]) + "\n")
        np.arange(12, dtype=np.uint8).tofile(folder / f"{name}.bin")
        records = (f"{name}{'x' * row}".encode() for row in range(4 + number))
        (folder / f"{name}.tfrecords").write_bytes(b"".join(map(tf_record, records)))


def tf_record(data: bytes) -> bytes:
    """One record of a TFRecord file."""
    length = struct.pack("<Q", len(data))
    parts = (length, _checksum(length), data, _checksum(data))
    return b"".join(parts)


def _checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked(crc32c(data)))


@dataclasses.dataclass(frozen=True)
class Queued:
    """A pipeline.

    Attributes:
      body: of its input function.
      order: "fixed": batches come in one order, on queues as in a dataset; "any": the same batches, in any order;
        "seeded": the same, and the compiled pipeline has an order; "random": of an endless stream.
    """

    body: str
    order: str = "fixed"


FILES = "['a.csv', 'b.csv', 'c.csv']"
CSV = f"""\
queue = tf.train.string_input_producer({FILES}, {{producer}})
reader = tf.TextLineReader(skip_header_lines=1)
_, line = reader.read(queue)
number, half = tf.decode_csv(line, [[0], [0.0]])
"""
IN_ORDER = CSV.format(producer="shuffle=False")
ONCE = CSV.format(producer="num_epochs=1")
BLOCKS = f"""\
queue = tf.train.string_input_producer({FILES}, {{producer}})
_, lines = tf.TextLineReader(skip_header_lines=1).read_up_to(queue, 3)
number, half = tf.decode_csv(lines, [[0], [0.0]])
"""
READING = """\
def read(queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    key, line = reader.read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return [number, half]


"""
ROWS = "rows, names = [[1, 2], [3, 4], [5, 6]], ['one', 'two', 'three']\n"
BIN = """\
files = tf.train.match_filenames_once('?.bin')
queue = tf.train.string_input_producer(files, shuffle=False)
reader = tf.FixedLengthRecordReader(4, footer_bytes=4)
_, record = reader.read(queue)
pixels = tf.decode_raw(record, tf.uint8)
"""
CHOICE = """\
def inputs(shuffle={}, size=1):
    queue = tf.train.string_input_producer(['a.csv', 'b.csv', 'c.csv'], num_epochs=1, shuffle=shuffle)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    if shuffle:
        kept = 3 * size
        number = number + 100
        numbers, halves = tf.train.shuffle_batch([number, half], size, capacity=6 + kept, min_after_dequeue=kept)
    else:
        numbers, halves = tf.train.batch([number, half], batch_size=size)
    return halves, numbers
"""
PRODUCERS = """\
def inputs(once={given}):
    if {test}:
        # first to last
        names = ['a.csv', 'b.csv']
        queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    elif {other}:
        names = ['b.csv', 'c.csv']
        queue = tf.train.string_input_producer(names, num_epochs=2, shuffle=False)
    else:
        names = ['c.csv', 'b.csv', 'a.csv']
        queue = tf.train.string_input_producer(names, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], batch_size=1)
"""

PIPELINES: Dict[str, Queued] = {
    "lines in order": Queued(IN_ORDER + "return tf.train.batch([number, half], 3)"),
    "files in the order of a seed": Queued(
        CSV.format(producer="seed=5") + "return tf.train.batch([number, half], 3)"
    ),
    "a dict": Queued(IN_ORDER + "return tf.train.batch({'half': half, 'number': number}, batch_size=3)"),
    "a batch within an expression": Queued(
        IN_ORDER + "return dict(zip(['half', 'number'], tf.train.batch([half, number], 3)))"
    ),
    "a batch that is used as a list": Queued(
        IN_ORDER + "both = tf.train.batch([half, number], 3)\nboth.append(-both[0])\nreturn both"
    ),
    "columns in a list": Queued(
        IN_ORDER + "columns = tf.decode_csv(line, [[0], [0.0]])\nnumbers, halves = tf.train.batch(columns, 3)\n"
        "return halves, numbers"
    ),
    "a batch of a draw, within an expression": Queued(
        "return [-tf.train.batch([tf.train.range_input_producer(7, shuffle=False).dequeue()], 3)]"
    ),
    "a list with a name": Queued(IN_ORDER + "both = [number, half]\nreturn tf.train.batch(both, batch_size=3)"),
    "a list that a loop fills": Queued(
        "features = []\n" + IN_ORDER + "for one in [number, -number]:\n    features.append(tf.to_float(one) + half)\n"
        "return tf.train.batch(features, batch_size=3)"
    ),
    "a list of one that a loop fills": Queued(
        IN_ORDER + "rows = []\nfor power in range(3):\n    rows.append(tf.to_float(number) ** power)\nwhole = []\n"
        "for one in [half]:\n    whole.append(tf.stack(rows) + one)\nreturn tf.train.batch(whole, batch_size=3)"
    ),
    "a dict that a loop fills": Queued(
        IN_ORDER + "features = {}\nfeatures['a'] = tf.constant(1)\nfor name, one in [('b', number), ('c', half)]:\n"
        "    features[name] = one\nreturn tf.train.batch(features, batch_size=3)"
    ),
    "seeded crops": Queued(
        IN_ORDER + "drawn = tf.random_uniform([], seed=3) + half\nreturn tf.train.batch([number, drawn], 2)"
    ),
    "seeded crops, shuffled": Queued(
        IN_ORDER.replace("False", "False, num_epochs=1") + "drawn = tf.random_uniform([], seed=3) + half\n"
        "return tf.train.shuffle_batch([number, drawn], 1, 15, 9, seed=4)", "seeded"
    ),
    "columns by their names": Queued(
        BLOCKS.format(producer="num_epochs=1, shuffle=False")
        + "features = dict(zip(['number', 'half'], [number, half]))\nfeatures['twice'] = features.pop('half') * 2\n"
        "features = tf.train.batch(features, 1, enqueue_many=True)\n"
        "label = features.pop('number')\nreturn features, label"
    ),
    "work on batches": Queued(
        IN_ORDER + "batch = tf.train.batch([number, half], 3)\nsums = batch[0] + 1\nreturn sums, batch[1]"
    ),
    "padding": Queued(IN_ORDER + "return tf.train.batch([tf.range(number), half], 3, dynamic_pad=True)"),
    "whole files with their names": Queued(
        "queue = tf.train.string_input_producer(tf.train.match_filenames_once('?.csv'), shuffle=False)\n"
        "name, text = tf.WholeFileReader().read(queue)\nreturn tf.train.batch([name, tf.strings.length(text)], 2)"
    ),
    "whole files with their names, read by a function": Queued(
        "def read(files, wanted):\n    name, text = tf.WholeFileReader().read(files)\n"
        "    return tf.strings.substr(text, 0, wanted), name\n\n\n"
        f"def inputs():\n    queue = tf.train.string_input_producer({FILES}, shuffle=False)\n"
        "    text, name = read(files=queue, wanted=9)\n    return tf.train.batch([name, text], 2)"
    ),
    "records of a fixed length": Queued(
        BIN + "pixels.set_shape([4])\nreturn tf.train.batch([pixels, tf.reduce_sum(pixels)], 2)"
    ),
    "records of known shapes": Queued(
        BIN + "return tf.train.batch([pixels, tf.reduce_sum(pixels)], 2, shapes=[[4], []])"
    ),
    "rows": Queued(
        ROWS + "row, name = tf.train.slice_input_producer([rows, names], shuffle=False)\n"
        "return tf.train.batch([row, name], 2)"
    ),
    "rows with one name": Queued(
        ROWS + "pair = tf.train.slice_input_producer([rows, names], shuffle=False)\nrow = pair[0] + 1\n"
        "return tf.train.batch([row, pair[1]], 2)"
    ),
    "rows as they are": Queued(
        ROWS + "pair = tf.train.slice_input_producer([rows, names], shuffle=False)\nreturn tf.train.batch(pair, 2)"
    ),
    "rows in the order of a seed": Queued(
        ROWS + "row, name = tf.train.slice_input_producer([rows, names], seed=4)\n"
        "return tf.train.batch([row, name], 2)"
    ),
    "a range": Queued(
        "number = tf.train.range_input_producer(5, seed=1).dequeue()\n"
        "return tf.train.batch([number, number * 2], 2)"
    ),
    "a smaller last batch": Queued(
        "number = tf.train.range_input_producer(44, num_epochs=1, shuffle=False).dequeue()\n"
        "return tf.train.batch([number, number], 3, allow_smaller_final_batch=True)"
    ),
    "several examples of one record": Queued(
        IN_ORDER + "numbers = tf.stack([number, -number])\n"
        "return tf.train.batch([numbers, tf.stack([half, half])], 3, enqueue_many=True)"
    ),
    "several examples of known shapes": Queued(
        IN_ORDER + "numbers = tf.stack([number, -number])\n"
        "return tf.train.batch([numbers, [half, half]], 3, enqueue_many=True, shapes=((), []))"
    ),
    "several examples of shapes that are a number, a name and a TensorShape": Queued(
        IN_ORDER + "numbers, three = tf.stack([[number, -number]] * 2), 3\n"
        "return tf.train.batch([numbers, [[half] * 3] * 2, [[half] * 2] * 2], 3, enqueue_many=True,\n"
        "                      shapes=[2, three, tf.TensorShape([2])])"
    ),
    "draws within expressions": Queued(
        "number = tf.train.range_input_producer(5, shuffle=False).dequeue() * 2\n"
        "return tf.train.batch([number, number], 2)"
    ),
    "a producer in the arguments of a batcher": Queued(
        "rows = [[1, 2], [3, 4], [5, 6]]\n"
        "return tf.train.batch(tf.train.slice_input_producer([rows, rows], shuffle=False), 2)"
    ),
    "a read in the arguments of a batcher": Queued(
        f"queue = tf.train.string_input_producer({FILES}, shuffle=False)\nreader = tf.TextLineReader()\n"
        "return tf.train.batch({'line': reader.read(queue)[1], 'more': tf.constant(1)}, 2)"
    ),
    "several examples of any length": Queued(
        IN_ORDER + "rows = tf.ones([2, number % 5 + 1])\n"
        "return tf.train.batch([rows, tf.stack([half, half])], 3, enqueue_many=True, dynamic_pad=True)"
    ),
    "arrays": Queued(ROWS + "return tf.train.batch([tf.constant(rows), names], 2, enqueue_many=True)"),
    "blocks of lines": Queued(
        BLOCKS.format(producer="shuffle=False")
        + "features = tf.stack([half, half * 2], axis=1)\n"
        "return tf.train.batch([number, features], 4, enqueue_many=True)"
    ),
    "blocks with sums of their own": Queued(
        BLOCKS.format(producer="shuffle=False")
        + "return tf.train.batch([tf.cumsum(number), half], 4, enqueue_many=True)"
    ),
    "some lines": Queued(IN_ORDER + "return tf.train.maybe_batch([number, half], half > 0.4, 3)"),
    "several examples of some lines": Queued(
        IN_ORDER + "numbers, halves = tf.stack([number, -number]), tf.stack([half, half])\n"
        "return tf.train.maybe_batch([numbers, halves], half > 0.4, 3, enqueue_many=True)"
    ),
    "some of several examples": Queued(
        IN_ORDER + "numbers = tf.stack([number, number + 1, number + 2])\n"
        "return tf.train.maybe_batch({'n': numbers, 'x': numbers * 2}, numbers % 3 > 0, 2, enqueue_many=True)"
    ),
    "some of several examples of any length": Queued(
        IN_ORDER + "rows = tf.ones([3, number % 5 + 1])\n"
        "return tf.train.maybe_batch([rows], [True, False, True], 3, enqueue_many=True, dynamic_pad=True)"
    ),
    "some of a block, all of them": Queued(
        BLOCKS.format(producer="shuffle=False")
        + "return tf.train.maybe_batch([number, half], True, 4, enqueue_many=True)"
    ),
    "some of a block": Queued(
        BLOCKS.format(producer="shuffle=False")
        + "return tf.train.maybe_batch([number, half], number % 2 > 0, 4, enqueue_many=True)"
    ),
    "some of several examples, shuffled": Queued(
        CSV.format(producer="num_epochs=1") + "numbers = tf.stack([number, number + 1])\n"
        "return tf.train.maybe_shuffle_batch(\n"
        "    [numbers, numbers], 1, 15, 9, keep_input=tf.equal(numbers, number), enqueue_many=True)", "any"
    ),
    "some of several examples of a join": Queued(
        READING.replace("return [number, half]", "return [tf.stack([number, number]), tf.stack([half, 9])]")
        + f"def inputs():\n    queue = tf.train.string_input_producer({FILES}, num_epochs=1)\n"
        "    several = [read(queue) for _ in range(2)]\n"
        "    return tf.train.maybe_batch_join(several, [True, False], 1, enqueue_many=True)", "any"
    ),
    "shuffled lines": Queued(
        ONCE + "return tf.train.shuffle_batch([number, half], 1, capacity=15, min_after_dequeue=9)", "any"
    ),
    "lines shuffled by a seed": Queued(
        IN_ORDER.replace("False", "False, num_epochs=1")
        + "return tf.train.shuffle_batch([number, half], 1, 15, 9, seed=3)", "seeded"
    ),
    "some lines, shuffled": Queued(
        CSV.format(producer="None")
        + "return tf.train.maybe_shuffle_batch([number, half], 12, 40, 20, keep_input=half < 1)", "random"
    ),
    "shuffled blocks of lines": Queued(
        BLOCKS.format(producer="num_epochs=1")
        + "return tf.train.shuffle_batch([number, half], 1, 15, 9, enqueue_many=True)", "any"
    ),
    "shuffled arrays": Queued(
        ROWS + "return tf.train.shuffle_batch([rows, names], 6, 12, 6, enqueue_many=True)", "random"
    ),
    "lists that a function reads": Queued(
        READING + f"def inputs():\n    queue = tf.train.string_input_producer({FILES}, num_epochs=1)\n"
        "    return tf.train.batch_join([read(queue) for _ in range(2)], 1)", "any"
    ),
    "lists that a function reads, shuffled": Queued(
        READING + f"def inputs():\n    queue = tf.train.string_input_producer({FILES}, num_epochs=1)\n"
        "    several = [read(queue) for _ in range(2)]\n"
        "    numbers, halves = tf.train.shuffle_batch_join(several, 1, 15, 9)\n    return halves, numbers", "any"
    ),
    "lists that a loop fills": Queued(
        ONCE + "both = []\nfor _ in range(2):\n    doubled = number * 2  # twice\n    both.append([doubled, half])\n"
        "return tf.train.batch_join(both, batch_size=1)", "any"
    ),
    "a choice, in order": Queued(
        CHOICE.format("False").replace("        kept = 3 * size\n", "").replace("kept", "3")
    ),
    "a choice, shuffled": Queued(
        CHOICE.format("True").replace("        number = number + 100\n", "").replace(", numbers", ", -numbers"), "any"
    ),
    "a choice between producers": Queued(
        PRODUCERS.format(test="once is True", other="once == 'all'", given="'all'")
    ),
    "a choice between producers, the last one": Queued(PRODUCERS.format(test="once is True", other="once", given="0")),
    "a helper that returns a chosen producer, within a call": Queued(
        READING + "def queue_of(names, num_epochs=None):\n    if not names:\n        raise ValueError(names)\n"
        "    if num_epochs is None:\n        return tf.train.string_input_producer(names, shuffle=False)\n"
        "    return tf.train.string_input_producer(names, num_epochs, shuffle=False)\n\n\n"
        "def inputs(n=2):\n    number, half = read(queue_of(['a.csv', 'c.csv'], n))\n"
        "    return tf.train.batch([number, half], 1)"
    ),
    "a choice between returns": Queued(
        "def inputs(way='eval'):\n" + textwrap.indent(IN_ORDER, "    ")
        + "    if way == 'train':\n        print('train')\n        "
        "return tf.train.shuffle_batch([number, half], 3, 15, 9)\n    return tf.train.batch([number, half], 3)"
    ),
    "a list, several times": Queued(ONCE + "return tf.train.batch_join([[number, half]] * 3, 1)", "any"),
}  # fmt: skip

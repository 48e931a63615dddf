"""``--to tf-data``: what it refuses first, then the text; ``test_tf_data_values.py`` has the values."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.pipelines import LOOP, READ, function
from tests.migrate.sources import codes, migrated, require_left_with_one_comment, source
from tests.scripts.catalogue import PROGRAMS


def indented(body: str) -> str:
    return textwrap.indent(body, "    ")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (READ + "return tf.train.batch_join([[line], [line + 'x']], 2)", "not all alike"),
        (READ + "return tf.train.batch_join([[line, one] for one in range(2)], 2)", "not all alike"),
        (READ + "return tf.train.batch_join([[line] for _ in names], 2)", "not all alike"),
        (READ + "both = []\nfor one in range(2):\n    both.append([line, one])\n"
         "return tf.train.batch_join(both, 2)", "not all alike"),
        (READ + "both = []\nfor _ in range(2):\n    both.append([line])\n    print(line)\n"
         "return tf.train.batch_join(both, 2)", "not all alike"),
        (READ + "return tf.train.batch_join([[line, tf.random_uniform([], seed=1)]] * 2, 2)", "seeded random numbers"),
        (READ + "return tf.train.batch([line], 2, enqueue_many=many)", "enqueue_many is decided at run time"),
        (READ + "return tf.train.maybe_batch([line], False, 2, enqueue_many=True)", "never produces a batch"),
        (READ + "rows = tf.SparseTensor(line, line, [1])\nreturn tf.train.maybe_batch([rows], line > 'x', 2, "
         "enqueue_many=True)", "which of its tensors are dense"),
        ("return tf.train.maybe_batch([[1, 2]], [True, False], 2, enqueue_many=True)", "where its records come from"),
        (READ + "return tf.train.batch([line], 2, shapes=[[], []])", "which of its shapes"),
        (READ + "return tf.train.batch([line], 2, shapes=shapes)", "which of its shapes"),
        (READ + "return tf.train.batch(tensors, 2)", "not written as a"),
        (READ + "return tf.train.batch([*tensors, line], 2)", "not written as a"),
        (READ + "found = tf.decode_csv(line, defaults)\nboth = tf.train.batch(found, 2)\nreturn both[0]",
         "not written as a"),
        (READ + "found = tf.decode_csv(line, defaults)\nfound += [line]\nreturn tf.train.batch(found, 2)",
         "not written as a"),
        (READ + "found = tf.decode_csv(line, defaults)\nreturn tf.train.batch(found, 2, enqueue_many=True)",
         "not written as a"),
        (READ + "both = [line, line]\nboth = [line]\nreturn tf.train.batch(both, 2)", "not written as a"),
        (READ + "lines = tf.train.batch([line], 2)\ntf.add_to_collection('x', lines)\nreturn lines",
         "belongs to a graph"),
        (READ + "count = tf.Variable(0)\nreturn tf.train.batch([line], 2)", "belongs to a graph"),
        ("return tf.train.batch([rows], 2)", "where its records come from"),
        ("return tf.train.batch([tf.random_uniform([9])], 2, enqueue_many=True)", "random_uniform' returns an array"),
        ("rows = steps.get_next()\nreturn tf.train.batch([rows], 2, enqueue_many=True)", "get_next' returns an array"),
        ("def inputs():\n    return tf.train.batch([ROWS], 2, enqueue_many=True)\n\n\nROWS = tf.random_uniform([9])",
         "random_uniform' returns an array"),
        ("for rows in several():\n    pass\nreturn tf.train.batch([rows], 2, enqueue_many=True)", "'several' returns"),
        ("rows = load()\nreturn tf.train.batch([rows], 2, enqueue_many=True)", "'load' returns an array"),
        (READ + "return tf.train.batch([line], 2, dynamic_pad=pads)", "decided at run time"),
        (READ + "tf.train.add_queue_runner(queue)\nreturn tf.train.batch([line], 2)", "in a way that is not supported"),
        (READ + "if files:\n    return tf.train.batch([line], 2)\n", "only some of its branches"),
        (READ.replace(".read(", ".read_up_to(") + "return tf.train.batch([line], 2)", "reads in a way that"),
        (READ.replace("TextLineReader().read(queue", "WholeFileReader().read_up_to(queue, 2")
         + "return tf.train.batch([line], 2, enqueue_many=True)", "several whole files at once"),
        (READ.replace("tf.TextLineReader().read", "read") + "return tf.train.batch([line], 2)",
         "'read' takes the queue, and is not a function of this file"),
        (READ + READ + "return tf.train.batch([line], 2)", "a second producer"),
        ("def inputs():\n" + indented(READ + "return tf.train.batch([number(), line], 2)") + "\n\n\n"
         "def number():\n    return tf.train.range_input_producer(3).dequeue()\n", "a second producer"),
        (READ + "line = tf.train.shuffle_batch([line], 2, 9, 3)\n"
         "return tf.train.batch([line], 3, enqueue_many=True)", "a second batcher"),
        (READ.replace("queue", "self.queue") + "return tf.train.batch([line], 2)", "not assigned to a plain name"),
        (READ + "queue.size()\nreturn tf.train.batch([line], 2)", "in a way that is not supported"),
        ("row = tf.train.slice_input_producer([x], seed=1)[0] if x else x\nreturn tf.train.batch([row], 2)",
         "not support this use of it"),
        ("both = [tf.train.range_input_producer(n).dequeue() for n in (2, 3)]\nreturn tf.train.batch(both, 2)",
         "not support this use of it"),
        ("files = Files()\n" + READ.partition("\n")[2].replace("queue", "files.queue")
         + "return tf.train.batch([line], 2)\n\n\nclass Files:\n    def __init__(self):\n"
         "        self.queue = tf.train.string_input_producer(['a'])\n",
         "objects of the class 'Files' build a part of the pipeline"),
        # tf.data has counterparts of these.
        ("queue = tf.train.input_producer([[1, 2]])\nrow = queue.dequeue()\nreturn tf.train.batch([row], 2)",
         "'tf.train.input_producer' is part of a pipeline, and migrate does not support this use of it"),
        ("queue = x or tf.train.string_input_producer(names)\n" + READ.partition("\n")[2]
         + "return tf.train.batch([line], 2)",
         "'tf.train.string_input_producer' is part of a pipeline, and migrate does not support this use of it"),
        (READ + "return tf.train.batch([line], 2, **more)",
         "its arguments **more are known only at run time: write each as name=value"),
        (READ + "return tf.train.batch(*given, **more)", "its arguments *given and **more are known only at run time"),
        ("return tf.train.batch([x and tf.train.range_input_producer(9).dequeue()], 2)",
         "'tf.train.range_input_producer' is called inside the arguments of its batcher"),
        ("return tf.train.batch([x and number(), number()], 2)\n\n\n"
         "def number():\n    return tf.train.range_input_producer(9).dequeue()", "a second producer"),
        ("[row] = tf.train.slice_input_producer([x], None, mix, 1)\nreturn tf.train.batch([row], 2)",
         "the seed of its producer determines an order"),
        ("reader = tf.TFRecordReader(options=o)\n" + READ.replace("tf.TextLineReader()", "reader")
         + "return tf.train.batch([line], 2)", "how its files are compressed"),
        (READ + "size = 2\nline = line * size\nsize = 4\nreturn tf.train.batch([line], size)", "'size' changes after"),
        (READ + "line = line * rng[0]\nrng[0] = 7\nreturn tf.train.batch([line], 2)", "'rng' changes after it is used"),
        (READ.replace("['a.csv', 'b.csv']", "files") + "files = []\n"
         "return tf.train.batch([line], 2)", "'files' changes after it is used"),
        ("def inputs(size):\n" + indented(READ + "size = size * line\nreturn tf.train.batch([size], 2)"),
         "'size' may already have a value"),
        ("def inputs(both=1):\n" + indented(READ + "if names:\n    both = line\nreturn tf.train.batch([both + 1], 2)"),
         "'both' may already have a value"),
        ("scale = 2\n" + READ + "lines = tf.train.batch([line], 2)\nscale = scale * 2\nreturn lines * scale",
         "'scale' may already have a value"),
        ("more = []\nfiles = more\n" + READ.replace("['a.csv', 'b.csv']", "files") + "more.append(line)\n"
         "return tf.train.batch(more, 2)", "changes a part of"),
        ("def inputs(more):\n" + indented(READ + "more.append(line)\nreturn tf.train.batch([tf.stack(more)], 2)"),
         "changes a part of 'more'"),
        (READ + "more = {}\nmore['n'] = size\nsize = 4\nmore['x'] = line\nreturn tf.train.batch(more, 2)",
         "changes a part of 'more'"),
        (READ + "more = []\nfor one in names:\n    more.append(line)\nreturn tf.train.batch(more, 2)", "not written"),
        (READ + "more = []\nfor one in [1, 2]:\n    if one > 1:\n        more.append(line)\n"
         "return tf.train.batch(more, 2)", "not written as a"),
        (READ + "more = [line]\nmore += [line]\nreturn tf.train.batch(more, 2)", "not written as a"),
        (READ + "more = [line]\nboth = more\nboth.append(line)\nreturn tf.train.batch(more, 2)", "not written as a"),
        (READ + "more = [line]\nelsewhere(more)\nreturn tf.train.batch(more, 2)", "not written as a"),
        (READ + "more = [line, line]\nmore.pop()\nreturn tf.train.batch(more, 2)", "not written as a"),
        ("sizes = dict(a=2)\n" + READ + "line = sizes['a'] = line + 'x'\nreturn tf.train.batch([line], 2)",
         "part of 'sizes'"),
        (READ + "lines = tf.train.batch([line], 2)\nnames.append(lines)\nreturn lines", "changes a part of 'names'"),
        (READ + "if line is None:\n    return None\nreturn tf.train.batch([line], 2)", "it returns, or assigns"),
        ("def inputs():\n    global last\n" + indented(READ + "last = line\nreturn tf.train.batch([line], 2)"),
         "it returns, or assigns"),
        (READ + "line = tf.layers.dense(line, 2)\nreturn tf.train.batch([line], 2)", "dense' belongs to a graph"),
        (READ + "n = int(line.get_shape()[0])\nreturn tf.train.batch([line], n)", "depends on 'n', which belongs"),
        (READ + "lines = tf.train.batch([line], 2)\nreturn lines, line", "'line' is returned as well"),
        # Read as 'tf.train.batch', and told only that migrate does not support this use of it.
        (READ + "return tf.train.batch([line], 2), 3", "a part of a pipeline is not assigned to a plain name"),
        ("def inputs(name):\n    with tf.name_scope('x' + name) as scope:\n"
         + textwrap.indent(indented(READ + "return tf.train.batch([line], 2)"), "    "), "built inside a block"),
        # Told that the pipeline is built inside a block, which is no obstacle.
        ("def inputs():\n    with tf.name_scope('in'), tf.variable_scope('in'):\n"
         + textwrap.indent(indented(READ + "n = line\nreturn tf.train.batch([line], 2, **more)"), "    "),
         "its arguments **more are known only at run time"),
        ("def scaled(line):\n    return tf.string_to_number(line) * tf.get_variable('s', [])\n\n\ndef inputs():\n"
         + indented(READ + "x = scaled(line)\nreturn tf.train.batch([x], 2)"), "'tf.get_variable' belongs to a graph"),
        (READ + "lines = tf.train.batch([line], 2)\nlines = lines - line\nreturn lines", "'line' is used after"),
        (READ + "lines = tf.train.batch([line], 2)\nleft = queue.size()\nreturn lines - left", "'queue' is used"),
        (READ + "lines = tf.train.batch([line], 2)\nreturn lines, files", "'files' is returned as well"),
        (READ + "lines = tf.train.batch([line], 2)\nreturn {'x': lines, 'n': 3}", "'3' is returned as well"),
        (READ + "lines = tf.train.batch([line], 2)\nsize = 3\nreturn lines, size", "'size' is returned as well"),
        ("noise = tf.random_normal([4])\nnoise = noise * 2\n" + READ
         + "return tf.train.batch([tf.decode_raw(line, tf.float32)], noise)", "'noise' was drawn again"),
        ("noise = tf.random_normal([4])\n" + READ
         + "lines = tf.train.batch([tf.decode_raw(line, tf.float32) + noise], 2)\nreturn lines + noise",
         "'noise' is used after the batch"),
        ("step = tf.train.get_global_step()\nscale = tf.to_float(step) / 9.0\n" + READ
         + "lines = tf.train.batch([tf.string_to_number(line)], 2)\nreturn lines * scale", "'scale' was read again"),
        ("scale = tf.to_float(tf.train.get_global_step())\n" + READ
         + "return tf.train.batch([tf.string_to_number(line) * scale], 2)", "global_step()' was read again"),
        ("mixed = tf.random_shuffle(files)\n" + READ.replace("['a.csv', 'b.csv']", "mixed")
         + "return tf.train.batch([line], 2)", "'mixed' was drawn again"),
        ("def inputs(): return tf.train.batch([tf.train.range_input_producer(9).dequeue()], 2)", "same line as 'def'"),
        ("@kept\ndef read(queue, n):\n"
         "    _, line = tf.TextLineReader(skip_header_lines=n).read(queue)\n    return line\n\n\n"
         "def inputs():\n    queue = tf.train.string_input_producer(files)\n    line = read(queue, 3)\n"
         "    return tf.train.batch([line], 2)", "'n' of this function"),
        ("@kept\ndef read(queue):\n    n = 2\n"
         "    _, line = tf.TextLineReader().read_up_to(queue, n)\n    return line\n\n\n"
         "def inputs():\n    queue = tf.train.string_input_producer(files)\n    line = read(queue)\n"
         "    return tf.train.batch([line], 2, enqueue_many=True)", "'n' of this function"),
        ("both = []\n" + READ + "n = 0\nfor _ in range(2):\n    n += 1\n    both.append([line + n])\n"
         "return tf.train.batch_join(both, 2)", "not all alike"),
    ],
)  # fmt: skip
def test_a_pipeline_without_a_counterpart_stays_with_one_comment(body: str, reason: str) -> None:
    text = function(body) + "\n"
    require_left_with_one_comment(text, "tf-data", "QC744", reason)


def test_a_function_that_reads_for_others_too_is_left() -> None:
    text = function(READ.replace("_, line = tf.TextLineReader().read(queue)", "line = read(queue)")) + (
        "    return tf.train.batch([line], 2)\n\n\n"
        "def read(queue):\n    _, line = tf.TextLineReader().read(queue)\n    return line\n\n\n"
    )
    assert "dataset" in migrated(text, "tf-data")
    more = text + "def other(queue):\n    return read(queue)\n"
    assert "is called here, too" in TARGETS["tf-data"](source(more)).left[0].what


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

    dataset = tf.data.Dataset.from_tensor_slices(files)
    if training:
        dataset = dataset.shuffle(dataset.cardinality())
    dataset = dataset.repeat(num_epochs)
    dataset = tf.data.TFRecordDataset(dataset)
    # Twenty more batches.
    # mixes well
    dataset = dataset.shuffle(min_after_dequeue + 20 * batch_size)
    dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(batch_size, drop_remainder=bool(training))
    dataset = dataset.map(finish)
    return dataset.prefetch(tf.data.AUTOTUNE)
'''
    )


def chain(body: str) -> str:
    """The lines that make the dataset of a pipeline."""
    text = migrated(function(body + "\n"), "tf-data")
    return text[text.index("    dataset = ") :]


def test_a_join_of_functions_that_read_reads_several_files_at_once() -> None:
    queue = "def inputs():\n    queue = tf.train.string_input_producer(files, shuffle=False)\n"
    read = "def read(queue):\n    _, record = tf.TFRecordReader().read(queue)\n    return record, 1\n\n\n"
    join = "    return tf.train.shuffle_batch_join([read(queue) for _ in range(count)], 8, 100, 50)"
    assert (
        chain(read + queue + join)
        == """\
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat()
    dataset = dataset.interleave(
        tf.data.TFRecordDataset, cycle_length=count, num_parallel_calls=tf.data.AUTOTUNE
    )
    dataset = dataset.shuffle(100)
    dataset = dataset.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(8, drop_remainder=True)
    return dataset.prefetch(tf.data.AUTOTUNE)
"""
    )


def test_lists_that_share_a_reader_read_one_file_after_the_other() -> None:
    loop = "both = []\nfor _ in range(2):\n    both.append([tf.strings.length(line)])\n"
    assert "interleave" not in chain(READ + loop + "return tf.train.batch_join(both, 2)")
    inside = loop.replace("    both", "    _, line = tf.TextLineReader().read(queue)\n    both")
    text = chain(READ.splitlines(keepends=True)[0] + inside + "return tf.train.batch_join(both, 2)")
    assert "interleave(\n        tf.data.TextLineDataset, cycle_length=2," in text


PARSED = "rows = tf.parse_example(line, {'x': tf.FixedLenFeature([], tf.int64)})\n"
CUT = "return tf.train.batch([rows['x']], 2, enqueue_many=True)"


@pytest.mark.parametrize(
    "body",
    [
        PARSED.replace("FixedLenFeature([], ", "VarLenFeature(") + CUT,
        PARSED.replace("{'x': tf.FixedLenFeature([], tf.int64)}", "features") + CUT,
        PARSED + CUT.replace("rows['x']", "tf.reverse(rows['x'], [0])"),
        PARSED + CUT.replace("rows['x']", "rows['x'][1:]"),
        PARSED + CUT.replace("rows['x']", "tf.stack([rows['x'], rows['x']], axis=0)"),
        PARSED + CUT.replace("True", "True, dynamic_pad=True"),
        PARSED + CUT.replace("rows['x']", "tf.exp(tf.to_float(rows['x']))"),  # other bits in a batch
        PARSED + CUT.replace("rows['x']", "tf.log(tf.to_float(rows['x']))"),
        PARSED + CUT.replace("rows['x']", "tf.to_float(rows['x']) ** 0.5"),
        PARSED + CUT.replace("rows['x']", "tf.nn.softmax(tf.to_float(rows['x']))"),
    ],
)
def test_blocks_of_records_stay_blocks_unless_all_is_done_row_by_row(body: str) -> None:
    blocks = READ.replace(".read(queue", ".read_up_to(queue, 5")
    kept = chain(blocks + PARSED + CUT)
    assert "batch(5)" not in kept and "unbatch" not in kept and "flat_map" not in kept
    assert ".flat_map(lambda name: tf.data.TextLineDataset(name).batch(5))" in chain(blocks + body)


def test_packed_files_are_unpacked() -> None:
    kind = "tf.python_io.TFRecordCompressionType.GZIP"
    reader = f"tf.TFRecordReader(options=tf.python_io.TFRecordOptions({kind}))"
    body = f"_, line = {reader}.read(tf.train.string_input_producer(files))\nreturn tf.train.batch([line], 2)"
    assert "dataset = tf.data.TFRecordDataset(dataset, 'GZIP')\n" in chain(body)
    named = f"packed = tf.python_io.TFRecordOptions({kind})\n" + body.replace(
        f"tf.python_io.TFRecordOptions({kind})", "packed"
    )
    assert "dataset = tf.data.TFRecordDataset(dataset, 'GZIP')\n" in chain(named)


def test_examples_that_may_be_empty_are_not_unbatched() -> None:
    """TensorFlow 2.21 dies in unbatch() of empty rows."""
    cut = "enqueue_many=True, dynamic_pad=True)"
    slices = "tf.data.Dataset.from_tensor_slices"
    assert f".flat_map(lambda *rows: {slices}(rows))\n" in chain(READ + "return tf.train.batch([line, line], 2, " + cut)
    assert f".flat_map({slices})\n" in chain(READ + "return tf.train.batch({'x': line}, 2, " + cut)


KEYED = READ.replace("_, line", "key, line")


def test_keys_are_written_out_where_they_are_used() -> None:
    numbers = 'lambda number, record: (tf.strings.join([file, ":", tf.strings.as_string(number)]), record)'
    batch = "return tf.train.batch([key, line], 2)"
    assert migrated(function(KEYED + batch + "\n"), "tf-data") == (
        "import tensorflow.compat.v1 as tf\n\n\ndef inputs():\n    def read(file):\n"
        f"        numbered = tf.data.TextLineDataset(file).enumerate(1)\n        return numbered.map({numbers})\n\n"
        "    dataset = tf.data.Dataset.from_tensor_slices(['a.csv', 'b.csv'])\n    dataset = dataset.repeat()\n"
        "    dataset = dataset.flat_map(read)\n    dataset = dataset.batch(2, drop_remainder=True)\n"
        "    return dataset.prefetch(tf.data.AUTOTUNE)\n"
    )
    assert "read(file)" not in migrated(function(KEYED + "return tf.train.batch([line], 2)\n"), "tf-data")


def test_the_function_of_a_file_has_names_of_its_own() -> None:
    text = function(KEYED.replace("Reader()", "Reader(number)") + "return tf.train.batch([key, read(line)], 2)\n")
    new = migrated("def read(line):\n    return line\n\n\n" + text.replace("inputs()", "inputs(number)"), "tf-data")
    assert "    def read_(file):\n" in new and "TextLineDataset(file).enumerate(1).skip(number)\n" in new
    assert "lambda number_, record: " in new and "dataset.flat_map(read_)" in new


def test_keys_of_a_join_are_read_from_several_files_at_once() -> None:
    queue, read = KEYED.splitlines(keepends=True)
    loop = f"both = []\nfor _ in range(3):\n    {read}    both.append([key, line])\n"
    text = migrated(function(queue + loop + "return tf.train.batch_join(both, 2)\n"), "tf-data")
    assert "interleave(\n        read, cycle_length=3, num_parallel" in text


def test_a_tensor_is_known_by_every_kind_of_assignment() -> None:
    decoded = READ + "image: tf.Tensor = tf.decode_raw(line, tf.uint8)\nmore = tf.cast(image, tf.float32)\n"
    assert "        image: tf.Tensor = " in migrated(
        function(decoded + "return tf.train.batch([more], 2)\n"), "tf-data"
    )
    assert "        more = tf.cast" in migrated(function(decoded + "return tf.train.batch([more], 2)\n"), "tf-data")


@pytest.mark.parametrize(
    "lines",
    [
        "size = 2\nsize = size + 1\nline = line * size\n",
        "line = tf.add(line, 'x')\nsizes = np.append([1], 2)\n",
        "with tf.name_scope('x'):\n    image = line\nline = image + 'x'\n",
        "with tf.variable_scope('x', reuse=tf.AUTO_REUSE):\n    line = tf.add(line, 'x')\n",
        "for one in range(2):\n    line = line + str(one)\n",
        "line = tf.stack([line[one] for one in range(3)])\nfor one in range(2):\n    print(one)\n",
        "noise = random.random()\nline = line + noise\n",
        "features = {}\nfeatures = tf.parse_single_example(line, SPEC)\nfeatures['x'] = line\n",
    ],
)
def test_names_that_mean_the_same_at_their_new_places_are_no_hindrance(lines: str) -> None:
    text = "import numpy as np\n" + function(READ + lines + "return tf.train.batch([line], 2)\n")
    assert "dataset.map(decode" in migrated(text, "tf-data")


def test_a_list_begins_in_the_function_of_those_that_fill_it() -> None:
    body = "sizes = []\nsizes.append(2)\nmore = []\n" + READ + "print('x')\nfor one in sizes:\n    more.append(line)\n"
    after = migrated(function(body + "return tf.train.batch([tf.stack(more)], 2)\n"), "tf-data")
    assert "    sizes = []\n    sizes.append(2)\n    print('x')\n\n    def decode(line):\n        more = []\n" in after


def test_what_is_appended_to_a_list_of_one_tensor_is_batched_too() -> None:
    """It gave the first tensor alone."""
    body = READ + "more = [line]\nmore.append(line + 'x')\nreturn tf.train.batch(more, 2)\n"
    assert "        return tuple(more)\n" in migrated(function(body), "tf-data")


def test_new_functions_have_names_that_the_file_does_not_have() -> None:
    mapped = "def decode(line):\n    return line\n\n\ndef inputs():\n" + indented(
        READ + "return tf.train.batch([decode(line)], 8)"
    )
    assert "dataset.map(decode_," in chain(mapped)
    assert "def decode_(line):\n        return decode(line)\n" in migrated(function(mapped + "\n"), "tf-data")
    assert "dataset.map(finish_)" in chain(READ + "lines = tf.train.batch([line], 8)\nreturn finish(lines)")
    given = function(READ + "lines = tf.train.batch([line], 8)\nreturn lines * 2\n").replace(
        "inputs()", "inputs(finish)"
    )
    assert "dataset.map(finish_)" in migrated(given, "tf-data")


def test_lambdas_have_parameters_of_their_own() -> None:
    rows = "a, b = tf.train.slice_input_producer([row, y], seed=rows)\nreturn tf.train.batch([a, b], 2)"
    assert "lambda row_: (tf.gather(row, row_), tf.gather(y, row_))" in chain(rows)
    assert "lambda rows_: tf.random.shuffle(rows_, seed=rows)" in chain(rows)
    reader = READ.replace("Reader()", "Reader(name='lines', skip_header_lines={})")
    batch = "return tf.train.batch([line], 2)"
    assert "lambda name_: tf.data.TextLineDataset(name_).skip(name))" in chain(reader.format("name") + batch)
    assert "lambda name: tf.data.TextLineDataset(name).skip(1))" in chain(reader.format("1") + batch)
    blocks = READ.replace(".read(queue", ".read_up_to(queue, name") + "return tf.train.batch([tf.cumsum(line)], 2, "
    assert "lambda name_: tf.data.TextLineDataset(name_).batch(name))" in chain(blocks + "enqueue_many=True)")


def test_seeds_and_named_sizes_stay_as_they_are_written() -> None:
    body = "queue = tf.train.string_input_producer(files, seed=SEED)\n_, line = tf.TextLineReader().read(queue)\n"
    body += "at_least = 10 * SIZE\nroom = at_least + 3 * SIZE\nthreads = 4\n"
    text = chain(body + "return tf.train.shuffle_batch([line], SIZE, room, at_least, threads, seed=SEED + 1)")
    assert "seed=SEED)).unbatch()\n" in text
    assert "dataset.shuffle(room, seed=SEED + 1)\n" in text and "dataset.batch(SIZE, drop_remainder=True)\n" in text
    whole = migrated(function(body + "return tf.train.shuffle_batch([line], SIZE, room + 1, at_least)\n"), "tf-data")
    assert "    at_least = 10 * SIZE\n    room = at_least + 3 * SIZE\n" in whole and ".shuffle(room + 1)\n" in whole


@pytest.mark.parametrize("step", ["tf.train.get_or_create_global_step()", "tf.Variable(0, trainable=False)"])
def test_a_variable_is_read_for_each_record(step: str) -> None:
    """What was computed of it, a strength that grows with the steps, was computed once, for the first step."""
    new = migrated(
        f"import tensorflow as tf\nstep = {step}\n\n\n"
        + "def inputs():\n    scale = tf.to_float(step) / 9.0\n    half = scale / 2.0\n"
        + indented(READ + "number = tf.string_to_number(line) * half\nreturn tf.train.batch([number], 2)"),
        "tf-data",
    )
    mapped = new.partition("def decode(line):\n")[2].partition("return number")[0]
    assert "scale = tf.to_float(step) / 9.0\n" in mapped and "half = scale / 2.0\n" in mapped


def test_check_finds_nothing_in_a_rewritten_file() -> None:
    assert codes(migrated(function(READ + "return tf.train.batch([line], 2)\n"), "tf-data")) == []


def test_the_way_leads_over_as_dataset_too() -> None:
    text = function(READ + "return tf.train.batch([line], 2)\n") + LOOP
    step = migrated(text, "as-dataset")
    assert "@queuecompat.input_pipeline" in step
    after = migrated(step, "tf-data")
    assert "queuecompat" not in after  # its import used to stay
    assert after == migrated(text, "tf-data")


def test_the_import_of_queuecompat_stays_where_something_else_needs_it() -> None:
    step = migrated(function(READ + "return tf.train.batch([line], 2)\n") + LOOP, "as-dataset")
    after = migrated(step + "print(queuecompat.__version__)\n", "tf-data")
    assert "@queuecompat" not in after and "import queuecompat\n" in after


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_of_any_shape_is_changed_at_most_once(name: str) -> None:
    path = pathlib.Path(PROGRAMS[name].command("", "")[0])
    compile(migrated(path.read_text(encoding="utf-8"), "tf-data"), name, "exec")


def test_columns_of_unknown_number_become_a_tuple_or_a_single_tensor_when_the_program_runs() -> None:
    body = READ + "found = tf.decode_csv(line, defaults)\nreturn tf.train.batch(found, 2)"
    text = migrated(function("def inputs(names, defaults):\n" + indented(body)), "tf-data")
    assert "        return tuple(found) if len(found) > 1 else found[0]\n" in text

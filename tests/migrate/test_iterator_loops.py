"""``--to as-dataset`` where one ``for`` over a dataset does not fit: runs that take batches from an iterator."""

from __future__ import annotations

import pathlib
from typing import Dict

import pytest

from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.forms import of_form, output
from tests.migrate.sources import codes, migrated, source

# Two pipelines, nested loops, several runs; the first pipeline ends in the middle of an epoch.
BEFORE = """\
import tensorflow as tf


def inputs(last, epochs):
    x = tf.to_float(tf.train.range_input_producer(last, num_epochs=epochs, shuffle=False).dequeue())
    return tf.train.batch([x, 3 * x + 1], 4)


def main():
    with tf.Graph().as_default():
        # To train on.
        xs, ys = inputs(8, epochs=20)
        checked, right = inputs(12, epochs=None)
        slope, offset = tf.Variable(0.0), tf.Variable(0.0, name='offset')
        rank = len(slope.get_shape())
        # How wrong it is.
        error = tf.square(ys - (slope * xs + offset))
        penalty = 0.01 * tf.square(slope)
        loss = tf.reduce_mean(error) + penalty
        wrong = tf.reduce_mean(tf.abs(right - slope * checked - offset))
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            total, epoch = 0, 0
            try:
                while epoch < 9 and not coord.should_stop():
                    for step in range(3):
                        # One step.
                        sess.run(train_op)
                        if step == 2 and not coord.should_stop():
                            total += sess.run(loss)  # of a batch of its own
                    print('%.4f' % sess.run(wrong), *sess.run([slope, offset]))
                    print(sess.run({'first': xs, 'penalty': penalty}))
                    epoch += 1
                    if coord.should_stop():
                        break
            except tf.errors.OutOfRangeError as end:
                print('done in epoch', epoch)
                coord.request_stop(end)
            finally:
                coord.request_stop()
            coord.join(threads)
            print(sess.run(slope))
    print(total, rank, checked.dtype.name, checked.get_shape().as_list())


main()
"""
AFTER = """\
import queuecompat
import tensorflow.compat.v1 as tf


@queuecompat.input_pipeline
def inputs(last, epochs):
    x = tf.to_float(tf.train.range_input_producer(last, num_epochs=epochs, shuffle=False).dequeue())
    return tf.train.batch([x, 3 * x + 1], 4)


def main():
    # To train on.
    batches = iter(inputs(8, epochs=20))
    dataset_2 = inputs(12, epochs=None)
    batches_2 = iter(dataset_2)
    slope, offset = tf.Variable(0.0), tf.Variable(0.0, name='offset')
    rank = len(slope.get_shape())
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    total, epoch = 0, 0
    try:
        while epoch < 9:
            for step in range(3):
                # One step.
                xs, ys = batches.get_next()
                with tf.GradientTape() as tape:
                    # How wrong it is.
                    error = tf.square(ys - (slope * xs + offset))
                    penalty = 0.01 * tf.square(slope)
                    loss = tf.reduce_mean(error) + penalty
                variables = tape.watched_variables()
                optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
                if step == 2:
                    xs, ys = batches.get_next()
                    # How wrong it is.
                    error = tf.square(ys - (slope * xs + offset))
                    penalty = 0.01 * tf.square(slope)
                    loss = tf.reduce_mean(error) + penalty
                    total += loss.numpy()  # of a batch of its own
            checked, right = batches_2.get_next()
            wrong = tf.reduce_mean(tf.abs(right - slope * checked - offset))
            print('%.4f' % wrong.numpy(), *[slope.numpy(), offset.numpy()])
            xs, ys = batches.get_next()
            penalty = 0.01 * tf.square(slope)
            print({'first': xs.numpy(), 'penalty': penalty.numpy()})
            epoch += 1
    except tf.errors.OutOfRangeError:
        print('done in epoch', epoch)
    checked, right = dataset_2.element_spec
    print(slope.numpy())
    print(total, rank, checked.dtype.name, checked.shape.as_list())


main()
"""

# A monitored session ends quietly; a condition on a run, and one on a variable.
MONITORED = """\
import tensorflow as tf

row = tf.train.range_input_producer(5, num_epochs=3, shuffle=False).dequeue()
rows = tf.train.batch([row], 2, name='rows')
count = tf.Variable(3)
odd = tf.reduce_sum(rows) % 2

with tf.train.MonitoredSession() as session:
    while not session.should_stop():
        if session.run(odd):  # of the first
            print('odd', *session.run(rows))
        elif session.run(count) == 3:
            print('even')
print('end')
"""

# A function that gets variables, for each of two pipelines; an object that hides its queues; a batch that is changed.
MODEL = """\
import tensorflow as tf


class Rows(object):
    def __init__(self, last):
        row = tf.train.range_input_producer(last, num_epochs=10, shuffle=False).dequeue()
        self.row = tf.reshape(tf.to_float(row), [1])

    def dequeue(self, number):
        return tf.train.batch([self.row], number)


def inference(rows):
    # Found again by name.
    with tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        weights = tf.get_variable('weights', [1, 2], initializer=tf.random_uniform_initializer(seed=4))
        return tf.matmul(rows, weights)


def main():
    rows = Rows(8)
    batch = rows.dequeue(4)
    batch = batch / 4.0
    others = Rows(3)
    other = others.dequeue(1)
    # It should be one.
    loss = tf.reduce_mean(tf.square(inference(batch) - 1))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 4, 0.5, staircase=True)
    train_op = tf.train.AdamOptimizer(rate).minimize(loss, step)
    values = inference(other)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    threads = tf.train.start_queue_runners(sess)
    for epoch in range(2):
        for _ in range(9):
            sess.run(train_op)
        print(sess.run(values), sess.run(step))
    print(batch.get_shape().as_list())
    sess.close()


main()
"""

# Dimensions that are asked for their value, in eager code and in the pipeline; data that end, and nobody says so.
DIMENSIONS = """\
import tensorflow as tf


def scaled(rows):
    height, width = rows.get_shape()
    return rows * width.value + height.value


def inputs():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    rows = scaled(tf.train.batch([tf.fill([2], number)], 3))
    return tf.reshape(rows, [rows.shape[0].value, 2]), None


def main():
    rows, _ = inputs()
    flat = tf.reshape(scaled(rows), [rows.get_shape().num_elements()])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        for step in range(9):
            print(step, session.run(flat))


try:
    main()
    print('all of them')
except tf.errors.OutOfRangeError:
    print('too few')
"""


def test_a_function_that_gets_variables_becomes_a_template() -> None:
    after = migrated(MODEL, "as-dataset")
    assert (
        "    @queuecompat.input_pipeline\n"
        "    def input_pipeline():\n"
        "        rows = Rows(8)\n"
        "        batch = rows.dequeue(4)\n"
        "        batch = batch / 4.0\n"
        "        return batch\n"
        "\n"
        "    dataset = input_pipeline()\n"
        "    batches = iter(dataset)\n"
    ) in after
    assert (
        "    # The first call creates its variables, and later calls reuse them.\n"
        "    inference_template = tf.make_template('inference', inference)\n"
        "    step = tf.train.get_or_create_global_step()\n"
        "    rate = tf.train.exponential_decay(0.1, step, 4, 0.5, staircase=True)\n"
        "    optimizer = tf.train.AdamOptimizer(rate)\n"
    ) in after
    assert "            loss = tf.reduce_mean(tf.square(inference_template(batch) - 1))\n" in after
    assert "        other = batches_2.get_next()\n        values = inference_template(other)\n" in after


def test_a_file_of_classes_that_build_pipelines_gets_their_names() -> None:
    text = MODEL[: MODEL.index("def inference")]
    assert migrated(text, "as-dataset") == text.replace("tensorflow as tf", "tensorflow.compat.v1 as tf")
    assert not TARGETS["as-dataset"](source(text)).left


def test_nested_loops_and_two_pipelines_draw_from_iterators() -> None:
    assert migrated(BEFORE, "as-dataset") == AFTER
    assert codes(AFTER) == []


def test_a_monitored_session_ends_quietly_with_the_data() -> None:
    assert migrated(MONITORED, "as-dataset").endswith(
        "try:\n"
        "    while True:\n"
        "        rows = batches.get_next()\n"
        "        odd = tf.reduce_sum(rows) % 2\n"
        "        if odd.numpy():  # of the first\n"
        "            rows = batches.get_next()\n"
        "            print('odd', *tf.nest.map_structure(lambda tensor: tensor.numpy(), rows))\n"
        "        elif count.numpy() == 3:\n"
        "            print('even')\n"
        "except tf.errors.OutOfRangeError:\n"
        "    pass  # The end of data.\n"
        "print('end')\n"
    )
    more = MONITORED.replace("print('end')", "    print('end')")
    assert "ends the block of the session" in TARGETS["as-dataset"](source(more)).left[0].what


def test_loops_over_iterators_have_the_same_values(tmp_path: pathlib.Path, server: Server) -> None:
    """All in one program each way: TensorFlow takes longer to load than they take."""
    # Each in a graph of its own, as in a program of its own.
    end = "\ntf.reset_default_graph()\n"
    before, after = (
        end.join(migrated(text, way) for text in (BEFORE, MODEL, MONITORED, DIMENSIONS)) for way in ("v1", "as-dataset")
    )
    values = output(server, before, tmp_path)
    assert output(server, after, tmp_path) == values
    assert "done in epoch 8" in values and values.endswith("too few\n")
    assert "odd" in values and "even" in values


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        # Where one `for` over the dataset fits, it stays: the run is a part of an expression.
        ("print(sess.run(batch))", "for batch in inputs().take(2):\n    print(tf.nest.map_structure("),
        ("total += sess.run(batch)[0] * 2", "for batch in inputs().take(2):\n    total += tf.nest.map_structure("),
        # Where a turn may end in front of the run, it would draw once too often.
        (
            "if step == 1: continue\n    print(sess.run(batch))",
            "    if step == 1: continue\n    batch = batches",
        ),
        # No run, no batch; variables alone draw none.
        ("if step:\n        v = sess.run(batch)", "    if step:\n        batch = batches.get_next()\n        v = "),
        (
            "v = sess.run(batch)\n    w = sess.run([n])",
            "    v = tf.nest.map_structure(",
        ),
        ("v = sess.run(batch)\n    w = sess.run([n])", "    w = [n.numpy()]\n"),
        ("while sess.run(n) > 9: v = sess.run(batch)", None),
        (
            "while sess.run(n) > 9:\n        v = sess.run(batch)",
            "    while n.numpy() > 9:\n        batch =",
        ),
        (
            "with sess.as_default():\n        v = sess.run(batch)\n    u = sess.run(batch)",
            "    batch = batches.get_next()\n",
        ),
        ("v = sess.run(fetches=batch)\n    if coord.should_stop(): break", "    v = tf.nest"),
        ("try:\n        v = sess.run(batch)\n    finally:\n        v = 1", "    finally:\n        v = 1\n"),
    ],
)
def test_a_run_takes_a_batch_where_it_is(loop: str, lines: str) -> None:
    after = migrated(of_form(top="n = tf.Variable(1)\ntotal = 0", loop=loop), "as-dataset")
    assert lines in after if lines else "QC743" in after


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ("count += 1\n        print(sess.run(batch))", "get_next"),
        ("print(1)\n        print(sess.run(batch))", "get_next"),
        ("start = time.time()\n        print(sess.run(batch))", "for batch in inputs():"),
    ],
)
def test_what_is_done_before_the_end_is_found_is_done(body: str, form: str) -> None:
    """It happened once more than there were batches, and in a ``for`` over them it would not."""
    text = of_form(top="import time\ncount = 0", end="print(count)")
    text = text.replace(
        "for step in range(2):\n    value = sess.run(batch)",
        f"try:\n    while not coord.should_stop():\n        {body}\nexcept tf.errors.OutOfRangeError:\n    pass",
    )
    assert form in migrated(text, "as-dataset")


FINITE = """\
import tensorflow as tf
def train({parameters}):
    row = tf.train.range_input_producer(9, num_epochs={epochs}, shuffle=False).dequeue()
    batch = tf.train.batch([row], 3)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        {loop}:
            print(sess.run(batch))
    {behind}
{end}
"""


@pytest.mark.parametrize(
    ("parts", "is_drawn"),
    [
        ({"behind": "print('trained')"}, True),
        ({"behind": "print('trained')", "loop": "for step in range(99)"}, True),
        ({"end": "train()\nprint('trained')"}, True),
        ({"end": "try:\n    train()\nexcept tf.errors.OutOfRangeError:\n    pass"}, True),
        ({"end": "def main():\n    train()\n    print(1)\nmain()"}, True),
        ({"end": "def main():\n    train()\nfor _ in range(2):\n    main()"}, True),
        ({"end": "print(train())"}, True),
        ({"end": "if __name__ == '__main__':\n    train()\n    print('trained')"}, True),
        ({"epochs": "epochs", "parameters": "epochs", "behind": "print('trained')", "end": "train(1)"}, True),
        ({"epochs": "None", "behind": "print('trained')"}, False),
        ({"end": "def main(_):\n    if 1:\n        train()\nif __name__ == '__main__':\n    tf.app.run()"}, False),
        ({"end": "import sys\nsys.exit(train())"}, False),
        ({"end": "tf.app.run(main=train)"}, False),
    ],
)
def test_what_the_end_of_data_kept_from_happening_does_not_happen(parts: Dict[str, str], is_drawn: bool) -> None:
    """A ``for`` over the dataset ended in quiet, and what TensorFlow 1 never reached was done."""
    defaults = {"parameters": "", "epochs": "1", "loop": "while True", "behind": "", "end": "train()"}
    after = migrated(FINITE.format(**{**defaults, **parts}), "as-dataset")
    assert ("get_next()" in after) is is_drawn
    assert ("for batch in " in after) is not is_drawn


# The data end in the third turn.
ENDING = """\
import tensorflow as tf
def inputs():
    return tf.train.batch([tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()], 3)
batch = inputs()
sess = tf.Session()
sess.run(tf.local_variables_initializer())
coord = tf.train.Coordinator({arguments})
{loop}
print("end")
"""
HELD = """\
threads = tf.train.start_queue_runners(sess, coord)
with coord.stop_on_exception():
    for step in range(3):
        print(step, sess.run(batch))
coord.join(threads)"""
HANDED = """\
threads = []
try:
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
    for step in range(3):
        print(step, sess.run(batch))
except Exception as e:
    coord.request_stop(e)
coord.request_stop()
coord.join(threads)"""
IN_FINALLY = HANDED.replace(
    "coord.request_stop()\ncoord.join(threads)", "finally:\n    coord.request_stop()\n    coord.join(threads)"
)


@pytest.mark.parametrize("loop", [HELD, HANDED, IN_FINALLY])
def test_errors_that_the_coordinator_raises_again_are_raised_at_once(
    loop: str, tmp_path: pathlib.Path, server: Server
) -> None:
    new = migrated(ENDING.format(loop=loop, arguments=""), "as-dataset")
    assert "coord" not in new and "threads" not in new and "except tf.errors.OutOfRangeError:\n    pass" in new
    assert output(server, new, tmp_path).splitlines() == ["0 [0 1 2]", "1 [3 4 5]", "end"]


@pytest.mark.parametrize(
    ("loop", "arguments", "reason"),
    [
        (HELD.replace("coord.join", "print(1)\ncoord.join"), "", "does not raise them right after"),
        (HELD.replace("coord.join(threads)", ""), "", "does not raise them right after"),
        (HANDED.replace("coord.join", "print(1)\ncoord.join"), "", "does not raise them right after"),
        (HANDED.replace("coord.join(threads)", ""), "", "does not raise them right after"),
        (HANDED.replace("request_stop(e)", "request_stop()"), "", "catches errors other than the end of data"),
        (HANDED.replace("request_stop(e)", "request_stop(e)\n    print(1)"), "", "catches errors other than"),
        (HANDED, "(tf.errors.NotFoundError,)", "catches errors other than the end of data"),
        (HELD, "(tf.errors.NotFoundError,)", "in a way that is not supported"),
        (HANDED.replace("extend(qr", "extend(other(), qr"), "", "it uses 'coord', the session or the coordinator"),
        (HANDED + "\nprint(len(threads))", "", "in a way that is not supported"),
    ],
)
def test_errors_that_might_get_lost_keep_the_session(loop: str, arguments: str, reason: str) -> None:
    text = ENDING.format(loop=loop, arguments=arguments)
    [left] = TARGETS["as-dataset"](source(text)).left
    assert left.code == "QC743" and reason in left.what


def test_an_interrupt_is_caught_as_before() -> None:
    loop = "threads = tf.train.start_queue_runners(sess, coord)\n" + HANDED.partition("\n")[2]
    loop = loop.replace("Exception as e:\n    coord.request_stop(e)", "KeyboardInterrupt:\n    print()")
    new = migrated(ENDING.format(loop=loop, arguments=""), "as-dataset")
    assert "except KeyboardInterrupt:\n    print()\n" in new
    own = "class KeyboardInterrupt(tf.errors.AbortedError):\n    pass\n"
    [left] = TARGETS["as-dataset"](source(own + ENDING.format(loop=loop, arguments=""))).left
    assert "catches errors other than the end of data" in left.what


WITH_FILE = """\
with {first}, open("written.txt", "w") as file:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    file.write(str(sess.run(batch)))
    coord.request_stop()
    coord.join(threads)
with open("written.txt") as file:
    print(file.read())"""


def test_what_stands_in_one_with_beside_the_session_stays(tmp_path: pathlib.Path, server: Server) -> None:
    text = ENDING.format(loop=WITH_FILE.format(first="tf.Session() as sess"), arguments="")
    text = text.replace("sess = tf.Session()\nsess.run(tf.local_variables_initializer())\n", "")
    new = migrated(text, "as-dataset")
    assert 'with open("written.txt", "w") as file:\n    batch = batches.get_next()\n' in new
    assert output(server, new, tmp_path).splitlines() == ["[0 1 2]", "end"]
    monitored = text.replace("tf.Session()", "tf.train.MonitoredSession()")
    [left] = TARGETS["as-dataset"](source(monitored)).left
    assert "in a way that is not supported" in left.what


# What an input function leaves behind for the statements after it.
LEFT_BEHIND = """\
import tensorflow as tf

sizes = {}
half = None


class Counts:
    rows = 0


def inputs(count):
    global half
    half = count // 2
    Counts.rows = sizes['rows'] = count
    return tf.train.batch([tf.train.range_input_producer(count, shuffle=False).dequeue()], 2)


def steps():
    return half


batch = inputs(8)
number = {}
sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
for step in range(number):
    print(sess.run(batch))
coord.request_stop()
coord.join(threads)
"""


@pytest.mark.parametrize("number", ["half", "steps()", "sizes['rows'] // 2", "Counts.rows // 2"])
@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_code_that_reads_a_result_of_the_input_function_stays_after_its_call(to: str, number: str) -> None:
    lines = migrated(LEFT_BEHIND.replace("{}\nsess", f"{number}\nsess"), to).splitlines()
    assert lines.index("batches = iter(inputs(8))") < lines.index(f"number = {number}")
    assert "for batch in inputs(8).take(number):" in migrated(LEFT_BEHIND.replace("{}\nsess", "4\nsess"), to)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_code_that_reads_a_result_of_another_files_function_stays_after_its_call(
    to: str, tmp_path: pathlib.Path
) -> None:
    reader, _, program = LEFT_BEHIND.partition("\n\ndef steps")
    program = "import tensorflow as tf\nimport reader\n" + program.partition("half\n\n")[2].replace(
        "inputs(", "reader.inputs("
    )
    reader = reader.replace("    half = count // 2", "    half = counting.half(count)").replace(
        "as tf", "as tf\nimport counting"
    )
    counting = "import tensorflow as tf\n\nlast = 0\n\n\ndef half(count):\n    global last\n"
    counting += "    last = count\n    return count // 2\n"
    for number in ("reader.half", "reader.counting.last // 2", "2"):
        texts = {
            "reader.py": reader,
            "counting.py": counting,
            "train.py": program.replace("{}\nsess", f"{number}\nsess"),
        }
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        new = next(one.new.decode() for one in migrate([str(tmp_path)], to) if one.path.name == "train.py").splitlines()
        if number == "2":
            assert "for batch in reader.inputs(8).take(number):" in new
        else:
            assert new.index("batches = iter(reader.inputs(8))") < new.index(f"number = {number}")


GENERATOR = """\
import tensorflow as tf

def inputs(n):
    i = tf.train.range_input_producer(7, shuffle=False, num_epochs=2).dequeue()
    return tf.train.batch([i, i * 2], n)

def generate():
    x, y = inputs(2)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        try:
            while True:
                {line}
        except tf.errors.OutOfRangeError:
            pass

for one in generate():
    print(one)
"""


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("yield sess.run([x, y])", "yield [x.numpy(), y.numpy()]"),
        ("sent = yield 1, sess.run(x)", "sent = yield 1, x.numpy()"),
    ],
)
def test_a_generator_yields_the_values_of_a_batch(line: str, new: str) -> None:
    """QC743 said that such a run is not always evaluated."""
    text = migrated(GENERATOR.format(line=line), "as-dataset")
    assert f"    for x, y in inputs(2):\n        {new}\n" in text


def test_a_run_after_a_yield_in_its_line_is_not_moved_in_front_of_it() -> None:
    text = GENERATOR.format(line="both = (yield), sess.run(x)")
    found = TARGETS["as-dataset"](source(text))
    assert [one.what for one in found.left if "'yield' is called before the run" in one.what]


# Initializers that run one by one.
INITIALIZED = """\
import tensorflow as tf
def inputs():
    return tf.train.batch([tf.train.range_input_producer(6, shuffle=False).dequeue()], 3)
batch = inputs()
first = tf.global_variables_initializer()
second = tf.local_variables_initializer()
both = [first, second]
with tf.Session() as sess:
    {loop}
    threads = tf.train.start_queue_runners(sess)
    for step in range(3):
        print(sess.run(batch))
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for init in [first, second]:\n        print(init)\n        sess.run(init)",
        "for init in [first, second]:\n        sess.run(init)\n    else:\n        print('initialized')",
        "for init in [first, batch]:\n        sess.run(init)",
        "for init in [first, second]:\n        sess.run([init, batch])",
    ],
)
def test_a_loop_over_initializers_that_does_more_keeps_the_session(loop: str) -> None:
    assert "tf.Session()" in migrated(INITIALIZED.format(loop=loop), "as-dataset")


@pytest.mark.parametrize("values", ["[first, second]", "both", "(first, tf.tables_initializer())"])
def test_a_loop_that_runs_one_initializer_after_the_other_is_removed(values: str) -> None:
    new = migrated(INITIALIZED.format(loop=f"for init in {values}:\n        sess.run(init)"), "as-dataset")
    assert "init" not in new.replace("input_pipeline", "")
    assert "first" not in new and "both" not in new and "Session" not in new
    assert "for batch in inputs().take(3):" in new

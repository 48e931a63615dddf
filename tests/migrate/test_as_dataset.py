"""``--to as-dataset``: what it refuses first, then what becomes of the classic shape, with the same values."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.forms import ROOT, of_form, output, without_graphs
from tests.migrate.sources import codes, migrated, require_left_with_one_comment, source
from tests.scripts import data
from tests.scripts.catalogue import PROGRAMS
from tests.scripts.comparing import differences

ALL = os.environ.get("QUEUECOMPAT_ALL_PROGRAMS")

# The programs of tests/scripts that become eager ones.
TAKEN = ("buckets", "csv_regression", "fully_connected_reader", "image_folder", "segmentation")

VARIABLES = """\
def f(x):
    return x * tf.get_variable('v', [])
def g(x):
    return f(x)
"""

CLASSIC = """\
import tensorflow as tf


def inputs(rows, batch_size):
    # Each row twice.
    row = tf.train.range_input_producer(rows, num_epochs=2, shuffle=False).dequeue()
    return tf.train.batch([row, tf.to_float(row) / 2], batch_size)


def main():
    '''Prints sums.'''
    total = 0
    with tf.Graph().as_default():
        # Batches of four.
        rows, halves = inputs(10, 4)
        sums = tf.reduce_sum(rows) + tf.cast(tf.reduce_sum(halves), tf.int32)  # both
        init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(init)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            try:
                while not coord.should_stop():
                    first, sum_value = sess.run([rows[0], sums])  # one batch
                    print(int(first), int(sum_value))
                    total += sum_value
            except tf.errors.OutOfRangeError:
                print('done')
            finally:
                coord.request_stop()
            coord.join(threads)
    print(int(total))


main()
"""
AS_DATASET = """\
import queuecompat
import tensorflow.compat.v1 as tf


@queuecompat.input_pipeline
def inputs(rows, batch_size):
    # Each row twice.
    row = tf.train.range_input_producer(rows, num_epochs=2, shuffle=False).dequeue()
    return tf.train.batch([row, tf.to_float(row) / 2], batch_size)


def main():
    '''Prints sums.'''
    total = 0
    # Batches of four.
    for rows, halves in inputs(10, 4):
        sums = tf.reduce_sum(rows) + tf.cast(tf.reduce_sum(halves), tf.int32)  # both
        first, sum_value = rows[0].numpy(), sums.numpy()  # one batch
        print(int(first), int(sum_value))
        total += sum_value
    print('done')
    print(int(total))


main()
"""


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"middle": "tf.summary.scalar('mean', tf.reduce_mean(batch))"}, "its result is not assigned"),
        ({"middle": "saver = tf.train.Saver()"}, "belongs to a graph"),
        ({"middle": "x = tf.placeholder(tf.int32)"}, "belongs to a graph"),
        ({"middle": "h = tf.layers.dense(batch, 3)"}, "cannot be repeated"),
        ({"middle": "v = tf.get_variable('v', [])\nh = f(batch)"}, "it is unknown"),
        ({"top": "import model", "middle": "h = model.inference(batch)"}, "it is unknown"),
        ({"top": "net = Net()", "middle": "h = net.forward(batch)"}, "it is unknown"),
        ({"top": "def f(x):\n    return x * tf.Variable(1)", "middle": "h = f(batch)"}, "cannot be repeated"),
        ({"middle": "noisy = batch + tf.random_uniform([3], seed=1)"}, "cannot be repeated"),
        ({"middle": "if x:\n    batch = batch + 1"}, "outside the loop"),
        ({"middle": "print(batch)"}, "'print' uses a batch, but its result is not assigned"),
        ({"loop": "value = sess.run(batch, feed_dict={})"}, "is fed"),
        ({"loop": "value = sess.run(batch)\n    print(batch.name)"}, "uses a tensor"),
        ({"end": "print(sess.run(batch))"}, "stopped before"),
        ({"end": "print(batch.name)"}, "outside the loop"),
        ({"middle": "more = batch + 1", "end": "print(more.shape)"}, "outside the loop"),
        ({"middle": "w = tf.Variable(1)\nbatch = batch + w", "end": "print(batch.shape)"}, "outside the loop"),
        ({"end": "def more():\n    return sess.run(1)"}, "in a way that is not supported"),
        ({"top": "def f(x):\n    return tf.mul(x, x)"}, "'tf.mul' is not in tensorflow.compat.v1"),
        ({"top": "p = tf.contrib.training.HParams(a=1)"}, "is not in tensorflow.compat.v1"),
        ({"top": "def more():\n    return inputs() + 1"}, "is called here, too"),
        # Of the model, what a graph computes anew in every run.
        (
            {"middle": "w = tf.Variable(1.0)\nwith tf.name_scope('x'):\n    p = w * 2", "loop": "sess.run(p + batch)"},
            "block",
        ),
        ({"top": VARIABLES, "middle": "h = f(batch) + g(batch)"}, "several functions create variables"),
        ({"top": VARIABLES, "middle": "h = f(batch)\nw = tf.get_variable('w', [])"}, "variables are created both here"),
        ({"top": VARIABLES, "middle": "h = f(batch)\nz = f(1)"}, "creates a variable and does something else"),
        ({"middle": "h = batch + tf.losses.get_total_loss()"}, "cannot be repeated"),
        ({"middle": "h = tf.losses.get_total_loss()"}, "belongs to a graph"),
        ({"middle": "p = tf.get_variable('w', []) * 2\nq = batch * p"}, "creates a variable and does something else"),
        (
            {"middle": "noise = tf.random_uniform([])", "loop": "value = sess.run(batch + noise)"},
            "by every session.run",
        ),
        ({"middle": "lr = tf.train.exponential_decay(0.1, 1, 1, 0.5)\nh = batch * lr"}, "by every session.run"),
        ({"middle": "w = tf.Variable(1.0)\ngrow = tf.assign(w, 2.0)"}, "cannot be repeated"),
        ({"middle": "scale = 2\nscaled = batch * scale", "loop": "scale = 3\n    sess.run(scaled)"}, "'scale' changes"),
        ({"middle": "xs = [1]\nscaled = batch * xs\nxs.append(2)"}, "'xs' changes"),
        ({"middle": "h = batch * k\nk = tf.square(batch)", "top": "k = 2"}, "had a different value before"),
        # In eager mode, ops with one seed share its state, and numbers of ops in a graph are not there.
        ({"top": "tf.set_random_seed(1)"}, "belongs to a graph"),
        (
            {
                "top": "".join(f"{n} = tf.Variable(tf.random_normal([], seed=1))\n" for n in "uv"),
                "middle": "w = batch * u",
            },
            "share the seed 1",
        ),
        ({"top": "us = [tf.Variable(tf.random_normal([], seed=1)) for _ in range(2)]"}, "share the seed 1"),
        (
            {
                "top": "".join(f"{n} = tf.Variable(tf.random_normal([], 0., 1., tf.float32, 1))\n" for n in "uv"),
                "middle": "w = batch * u",
            },
            "share the seed 1",
        ),
        # Where a run may not happen, or not first.
        ({"loop": "value = step and sess.run(batch)"}, "may not be evaluated"),
        ({"loop": "value = sess.run(batch) if step else 0"}, "may not be evaluated"),
        ({"loop": "values = [sess.run(batch) for _ in range(2)]"}, "in a comprehension"),
        ({"loop": "values = [one for _ in range(2) for one in sess.run(batch)]"}, "in a comprehension"),
        ({"loop": "values = [one for one in range(2) if sess.run(batch)]"}, "in a comprehension"),
        ({"loop": "f = lambda: sess.run(batch)"}, "in a lambda"),
        ({"loop": "value = sess.run(batch); print(value)"}, "another statement on the line"),
        ({"loop": "value = sess.run([[batch], batch])"}, "'[batch]' is nested in the fetches"),
        ({"loop": "print(batch.eval(session=sess))"}, "'batch.eval' runs it: write it as 'sess.run(...)'"),
        ({"middle": "print(batch.eval())"}, "'batch.eval' runs it: write it as 'sess.run(...)'"),
        # A graph knows a shape without a batch.
        (
            {"middle": "n = tf.shape(batch)[0]", "loop": "print(sess.run(n))\n    sess.run(batch)"},
            "whether this run takes a batch",
        ),
        ({"middle": "z = tf.zeros_like(batch)", "loop": "print(sess.run(z))"}, "whether this run takes a batch"),
        # What is no plain statement: the reason says what to write.
        (
            {"middle": "a = batch + 1; b = batch + 2"},
            "several statements in this line: write each statement on a line of its own",
        ),
        ({"middle": "w: tf.Variable = tf.Variable(1)"}, "without its annotation"),
        ({"middle": "h: tf.Tensor = batch + 1"}, "without its annotation"),
        ({"middle": "c: tf.Tensor = tf.train.batch([1], 2)"}, "without its annotation"),
        ({"middle": "batch += 1"}, "write it as 'name = name ...'"),
        ({"middle": "m.h = batch + 1"}, "it assigns to 'm.h'"),
        ({"middle": "with tf.Graph().as_default(): c = tf.train.batch([1], 2)"}, "block of 'with' is on the same"),
        ({"loop": "if step: sess.run(batch)"}, "on the same line as the statement around it"),
        (
            {
                "middle": "c = made('c')().inputs()",
                "top": "class C:\n    def inputs(self):\n        return tf.train.batch([1], 2)\n\nmade = dict(c=C).get",
            },
            "built by the method 'inputs'",
        ),
        ({"loop": "print(f(step), sess.run(batch))"}, "called before the run"),
        ({"loop": "print(sess.run(batch), sess.run(batch))"}, "runs the session twice"),
        ({"loop": "while sess.run(batch)[0]:\n        pass"}, "in the condition of its loop"),
        ({"loop": "value = sess.run([batch] + [batch])"}, "does not come from the batch"),
        ({"loop": "value = sess.run([*batch])"}, "does not come from the batch"),
        # Which pipelines a run draws from.
        (
            {"middle": "m, n = f(batch)", "top": "def f(x):\n    return x, tf.ones([])", "loop": "sess.run(n)"},
            "whether this run takes a batch",
        ),
        (
            {"middle": "z = tf.zeros(batch.get_shape())", "loop": "value = sess.run(z)"},
            "whether this run takes a batch",
        ),
        (
            {"middle": "b2 = inputs()\nz = f(batch, b2)", "top": "def f(x, y):\n    return x", "loop": "sess.run(z)"},
            "mixes batches",
        ),
        # The end of data, and of the session.
        ({"loop": "try:\n        sess.run(batch)\n    except Exception:\n        pass"}, "errors other than the end"),
        ({"loop": "value = sess.run(batch)\n    coord.request_stop()"}, "changes the session or the coordinator"),
        ({"loop": "sess.run(batch)\ncoord.request_stop()\nsess.run(batch)"}, "stopped before"),
        ({"middle": "train_op = tf.group(batch, batch)", "loop": "sess.run([train_op, batch])"}, None),
    ],
)
def test_a_program_of_an_unsupported_form_keeps_its_code_and_gets_one_comment(
    parts: Dict[str, str], reason: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_graphs(monkeypatch)
    text = of_form(**parts)
    if reason is None:  # it is a derived tensor, and no initializer
        rewritten = TARGETS["as-dataset"](source(text))
        assert "train_op = tf.group(batch, batch)" in rewritten.text
        assert "    train_op" in rewritten.text
        return
    require_left_with_one_comment(text, "as-dataset", "QC743", reason)


@pytest.mark.parametrize(
    ("middle", "is_eager"),
    [
        ("init, local = tf.global_variables_initializer(), tf.local_variables_initializer()", True),
        ("(init, local) = (tf.global_variables_initializer(), tf.group(tf.local_variables_initializer()))", True),
        # What is more than plumbing keeps the session.
        ("init, total = tf.global_variables_initializer(), tf.zeros([])", False),
        ("self.init, self.local = tf.global_variables_initializer(), tf.local_variables_initializer()", False),
    ],
)
def test_initializers_that_are_assigned_together_are_removed_with_the_session(
    middle: str, is_eager: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session was kept."""
    without_graphs(monkeypatch)
    text = TARGETS["as-dataset"](source(of_form(middle=middle))).text
    assert ("for batch in inputs(" in text) == is_eager
    assert ("Session" not in text and "_initializer" not in text) == is_eager


def test_all_calls_of_a_model_that_cannot_be_repeated_are_named_each_once() -> None:
    lines = [
        "w = tf.Variable(1)",
        "x = tf.layers.dense(x, 3) + tf.Variable(2)",
        "return unknown(tf.contrib.layers.flatten(x))",
    ]
    top = "def f(x):\n    " + "\n    ".join(lines)
    refusal, *others = TARGETS["as-dataset"](source(of_form(top=top, middle="h = f(batch)"))).left
    words = " ".join(one.message for one in (refusal, *others))
    assert words.count("'tf.Variable' cannot be repeated") == 1
    assert words.count("'tf.layers.dense' cannot be repeated") == 1
    assert words.count("'unknown'") == 1
    assert "'tf.contrib.layers.flatten' cannot be repeated for each batch: use tf.reshape(x, [-1, n])" in words


def test_what_a_monitored_session_does_besides_is_named() -> None:
    text = """\
import tensorflow as tf
row = tf.train.range_input_producer(3).dequeue()
batch = tf.train.batch([row], 3)
with tf.train.MonitoredTrainingSession(config=None, hooks=[tf.train.StopAtStepHook(20)]) as sess:
    while not sess.should_stop():
        sess.run(batch)
"""
    [left] = TARGETS["as-dataset"](source(text)).left
    assert left.code == "QC743" and "the session has the argument 'hooks'" in left.message


def test_what_has_nothing_to_do_with_queues_is_left_alone() -> None:
    session = "import tensorflow as tf\n\nwith tf.Session() as sess:\n    print(sess.run(tf.constant(1)))\n"
    for text in (session, "x = 1\n", "import tensorflow as tf\n\n@tf.function\ndef f(x):\n    return x\n"):
        assert migrated(text, "as-dataset") == text


def test_the_classic_shape_becomes_a_loop_over_a_dataset() -> None:
    assert migrated(CLASSIC, "as-dataset") == AS_DATASET


def test_a_file_that_was_migrated_to_v1_is_rewritten_too() -> None:
    assert migrated(migrated(CLASSIC, "v1"), "as-dataset") == AS_DATASET


def test_check_finds_nothing_in_a_rewritten_file() -> None:
    assert codes(migrated(CLASSIC, "as-dataset")) == []


def test_a_loop_over_a_range_takes_as_many_batches() -> None:
    assert "for batch in inputs().take(2):\n    value = " in migrated(of_form(), "as-dataset")
    counted = of_form(loop="value = sess.run(batch)\n    print(step)")
    assert "for step, batch in zip(range(2), inputs()):\n" in migrated(counted, "as-dataset")
    behind = of_form(end="print(step)")
    assert "for step, batch in zip(range(2), inputs()):\n" in migrated(behind, "as-dataset")


def test_the_iterable_of_a_comprehension_is_run_once() -> None:
    text = migrated(of_form(loop="print([one for one in sess.run(batch)])"), "as-dataset")
    assert "for batch in inputs().take(2):\n    print([one for one in tf.nest.map_structure(" in text


def test_what_is_done_at_the_end_of_data_is_not_done_after_a_break() -> None:
    text = CLASSIC.replace(
        "                    total += sum_value\n", "                    if total:\n                        break\n"
    )
    assert "            break\n    else:\n        print('done')\n    print(int(total))\n" in migrated(
        text, "as-dataset"
    )


def test_a_pipeline_among_other_statements_becomes_a_function() -> None:
    text = of_form().replace(
        "batch = inputs()",
        "# Nine rows.\nqueue = tf.train.range_input_producer(9)\nrow = queue.dequeue()\n"
        "batch = tf.train.batch([row], 3)",
    )
    text = text.replace(
        "def inputs():\n    return tf.train.batch([tf.train.range_input_producer(9, shuffle=False).dequeue()], 3)\n", ""
    )
    assert (
        "# Nine rows.\n@queuecompat.input_pipeline\ndef input_pipeline():\n"
        "    queue = tf.train.range_input_producer(9)\n    row = queue.dequeue()\n"
        "    return tf.train.batch([row], 3)\n\n\nfor batch in input_pipeline().take(2):\n"
    ) in migrated(text, "as-dataset")


TRAINING = """\
import tensorflow as tf


def inputs():
    x = tf.to_float(tf.train.range_input_producer(8, num_epochs=20, shuffle=False).dequeue())
    return tf.train.batch([x, 3 * x + 1], 4)


xs, ys = inputs()
slope, offset = tf.Variable(0.0), tf.Variable(0.0, name='offset')
error = ys - (slope * xs + offset)
loss = tf.reduce_mean(tf.square(error))
step = tf.train.get_or_create_global_step()
train_op = tf.train.MomentumOptimizer(0.01, 0.5).minimize(loss, global_step=step)

with tf.train.MonitoredTrainingSession() as sess:
    losses = []
    while not sess.should_stop():
        loss_value, _ = sess.run((loss, train_op))
        losses.append(loss_value)
print(['%.4f' % value for value in losses])
"""


def test_a_training_step_becomes_a_tape() -> None:
    after = migrated(TRAINING, "as-dataset")
    assert (
        "optimizer = tf.train.MomentumOptimizer(0.01, 0.5)\n"
        "for xs, ys in inputs():\n"
        "    with tf.GradientTape() as tape:\n"
        "        error = ys - (slope * xs + offset)\n"
        "        loss = tf.reduce_mean(tf.square(error))\n"
        "    variables = tape.watched_variables()\n"
        "    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables), global_step=step)\n"
        "    loss_value = loss.numpy()\n"
        "    losses.append(loss_value)\n"
    ) in after


def test_the_rewritten_loops_have_the_same_values(tmp_path: pathlib.Path, server: Server) -> None:
    """Both in one program each way: TensorFlow takes longer to load than they take."""
    before, after = ("\n".join(migrated(text, way) for text in (CLASSIC, TRAINING)) for way in ("v1", "as-dataset"))
    values = output(server, before, tmp_path)
    assert output(server, after, tmp_path) == values
    *_, done, total, losses = values.splitlines()
    assert (done, total) == ("done", "135")
    assert len(losses.split(", ")) == 40


def test_a_file_of_input_functions_gets_them_decorated() -> None:
    text = """\
import tensorflow as tf
from tensorflow.contrib import slim


def read(queue):
    return tf.TFRecordReader().read(queue)[1]


# Batches of records.
@wrapped
def records(files):
    return tf.train.batch([read(tf.train.string_input_producer(files))], 8)


def other(x):
    return tf.reduce_mean(x)
"""
    after = text.replace("import tensorflow as tf\n", "import queuecompat\nimport tensorflow.compat.v1 as tf\n", 1)
    after = after.replace("from tensorflow.contrib", "from queuecompat.contrib")
    after = after.replace("@wrapped\n", "@queuecompat.input_pipeline\n@wrapped\n")
    assert migrated(text, "as-dataset") == after
    [told] = TARGETS["as-dataset"](source(text)).left
    assert told.code == "QC746" and "'records' now returns a tf.data.Dataset" in told.what
    assert not TARGETS["as-dataset"](source(after)).left


CHOSEN = """\
import tensorflow as tf


def _batch(tensors, size, shuffle):
    if shuffle:
        rows = tf.train.shuffle_batch(tensors, size, 100, 50)
    else:
        rows = tf.train.batch(tensors, size)
    return rows


def records(files, size):
    _, record = tf.TFRecordReader().read(tf.train.string_input_producer(files))
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "    return _batch([record], size, True)",
        "    rows = _batch([record], size, shuffle=False)\n    return rows",
        "    first, rows = _batch([record, record], size, True)\n    return [rows, first]",
    ],
)
def test_an_input_function_whose_batcher_is_in_another_is_the_one_that_is_decorated(body: str) -> None:
    text = CHOSEN.format(body=body)
    after = migrated(text, "as-dataset")
    assert "\n\n@queuecompat.input_pipeline\ndef records(" in after and after.count("input_pipeline") == 1
    assert [one.code for one in TARGETS["as-dataset"](source(text)).left] == ["QC746"]


def test_a_function_that_computes_with_batches_is_not_an_input_function() -> None:
    text = CHOSEN.format(body="    return tf.reduce_mean(_batch([record], size, True))")
    assert migrated(text, "as-dataset") == text


@pytest.mark.parametrize(("given", "named"), [("rows, size", "size"), ("rows, 10", "10")])
def test_an_input_function_that_returns_more_than_batches_is_left_with_a_comment(given: str, named: str) -> None:
    text = CHOSEN.format(body=f"    rows = tf.train.batch([record], size)\n    return {given}")
    after = migrated(text, "as-dataset")
    assert f"    # queuecompat: QC743 '{named}" in after and "does not come from a batcher" in after
    assert "@queuecompat" not in after


@pytest.mark.parametrize(("scaled", "is_batch"), [("rows / n", True), ("tf.range(n)", False)])
def test_a_list_of_tensors_is_of_what_is_appended_to_it(scaled: str, is_batch: bool) -> None:
    body = "    rows = _batch([record], size, True)\n    found = []\n    for n in range(1, 3):\n"
    after = migrated(
        CHOSEN.format(body=f"{body}        found.append({scaled})\n    return tf.stack(found), rows"), "as-dataset"
    )
    assert ("@queuecompat" in after) == is_batch


def test_a_file_that_tf_upgrade_v2_has_converted_keeps_its_import() -> None:
    text = (
        "import tensorflow as tf\n\ndef rows():\n"
        "    row = tf.compat.v1.train.range_input_producer(3).dequeue()\n"
        "    return tf.compat.v1.train.batch([row], 3)\n"
    )
    after = migrated(text, "as-dataset")
    assert after.startswith("import queuecompat\nimport tensorflow as tf\n\n@queuecompat.input_pipeline\ndef rows():\n")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("data"))
    data.write_all(folder)
    return folder


@pytest.mark.parametrize(
    "name",
    ["buckets", "csv_regression", "fully_connected_reader", "image_folder", "segmentation"]
    if ALL
    else ["image_folder"],
)
def test_a_program_has_the_same_results_in_eager_mode_as_under_tf1(
    name: str, data_dir: str, tmp_path: pathlib.Path
) -> None:
    script, *arguments = PROGRAMS[name].command(data_dir, str(tmp_path))
    text = migrated(pathlib.Path(script).read_text(encoding="utf-8"), "as-dataset")
    assert "for " in text and "Session" not in text
    (tmp_path / "program.py").write_text(text)
    for module in re.findall("^from (reader) import", text, re.MULTILINE):
        beside = pathlib.Path(script).with_name(f"{module}.py").read_text(encoding="utf-8")
        (tmp_path / f"{module}.py").write_text(migrated(beside, "as-dataset"))
    environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, str(tmp_path / "program.py"), *arguments]
    subprocess.run(command, env=environment, check=True, timeout=200)
    recorded = json.loads(pathlib.Path(PROGRAMS[name].record).read_text())
    assert differences(recorded, json.loads((tmp_path / "summary.json").read_text())) == []


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_of_any_shape_is_changed_at_most_once(name: str) -> None:
    path = pathlib.Path(PROGRAMS[name].command("", "")[0])
    compile(migrated(path.read_text(encoding="utf-8"), "as-dataset"), name, "exec")


def test_the_step_of_the_model_is_not_that_of_a_decorated_function() -> None:
    """Its dataset had a step of its own, which stayed 0."""
    text = of_form(middle="n = batch + 1", loop="print(sess.run(n))").replace(
        "def inputs():\n    return tf.train.batch([tf.train.range_input_producer(9, shuffle=False).dequeue()], 3)",
        "def inputs():\n    step = tf.train.get_or_create_global_step()\n"
        "    row = tf.train.range_input_producer(9, shuffle=False).dequeue()\n"
        "    return tf.train.batch([tf.to_int64(row) * step], 3)",
    )
    [left] = TARGETS["as-dataset"](source(text)).left
    assert "returns a variable that the program changes" in left.what

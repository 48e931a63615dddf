"""Programs whose sessions stay: where their input functions change, and first where they do not."""

from __future__ import annotations

import pathlib
import textwrap
from typing import Dict, List

import pytest

from queuecompat.migrate import commands
from queuecompat.migrate.rewrite.migrating import Migrated, migrate

HEAD = "import tensorflow as tf\n"
READER = HEAD + (
    "\n\ndef inputs(n):\n"
    "    queue = tf.train.string_input_producer(['a.txt'], shuffle=False)\n"
    "    _, line = tf.TextLineReader().read(queue)\n"
    "    number = tf.string_to_number(line)\n"
    "    return tf.train.batch([number, line], n)\n"
)
# A placeholder for integers keeps a session.
LOOP = (
    "p = tf.placeholder(tf.int32)\n"
    "with tf.Session() as sess:\n"
    "    tf.train.start_queue_runners(sess)\n"
    "    print(sess.run(a * p, {{p: 1.0}}))\n"
)
PLAIN_LOOP = (
    "with tf.Session() as sess:\n"
    "    tf.train.start_queue_runners(sess)\n"
    "    for step in range(3):\n"
    "        print(sess.run(a))\n"
)
TRAIN = HEAD + "import reader\n" + "{}\n" + LOOP
CALL = "a, b = reader.inputs(2)"
ITERATOR = "tf.data.make_one_shot_iterator("


def rewritten(folder: pathlib.Path, to: str, files: Dict[str, str]) -> Dict[str, Migrated]:
    for name, text in files.items():
        (folder / name).write_text(text)
    return {one.path.name: one for one in migrate([str(folder)], to)}


@pytest.mark.parametrize(
    ("reader", "train"),
    [
        # A tensor of the session's graph, which an iterator cannot hold.
        (READER, TRAIN.format("n = tf.placeholder_with_default(2, [])\na, b = reader.inputs(n)")),
        (READER, TRAIN.format("a, b = reader.inputs(tf.constant(2))")),
        (
            READER.replace("def", "HALF = tf.constant(0.5)\n\n\ndef").replace("(line)", "(line) * HALF"),
            TRAIN.format(CALL),
        ),
        # A summary, which merge_all would miss.
        (READER.replace("    return", "    tf.summary.scalar('n', number)\n    return"), TRAIN.format(CALL)),
        # Calls that may be those of the function, with a tensor.
        (
            READER + "INPUTS = {'train': inputs}\n",
            TRAIN.format("n = tf.constant(2)\na, b = reader.INPUTS['train'](n)"),
        ),
        (READER, TRAIN.format("import functools\na, b = functools.partial(reader.inputs, tf.constant(2))()")),
        (
            READER + "class Trainer(object):\n    def __init__(self):\n        self.take = inputs\n",
            TRAIN.format("trainer = reader.Trainer()\na, b = trainer.take(tf.constant(2))"),
        ),
        # A list inside of a batch that is used as a whole.
        (
            READER.replace(
                "return tf.train.batch([number, line], n)", "return {'x': tf.train.batch([number, line], n)}"
            ),
            TRAIN.format("batch = reader.inputs(2)\na = (batch['x'] + [1])[0]"),
        ),
        # Names of ops, which a dataset does not have.
        (READER, TRAIN.format(CALL + "\nc = tf.get_default_graph().get_tensor_by_name('batch:1')")),
        (READER, TRAIN.format(CALL + "\nWANTED = 'tower/batch_1:0'")),
        (
            READER.replace("], n)", "], n, name='both')"),
            TRAIN.format(CALL + "\nc = a.graph.get_operation_by_name('in/both')"),
        ),
        # What the session's graph has, and an iterator does not.
        (
            READER.replace("    number", "    step = tf.train.get_global_step()\n    number").replace(
                "(line)\n", "(line) * tf.to_float(step)\n"
            ),
            TRAIN.format("tf.train.create_global_step()\n" + CALL),
        ),
        (READER, TRAIN.format(CALL + "\nqueue = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[0].queue")),
        # Devices.
        (READER, TRAIN.format("with tf.device('/gpu:0'):\n    a, b = reader.inputs(2)")),
        (READER, TRAIN.format("server = tf.train.Server.create_local_server()\n" + CALL)),
    ],
)
def test_a_dataset_in_a_graph_holds_back(reader: str, train: str, tmp_path: pathlib.Path) -> None:
    done = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": train})
    for one in done.values():
        assert one.left and one.is_comment
        lines = [line for line in one.new.splitlines() if not line.lstrip().startswith(b"# queuecompat: QC744")]
        assert lines == one.old.splitlines()


@pytest.mark.parametrize(
    ("reader", "train"),
    [
        # A list, of which a dataset would make a tuple.
        (READER, TRAIN.format("batch = reader.inputs(2)\na = (batch + [1])[0]")),
        # Uses other than calls, which would get a dataset.
        (READER, TRAIN.format("a, b = getattr(reader, 'inputs')(2)\nc, d = reader.inputs(2)")),
        (
            READER,
            TRAIN.format("import importlib\nm = importlib.import_module('read' + 'er')\na, b = m.inputs(2)\n" + CALL),
        ),
        (READER, TRAIN.format("import functools\na, b = functools.partial(reader.inputs, 2)()")),
        # Uses that no call of the name shows.
        (READER, TRAIN.format("a, b = getattr(reader, 'inputs')(2)")),
        (READER, TRAIN.format("import importlib\na, b = importlib.import_module('read' + 'er').inputs(2)")),
        (READER + "INPUTS = {'train': inputs}\n", TRAIN.format("a, b = reader.INPUTS['train'](2)")),
        (READER + "INPUTS = [lambda: inputs(2)]\n", TRAIN.format("a, b = reader.INPUTS[0]()")),
        (
            READER.replace("def", "INPUTS = []\n\n\n@INPUTS.append\ndef"),
            TRAIN.format("a, b = reader.INPUTS[0](2)"),
        ),
    ],
)
def test_a_function_whose_callers_cannot_change_has_the_iterator_inside(
    reader: str, train: str, tmp_path: pathlib.Path
) -> None:
    done = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": train})
    assert "return list(tf.data.make_one_shot_iterator(dataset).get_next())" in done["reader.py"].new.decode()
    assert done["train.py"].new.decode() == train.replace("import tensorflow as tf", "import queuecompat.v1 as tf")
    assert [found.code for one in done.values() for found in one.left] == ["QC714"]
    for one in done.values():
        one.path.write_bytes(one.new)
    assert all(one.old == one.new for one in migrate([str(tmp_path)], "tf-data"))


@pytest.mark.parametrize(("name", "call"), [("__call__", "Reader()(2)"), ("__getitem__", "Reader()[2]")])
def test_a_method_that_python_calls_by_itself_has_the_iterator_inside(
    name: str, call: str, tmp_path: pathlib.Path
) -> None:
    """It returned a dataset, and its callers, which do not name it, unpacked that as tensors."""
    function = READER.partition("\n\n\n")[2].replace("inputs(n)", f"{name}(self, n)")
    reader = "class Reader(object):\n" + textwrap.indent(function, "    ") + "\n\n"
    text = HEAD + "\n\n" + reader + f"a, b = {call}\n" + LOOP.replace("{{", "{").replace("}}", "}")
    [done] = rewritten(tmp_path, "tf-data", {"train.py": text}).values()
    new = done.new.decode()
    assert (
        "        return list(tf.data.make_one_shot_iterator(dataset).get_next())\n" in new and f"a, b = {call}\n" in new
    )


@pytest.mark.parametrize(
    ("end", "new"),
    [
        (
            "    x, y = tf.train.batch([number, line], n)\n    tf.summary.histogram('x', x)\n    return x, y\n",
            "    x, y = ELEMENT\n    tf.summary.histogram('x', x)\n    return x, y\n",
        ),
        (
            "    with tf.name_scope('batch'):\n        both = tf.train.batch([number, line], n)\n"
            "    tf.add_to_collection('both', both[0])\n    return both[0], n\n",
            "    both = list(ELEMENT)\n    tf.add_to_collection('both', both[0])\n    return both[0], n\n",
        ),
        (
            "    d = tf.train.batch({'x': number}, n)\n    w = tf.get_variable('w', [])\n    return d['x'] * w, n\n",
            "    d = ELEMENT\n    w = tf.get_variable('w', [])\n    return d['x'] * w, n\n",
        ),
    ],
    ids=["a summary", "a collection", "a variable"],
)
def test_lines_after_the_batcher_that_belong_to_the_graph_stay_after_the_iterator(
    end: str, new: str, tmp_path: pathlib.Path
) -> None:
    """The function stayed on queues, as that of the CIFAR-10 tutorial did for its summary."""
    reader = READER.partition("    return")[0] + end
    done = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": TRAIN.format(CALL)})
    element = "tf.data.make_one_shot_iterator(dataset).get_next()"
    assert done["reader.py"].new.decode().endswith(new.replace("ELEMENT", element))
    assert CALL in done["train.py"].new.decode()


@pytest.mark.parametrize(
    "end",
    [
        "    tf.summary.scalar('number', number)\n    return tf.train.batch([number, line], n)\n",
        "    images = tf.train.batch([number], n)\n    tf.summary.scalar('number', number)\n    return images, n\n",
    ],
)
def test_a_summary_of_a_record_keeps_a_pipeline_on_queues(end: str, tmp_path: pathlib.Path) -> None:
    reader = READER.partition("    return")[0] + end
    done = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": TRAIN.format(CALL)})
    assert done["reader.py"].is_comment and b"tf.train.batch(" in done["reader.py"].new


@pytest.mark.parametrize("files", [1, 2])
def test_a_method_whose_records_a_derived_class_reads_is_decorated(files: int, tmp_path: pathlib.Path) -> None:
    """The method that batches was said to get its records from its caller: 'self'."""
    batch = "tf.train.batch([number, line], n)"
    base = (
        f"class Data(object):\n    def batch(self, n):\n        number, line = self.example()\n        return {batch}\n"
    )
    body = textwrap.indent(READER.partition("inputs(n):\n")[2].replace(batch, "number, line"), "    ")
    derived = f"class Lines({{}}):\n    def example(self):\n{body}"
    if files == 1:
        names = {"reader.py": HEAD + base + "\n\n" + derived.format("Data")}
    else:
        names = {"base.py": HEAD + base, "reader.py": HEAD + "import base\n\n\n" + derived.format("base.Data")}
    done = rewritten(tmp_path, "as-dataset", {**names, "train.py": TRAIN.format("a, b = reader.Lines().batch(2)")})
    new = next(iter(names))
    assert "    @queuecompat.input_pipeline\n    def batch(self, n):\n" in done[new].new.decode()
    assert {found.code for one in done.values() for found in one.left} == {"QC714"}


@pytest.mark.parametrize(
    "name",
    ["'sets.' + name", "PREFIX + name", "'sets.%s' % name", "'sets.{}'.format(name)", "f'sets.{name}'"],
)
def test_modules_of_a_package_that_are_imported_by_a_computed_name_are_files_of_the_program(
    name: str, tmp_path: pathlib.Path
) -> None:
    """The input functions changed without the program, which then ran only by the command."""
    (tmp_path / "sets").mkdir()
    factory = "import importlib\n\nPREFIX = 'sets.'\n\n\ndef inputs(name):\n"
    factory += f"    return importlib.import_module({name}).inputs(2)\n"
    train = TRAIN.format("a, b = factory.inputs('lines')").replace("import reader", "import factory")
    files = {"sets/__init__.py": "", "sets/lines.py": READER, "factory.py": factory, "train.py": train}
    for to in ("as-dataset", "tf-data"):
        done = rewritten(tmp_path, to, files)
        assert b"import queuecompat.v1 as tf" in done["train.py"].new
        assert b"import tensorflow.compat.v1 as tf" in done["lines.py"].new
        assert done["factory.py"].new == factory.encode()


@pytest.mark.parametrize(
    ("to", "new"),
    [
        ("as-dataset", "    @queuecompat.input_pipeline\n    def inputs(n):\n"),
        ("tf-data", "        return list(tf.data.make_one_shot_iterator(dataset).get_next())\n"),
    ],
)
def test_an_input_function_inside_a_function_or_an_if_changes_too(tmp_path: pathlib.Path, to: str, new: str) -> None:
    """It stayed on queues, and in an ``if`` nothing said why."""
    function = READER.replace(HEAD, "").strip("\n")
    reader = f"{HEAD}\n\ndef make():\n{textwrap.indent(function, '    ')}\n\n    return inputs\n"
    train = TRAIN.format("a, b = reader.make()(2)")
    guarded = f"{HEAD}\nif True:\n{textwrap.indent(function, '    ')}\n\n    INPUTS = [inputs]\n"
    files = {"reader.py": reader, "guarded.py": guarded, "train.py": train}
    done = rewritten(
        tmp_path, to, {**files, "eval.py": "import guarded\n" + TRAIN.format("a, b = guarded.INPUTS[0](2)")}
    )
    assert new in done["reader.py"].new.decode() and new in done["guarded.py"].new.decode()


def test_an_input_function_that_is_a_part_of_a_different_one_changes_for_its_own_callers(
    tmp_path: pathlib.Path,
) -> None:
    """It stayed on queues, and nothing said why."""
    text = (
        READER + "\n\ndef twice(n):\n    return inputs(2 * n)\n\n\na, b = inputs(2)\nc, d = twice(2)\n" + LOOP.format()
    )
    [done] = rewritten(tmp_path, "tf-data", {"train.py": text}).values()
    assert b"tf.train.batch(" not in done.new and done.new.count(b"make_one_shot_iterator") == 2


def test_a_pipeline_that_stays_says_why_and_what_keeps_the_session(tmp_path: pathlib.Path) -> None:
    """It said of the pipeline only what keeps the session."""
    second = "    second = tf.train.range_input_producer(5).dequeue()\n    return tf.train.batch([second, "
    text = READER.replace("    return tf.train.batch([", second) + "a, b, c = inputs(2)\n" + LOOP.format()
    one = rewritten(tmp_path, "tf-data", {"train.py": text})["train.py"]
    [pipeline, session] = one.left
    assert "there is a second producer" in pipeline.what and "a second producer" not in session.what
    (tmp_path / "train.py").write_bytes(one.new)
    assert rewritten(tmp_path, "tf-data", {})["train.py"].new == one.new


def test_a_function_that_a_file_without_tensorflow_calls_has_the_iterator_inside(tmp_path: pathlib.Path) -> None:
    reader = READER + (
        "\n\ndef each(tensors):\n    with tf.Session() as sess:\n        tf.train.start_queue_runners(sess)\n"
        "        while True:\n            yield sess.run(tensors)\n"
    )
    train = "import reader\nfor number, line in reader.each(reader.inputs(2)):\n    print(number)\n"
    found = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": train})
    assert b"    return list(tf.data.make_one_shot_iterator(dataset)" in found["reader.py"].new
    assert found["train.py"].new == train.encode()


def test_a_call_takes_its_batches_from_an_iterator(tmp_path: pathlib.Path) -> None:
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER, "train.py": TRAIN.format(CALL)})
    train = done["train.py"].new.decode()
    assert train == TRAIN.format(f"a, b = {ITERATOR}reader.inputs(2)).get_next()").replace(
        "import tensorflow", "import queuecompat.v1"
    )
    assert b"import tensorflow.compat.v1 as tf" in done["reader.py"].new and b"tf.train" not in done["reader.py"].new


def test_a_name_of_an_op_elsewhere_is_no_hindrance(tmp_path: pathlib.Path) -> None:
    train = TRAIN.format(CALL + "\nc = a.graph.get_tensor_by_name('logits:0')\nprint('queue:0 of batch:0')")
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER, "train.py": train})
    assert f"a, b = {ITERATOR}reader.inputs(2)).get_next()" in done["train.py"].new.decode()


def test_a_loop_that_starts_each_runner_is_no_hindrance(tmp_path: pathlib.Path) -> None:
    train = TRAIN.format(CALL).replace(
        "    tf.train.start_queue_runners(sess)\n",
        "    threads = []\n    for one in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):\n"
        "        threads.extend(one.create_threads(sess, start=True))\n",
    )
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER, "train.py": train})
    assert f"a, b = {ITERATOR}reader.inputs(2)).get_next()" in done["train.py"].new.decode()


def test_a_name_of_import_star_is_followed(tmp_path: pathlib.Path) -> None:
    train = TRAIN.format("a, b = inputs(2)").replace("import reader", "from reader import *")
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER, "train.py": train})
    assert f"a, b = {ITERATOR}inputs(2)).get_next()" in done["train.py"].new.decode()


def test_a_decorated_function_serves_callers_of_every_kind(tmp_path: pathlib.Path) -> None:
    train = TRAIN.format(CALL + "\nc = (getattr(reader, 'inputs')(2) + [1])[0]")
    done = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": train})
    assert done["train.py"].new.decode() == train.replace("import tensorflow", "import queuecompat.v1")
    assert b"@queuecompat.input_pipeline\ndef inputs" in done["reader.py"].new
    [found] = done["train.py"].left
    assert found.code == "QC714" and "'tf.placeholder' belongs to a graph" in found.what


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_program_that_only_imports_tensorflow_is_no_program_of_tensorflow_2(tmp_path: pathlib.Path, to: str) -> None:
    """Its files stayed as they were, and said that no statement of theirs builds a pipeline."""
    run = HEAD + "\n\ndef run(a):\n" + textwrap.indent(PLAIN_LOOP, "    ")
    main = HEAD + "import reader\nimport runner\n\nINPUTS = {'train': reader.inputs}\nrunner.run(INPUTS['train'](2))\n"
    done = rewritten(tmp_path, to, {"main.py": main, "reader.py": READER, "runner.py": run})
    assert b"import queuecompat.v1 as tf" in done["runner.py"].new
    assert [found.code for one in done.values() for found in one.left] == ["QC714"]


def test_a_program_of_tensorflow_2_that_shares_a_file_stays_eager(tmp_path: pathlib.Path) -> None:
    other = "import tensorflow as tf\nimport settings\n\nprint(tf.constant(settings.SIZE) + 1)\n"
    settings = HEAD + "tf.app.flags.DEFINE_integer('n', 2, '')\nSIZE = 2\n"
    files = {
        "settings.py": settings,
        "eager.py": other,
        "reader.py": "import settings\n" + READER,
        "train.py": TRAIN.format(CALL),
    }
    for to in ("as-dataset", "tf-data"):
        done = rewritten(tmp_path, to, files)
        assert done["eager.py"].new == done["eager.py"].old
        assert b"queuecompat.v1" not in done["settings.py"].new


def test_one_input_function_changes_and_another_one_stays_with_a_reason(tmp_path: pathlib.Path) -> None:
    other = READER.partition("\n\n\n")[2].replace("def inputs", "\n\ndef counted").replace("], n)", "], n), n")
    train = TRAIN.format(CALL + "\nc, n = reader.counted(3)")
    done = rewritten(tmp_path, "as-dataset", {"reader.py": READER + other, "train.py": train})
    new = done["reader.py"].new
    assert b"@queuecompat.input_pipeline\ndef inputs" in new and b"\n\n\ndef counted" in new
    [found] = done["reader.py"].left
    assert found.code == "QC715" and "'n' does not come from a batcher" in found.what


def test_what_keeps_two_pipelines_on_queues_at_one_line_is_said_once(tmp_path: pathlib.Path) -> None:
    batched = "\n\ndef batched(x, n):\n    tf.summary.scalar('n', n)\n    return tf.train.batch([x, x], n)\n"
    own = READER.replace("tf.train.batch([number, line], n)", "batched(number, n)").replace(HEAD, "")
    others = own.replace("inputs", "train_inputs") + own.replace("inputs", "test_inputs")
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER + batched + others, "train.py": TRAIN.format(CALL)})
    found = [one for one in done["reader.py"].left if "'tf.summary.scalar' writes a summary" in one.what]
    assert [one.code for one in found] == ["QC715"]


def test_datasets_of_graphs_are_not_rewritten_by_another_target(tmp_path: pathlib.Path) -> None:
    first = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": TRAIN.format(CALL)})
    for one in first.values():
        one.path.write_bytes(one.new)
    second = {one.path.name: one for one in migrate([str(tmp_path)], "tf-data")}
    assert all(one.new == one.old for one in second.values())
    [found] = second["reader.py"].left
    assert found.code == "QC715" and "returns tensors to a program that keeps its session" in found.what


@pytest.mark.parametrize("files", [1, 2])
def test_a_decorated_function_of_a_kept_session_is_reported(files: int, tmp_path: pathlib.Path) -> None:
    train = TRAIN.format(CALL)
    written = {"reader.py": READER, "train.py": train}
    if files == 1:
        written = {"train.py": READER + train.replace(HEAD + "import reader\n", "").replace("reader.", "")}
    first = rewritten(tmp_path, "as-dataset", written)
    done = rewritten(tmp_path, "tf-data", {name: one.new.decode() for name, one in first.items()})
    found = [finding for one in done.values() for finding in one.left]
    assert [one.code for one in found] == ["QC715"]
    assert "restore the files as they were before '--to as-dataset'" in str(found[0])
    assert all(one.new == one.old for one in done.values())


@pytest.mark.parametrize("call", ["self.reader.inputs(2)", "self.reader(2)"])
def test_a_decorated_method_of_an_attribute_goes_on_serving_its_session(call: str, tmp_path: pathlib.Path) -> None:
    """It became a dataset, and the session's program unpacked that."""
    name = "inputs" if "inputs" in call else "__call__"
    method = textwrap.indent(READER.replace(HEAD, "").strip("\n").replace("inputs(", f"{name}(self, "), "    ")
    reader = f"{HEAD}import queuecompat\n\n\nclass Reader:\n    @queuecompat.input_pipeline\n{method}\n"
    train = (
        "import queuecompat.v1 as tf\nimport reader\n\n\nclass Trainer:\n    def __init__(self):\n"
        f"        self.reader = reader.Reader()\n        self.batch, _ = {call}\n        self.sess = tf.Session()\n"
    )
    written = {"reader.py": reader.replace("tensorflow", "tensorflow.compat.v1", 1), "train.py": train}
    done = rewritten(tmp_path, "tf-data", written)
    assert all(one.new == one.old for one in done.values())
    assert [one.code for one in done["reader.py"].left] == ["QC715"]
    eager = rewritten(tmp_path, "tf-data", {**written, "train.py": "import reader\nreader.Reader().inputs(2)\n"})
    assert b"tf.data.TextLineDataset" in eager["reader.py"].new


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("tf.add_to_collection('numbers', number)", "tf.get_collection('numbers')"),
        ("tf.get_default_graph().add_to_collection('numbers', number)", "tf.get_collection('numbers')"),
        ("tf.summary.scalar('n', number)", "tf.summary.merge_all()"),
        ("number *= tf.get_variable('scale', [])", "tf.train.Saver()"),
        ("number *= scale()", "tf.global_variables()"),
        # Its dataset had a variable of its own, and the optimizer had nothing to train.
        ("number *= tf.get_variable('scale', [])", "tf.train.GradientDescentOptimizer(0.1).minimize"),
        ("number = tf.layers.dense([[number]], 1)[0, 0]", "tf.train.AdamOptimizer().compute_gradients"),
        ("number = tf.losses.mean_squared_error(number, 1.0)", "tf.losses.get_total_loss()"),
    ],
)
def test_a_graph_that_is_asked_for_more_than_batches_stays_one(made: str, asked: str, tmp_path: pathlib.Path) -> None:
    reader = READER.replace("def", "def scale():\n    return tf.Variable(1.0)\n\n\ndef", 1)
    reader = reader.replace("    return tf.train", f"    {made}\n    return tf.train")
    train = HEAD + "import reader\n" + CALL + "\nprint({})\n" + PLAIN_LOOP
    unasked = rewritten(tmp_path, "as-dataset", {"reader.py": reader, "train.py": train.format("1")})
    assert [found for one in unasked.values() for found in one.left] == []
    done = rewritten(tmp_path, "as-dataset", {"reader.py": reader, "train.py": train.format(asked)})
    assert b"@queuecompat.input_pipeline" in done["reader.py"].new and b"queuecompat.v1" in done["train.py"].new
    [found] = done["train.py"].left
    assert found.code == "QC714"


def test_what_a_graph_would_be_asked_for_is_named(tmp_path: pathlib.Path) -> None:
    reader = READER.replace("    return tf", "    tf.add_to_collection('numbers', number)\n    return tf")
    train = (
        HEAD
        + "import reader\n"
        + CALL
        + "\nc = a + tf.get_collection('numbers')[0]\n"
        + PLAIN_LOOP.replace("(a)", "(c)")
    )
    done = rewritten(tmp_path, "as-dataset", {"reader.py": reader, "train.py": train})
    [found] = done["train.py"].left
    words = "'tf.add_to_collection' would move out of the session's graph, where 'get_collection' may look"
    assert words in found.what


def test_a_function_that_a_lambda_calls_is_decorated_at_once(tmp_path: pathlib.Path) -> None:
    reader = READER + "INPUTS = [lambda: inputs(2)]\n"
    first = rewritten(
        tmp_path, "as-dataset", {"reader.py": reader, "train.py": TRAIN.format("a, b = reader.INPUTS[0]()")}
    )
    assert b"@queuecompat.input_pipeline\ndef inputs" in first["reader.py"].new
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in first.items()})
    assert all(one.new == first[name].new for name, one in again.items())


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        ("with tf.Session() as s:\n    print(s.run(tf.ones([])))\n", "it runs no pipeline: rewrite its computation"),
        (
            "with tf.Session() as s:\n    tf.train.start_queue_runners(s)\n    print(s.run('x:0'))\n",
            "no statement here builds a pipeline",
        ),
        ("with tf.train.MonitoredSession() as s:\n    print(s.run('x:0'))\n", "no statement here builds a pipeline"),
    ],
)
def test_a_session_that_computes_something_else_is_not_asked_for_its_pipeline(
    tmp_path: pathlib.Path, session: str, reason: str
) -> None:
    [found] = rewritten(tmp_path, "as-dataset", {"program.py": READER + "\n\n" + session}).values()
    assert [one.code for one in found.left] == ["QC714"]
    assert reason in found.left[0].message


SLIM = HEAD + "slim = tf.contrib.slim\n\n\ndef net(x):\n    return slim.fully_connected(tf.reshape(x, [-1, 1]), 1)\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_short_name_for_a_module_of_contrib_is_no_pipeline(tmp_path: pathlib.Path, to: str) -> None:
    """QC715 said that 'tf.contrib.slim' stays on queues, and QC743 that it be built in a function."""
    train = HEAD + "import net, reader\n" + CALL + "\na = net.net(a)\n" + PLAIN_LOOP
    done = rewritten(tmp_path, to, {"reader.py": READER, "net.py": SLIM, "train.py": train})
    assert [one.code for file in done.values() for one in file.left] == ["QC714"]
    assert b"queuecompat.v1" in done["net.py"].new
    again = rewritten(tmp_path, to, {name: one.new.decode() for name, one in done.items()})
    assert all(one.new == done[name].new for name, one in again.items())
    (tmp_path / "train.py").unlink()
    alone = rewritten(tmp_path, to, {"net.py": SLIM, "reader.py": READER})["net.py"]
    assert alone.stays_tf1 and not alone.left


def test_a_session_that_stays_says_the_reason_in_its_own_program(tmp_path: pathlib.Path) -> None:
    """Of two programs that share an input function the first told the reason of the second."""
    train = HEAD + "import net, reader\n" + CALL + "\na = net.net(a)\n" + PLAIN_LOOP
    other = HEAD + "import reader\n" + CALL + "\na = tf.layers.dense(tf.reshape(a, [-1, 1]), 1)\n" + PLAIN_LOOP
    texts = {"reader.py": READER, "net.py": SLIM, "x.py": train, "y.py": other, "z.py": train}
    done = rewritten(tmp_path, "as-dataset", texts)
    for name, own in (("x.py", "'net.py'"), ("y.py", "'tf.layers.dense'"), ("z.py", "'net.py'")):
        [found] = done[name].left
        assert found.code == "QC714" and own in found.what and "'y.py'" not in found.what


def test_a_session_beside_those_of_pipelines_is_named_where_it_is_made(tmp_path: pathlib.Path) -> None:
    """It was told of the first line of its file."""
    export = '"""Exports."""\n' + HEAD + "import train\n\n\ndef main():\n    with tf.Session() as sess:\n        {}\n"
    texts = {"reader.py": READER, "train.py": TRAIN.format(CALL), "export.py": export.format("train.save(sess)")}
    [found] = rewritten(tmp_path, "as-dataset", texts)["export.py"].left
    assert (found.code, found.line, found.column) == ("QC714", 7, 10) and "it runs no pipeline" in found.what


def test_a_decorated_file_beside_a_session_with_queues_of_its_own_stays_as_it_is(tmp_path: pathlib.Path) -> None:
    """A second run made its 'tensorflow.compat.v1' into 'queuecompat.v1'."""
    rest = "i = tf.train.range_input_producer(3).dequeue()\n" + LOOP
    first = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": TRAIN.format(CALL) + rest})
    assert b"import tensorflow.compat.v1 as tf" in first["reader.py"].new
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in first.items()})
    assert all(one.new == first[name].new for name, one in again.items())


def test_the_runners_of_slim_are_no_pipeline(tmp_path: pathlib.Path) -> None:
    """The reason was that the pipeline does not end in a batcher."""
    train = HEAD + "import reader\n" + CALL + "\nwith tf.Session() as sess:\n    {}:\n        print(sess.run(a))\n"
    for start in ("with tf.contrib.slim.queues.QueueRunners(sess)", "with slim.queues.QueueRunners(sess)"):
        text = train.format(start).replace("import reader", "import reader\nslim = tf.contrib.slim")
        done = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": text})
        assert "'tf.contrib.slim' is not in tensorflow.compat.v1" in done["train.py"].left[0].what


RUN = HEAD + "import reader\n\n\ndef run():\n    a, b = reader.inputs(2)\n" + textwrap.indent(PLAIN_LOOP, "    ")
SESSION = HEAD + "\n\ndef count():\n    with tf.Session() as sess:\n        print(sess.run(tf.ones([])))\n"
MAIN = HEAD + "import train\n\n\ndef main(_):\n    train.run()\n\n\ntf.app.run()\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_what_starts_an_eager_program_is_one(tmp_path: pathlib.Path, to: str) -> None:
    """It stayed one of TensorFlow 1, which runs neither by itself nor under 'queuecompat run'."""
    done = rewritten(tmp_path, to, {"reader.py": READER, "train.py": RUN, "main.py": MAIN})
    assert not any(one.left for one in done.values())
    assert b"import tensorflow.compat.v1 as tf" in done["main.py"].new and b"Session" not in done["train.py"].new


@pytest.mark.parametrize(
    ("files", "kept", "reason"),
    [
        # The session of one mode of a program stays, and so the other one's.
        (
            {
                "other.py": READER,
                "test.py": RUN.replace("import reader", "import other as reader").replace(
                    "(a)", "(tf.summary.merge_all())"
                ),
                "main.py": "import train, test\ntrain.run()\ntest.run()\n",
            },
            ["test.py", "train.py"],
            "it can be rewritten only together with 'test.py'",
        ),
        (
            {"more.py": SESSION, "main.py": "import train, more\ntrain.run()\nmore.count()\n"},
            ["more.py", "train.py"],
            "'more.py' belongs to the same program",
        ),
        # What is started needs a graph itself.
        (
            {"main.py": MAIN.replace("    train", "    tf.set_random_seed(1)\n    train")},
            ["main.py", "train.py"],
            "'main.py' belongs to the same program, and works only in a graph",
        ),
        (
            {"main.py": MAIN.replace("    train", "    with tf.Graph().as_default():\n        train")},
            ["main.py", "train.py"],
            "'main.py' belongs to the same program, and works only in a graph",
        ),
    ],
)
def test_the_loops_of_a_program_become_eager_together_or_stay(
    tmp_path: pathlib.Path, files: Dict[str, str], kept: List[str], reason: str
) -> None:
    """Only what they import themselves counted."""
    first = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": RUN, **files})
    assert all(b"import queuecompat.v1 as tf" in first[name].new for name in kept)
    assert [reason in found.what for found in first["train.py"].left] == [True]
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in first.items()})
    assert all(one.new == first[name].new for name, one in again.items())


def test_a_file_without_tensorflow_that_imports_a_program_is_a_part_of_it(tmp_path: pathlib.Path) -> None:
    """The '__init__.py' of a package was a program of TensorFlow 2, for which the others stayed what they were."""
    files = {
        "reader.py": READER,
        "train.py": TRAIN.format(CALL),
        "package.py": "import train\nMODES = {'train': train}\n",
    }
    done = rewritten(tmp_path, "as-dataset", files)
    assert b"@queuecompat.input_pipeline" in done["reader.py"].new
    assert done["package.py"].new == done["package.py"].old
    for other in ("import keras\nimport package\n", "import package, layers\n"):
        more = {"other.py": other, "layers.py": "import tensorflow as tf\nx = tf.nn.relu\n"}
        done = rewritten(tmp_path, "as-dataset", {**files, **more})
        assert all(one.is_comment or one.new == one.old for one in done.values())


def test_a_second_run_leaves_a_package_whose_input_functions_serve_programs_of_both_kinds(
    tmp_path: pathlib.Path,
) -> None:
    """The '__init__.py' was a program of TensorFlow 2 then, and the session next to it got a comment (QC743)."""
    play = (
        HEAD + "import reader\n\n\ndef show(files):\n    queue = tf.train.string_input_producer(files)\n"
        "    _, line = tf.TextLineReader().read(queue)\n    with tf.Session() as sess:\n"
        "        tf.train.start_queue_runners(sess)\n        print(line.eval())\n"
    )
    files = {"__init__.py": "from .reader import *\n", "play.py": play, "reader.py": READER}
    done = rewritten(tmp_path, "as-dataset", files)
    assert b"@queuecompat.input_pipeline" in done["reader.py"].new and b"queuecompat.v1" in done["play.py"].new
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in done.items()})
    assert all(one.new == done[name].new for name, one in again.items())
    assert [one.code for one in again["play.py"].left] == ["QC714"]


def test_a_second_run_leaves_what_only_input_functions_import(tmp_path: pathlib.Path) -> None:
    """It was counted with the session next to it then, which got a comment (QC743)."""
    parts = HEAD + "\n\ndef read(queue):\n    _, line = tf.TextLineReader().read(queue)\n    return line\n"
    reader = READER.replace(HEAD, HEAD + "from parts import read\n")
    reader = reader.replace("_, line = tf.TextLineReader().read(queue)", "line = read(queue)")
    play = (
        HEAD + "import reader\n\n\ndef show(files):\n    queue = tf.train.string_input_producer(files)\n"
        "    _, line = tf.TextLineReader().read(queue)\n    with tf.Session() as sess:\n"
        "        tf.train.start_queue_runners(sess)\n        print(line.eval())\n"
    )
    # The '__init__.py' is what other programs import, which may be of TensorFlow 2.
    files = {"__init__.py": "from .reader import *\n", "parts.py": parts, "reader.py": reader, "play.py": play}
    done = rewritten(tmp_path, "as-dataset", files)
    assert b"import tensorflow.compat.v1 as tf" in done["parts.py"].new
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in done.items()})
    assert all(one.new == done[name].new for name, one in again.items())
    assert [one.code for one in again["play.py"].left] == ["QC714"]


def test_what_passes_batches_on_to_a_session_changes_with_it(tmp_path: pathlib.Path) -> None:
    """It stayed one of TensorFlow 1, beside an input function that was changed."""
    trainer = HEAD + "\n\ndef fit(x):\n" + textwrap.indent(PLAIN_LOOP.replace("(a)", "(x)"), "    ")
    main = HEAD + "import reader, trainer\ntf.set_random_seed(1)\n" + CALL + "\ntrainer.fit(a)\n"
    done = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "trainer.py": trainer, "main.py": main})
    assert [one.code for file in done.values() for one in file.left] == ["QC714"]
    assert all(b"import queuecompat.v1 as tf" in done[name].new for name in ("main.py", "trainer.py"))
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in done.items()})
    assert all(one.new == done[name].new and not one.left for name, one in again.items())


def test_a_file_that_runs_no_loop_of_a_program_is_not_one_with_it(tmp_path: pathlib.Path) -> None:
    build = "\n\ndef build(x):\n    return tf.reshape(x, [-1])\n"
    evaluate = HEAD + "import train\na = train.build(tf.ones([2]))\n" + LOOP
    files = {"reader.py": READER, "train.py": RUN + build}
    done = rewritten(tmp_path, "as-dataset", {**files, "evaluate.py": evaluate})
    assert b"Session" not in done["train.py"].new
    done = rewritten(tmp_path, "as-dataset", {**files, "evaluate.py": evaluate + "train.run()\n"})
    assert b"Session" in done["train.py"].new


SEEDED = "tf.set_random_seed(7)\nw = tf.get_variable('w', [])\n"


def test_a_graph_seed_whose_numbers_change_is_reported(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Initial values were others after ``--to tf-data``, without a word."""
    files = {"reader.py": READER, "train.py": TRAIN.format(SEEDED + CALL)}
    done = rewritten(tmp_path, "tf-data", files)
    assert [(one.code, one.line) for one in done["train.py"].left] == [("QC714", 3), ("QC747", 3)]
    assert "'tf.set_random_seed'" in done["train.py"].left[1].message
    assert commands.migrate([str(tmp_path)], "tf-data", writes=True) == 1
    assert "; 0 places left unchanged\n  1 session is kept" in capsys.readouterr().err
    assert not any(one.left for one in migrate([str(tmp_path)], "tf-data"))


@pytest.mark.parametrize("given", ["seed=None", "tf_random_seed=7"])
def test_the_seed_of_an_estimators_graph_is_one_of_them(tmp_path: pathlib.Path, given: str) -> None:
    seeded = CALL + f"\nconfig = tf.estimator.RunConfig({given})\n"
    done = rewritten(tmp_path, "tf-data", {"reader.py": READER, "train.py": TRAIN.format(seeded)})
    assert ("QC747" in {one.code for one in done["train.py"].left}) == ("random" in given)


def test_a_decorated_function_keeps_the_numbers_of_a_graph_seed(tmp_path: pathlib.Path) -> None:
    done = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "train.py": TRAIN.format(SEEDED + CALL)})
    assert [one.code for one in done["train.py"].left] == ["QC714"]


WHOLE = HEAD + (
    "\n\ndef main(files):\n"
    "    with tf.Graph().as_default():\n"
    "        tf.set_random_seed(7)\n"
    "        queue = tf.train.string_input_producer(files, shuffle=False)\n"
    "        examples = []\n"
    "        for _ in range(4):\n"
    "            number = tf.string_to_number(tf.read_file(queue.dequeue()))\n"
    "            examples.append([number])\n"
    "        batch = tf.train.batch_join(examples, 2)\n"
    "        p = tf.placeholder(tf.int32)\n"
    "        with tf.Session() as sess:\n"
    "            tf.train.start_queue_runners(sess)\n"
    "            print(sess.run(batch * p, {p: 1.0}))\n"
    "    return 1\n"
)


def test_a_pipeline_in_the_graph_of_its_session_becomes_a_function(tmp_path: pathlib.Path) -> None:
    """It was refused, and 'tf.set_random_seed' was said to stand in the way."""
    done = rewritten(tmp_path, "tf-data", {"train.py": WHOLE})["train.py"]
    text = done.new.decode()
    assert "def input_pipeline(files):\n    def decode(row):" in text
    assert f"        batch = {ITERATOR}input_pipeline(files)).get_next()\n        p = " in text
    assert [one.code for one in done.left] == ["QC714", "QC747"]
    done = rewritten(tmp_path, "as-dataset", {"train.py": WHOLE})["train.py"]
    assert "        batch = input_pipeline(files)\n        p = " in done.new.decode()
    assert [one.code for one in done.left] == ["QC714"]


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_pipeline_that_cannot_leave_its_session_says_so_beside_others_that_can(
    tmp_path: pathlib.Path, to: str
) -> None:
    """It stayed on queues without a word, and the seed of its graph was said to make other numbers."""
    whole = WHOLE.replace("print(sess", "print(queue.size(), sess").replace(
        "import tensorflow as tf\n", HEAD + "import reader\n"
    )
    files = {"reader.py": READER, "train.py": TRAIN.format(CALL), "whole.py": whole}
    done = rewritten(tmp_path, to, files)
    assert "@queuecompat" in done["reader.py"].new.decode() or "tf.data" in done["reader.py"].new.decode()
    left = {one.code: one for one in done["whole.py"].left}
    assert sorted(left) == ["QC714", "QC715"]
    assert "'tf.train.batch_join' is used in 'main', which returns no batch of its own" in left["QC715"].what


NETS = [
    HEAD + "import tensorflow.contrib.slim as slim\n\n\ndef net(x):\n    return slim.flatten(tf.layers.dense(x, 2))\n",
    "from tensorflow.contrib.layers import flatten\n\n\ndef net(x):\n    return flatten(x)\n",
]


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("nets", NETS)
def test_a_file_of_layers_alone_is_said_to_need_tensorflow_1_and_no_pipeline_of_it(
    tmp_path: pathlib.Path, nets: str, to: str
) -> None:
    """It was said to have a pipeline that cannot be rewritten; without a name for tf, that it write tf.train.batch."""
    done = rewritten(tmp_path, to, {"nets.py": nets, "train.py": PLAIN_LOOP})["nets.py"]
    assert not done.left and done.new == done.old and done.stays_tf1


CHOSEN = HEAD + (
    "row = tf.train.range_input_producer(3).dequeue()\nbatch = tf.train.batch([row], 3)\n"
    "if settings.get('grows'):\n    sess = tf.Session(config=tf.ConfigProto())\nelse:\n    sess = tf.Session()\n"
    "tf.train.start_queue_runners(sess)\nprint(sess.run(batch))\n"
)


def test_a_session_made_in_one_of_two_branches_is_no_second_one(tmp_path: pathlib.Path) -> None:
    left = rewritten(tmp_path, "tf-data", {"train.py": "settings = {}\n" + CHOSEN})["train.py"].left
    assert ["the branches of an 'if' create the session" in one.what for one in left] == [True]


@pytest.mark.parametrize(
    ("name", "reason"), [("get", "no statement here builds"), ("rows", "'vars(provider)['made'].rows' may build")]
)
def test_a_method_that_is_only_called_like_one_with_a_pipeline_may_build_it(
    tmp_path: pathlib.Path, name: str, reason: str
) -> None:
    """``settings.get('x')`` was said to build the pipeline, as a class of a different file has such a method."""
    provider = (
        HEAD
        + f"\n\nclass Provider(object):\n    def {name}(self, n):\n        return tf.train.string_input_producer([n])\n"
    )
    train = (
        HEAD + f"import provider\n\nx = vars(provider)['made'].{name}('x')\n" + PLAIN_LOOP.replace("run(a)", "run(x)")
    )
    [left] = rewritten(tmp_path, "tf-data", {"provider.py": provider, "train.py": train})["train.py"].left
    assert reason in left.what


def test_a_reader_that_two_pipelines_share_is_written_out_in_both(tmp_path: pathlib.Path) -> None:
    """Beside a session that stays it kept both on queues: 'read' is called here, too."""
    read = "def read(queue):\n    _, line = tf.TextLineReader().read(queue)\n    return tf.to_float(line), line\n\n\n"
    one = (
        "def {}(n):\n    queue = tf.train.string_input_producer(['{}.txt'], shuffle=False)\n"
        "    number, line = read(queue)\n    return tf.train.batch([number, line], n)\n\n\n"
    )
    reader = HEAD + "\n\n" + read + one.format("inputs", "a") + one.format("valid", "b")
    train = TRAIN.format(CALL + "\nc, d = reader.valid(2)")
    done = rewritten(tmp_path, "tf-data", {"reader.py": reader, "train.py": train})
    text = done["reader.py"].new.decode()
    assert "def read(" not in text and text.count("tf.data.TextLineDataset(dataset)") == 2
    assert done["train.py"].new.decode().count(ITERATOR) == 2
    assert [left.code for one in done.values() for left in one.left] == ["QC714"]


EVALUATE = HEAD + "import reader\n\n\ndef main():\n    a, b = reader.inputs(2)\n" + textwrap.indent(PLAIN_LOOP, "    ")
KEPT = TRAIN.format(CALL)
PASSES = HEAD + "import loop\nimport reader\n\na, b = reader.inputs(2)\nloop.run(tf.to_float(a))\n"
RUNS = HEAD + "\n\ndef run(a):\n" + textwrap.indent(PLAIN_LOOP, "    ")
OTHER = "\n\ndef read(name):\n    return tf.TextLineReader().read(tf.train.string_input_producer([name]))\n"
CALLS = "\nimport {0}\n\n{0}.main()\n"
TEST = """\
import tensorflow as tf
import reader


class ReaderTest(tf.test.TestCase):
    def test_one_batch(self):
        with self.test_session() as sess:
            queue = tf.FIFOQueue(9, [tf.int32])
            sess.run(queue.enqueue([2]))
            sess.run(reader.inputs(queue.dequeue()))
"""
SHARED = {
    "a program beside it": ({"train.py": KEPT}, True),
    "a program that passes its batch on": ({"train.py": PASSES, "loop.py": RUNS}, True),
    "a test beside it": ({"test_reader.py": TEST}, True),
    "a function of it is called": ({"train.py": KEPT + CALLS.format("evaluate")}, False),
    "a program that calls both": ({"train.py": KEPT, "main.py": CALLS.format("evaluate") + "import train\n"}, False),
    "a file that it imports": (
        {"train.py": KEPT, "evaluate.py": EVALUATE.replace("reader\n", "reader, train\n")},
        False,
    ),
    "tests of one process": ({"test_a.py": KEPT, "test_b.py": CALLS.format("evaluate")}, False),
    "a function on queues": ({"train.py": KEPT, "reader.py": READER + OTHER}, False),
    "a tensor at the top": ({"train.py": KEPT, "reader.py": READER + "\n\nHALF = tf.constant(0.5)\n"}, False),
}


@pytest.mark.parametrize("case", SHARED)
def test_a_program_becomes_eager_beside_one_that_keeps_its_session(tmp_path: pathlib.Path, case: str) -> None:
    """It kept its session, because the other program uses the same input function."""
    files, is_eager = SHARED[case]
    first = rewritten(tmp_path, "as-dataset", {"reader.py": READER, "evaluate.py": EVALUATE, **files})
    assert (b"iter(reader.inputs(2))" in first["evaluate.py"].new) == is_eager
    assert b"@queuecompat.input_pipeline" in first["reader.py"].new
    kept = [one for name, one in first.items() if name not in ("reader.py", "evaluate.py", "test_b.py", "main.py")]
    assert all(b"import queuecompat.v1 as tf" in one.new for one in kept)
    again = rewritten(tmp_path, "as-dataset", {name: one.new.decode() for name, one in first.items()})
    assert all(one.new == first[name].new for name, one in again.items())


def test_a_session_whose_pipeline_is_left_names_the_file_and_the_reason(tmp_path: pathlib.Path) -> None:
    read = READER.replace("_, line = tf.TextLineReader().read(queue)", "line = parts.read(queue)").replace(
        "as tf\n", "as tf\nimport parts\n"
    )
    parts = HEAD + "def read(queue):\n    return tf.TextLineReader().read(queue)[1]\nREADS = [read]\n"
    files = {"parts.py": parts, "reader.py": read, "train.py": TRAIN.format(CALL)}
    reasons = [found.what for found in rewritten(tmp_path, "tf-data", files)["train.py"].left]
    assert any("together with 'reader.py', where 'parts.read' takes the queue" in one for one in reasons)

"""Pipelines that stand in a function among its other lines: where they stay, and what becomes of the others."""

from __future__ import annotations

import pathlib
import re
import textwrap
from typing import Dict

import pytest

from queuecompat.migrate.rewrite.migrating import Migrated
from queuecompat.migrate.rewrite.within_others import with_own_functions
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server
from tests.migrate.sources import source
from tests.migrate.test_kept_sessions import rewritten

LINES = """\
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    size = 2 + more
    number = tf.string_to_number(line)
    batch = tf.train.batch([number], size)
"""
BUILD = f"""\
import tensorflow as tf


def decoded(line):
    return tf.string_to_number(line)


def build(files, more=0):
{LINES}    weight = tf.Variable(0.5)
    loss = tf.reduce_mean(tf.square(weight * batch - 1))
    return loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)
"""


def apart(text: str) -> str:
    """*text* with its pipelines as functions of their own; "" where none move."""
    found = with_own_functions(source(text), frozenset(), set())
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Something besides the batch is used by other lines.
        ("weight * batch", "weight * batch + number"),
        ("return loss,", "return loss, queue,"),
        ("return loss,", "return (lambda: line), loss,"),
        ("weight = tf.Variable(0.5)", "def weight():\n        return number"),
        # What stays would come in front of what it follows.
        ("    size = 2 + more\n", "    weight = tf.Variable(2)\n    size = 2 + more\n"),
        ("    size = 2 + more\n", "    files = []\n    size = 2 + more\n"),
        ("    size = 2 + more\n", "    size = int(queue is not None)\n    print(size)\n    size = len(files)\n"),
        ("    size = 2 + more\n", "    size = 2 + more\n    files.reverse()\n"),
        ("    size = 2 + more\n", "    import random\n    random.shuffle(files)\n    size = 2 + more\n"),
        ("    size = 2 + more\n", "    import other\n    size = other.size()\n"),
        (
            "    size = 2 + more\n    number = tf.string_to_number(line)\n",
            "    number = decoded(line)\n    decoded.calls = 2\n    size = 2 + more\n",
        ),
        (
            "    size = 2 + more\n    number = tf.string_to_number(line)\n",
            "    size = 2\n    grown = lambda x: x * size\n"
            "    number = grown(tf.string_to_number(line))\n    size = 3\n",
        ),
        # What nothing is known of may make ops, and change anything.
        ("    size = 2 + more\n", "    size = 2 + more\n    more.build()\n"),
        ("    size = 2 + more\n", "    size = 2 + more()\n"),
        ("    size = 2 + more\n", "    from sizes import *\n    size = chosen(more)\n"),
        # A name may have no value where the new function would be called.
        ("    size = 2 + more\n", "    for size in more:\n        print(size)\n"),
        ("    size = 2 + more\n", "    if more:\n        size = 2\n"),
        ("    size = 2 + more\n", "    try:\n        size = int(more)\n    except ValueError:\n        print(more)\n"),
        # All names are seen.
        ("return loss,", "return locals(), loss,"),
        ("    size = 2 + more\n", "    size = 2 + more\n    print('%(files)s' % vars())\n"),
        # It is not in a line of its own.
        ("    batch = tf.train.batch([number], size)\n", "    batch = [tf.train.batch([number], size)][0]\n"),
        ("    batch = tf.train.batch", "    batches[0] = tf.train.batch"),
        ("    queue = tf", "    global queue\n    queue = tf"),
        # The function is a part of a pipeline, or all of one.
        (LINES, "    batch = tf.train.batch(files, 2)\n"),
        (
            "    weight = tf.Variable(0.5)\n    loss = tf.reduce_mean(tf.square(weight * batch - 1))\n"
            "    return loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)\n",
            "    return batch\n",
        ),
    ],
)
def test_a_pipeline_stays_where_its_lines_are_not_apart_from_the_others(old: str, new: str) -> None:
    assert old in BUILD
    assert apart(BUILD.replace(old, new, 1)) == ""
    assert apart(BUILD) != ""


COUNTED = """
COUNT = [1]


def bump():
    COUNT[0] += 1


def build(files):
    rows = tf.train.slice_input_producer([files], shuffle=False)
    row = rows[0] * COUNT[0]
    bump()
    batch = tf.train.batch([row], 2)
    weight = tf.Variable(0.5)
    return weight * batch
"""


def test_a_pipeline_stays_where_a_function_changes_what_its_lines_have_read() -> None:
    """``bump()`` came in front of them."""
    assert apart("import tensorflow as tf\n" + COUNTED) == ""
    assert apart("import tensorflow as tf\n" + COUNTED.replace("COUNT[0] += 1", "print(COUNT)")) != ""


def test_values_of_python_stay_and_are_passed() -> None:
    assert (
        apart(BUILD).partition("\n\n\ndef input")[2]
        == """\
_pipeline(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    number = tf.string_to_number(line)
    return tf.train.batch([number], size)


def build(files, more=0):
    size = 2 + more
    batch = input_pipeline(files, size)
    weight = tf.Variable(0.5)
    loss = tf.reduce_mean(tf.square(weight * batch - 1))
    return loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)
"""
    )


@pytest.mark.parametrize(
    "lines",
    [
        "    if more:\n        size = 2\n    elif files:\n        size = 3\n    else:\n        size = 4\n",
        "    try:\n        size = 2 + more\n    finally:\n        print(more)\n",
        "    size = len(', '.join(sorted(files)).split()) + int(more)\n",
        "    with open('size') as file:\n        size = len(list(file))\n",
    ],
)
def test_what_stays_may_be_a_block_of_known_calls(lines: str) -> None:
    new = apart(BUILD.replace("    size = 2 + more\n", lines))
    assert f"more=0):\n{lines}    batch = input_pipeline(files, size)\n" in new


def test_a_name_of_a_comprehension_is_none_of_the_lines_that_move() -> None:
    names = "    print([line.name for line in tf.trainable_variables()])\n    return loss,"
    assert "def input_pipeline(files, size):" in apart(BUILD.replace("    return loss,", names))


def test_comments_stay_above_their_function() -> None:
    new = apart(BUILD.replace("def build", "# Builds it all.\ndef build"))
    assert "\n\n\ndef input_pipeline(files, size):" in new
    assert "\n\n\n# Builds it all.\ndef build(" in new


def test_a_name_that_lines_change_is_passed_to_them() -> None:
    text = BUILD.replace("queue = tf.train.string_input_producer(files", "files = tf.train.string_input_producer(files")
    new = apart(text.replace("read(queue)", "read(files)"))
    assert "def input_pipeline(files, size):\n    files = tf.train.string_input_producer(files" in new


def test_what_one_branch_assigns_may_come_from_in_front() -> None:
    changed = "    number = tf.string_to_number(line)\n    number = other\n".replace("    number = other\n", "")
    text = BUILD.replace(changed, changed + "    if more:\n        scale = tf.to_float(number)\n")
    text = text.replace("[number]", "[number * scale]").replace("    queue =", "    scale = 1.0\n    queue =")
    assert "def input_pipeline(files, more, scale, size):" in apart(text)


def test_functions_inside_and_checks_of_tensors_move_too() -> None:
    text = BUILD.replace("    number = tf", "    def read(line):\n        return [line]\n\n    number = tf")
    text = text.replace("(line)\n    batch", "(read(line)[0])\n    number.set_shape([])\n    batch")
    made = apart(text).partition("def build")[0]
    assert "    def read(line):" in made and "    number.set_shape([])\n" in made


def test_pipelines_of_one_function_become_one_each() -> None:
    text = BUILD.replace(
        "    weight = tf.Variable(0.5)\n", LINES.replace("batch =", "valid =") + "    weight = valid\n"
    )
    new = apart(text)
    assert (
        "    batch = input_pipeline(files, size)\n    size = 2 + more\n    valid = input_pipeline_(files, size)\n"
        in new
    )


OPENED = ["tf.Graph().as_default()", "tf.name_scope('in'), graph.as_default()", "tf.Session() as session"]


@pytest.mark.parametrize("scope", OPENED)
def test_the_call_of_a_pipeline_stays_in_the_block_of_a_graph(scope: str) -> None:
    lines = "".join(f"    {line}\n" for line in LINES.splitlines())
    new = apart(BUILD.replace(LINES, f"    with {scope}:\n{lines}"))
    assert "def input_pipeline(files, size):\n    queue =" in new
    assert f"    with {scope}:\n        size = 2 + more\n        batch = input_pipeline(files, size)\n    weight" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It begins outside of the block.
        (LINES, LINES.replace("    batch =", "    with tf.Graph().as_default():\n        batch =")),
        # Something besides the batch is used after the block, or in front of a later turn.
        ("weight * batch", "weight * batch + number"),
        ("with tf.Graph().as_default():", "for _ in range(2):"),
        ("with tf.Graph().as_default():", "if more:"),
    ],
)
def test_a_pipeline_that_a_block_does_not_hold_stays_in_it(old: str, new: str) -> None:
    lines = "".join(f"    {line}\n" for line in LINES.splitlines())
    text = BUILD.replace(LINES, f"    with tf.Graph().as_default():\n{lines}") if old != LINES else BUILD
    changed = text.replace(old, new)
    assert changed != text
    assert apart(changed) == ""


def test_a_name_that_a_block_opens_is_passed() -> None:
    lines = "".join(f"    {line}\n" for line in LINES.splitlines())
    text = BUILD.replace(LINES, f"    with open('names') as names, tf.Graph().as_default():\n{lines}")
    new = apart(text.replace("producer(files", "producer(list(names)"))
    assert "def input_pipeline(names, size):" in new
    assert "        batch = input_pipeline(names, size)\n" in new


def test_a_method_keeps_the_call_in_the_block_of_its_graph() -> None:
    lines = "".join(f"            {line.strip()}\n" for line in LINES.replace("batch =", "self.batch =").splitlines())
    head = "import tensorflow as tf\n\n\nclass Model(object):\n    def __init__(self, files, more):\n"
    new = apart(f"{head}        with self.graph.as_default():\n{lines}            self.build()\n")
    assert "            self.batch = self.input_pipeline(files, size)\n            self.build()\n" in new
    assert "    def input_pipeline(self, files, size):\n        queue =" in new


def test_a_pipeline_in_a_block_of_a_module_becomes_a_function_in_front_of_it() -> None:
    lines = LINES.replace("more", "1").replace("files", "FILES")
    text = f"import tensorflow as tf\n\nFILES = []\n# Here.\nwith tf.Graph().as_default():\n{lines}    print(batch)\n"
    new = apart(text)
    assert "FILES = []\n\n\ndef input_pipeline():\n    queue =" in new
    assert "\n\n\n# Here.\nwith tf.Graph().as_default():\n    size = 2 + 1\n    batch = input_pipeline()\n" in new


def test_a_pipeline_that_stays_does_not_keep_the_next_one() -> None:
    second = re.sub(r"\b(queue|line|number|batch)(?= =|\)|\])", r"\1_", LINES)
    text = BUILD.replace("    weight = tf.Variable(0.5)\n", second + "    weight = batch_\n")
    new = apart(text.replace("weight * batch", "weight * batch + number"))
    assert "    batch = tf.train.batch([number], size)\n" in new
    assert "    batch_ = input_pipeline(files, size)\n" in new


@pytest.mark.parametrize("scope", ["tf.name_scope('in')", "tf.device('/cpu:0'), tf.variable_scope('in')"])
def test_a_pipeline_in_a_block_moves_with_it(scope: str) -> None:
    lines = "".join(f"    {line}\n" for line in LINES.splitlines())
    new = apart(BUILD.replace(LINES, f"    with {scope}:\n{lines}"))
    assert f"def input_pipeline(files, more):\n    with {scope}:\n        queue" in new
    assert "        return tf.train.batch([number], size)\n" in new


MODULE = """\
import tensorflow as tf

files = ["a"]
queue = tf.train.string_input_producer(files)
_, line = tf.TextLineReader().read(queue)
batch = tf.train.batch([line], 2)
print(batch)
"""


def test_a_pipeline_of_a_module_becomes_a_function() -> None:
    assert "\n\n\ndef input_pipeline():\n    queue = tf" in apart(MODULE)
    assert "\n\n\nbatch = input_pipeline()\nprint(batch)\n" in apart(MODULE)
    assert apart(MODULE + "\n\ndef size():\n    return queue.size()\n") == ""


def test_a_pipeline_of_several_cells_of_a_notebook_stays_in_them() -> None:
    """The whole notebook was left, because code would have moved from one cell to another (QC745)."""
    assert apart(MODULE.replace("batch = tf", "# queuecompat begins cell 3\nbatch = tf")) == ""
    of_one_cell = apart(MODULE.replace("queue = tf", "# queuecompat begins cell 2\nqueue = tf"))
    assert "\n# queuecompat begins cell 2\ndef input_pipeline():\n    queue = tf" in of_one_cell


@pytest.mark.parametrize(
    "user",
    [
        "import reader\nprint(reader.line.dtype)\n",
        "from reader import batch, line\n",
        "from reader import *\nprint(line.dtype)\n",
        "import reader\nprint(getattr(reader, 'line').dtype)\n",
    ],
)
@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_what_other_files_use_of_a_module_stays_in_it(to: str, user: str, tmp_path: pathlib.Path) -> None:
    """It was an AttributeError or a NameError there."""
    program = (
        "import tensorflow as tf\n{}import reader\ntotal = tf.reduce_sum(tf.string_to_number(reader.batch))\n"
        "with tf.train.MonitoredSession() as sess:\n    print(sess.run(total))\n"
    )
    done = rewritten(tmp_path, to, {"reader.py": MODULE, "train.py": program.format(user)})
    assert "def input_pipeline" not in texts(done)["reader.py"]
    done = rewritten(tmp_path, to, {"reader.py": MODULE, "train.py": program.format("")})
    assert "def input_pipeline" in texts(done)["reader.py"]


def test_names_of_files_that_do_not_import_a_module_are_not_its_own(tmp_path: pathlib.Path) -> None:
    """It stayed where any file of the project had an attribute called ``line``."""
    plots = "import tensorflow as tf\n\n\ndef width(plot):\n    return tf.cast(plot.line, tf.int32)\n"
    session = "with tf.train.Supervisor(logdir=None).managed_session() as sess:\n    print(sess.run(batch))"
    lines = MODULE.partition("\n")[2].replace("print(batch)", session)
    script = "import tensorflow as tf\nwith tf.Graph().as_default():\n" + textwrap.indent(lines, "    ")
    done = rewritten(tmp_path, "tf-data", {"script.py": script, "plots.py": plots})
    assert "def input_pipeline" in texts(done)["script.py"]


# A class whose objects keep batches, and a program with an object of it.
HOLDER = """\
import tensorflow as tf


class Numbers(object):
    \"\"\"Holds batches.\"\"\"

    def __init__(self, files, size=2):
        self.size = size
        self.queue = tf.train.string_input_producer(files, shuffle=False)
        _, line = tf.TextLineReader().read(self.queue)
        self.numbers, self.lines = tf.train.batch([self._decode(line), line], self.size)
        self.ready = True

    def _decode(self, line):
        return tf.string_to_number(line)
"""
USER = """\
import tensorflow as tf
from holder import Numbers


def main():
    data = Numbers(["lines.txt"])
    total = tf.reduce_sum(data.numbers)
    step = tf.train.get_or_create_global_step()
    train = tf.assign_add(step, 1)
    hooks = [tf.train.StopAtStepHook(last_step=3)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            number, lines, _ = sess.run([total, data.lines, train])
            print("%.1f" % number, *lines)


main()
"""


def texts(done: Dict[str, Migrated]) -> Dict[str, str]:
    return {name: one.new.decode() for name, one in done.items()}


@pytest.mark.parametrize("name", ["numbers", "batch"])
@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_objects_that_keep_batches_get_them_of_a_method(
    to: str, name: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """One with an attribute called like its batcher was refused."""
    files = {"holder.py": HOLDER, "train.py": USER}
    files = {file: text.replace(".numbers", f".{name}") for file, text in files.items()}
    done = rewritten(tmp_path, to, files)
    assert [found.code for one in done.values() for found in one.left] == ["QC714"]
    assert "\n    def input_pipeline(self, files):\n" in texts(done)["holder.py"]
    assert "        self.ready = True\n\n" in texts(done)["holder.py"]
    again = rewritten(tmp_path, to, texts(done))
    assert texts(again) == texts(done)
    (tmp_path / "lines.txt").write_text("1\n2\n3\n4\n")
    for name, text in texts(done).items():
        (tmp_path / name).write_text(text)
    ran = server.run(["train.py"], str(tmp_path))
    assert ran.out.splitlines() == ["3.0 b'1' b'2'", "7.0 b'3' b'4'", "3.0 b'1' b'2'"], ran.err


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A part of the pipeline is used elsewhere.
        ("    def _decode", "    def left(self):\n        return self.queue.size()\n\n    def _decode"),
        # It is no method of an object.
        ("    def __init__(self, files", "    @staticmethod\n    def __init__(self, files"),
    ],
)
def test_what_an_object_shows_of_its_pipeline_stays_where_it_is(
    to: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    done = rewritten(tmp_path, to, {"holder.py": HOLDER.replace(old, new), "train.py": USER})
    assert all(one.is_comment or one.old == one.new for one in done.values())


def test_a_function_that_is_a_pipeline_already_is_not_divided(tmp_path: pathlib.Path) -> None:
    """In a file of which something else is left."""
    whole = BUILD.partition("    weight")[0].replace("build", "inputs") + "    return batch * 2\n"
    program = (
        whole + BUILD.partition("\n\n\n")[2] + "\n\nwith tf.Session() as sess:\n    a = inputs(['a'])\n"
        "    loss, train = build(['a'])\n    tf.train.start_queue_runners(sess)\n    print(sess.run([loss, a]))\n"
    )
    [done] = rewritten(tmp_path, "as-dataset", {"train.py": program}).values()
    text = done.new.decode()
    assert text.count("@queuecompat.input_pipeline") == text.count("def input_pipeline") + 1
    assert "    return batch * 2\n" in text and parsed("train.py", text)


def test_what_is_said_of_a_new_function_is_said_at_its_lines(tmp_path: pathlib.Path) -> None:
    """It was at the first line of the file, and named a part of a pipeline that is not translated."""
    program = BUILD.replace("return loss, tf", "return loss * size, tf").replace("build(files", "inputs(files")
    program = program.replace("    return loss * size, tf.train", "    return weight * batch\n    tf.train")
    program += "\n\nout = inputs(['lines.txt'])\nwith tf.train.MonitoredSession() as sess:\n    print(sess.run(out))\n"
    [done] = rewritten(tmp_path, "tf-data", {"train.py": program}).values()
    batch = program.split("\n").index("    batch = tf.train.batch([number], size)") + 1
    assert ("QC714", batch) in [(found.code, found.line) for found in done.left]
    assert any("'input_pipeline' already returns a batch" in found.what for found in done.left)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_files_between_those_of_a_program_do_not_keep_its_pipelines_on_queues(to: str, tmp_path: pathlib.Path) -> None:
    """One whose names both versions have was taken for a program of TensorFlow 2."""
    between = "import tensorflow as tf\nimport holder\n\n\nclass Numbers(holder.Numbers):\n    kind = tf.float32\n"
    files = {"holder.py": HOLDER, "between.py": between, "train.py": USER.replace("holder", "between")}
    done = rewritten(tmp_path, to, files)
    assert "input_pipeline(self, files)" in texts(done)["holder.py"]
    for line in ("\n\nif __name__ == '__main__':\n    print(Numbers.kind)\n", "    step = tf.function(print)\n"):
        done = rewritten(tmp_path, to, {**files, "between.py": between + line})
        assert all(one.is_comment or one.old == one.new for one in done.values())


def test_what_follows_a_batch_stays_in_its_function(tmp_path: pathlib.Path, server: Server) -> None:
    """A summary in an input function left its pipeline on queues."""
    program = (
        BUILD.partition("    weight")[0].replace("build", "inputs")
        + "    tf.summary.scalar('first', batch[0])\n    return batch\n\n\n"
        "numbers = inputs(['lines.txt'])\nmerged = tf.summary.merge_all()\nwith tf.Session() as sess:\n"
        "    tf.train.start_queue_runners(sess)\n    for _ in range(2):\n"
        "        print(len(sess.run(merged)) > 9, sess.run(numbers).tolist())\n"
    )
    [done] = rewritten(tmp_path, "tf-data", {"train.py": program}).values()
    text = done.new.decode()
    assert [found.code for found in done.left] == ["QC714"]
    assert "    batch = tf.data.make_one_shot_iterator(dataset).get_next()\n    tf.summary" in text
    (tmp_path / "lines.txt").write_text("1\n2\n3\n4\n")
    (tmp_path / "train.py").write_text(text)
    ran = server.run(["train.py"], str(tmp_path))
    assert ran.out == "True [3.0, 4.0]\nTrue [3.0, 4.0]\n", ran.err


BASE = """import tensorflow as tf


class Model(object):
    def __init__(self, size):
        self.size = size
        row = tf.train.slice_input_producer([[1, 2, 3, 4]], shuffle=False)[0]
        self.numbers = tf.train.batch([row], self.size)
        self.weight = tf.get_variable("weight", [], tf.int32, tf.ones_initializer())
"""
DERIVED = """import tensorflow as tf
import MODULE


class Model(MODULE.Model):
    def __init__(self, size):
        super(Model, self).__init__(size)
        row = tf.train.slice_input_producer([[NUMBER, 6, 7, 8]], shuffle=False)[0]
        self.others_NUMBER = tf.train.batch([row], self.size)
        self.scale = tf.get_variable("scale_NUMBER", [], tf.int32, tf.ones_initializer())
"""
MAIN = """import tensorflow as tf
import last

model = last.Model(2)
step = tf.train.get_or_create_global_step()
more = tf.assign_add(step, 1)
batches = [model.numbers * model.weight, model.others_5, model.others_50]
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=1)]) as sess:
    while not sess.should_stop():
        print([batch.tolist() for batch in sess.run([*batches, more])[:3]])
"""


def test_classes_that_inherit_from_each_other_get_methods_of_different_names(
    tmp_path: pathlib.Path, server: Server
) -> None:
    """The method of the last one stood for those of all: each batch was its batch, without a word."""
    files = {
        "first.py": BASE,
        "middle.py": DERIVED.replace("MODULE", "first").replace("NUMBER", "5"),
        "last.py": DERIVED.replace("MODULE", "middle").replace("NUMBER", "50"),
        "main.py": MAIN,
    }
    done = texts(rewritten(tmp_path, "as-dataset", files))
    names = [re.findall(r"def (\w+)\(self\):", done[f"{name}.py"]) for name in ("first", "middle", "last")]
    assert names == [["input_pipeline"], ["model_input_pipeline_"], ["model_input_pipeline"]]
    for name, text in done.items():
        (tmp_path / name).write_text(text)
    ran = server.run(["main.py"], str(tmp_path))
    assert ran.out == "[[1, 2], [5, 6], [50, 6]]\n", ran.err

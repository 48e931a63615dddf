"""Blocks whose model stays a graph: what is refused, the text, and that a run draws and computes what a session did."""

from __future__ import annotations

import pathlib
import textwrap
from typing import Dict

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server
from tests.migrate.forms import of_form, output
from tests.migrate.sources import migrated, source

# Enough for the statement-by-statement form to refuse the block.
IN_GRAPH = "tf.add_to_collection('all', batch)\n"
# A training op that counts its steps.
TRAINED = (
    "w = tf.Variable(1.0)\ncount = tf.Variable(0, trainable=False)\nloss = tf.reduce_mean(tf.to_float(batch)) * w\n"
    "op = tf.train.GradientDescentOptimizer(0.5).minimize(loss, count)"
)
BASED = (
    "class Base(object):\n    def dense(self, x):\n        return tf.layers.dense(x, 2)\n"
    "class Model(Base):\n    def __init__(self, x):\n        self.h = self.dense(x)"
)
FED = "p = tf.placeholder(tf.float32)\nq = tf.placeholder_with_default(3.0, [])\ntotal = p + q"


@pytest.mark.parametrize(
    "parts",
    [
        # Its random state would be one for each part of the graph.
        {"middle": IN_GRAPH + "h = tf.random_uniform([], seed=1)", "loop": "sess.run(h)\n    sess.run([h, batch])"},
        {"middle": IN_GRAPH + "tf.set_random_seed(1)"},
        # Tensors have no hash, and layers of Keras keep their variables elsewhere.
        {"middle": IN_GRAPH + "both = set(tf.get_collection('all'))"},
        {"middle": IN_GRAPH + "h = tf.layers.dense(tf.to_float(batch), 2)", "loop": "sess.run(h)"},
        # Nothing is left to merge.
        {"middle": IN_GRAPH + "merged = tf.summary.merge_all()", "loop": "sess.run([merged, batch])"},
        # The graph's tensors are not there outside of it.
        {"middle": IN_GRAPH + "n = batch + 1\nother = tf.train.batch([n], 2)", "loop": "sess.run(other)"},
        {"middle": IN_GRAPH + "init = tf.global_variables_initializer()", "loop": "sess.run([init, batch])"},
        {"middle": IN_GRAPH + "h = batch + 1", "top": "def shown():\n    print(h)"},
        {"middle": IN_GRAPH + "h = batch + 1", "loop": "print(h.name, sess.run(h))"},
        # A name of the function is not that of the block.
        {"middle": IN_GRAPH + "n = 1\nn = n * batch", "loop": "sess.run(n)"},
        {"middle": IN_GRAPH + "n = 1\nif n:\n    n = n * batch", "loop": "sess.run(n)"},
        {"middle": "n = 1\n" + IN_GRAPH + "h = batch * n\nn = 2", "loop": "sess.run(h)"},
        # Functions that build the graph would come after it.
        {"top": "n = 1\ndef net(x):\n    return x * n", "middle": IN_GRAPH + "h = net(batch)\nn = 2"},
        {"top": "n = 0\ndef net():\n    global n\n    n += 1", "middle": "a = batch + net()\n" + IN_GRAPH + "print(n)"},
        {"top": "def net(x):\n    c.n = 5\n    return x", "middle": IN_GRAPH + "h = net(batch)\nprint(c.n)"},
        # So is a base of a class.
        {"top": BASED, "middle": IN_GRAPH + "m = Model(batch)", "loop": "sess.run(m.h)"},
        # What only a run of the program knows.
        {"middle": IN_GRAPH, "loop": "sess.run([batch for _ in range(2)])"},
        {"middle": IN_GRAPH, "loop": "sess.run(tf.shape(batch))"},
        {"middle": IN_GRAPH, "loop": "batch = sess.run(batch)"},
        {"middle": IN_GRAPH + "x = tf.placeholder(tf.float32)", "loop": "sess.run(x, feeds)"},
        {"middle": IN_GRAPH + "x = tf.placeholder(tf.int32)", "loop": "sess.run(x, {x: 2.5})"},
        # Which of both comes first is not the graph's to say.
        {"middle": IN_GRAPH + "w = tf.Variable(1)\nup = tf.assign_add(w, 1)", "loop": "sess.run([up, w])"},
        {"middle": IN_GRAPH + TRAINED, "loop": "sess.run([op, w])"},
        {"middle": IN_GRAPH + TRAINED, "loop": "sess.run([op, count + 1])"},
        {"middle": IN_GRAPH + TRAINED, "loop": "sess.run([op, count, w])"},
        # It is not known what is fed.
        {"middle": IN_GRAPH + FED, "loop": "f = {p: 1.0}\n    f[q] = 2.0\n    sess.run(total, f)"},
        {"middle": IN_GRAPH + FED, "loop": "f = {p: 1.0}\n    f = {q: 1.0}\n    sess.run(total, f)"},
        {"middle": IN_GRAPH + FED, "loop": "f = {p: 1.0, **more}\n    sess.run(total, f)"},
        {"middle": IN_GRAPH + FED, "loop": "f = {p: sess.run(total)}\n    print(f)\n    sess.run(total, f)"},
        {"middle": IN_GRAPH + FED, "loop": "f = {p: total}\n    sess.run(total, f)"},
        {"middle": IN_GRAPH + FED + "\nf = {p: total, q: 1.0}", "loop": "sess.run(total, f)"},
        {"middle": IN_GRAPH, "end": "sess.run(batch)"},
        {"middle": IN_GRAPH + "saver = tf.train.Saver()", "loop": "saver.save(sess, name, global_step=batch)"},
        {"middle": IN_GRAPH, "loop": "tf.train.Saver().save(sess, 'model')"},
        {"middle": IN_GRAPH + "s = tf.train.Scaffold()"},
    ],
)
def test_what_a_function_of_the_graph_would_change_stays_in_its_session(parts: Dict[str, str]) -> None:
    text = of_form(**parts)
    found = TARGETS["as-dataset"](source(text))
    [left] = found.left
    assert left.code == "QC743" and "wrap_function" not in found.text


def test_a_global_name_that_the_graph_sets_stays_one() -> None:
    """It became a name of the function that builds the graph, and kept the value from before."""
    top, batch, rest = of_form(top="n = 0", middle=IN_GRAPH + "n = batch + 1", loop="sess.run(n)").partition("batch = ")
    text = top + "def main():\n    global n\n" + textwrap.indent(batch + rest, "    ") + "main()\nprint(n)\n"
    found = TARGETS["as-dataset"](source(text))
    assert found.left and "wrap_function" not in found.text


def test_the_graph_is_built_by_a_function_and_each_run_is_a_part_of_it() -> None:
    middle = "# Wanted later.\n" + IN_GRAPH + "total = tf.add_n(tf.get_collection('all'))\nn = 3"
    new = migrated(
        of_form(middle=middle, loop="value, _ = sess.run([total, batch])\n    sess.run(total)"), "as-dataset"
    )
    begin = new.index("batches = iter")
    assert (
        new[begin:]
        == """\
batches = iter(inputs())
n = 3
made = {}


def fetched(values):
    return tf.nest.map_structure(lambda one: one if isinstance(one, tf.Operation) else tf.identity(one), values)


def as_numpy(values):
    return tf.nest.map_structure(lambda one: one.numpy() if isinstance(one, tf.Tensor) else one, values)


def build():
    batch = batches.get_next()
    # Wanted later.
    tf.add_to_collection('all', batch)
    total = tf.add_n(tf.get_collection('all'))
    made["run_graph"] = [], fetched([total, batch])
    made["run_graph_2"] = [], fetched(total)


model_graph = tf.wrap_function(build, [])
run_graph = model_graph.prune(*made["run_graph"])
run_graph_2 = model_graph.prune(*made["run_graph_2"])
for step in range(2):
    value, _ = as_numpy(run_graph())
    run_graph_2()

"""
    )
    assert migrated(new, "as-dataset") == new


def test_a_model_in_another_file_that_a_function_cannot_build_stays_in_its_session() -> None:
    main = of_form(top="import model", middle="h = model.scores(batch)", loop="sess.run(h)")
    for body, stays in (
        ("    return tf.get_variable('w', [], tf.int32, tf.ones_initializer()) * x", False),
        ("    return tf.Variable(tf.ones([], tf.int32)) * x", False),
        ("    with tf.variable_scope('a', initializer=tf.random_uniform_initializer(seed=1)):\n        return x", True),
    ):
        helper = f"import tensorflow as tf\ndef scores(x):\n{body}\n"
        sources = [parsed("/program/main.py", main), parsed("/program/model.py", helper)]
        found = rewritten_together(sources, "as-dataset")
        assert ("wrap_function" in found[sources[0]].text) is not stays
        assert ("import_graph_def" in found[sources[0]].text) is ("Variable(" in body)
        assert bool(found[sources[0]].left) is stays


@pytest.mark.parametrize("call", ["model.scores(batch)", "own(batch)"])
def test_what_functions_of_a_model_call_in_a_third_file_is_looked_at_too(call: str) -> None:
    top = "import model\ndef own(x):\n    return model.scores(x)"
    main = of_form(top=top, middle=IN_GRAPH + f"h = {call}", loop="sess.run(h)")
    helper = "import tensorflow as tf\nimport dense\ndef scores(x):\n    return inner(x)\ndef inner(x):\n"
    helper += "    return dense.layer(tf.get_variable('w', []) * tf.to_float(x))\n"
    for body, stays in (("tf.exp(x)", False), ("tf.layers.dense(x, 1)", True)):
        layer = f"import tensorflow as tf\ndef layer(x):\n    return {body}\n"
        texts = {"main.py": main, "model.py": helper, "dense.py": layer}
        sources = [parsed(f"/program/{name}", text) for name, text in texts.items()]
        found = rewritten_together(sources, "as-dataset")
        assert ("wrap_function" in found[sources[0]].text) is not stays


def test_a_run_draws_what_it_depends_on_and_may_stand_in_any_expression(tmp_path: pathlib.Path, server: Server) -> None:
    middle = IN_GRAPH + (
        "w = tf.get_variable('w', [], initializer=tf.ones_initializer())\n"
        "count = tf.assign_add(w, 1.0 + tf.Variable(lambda: tf.zeros([])))\nother = inputs()\ntens = other * 10\n"
        "saver = tf.train.Saver()\nlate = tf.get_variable('late', [], initializer=tf.zeros_initializer())"
    )
    loop = (
        "print([sess.run(batch).tolist() for _ in range(2)], sess.run(tens).tolist())\n"
        "    while sess.run(count) < 3:\n        print('counted', float(sess.run({'w': w})['w']))"
    )
    end = "print(sorted(name for name, _ in tf.train.list_variables(saver.save(sess, './model'))))"
    old = of_form(middle=middle, loop=loop).replace("coord.request_stop", end + "\ncoord.request_stop")
    new = migrated(old, "as-dataset")
    assert "Session" not in new
    assert output(server, new, tmp_path).splitlines() == [
        "[[0, 1, 2], [3, 4, 5]] [0, 10, 20]",
        "counted 2.0",
        "[[6, 7, 8], [0, 1, 2]] [30, 40, 50]",
        "['Variable', 'w']",
    ]


def test_a_step_that_is_fetched_beside_the_training_op_is_the_one_after_it(
    tmp_path: pathlib.Path, server: Server
) -> None:
    loop = "print(sess.run({'op': op, 'count': count, 'loss': loss})['count'])"
    for middle in (TRAINED, IN_GRAPH + TRAINED):
        new = migrated(of_form(middle=middle, loop=loop), "as-dataset")
        assert "Session" not in new and ("wrap_function" in new) is (middle is not TRAINED)
        assert output(server, new, tmp_path).splitlines() == ["1", "2"]


@pytest.mark.parametrize(
    ("top", "middle", "fetch"),
    [
        ("def build():\n    {0}\n    return op, count", "op, n = build()", "[op, n]"),
        ("def build():\n    {0}\n    return {{'op': op, 'step': count}}", "ops = build()", "ops"),
        ("def build():\n    {0}\n    return op, {{'step': count}}", "op, ops = build()", "[ops['step'], op]"),
        ("class Model(object):\n    def __init__(self):\n        {1}", "m = Model()", "[m.op, m.loss, m.count]"),
    ],
)
def test_a_step_that_no_name_of_the_block_has_is_the_one_after_the_training_op(
    top: str, middle: str, fetch: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """It was the one before."""
    lines = TRAINED.replace("tf.to_float(batch)", "tf.to_float(tf.ones([2]))")
    own = "; ".join(lines.split("\n")) + "; self.op, self.loss, self.count = op, loss, count"
    top = top.format(lines.replace("\n", "\n    "), own)
    loop = f"print([one for one in __import__('tensorflow').nest.flatten(sess.run({fetch})) if one is not None][-1])"
    old = of_form(top=top, middle=IN_GRAPH + middle, loop=loop)
    new = migrated(old, "as-dataset")
    assert "wrap_function" in new
    assert output(server, new, tmp_path).splitlines() == ["1", "2"]


def test_dicts_of_fed_values_have_names_for_keys(tmp_path: pathlib.Path, server: Server) -> None:
    loop = "f = {p: step + 1.0}\n    print(sess.run([total, batch], feed_dict=f)[0])"
    new = migrated(of_form(middle=IN_GRAPH + FED, loop=loop), "as-dataset")
    assert 'f = {"p": step + 1.0}\n' in new and 'run_graph(tf.constant(f["p"], tf.float32))' in new
    assert output(server, new, tmp_path).splitlines() == ["4.0", "5.0"]
    before = new.replace("for step", 'f = {"p": 1.0}\nfor step').replace('    f = {"p": step + 1.0}\n', "")
    assert migrated(
        of_form(middle=IN_GRAPH + FED + "\nf = {p: 1.0}", loop=loop[loop.index("print") :]), "as-dataset"
    ) == (before.replace('f = {"p": 1.0}\nfor', "for").replace("made = {}", 'f = {"p": 1.0}\nmade = {}'))


# What TensorFlow 1.15.5 prints for the first value of a uniform initializer with the seed 1: it is that of both.
SHARED = (
    "start = tf.random_uniform_initializer(seed=1)\n"
    "with tf.variable_scope('a', initializer=start):\n    v, w = tf.get_variable('v', []), tf.get_variable('w', [])\n"
)


# The same in a method that is called twice.
OF_METHOD = (
    "class Model(object):\n    def made(self, name):\n"
    "        return tf.get_variable(name, [], initializer=tf.random_uniform_initializer(seed=1))"
)
BY_METHOD = "model = Model()\nv, w = model.made('v'), model.made('w')\n"


@pytest.mark.parametrize(("top", "middle"), [("", SHARED), (OF_METHOD, BY_METHOD)])
def test_variables_that_share_a_seed_begin_with_the_same_value_as_in_a_graph(
    top: str, middle: str, tmp_path: pathlib.Path, server: Server
) -> None:
    loop = "print('%.6f' % sess.run(v), '%.6f' % sess.run(w))"
    new = migrated(of_form(top=top, middle=IN_GRAPH + middle, loop=loop), "as-dataset")
    assert output(server, new, tmp_path).splitlines() == ["0.239037 0.239037"] * 2


WEIGHTS = "def weight(shape):\n    first = tf.random_uniform(shape, seed=1)\n    return tf.Variable(first)\n"


@pytest.mark.parametrize(
    ("top", "middle", "values"),
    [
        ("", "w = tf.Variable(tf.zeros([]) + 2)", "2.000000"),
        ("", "w = tf.get_variable('w', initializer=tf.ones([]))", "1.000000"),
        ("", "first = tf.ones([])\nfirst *= 3\nw = tf.Variable(first)", "3.000000"),
        ("import numpy as np", "w = tf.Variable(np.float32(3.0))", "3.000000"),
        (WEIGHTS, "v = weight([])\nw = weight([])", "0.239037"),  # as TensorFlow 1.15.5 has it
    ],
)
def test_a_variable_may_begin_with_a_tensor_of_the_graph(
    top: str, middle: str, values: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """'could not be lifted out of a tf.function' ended the rewritten program, or the session stayed."""
    loop = "print('%.6f' % sess.run(w))\n    sess.run(batch)"
    new = migrated(of_form(top=top, middle=IN_GRAPH + middle, loop=loop), "as-dataset")
    assert "Session" not in new and ("import_graph_def" in new) is ("np" not in top)
    assert output(server, new, tmp_path).splitlines() == [values] * 2


MODEL = (
    "class Base(object):\n    def weight(self, value):\n        return tf.Variable(value)\n"
    "class Model(Base):\n    def __init__(self, x):\n        self.build(x)\n"
    "    def build(self, x):\n        self.w = self.weight(2.0)\n"
    "        self.loss = tf.reduce_sum(tf.square(self.w * x - 1.0))\n"
    "        self.train_op = tf.train.GradientDescentOptimizer(0.01).minimize(self.loss)\n"
    "        return self.loss\n    @property\n    def total(self):\n        return self.loss * 10\n"
)


@pytest.mark.parametrize(
    ("middle", "loop"),
    [
        ("model = Model(tf.to_float(batch))", "_, v = sess.run([model.train_op, model.total])\n    print(v)"),
        ("model = Model(tf.to_float(batch))\nloss = model.loss", "print(sess.run({'v': loss})['v'])"),
        ("model = Model()\nmodel.build(tf.to_float(batch))", "print(sess.run([model.loss, model.train_op])[0])"),
        ("model = Model()\nloss = model.build(tf.to_float(batch))", "print(sess.run([loss, model.total]))"),
    ],
)
def test_a_model_that_is_an_object_is_built_in_the_graph_of_a_function(
    middle: str, loop: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """'Model' was said to change what is outside of it, or to be unknown in another file."""
    text = (
        MODEL if "Model()" not in middle else MODEL.replace("self, x):\n        self.build(x)", "self):\n        pass")
    )
    old = of_form(top=text, middle=middle, loop=loop)
    in_sessions = output(server, old.replace("tensorflow", "queuecompat.v1"), tmp_path)
    new = migrated(old, "as-dataset")
    assert "wrap_function" in new and output(server, new, tmp_path) == in_sessions
    # The same in files of their own.
    base, kind = text.split("class Model", 1)
    texts = {
        "program.py": of_form(top="from model import Model", middle=middle, loop=loop),
        "model.py": f"import tensorflow as tf\nfrom base import Base\nclass Model{kind}",
        "base.py": f"import tensorflow as tf\n{base}",
    }
    sources = [parsed(f"/program/{name}", text) for name, text in texts.items()]
    for one, found in rewritten_together(sources, "as-dataset").items():
        assert not found.left
        (tmp_path / pathlib.Path(one.file).name).write_text(found.text)
    assert output(server, (tmp_path / "program.py").read_text(), tmp_path) == in_sessions


def test_what_functions_of_other_files_set_is_not_read_before_they_do() -> None:
    model = "import tensorflow as tf\ncount = 0\ndef net(x):\n    global count\n    count += 1\n    return x * count\n"
    for line, stays in (("print(model.count)", True), ("print(model.other)", False)):
        middle = IN_GRAPH + f"h = model.net(batch)\n{line}"
        main = of_form(top="import model", middle=middle, loop="sess.run(h)")
        sources = [parsed("/program/main.py", main), parsed("/program/model.py", model)]
        found = rewritten_together(sources, "as-dataset")[sources[0]]
        assert ("wrap_function" in found.text) is not stays
        assert not stays or "'count' is set by functions that build the graph" in found.left[0].what


DROPPED = "m = Model(batch)\nn = batch + 1"


@pytest.mark.parametrize(
    ("model", "middle"),
    [
        # Its seed would be that of two variables.
        ("    def __init__(self, x):\n        a, b = self.made('a'), self.made('b')\n", "m = Model(batch)"),
        ("    def __init__(self, x):\n        self.made('a')\n", "m, n = Model(batch), Model(batch)"),
        ("    def __init__(self, x):\n        self.x = x\n", "m = Model(batch)\na, b = m.made('a'), m.made('b')"),
        # Its random state would be one for each part of the graph.
        ("    def __init__(self, x):\n        self.h = tf.nn.dropout(tf.to_float(x), 0.5, seed=1)\n", DROPPED),
        # A base of it has layers.
        ("    def __init__(self, x):\n        self.h = self.dense(x)\n", "m = Model(batch)"),
    ],
)
def test_a_class_of_another_file_that_a_function_cannot_build_stays_in_its_session(model: str, middle: str) -> None:
    loop = "sess.run(batch)" if middle != DROPPED else "sess.run(m.h)\n    sess.run([m.h, n])"
    made = "    def made(self, n):\n        return tf.get_variable(n, [], initializer=tf.ones_initializer(seed=1))\n"
    texts = {
        "main.py": of_form(top="from model import Model", middle=middle, loop=loop),
        "model.py": f"import tensorflow as tf\nfrom base import Base\nclass Model(Base):\n{model}{made}",
        "base.py": "import tensorflow as tf\nclass Base(object):\n    def dense(self, x):\n"
        "        return tf.layers.dense(x, 1)\n",
    }
    texts["model.py"] = texts["model.py"].replace("ones_initializer", "random_uniform_initializer")
    sources = [parsed(f"/program/{name}", text) for name, text in texts.items()]
    assert "wrap_function" not in rewritten_together(sources, "as-dataset")[sources[0]].text


def test_a_name_for_what_nothing_reads_is_none_of_a_batch() -> None:
    """QC743 said that 'images, _ = inputs()' makes a tensor that '_, loss = sess.run(...)' uses."""
    top = "def pairs():\n    return tf.train.batch([tf.train.range_input_producer(9).dequeue(), 1], 3)\n"
    middle, loop = "real, _ = pairs()\n{}total = tf.reduce_sum(real)", "_, value = sess.run([real, total])"
    for line in ("", IN_GRAPH.replace("batch", "real")):
        text = of_form(top=top, middle=middle.format(line), loop=loop).replace("batch = inputs()\n", "")
        new = migrated(text, "as-dataset")
        assert "Session" not in new and ("wrap_function" in new) is bool(line)
        assert "Session" in TARGETS["as-dataset"](source(text + "print(_)\n")).text or not line


TRAINER = (
    "class Trainer(object):\n    def __init__(self, model):\n        self.model = model\n"
    "    def train(self):\n        batch = inputs()\n        self.model.build(tf.to_float(batch))\n"
    "        with tf.Session() as sess:\n            sess.run(tf.global_variables_initializer())\n"
    "            tf.train.start_queue_runners(sess)\n            for _ in range(2):\n"
    "                print(sess.run([self.model.train_op, self.model.total])[1])\n"
)


def test_an_object_that_a_trainer_is_given_is_of_a_class_of_the_program(tmp_path: pathlib.Path, server: Server) -> None:
    inputs = of_form().partition("\nbatch")[0]
    model = MODEL.replace("self, x):\n        self.build(x)", "self):\n        pass")
    texts = {
        "trainer.py": f"{inputs}\n{TRAINER}",
        "model.py": f"import tensorflow as tf\n{model}",
        "program.py": "import model, trainer\ntrainer.Trainer(model.Model()).train()\n",
    }
    for files in (texts, {name: text for name, text in texts.items() if name != "model.py"}):
        sources = [parsed(f"/program/{name}", text) for name, text in files.items()]
        found = rewritten_together(sources, "as-dataset")
        assert ("wrap_function" in found[sources[0]].text) is ("model.py" in files)
        if "model.py" in files:
            assert "tensorflow.compat.v1" in found[sources[1]].text
            for one in sources:
                (tmp_path / pathlib.Path(one.file).name).write_text(found[one].text)
    whole = f"{inputs}\n{model}{TRAINER}Trainer(Model()).train()\n".replace("tensorflow", "queuecompat.v1")
    (tmp_path / "old").mkdir()
    assert output(server, texts["program.py"], tmp_path) == output(server, whole, tmp_path / "old")


def test_variables_of_two_optimizers_have_the_names_of_a_graph(tmp_path: pathlib.Path, server: Server) -> None:
    middle = IN_GRAPH + (
        "w = tf.Variable(1.0, name='w')\nloss = tf.reduce_mean(tf.to_float(batch) * w)\n"
        "a = tf.train.AdamOptimizer(0.1).minimize(loss)\nb = tf.train.AdamOptimizer(0.2).minimize(loss * 2)\n"
        "saver = tf.train.Saver()"
    )
    end = "print(*sorted(name for name, _ in tf.train.list_variables(saver.save(sess, './model'))))"
    old = of_form(middle=middle, loop="sess.run([a, loss])").replace("coord.request_stop", end + "\ncoord.request_stop")
    new = migrated(old, "as-dataset")
    assert "Session" not in new
    # As TensorFlow 1.15.5 has them.
    slots = ["w/Adam", "w/Adam_1", "w/Adam_2", "w/Adam_3"]
    assert output(server, new, tmp_path).split() == [
        "beta1_power", "beta1_power_1", "beta2_power", "beta2_power_1", "w", *slots
    ]  # fmt: skip


def test_arguments_of_a_writer_and_of_a_saver_may_be_on_lines_of_their_own() -> None:
    """It used to stop with libcst's ParserSyntaxError."""
    middle = IN_GRAPH + (
        "writer = tf.summary.FileWriter('logs',  # of this run\n"
        "    graph=tf.get_default_graph(),\n    flush_secs=9,\n)\n"
        "saver = tf.train.Saver(\n    tf.global_variables(),  # all\n    max_to_keep=3  # of them\n)"
    )
    new = migrated(of_form(middle=middle), "as-dataset")
    assert "writer = tf.summary.FileWriter('logs', model_graph.graph, flush_secs=9)\n" in new
    assert 'saver = tf.train.Saver(made["saver"], max_to_keep=3)\n' in new


def test_a_second_optimizer_is_named_where_it_is_and_not_in_the_file_of_the_model() -> None:
    """The comment used to stand at the call of the model, and to say that the optimizers were in its file."""
    model = "import tensorflow as tf\ndef net(x):\n    return tf.to_float(x) * tf.get_variable('w', [])\n"
    middle = (
        "loss = tf.reduce_mean(model.net(batch))\n"
        + IN_GRAPH
        + (
            "a = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)\n"
            "b = tf.train.MomentumOptimizer(1.0, 0.9).minimize(loss)"
        )
    )
    text = "import model\n" + of_form(middle=middle, loop="sess.run([a, b])")
    sources = [parsed("/program/train.py", text), parsed("/program/model.py", model)]
    [found] = [one for one in rewritten_together(sources, "as-dataset")[sources[0]].left if one.code == "QC714"]
    assert "there is a second training op" in found.what and "model.py" not in found.what
    assert text.splitlines()[found.line - 1].startswith("b = ")

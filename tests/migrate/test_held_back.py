"""``--to as-dataset`` where a rewrite would give other values: it holds back, or writes what TensorFlow 1 did."""

from __future__ import annotations

import re
from typing import Dict

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.forms import of_form, without_graphs
from tests.migrate.sources import migrated, source

# An input function that gives more than its batch.
BESIDES = """
def both(n):
    batch = inputs()
    return {}
"""
TRAINED = "w = tf.Variable(1.)\nloss = tf.reduce_mean(batch * w)\nop = tf.train.AdamOptimizer().minimize(loss)\n"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        # The tape would follow another loss.
        ({"middle": TRAINED + "loss = loss * 100", "loop": "sess.run([op, loss])"}, "the loss that is minimized"),
        ({"middle": TRAINED + "both = [op, loss]", "loop": "sess.run(both)"}, "training op outside"),
        # What begins anew.
        ({"end": "with tf.Session() as sess:\n    print(sess.run(batch))"}, "second session"),
        ({"loop": "with tf.Session() as s:\n        print(s.run(batch))"}, "second session"),
        ({"end": "sess.run(tf.global_variables_initializer())"}, "initialized again"),
        ({"middle": "init = tf.local_variables_initializer()", "end": "init.run()"}, "initialized again"),
        ({"loop": "sess.run(tf.local_variables_initializer())\n    sess.run(batch)"}, "initialized again"),
        # Told that the variables are initialized again.
        (
            {"middle": "init = tf.local_variables_initializer()\nsess.run(init, {scale: 2})\nsess.run(init)"},
            "the run of the initializers has further arguments, such as a feed",
        ),
        # What gets the session.
        (
            {"top": "def save(session):\n    print(session)", "loop": "sess.run(batch)\n    save(sess)"},
            "it uses 'sess', the session or the coordinator, other than to start, run and stop: write here what",
        ),
        # What leaves the whole program in a graph.
        ({"end": "def main():\n    if x: tf.disable_v2_behavior()"}, "turns eager execution off"),
        # What a pipeline makes for itself.
        (
            {
                "top": "q = tf.train.range_input_producer(9)\nimport numpy as np\nb = tf.train.batch([q.dequeue()], 2)",
                "loop": "print(np.mean(sess.run(b)))",
            },
            "'np' belongs to a pipeline, but is also used outside the pipeline: if it is a tensor",
        ),
        # Two batches, which a graph draws apart.
        ({"middle": "b, c = tf.train.batch([x], 2), tf.train.batch([y], 2)"}, "more than one batch"),
        ({"middle": "bs = [tf.train.batch([q], 2) for q in qs]"}, "more than one batch"),
        (
            {"top": "def two():\n    a = inputs()\n    b = inputs()\n    return a, b", "middle": "c, d = two()"},
            "more than",
        ),
        # What a pipeline gives besides its batch: TensorFlow 1 draws none for it.
        (
            {"top": BESIDES.format("batch, tf.constant(1)"), "middle": "c, d = both(3)"},
            "'tf.constant(1)' does not come from a",
        ),
        ({"top": BESIDES.format("batch, 10"), "middle": "c, d = both(3)"}, "'10' does not come from a batcher"),
        ({"top": BESIDES.format("batch, n // 2"), "middle": "c, d = both(3)"}, "'n // 2' does not come from a batcher"),
        (
            {"top": BESIDES.format("batch, tf.Variable(1)"), "middle": "c, d = both(3)"},
            "'tf.Variable(1)' does not come",
        ),
        (
            {"top": BESIDES.format("{'rows': batch, 'n': n}"), "middle": "c = both(n=3)"},
            "'n' does not come from a batcher",
        ),
        (
            {"top": BESIDES.format("dict(zip(['rows', 'n'], [batch, n]))"), "middle": "c = both(n=3)"},
            "'n' does not come from a batcher",
        ),
        (
            {"top": BESIDES.format("list(zip(['rows'], [batch]))"), "middle": "c = both(n=3)"},
            "''rows'' does not come from a batcher",
        ),
        (
            {
                "top": "import collections\nRows = collections.namedtuple('Rows', 'rows n')"
                + BESIDES.format("Rows(batch, n=n)"),
                "middle": "c = both(3)",
            },
            "'n' does not come from a batcher",
        ),
        ({"top": BESIDES.format("batch, batch.get_shape()[0]"), "middle": "c, d = both(3)"}, "'batch.get_shape()[0]'"),
        (
            {
                "top": "class C: pass\ndef both():\n    r = C()\n    r.a = tf.train.batch([1], 2)\n    return r",
                "middle": "c = both()",
            },
            "'r' does not come from a batcher",
        ),
        (
            {
                "top": "def both(n=None):\n    a = tf.constant(1)\n    if n is None:\n        a = a[None]\n    else:\n"
                "        a = tf.train.batch([a], n)\n    return a",
                "middle": "c = both(3)",
            },
            "only some of its branches",
        ),
        # An operation has no value, and that of a metric needs no batch.
        (
            {"top": BESIDES.format("batch, tf.train.AdamOptimizer().minimize(n)"), "middle": "c, d = both(3)"},
            "'tf.train.AdamOptimizer().minimize(n)' does not come",
        ),
        (
            {"top": BESIDES.format("batch, tf.group(batch)"), "middle": "c, d = both(3)"},
            "'tf.group(batch)' does not come from a batcher",
        ),
        (
            {"top": BESIDES.format("tf.metrics.mean(batch)"), "middle": "c, d = both(3)"},
            "'tf.metrics.mean(batch)' does not come from a batcher",
        ),
        # What has a value in TensorFlow 1 alone.
        (
            {"top": "def f(x, n):\n    return x * n.value", "middle": "h = f(batch, batch.get_shape()[0])"},
            "'n' is a dimension",
        ),
        (
            {"middle": "n = batch.shape[0] if x else 3\nh = batch * n.value", "loop": "sess.run(h)"},
            "'n' is a dimension",
        ),
        # What goes into the loop, and is read from a function.
        ({"top": "def f():\n    print(batch.shape)", "end": "f()"}, "'batch' is different for each batch, and 'f'"),
        (
            {"top": "class C:\n    def f(self):\n        print(h.dtype)", "middle": "h = batch + 1\nC().f()"},
            "'h' is different for each batch, and 'f'",
        ),
        (
            {"top": "f = lambda: h.dtype", "middle": "h = batch + 1"},
            "'h' is different for each batch, and 'a lambda'",
        ),
        # Batches without a name of their own.
        (
            {"top": "class Rows(object):\n    def __init__(self):\n        self.a = inputs()", "middle": "c = Rows()"},
            "hidden in an object of the class 'Rows'",
        ),
        (
            {"top": "import nets", "middle": "c = nets.Model(inputs(), 2)"},
            "'nets.Model(inputs(), 2)' does not come from",
        ),
        ({"top": "c = {}", "middle": "c['rows'] = inputs()"}, "the batch is assigned to 'c['rows']'"),
        ({"middle": "c.a, c.b = tf.train.batch([x, x], 2)"}, "the batch is assigned to 'c.a, c.b'"),
        ({"middle": "c = 1; d = inputs()"}, "several statements in this line"),
        # What happens once while a graph is built.
        (
            {"top": "import numpy as np", "middle": "h = batch + np.random.rand()", "loop": "sess.run(h)"},
            "np.random.rand",
        ),
        ({"top": "import numpy as np", "middle": "h = batch + np.load('f')", "loop": "sess.run(h)"}, "np.load"),
        ({"top": "def f(x):\n    global n\n    n = 1\n    return x", "middle": "h = f(batch)"}, "'f' modifies a"),
        ({"top": "def f(x):\n    c['h'] = x\n    return x", "middle": "h = f(batch)"}, "'f' modifies a"),
        ({"top": "def f(x):\n    x.h, y = 1, 2\n    return x", "middle": "h = f(batch)"}, "'f' modifies a"),
        (
            {"top": "n = 1\ndef f(x):\n    return x * n", "middle": "h = f(batch)", "loop": "n = sess.run(h)"},
            "'n' changes between",
        ),
        ({"top": "def f(x):\n    return x * batch", "middle": "h = f(1 + batch)"}, "reads the tensor 'batch'"),
        # What a graph does only for who fetches it.
        (
            {"top": "def f(x):\n    tf.Print(x, [x])\n    return x", "middle": "h = f(batch)"},
            "the program fetches 'tf.Print'",
        ),
        (
            {"middle": "p, h = tf.Print(batch, [batch]), batch + 1", "loop": "sess.run(h)"},
            "the program fetches 'tf.Print'",
        ),
        (
            {"middle": "w = tf.Variable([0])\nu = tf.scatter_add(w, batch, batch)"},
            "'tf.scatter_add' cannot be repeated",
        ),
        # What makes variables.
        ({"middle": "o, s = tf.nn.dynamic_rnn(cell, batch)"}, "'tf.nn.dynamic_rnn' cannot be repeated"),
        ({"middle": "o = tf.feature_column.linear_model(batch, c)"}, "'tf.feature_column.linear_model' cannot"),
        ({"middle": "o = tf.keras.layers.add([batch, batch])"}, "'tf.keras.layers.add' cannot be repeated"),
    ],
)
def test_a_program_with_other_values_afterwards_stays_as_it_is(
    parts: Dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_graphs(monkeypatch)
    [left] = TARGETS["as-dataset"](source(of_form(**parts))).left
    assert left.code == "QC743" and reason in left.what


@pytest.mark.parametrize(
    "body",
    [
        "return batch, tf.reduce_sum(batch), batch + n, None",
        "with tf.name_scope('x'):\n        batch = [one * n for one in tf.split(batch, 3)]\n    return batch",
        "parts = {'a': batch}\n    parts['b'] = parts['a'] + 1\n    return parts, parts['a']",
        "if n:\n        more = batch + 1\n    else:\n        more = tf.train.batch([batch], 1)\n    return more, batch",
        "def scaled(x, by):\n        if by:\n            return x * by\n        return x\n    return scaled(batch, n)",
        "Rows = collections.namedtuple('Rows', 'a b')\n    return Rows(a=batch, b=(batch, batch + 1))",
        "pair = batch, n\n    return pair[0] * pair[1]",
    ],
)
def test_what_comes_out_of_a_batcher_is_followed_through_a_function(body: str) -> None:
    top = f"import collections\ndef both(n):\n    batch = inputs()\n    {body}"
    text = of_form(top=top).replace("\nbatch = inputs()", "\nbatch = both(3)")
    assert "for batch in both(3).take(2):\n" in migrated(text, "as-dataset")


def test_a_pipeline_that_a_method_builds_says_so() -> None:
    method = "class C:\n    def rows(self):\n        return tf.train.batch([1], 2)\nc = [C()][0]"
    text = of_form(top=method).replace("\nbatch = inputs()", "\nbatch = c.rows()").replace("def inputs", "def _")
    [left] = TARGETS["as-dataset"](source(text)).left
    assert "built by the method 'rows'" in left.what


def test_batches_of_different_sizes_are_drawn_to_be_counted() -> None:
    text = of_form(middle="n = tf.shape(batch)[0]", loop="print(sess.run(n))")
    text = text.replace("dequeue()], 3)", "dequeue()], 3, allow_smaller_final_batch=True)")
    assert "    n = tf.shape(batch)[0]\n    print(n.numpy())\n" in migrated(text, "as-dataset")


def test_a_function_has_names_of_its_own() -> None:
    text = of_form(top="def f(batch):\n    h = batch\n    return h", middle="h = batch + 1", loop="f(sess.run(h))")
    assert "for batch in inputs().take(2):\n    h = batch + 1\n    f(h.numpy())\n" in migrated(text, "as-dataset")


def test_a_global_name_does_not_go_into_a_loop() -> None:
    text = of_form(middle="h = batch + 1", loop="f(sess.run(h))").splitlines(keepends=True)
    body = "def main():\n    global h\n" + "".join(f"    {line}" for line in text[3:])
    [left] = TARGETS["as-dataset"](source("".join(text[:3]) + "def f(x):\n    print(h.dtype)\n" + body)).left
    assert "'h' is different for each batch, and 'f'" in left.what


def test_a_call_of_tensorflow_changes_no_name() -> None:
    """``tf.add`` was taken for a change of ``tf``, as ``names.add`` is one of ``names``."""
    after = migrated(of_form(middle="twice = batch * tf.constant(2)\nthree = tf.add(1, 2)"), "as-dataset")
    assert "three = tf.add(1, 2)\nfor batch in inputs().take(2):\n" in after


def test_the_target_of_a_loop_may_be_a_tuple() -> None:
    text = of_form(loop="print(i, name, sess.run(batch))").replace("step in range(2)", "i, name in enumerate('ab')")
    assert "for (i, name), batch in zip(enumerate('ab'), inputs()):\n" in migrated(text, "as-dataset")


@pytest.mark.parametrize(
    "parts",
    [
        {"top": "def report():\n    print(step)", "loop": "sess.run(batch)\n    report()"},
        {"loop": "sess.run(batch)\n    print(locals()['step'])"},
    ],
)
def test_a_loop_keeps_a_variable_that_is_read_elsewhere(parts: Dict[str, str]) -> None:
    assert "for step, batch in zip(range(2), inputs()):\n" in migrated(of_form(**parts), "as-dataset")


def test_after_the_loop_only_runs_of_the_session_change() -> None:
    text = of_form(end="subprocess.run(['ls'])\nprint(grid.get_shape(), batch.get_shape())")
    assert "subprocess.run(['ls'])\nprint(grid.get_shape(), batch.shape)\n" in migrated(text, "as-dataset")


def test_a_starred_target_takes_the_rest_of_the_values() -> None:
    after = migrated(of_form(middle="m = batch + 1", loop="a, *b = sess.run([m, m])"), "as-dataset")
    assert "    a, *b = [m.numpy(), m.numpy()]\n" in after


def test_nothing_turns_eager_execution_off_any_more() -> None:
    """Wherever it stands: at the top of the file while the session is in a function, or in a block of its own."""
    calls = "tf.disable_v2_behavior()\nif 1:\n    tf.compat.v1.disable_eager_execution()\n"
    body = "".join(f"    {line}\n" for line in of_form().splitlines()[3:])
    text = "".join(f"{line}\n" for line in of_form().splitlines()[:3]) + calls + "def main():\n" + body
    after = migrated(text, "as-dataset")
    assert "disable" not in after and "if 1:\n    pass\n" in after and "    for batch in inputs().take(2):" in after


def test_a_loop_computes_what_is_fetched_and_nothing_else() -> None:
    """An op that nobody fetches does nothing in a graph."""
    middle = "shown = tf.Print(batch, [batch])\nchecked = tf.Assert(False, [batch])\nm = batch + 1"
    after = migrated(of_form(middle=middle, loop="print(sess.run(m))"), "as-dataset")
    assert "    m = batch + 1\n    print(m.numpy())\n" in after
    assert "tf.Print" not in after and "tf.Assert" not in after


def test_a_pipeline_that_reads_what_changes_later_is_built_where_it_stood() -> None:
    text = of_form(top="n = 2", middle="n = 100").replace("batch = inputs()", "batch = inputs(n)")
    assert "batches = iter(inputs(n))\nn = 100\n" in migrated(text.replace("inputs():", "inputs(m):"), "as-dataset")


def test_names_that_a_pipeline_uses_again_are_its_parameters() -> None:
    lines = "rows = tf.train.slice_input_producer([rows])\nbatch = tf.train.batch(rows, 2)"
    text = of_form(top="rows = load()").replace("batch = inputs()", lines)
    after = migrated(re.sub("def inputs.*\n.*\n", "", text), "as-dataset")
    assert "def input_pipeline(rows):\n    rows = tf.train.slice" in after
    assert "for batch in input_pipeline(rows).take(2):\n" in after


DIMENSIONS = """\
def scaled(x):
    shape = x.get_shape()
    (rows,) = x.shape
    return x * shape[0].value / rows.value * max([one.value for one in shape])
def counted(n):
    x = tf.train.range_input_producer(n, shuffle=False).dequeue()
    more = tf.train.batch([x], 3)
    return scaled(more) + more.shape[0].value
first = tf.Variable([1])
one = first.get_shape()[0].value
"""


def test_dimensions_are_numbers_in_eager_mode() -> None:
    """They had a ``value``; a function that becomes a dataset still finds it there."""
    middle = "size = batch.get_shape().with_rank(1)[0]\nnext = scaled(batch) + size.value + batch.shape[0].value"
    text = of_form(top=DIMENSIONS, middle=middle, loop="print(sess.run(next), one, mode.value)", end="")
    after = migrated(text.replace("\nbatch = inputs()", "\nbatch = counted(9)"), "as-dataset")
    assert "    return x * shape[0] / rows * max([one for one in shape])\n" in after
    assert "    return scaled(more) + more.shape[0].value\n" in after
    assert "one = first.get_shape()[0]\n" in after
    assert "    size = batch.get_shape().with_rank(1)[0]\n    next = scaled(batch) + size + batch.shape[0]\n" in after
    assert "    print(next.numpy(), one, mode.value)\n" in after


def test_an_input_function_without_a_caller_returns_a_dataset_at_once() -> None:
    """It did so when the program was rewritten once more."""
    text = of_form(top="def more():\n    return tf.train.batch([1], 3)")
    assert "@queuecompat.input_pipeline\ndef more():\n" in migrated(text, "as-dataset")
    assert [one.code for one in TARGETS["as-dataset"](source(text)).left] == ["QC746"]


COMMENTED = """\
with tf.Session() as sess:
    # To begin with.
    sess.run(tf.local_variables_initializer())  # goes with the threads
    # Who reads.
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    # The loop.
    try:
        # Again and again.
        while not coord.should_stop():
            {loop}
            # The end of a turn.
    # At the end.
    except tf.errors.OutOfRangeError:
        # To be seen.
        print('done')
    # In any case.
    finally:
        # No more.
        coord.request_stop()  # goes with the threads
        # Stopped.
    # Who has read.
    coord.join(threads)
"""
CLOSING = "# In any case.\n# No more.\n# Stopped.\n# Who has read.\n"


def _commented(loop: str, end: str) -> str:
    form = of_form()
    return form[: form.index("sess = ")] + COMMENTED.format(loop=loop) + end


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        ("print(sess.run(batch))", "for batch in inputs():"),
        ("if 1:\n                sess.run(batch)", "try:\n    # Aga"),
    ],
)
def test_comments_of_what_goes_stand_in_front_of_what_comes_next(loop: str, lines: str) -> None:
    after = migrated(_commented(loop, "print(1)\n"), "as-dataset")
    for line in re.findall("# [A-Z].*", COMMENTED):
        assert after.count(line) == 1
    assert "goes" not in after
    assert f"# To begin with.\n# Who reads.\n# The loop.\n{lines.partition('for')[0]}" in after and lines in after
    assert "    print('done')\n" in after or "# At the end.\n# To be seen.\nprint('done')\n" in after
    assert after.endswith(f"{CLOSING}print(1)\n")


def test_comments_after_the_last_statement_stay_after_it() -> None:
    assert migrated(_commented("print(sess.run(batch))", ""), "as-dataset").endswith(f"print('done')\n{CLOSING}")
    quiet = _commented("print(sess.run(batch))", "").replace("print('done')", "pass")
    assert migrated(quiet, "as-dataset").endswith(f"# At the end.\n# To be seen.\n{CLOSING}")
    drawn = migrated(_commented("if 1: pass\n        sess.run(batch)", ""), "as-dataset")
    assert drawn.endswith(f"    print('done')\n{CLOSING}")

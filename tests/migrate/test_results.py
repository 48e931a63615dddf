"""What results of functions surely come from: which parts of a tuple, a dict or a named tuple draw a batch."""

from __future__ import annotations

import pathlib
from typing import Set

import libcst as cst
import pytest

from queuecompat.migrate.analysis.results import Results
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.forms import of_form, output
from tests.migrate.sources import migrated, source

HEAD = "import collections\nimport tensorflow as tf\nOut = collections.namedtuple('Out', 'first, second')\n"


def names_of(function: str, line: str, fetch: str) -> Set[str]:
    """The batches ``x`` and ``y`` that *fetch* surely comes from, after *line*."""
    text = source(f"{HEAD}{function}\n{line}\n")
    results = Results(text, lambda one: False, ["x", "y"])
    for one in text.tree.body[-1:]:
        results.read(one)
    return set(results.of(cst.parse_expression(fetch)).all_names())


BOTH = "def net(a, b=1.0):\n    {}\n"


@pytest.mark.parametrize(
    ("body", "line", "fetch", "names"),
    [
        ("return a * 2, tf.exp(b)", "p, q = net(x, y)", "p", "x"),
        ("return a * 2, tf.exp(b)", "p, q = net(x, y)", "q", "y"),
        ("return a * 2, tf.exp(b)", "p, q = net(b=x, a=y)", "q", "x"),
        ("return a * 2, tf.exp(b)", "p, q = net(x)", "q", ""),
        ("return a * 2, tf.exp(b)", "out = net(x, y)", "out[1]", "y"),
        ("return a * 2, tf.exp(b)", "out = net(x, y)", "out", "xy"),
        ("return {'p': a, 'q': tf.ones([])}", "out = net(x)", "out['p']", "x"),
        ("return {'p': a, 'q': tf.ones([])}", "out = net(x)", "out['q']", ""),
        ("return dict(p=a, q=b)", "out = net(x, y)", "out['q']", "y"),
        ("return Out(a, second=b)", "out = net(x, y)", "out.second + out[0]", "xy"),
        ("return Out(a, second=b)", "p, q = net(x, y)", "q", "y"),
        ("out = {}\n    out['p'] = a\n    out['q'] = b\n    return out", "out = net(x, y)", "out['q']", "y"),
        ("out = {'p': a}\n    same = out\n    same['p'] = b\n    return out", "out = net(x, y)", "out['p']", "y"),
        ("with tf.name_scope('n'):\n        c = a + b\n    return c, b", "p, q = net(x, y)", "p", "xy"),
        ("with tf.name_scope('n'):\n        return a, b", "p, q = net(x, y)", "q", "y"),
        ("a, b = b, a\n    return a, b", "p, q = net(x, y)", "p", "y"),
        ("a += b\n    return a, b", "p, q = net(x, y)", "p", "xy"),
        # What is on both ways is sure.
        ("if flag:\n        a = a + b\n    return a, b", "p, q = net(x, y)", "p", "x"),
        ("for _ in range(3):\n        a = tf.exp(a)\n    return a, b", "p, q = net(x, y)", "p", "x"),
        ("for _ in range(n):\n        a, b = b, tf.ones([])\n    return a, b", "p, q = net(x, y)", "p", ""),
        ("return (a if flag else a + b), b", "p, q = net(x, y)", "p", "x"),
        ("return inner(b)[0], a", "p, q = net(x, y)", "p", "y"),
        # Not followed: all that it gets, but of several values none.
        ("if flag:\n        return a, b\n    return b, a", "p, q = net(x, y)", "p", ""),
        ("while flag:\n        a = b\n    return a, b", "p, q = net(x, y)", "p", ""),
        ("out = []\n    out.append(a)\n    return out, b", "p, q = net(x, y)", "q", ""),
        ("return net(a, b)", "p, q = net(x, y)", "q", ""),
        ("return a, b", "p, q = net(*x)", "q", ""),
        ("return a, b", "p, q = other(x, y)", "q", ""),
        ("return a, b", "p = other(x, y)", "p", "xy"),
        ("return a, b", "p, q = x", "q", "x"),
    ],
)
def test_a_result_comes_from_what_its_function_makes_it_of(body: str, line: str, fetch: str, names: str) -> None:
    function = "def inner(c):\n    return c, tf.ones([])\n" + BOTH.format(body)
    assert names_of(function, line, fetch) == set(names)


TRAINED = (
    "w = tf.Variable(1.0)\nlogits, loss = net(tf.to_float(batch), w)\n"
    "op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)"
)


@pytest.mark.parametrize(
    ("net", "middle", "fetch"),
    [
        ("return x * w, tf.reduce_mean(tf.square(x * w))", TRAINED, "[op, loss]"),
        (
            "return x * w, {'loss': tf.reduce_mean(tf.square(x * w))}",
            TRAINED.replace("(loss)", "(loss['loss'])"),
            "[loss, op]",
        ),
        ("return x * w, {'l': [x]}", "h, out = net(tf.to_float(batch), 2.0)", "out['l']"),
        ("return x * w, {'l': [x]}", "h, out = net(tf.to_float(batch), 2.0)", "[h, out]"),
        ("return Out(x * w, x)", "out = net(tf.to_float(batch), 2.0)", "out"),
        ("return Out(x * w, (x, x + 1))", "out = net(tf.to_float(batch), 2.0)\nh = out.second", "h"),
        ("return Out(x * w, (x, x + 1))", "h = net(tf.to_float(batch), 2.0)[1]", "h"),
    ],
)
def test_a_loop_that_fetches_results_of_a_function_is_rewritten(
    net: str, middle: str, fetch: str, server: Server, tmp_path: pathlib.Path
) -> None:
    """QC743 said that it is unknown whether such a run draws a batch, or what a named tuple does."""
    top = f"import collections\nOut = collections.namedtuple('Out', 'first, second')\ndef net(x, w):\n    {net}\n"
    old = of_form(top=top, middle=middle, loop=f"print(sess.run({fetch}))")
    new = migrated(old, "as-dataset")
    assert "Session" not in new and "wrap_function" not in new
    in_sessions = output(server, old.replace("tensorflow", "queuecompat.v1"), tmp_path)
    assert output(server, new, tmp_path) == in_sessions


def test_where_a_function_cannot_be_followed_the_graph_says_what_a_run_draws(
    server: Server, tmp_path: pathlib.Path
) -> None:
    net = "def net(x):\n    if x.shape[0] == 3:\n        return x, tf.constant(7)\n    return tf.constant(8), x\n"
    loop = "print(sess.run(seven))\n    print(sess.run(h))"
    new = migrated(of_form(top=net, middle="h, seven = net(batch)", loop=loop), "as-dataset")
    assert "wrap_function" in new
    assert output(server, new, tmp_path).splitlines() == ["7", "[0 1 2]", "7", "[3 4 5]"]


def test_a_part_that_does_not_come_from_the_batch_draws_none() -> None:
    """A run of it was taken for one that draws."""
    net = "def net(x):\n    return {'h': x, 'seven': tf.constant(7)}\n"
    found = TARGETS["as-dataset"](
        source(of_form(top=net, middle="out = net(batch)", loop="print(sess.run(out['seven']))"))
    )
    assert "get_next()" not in found.text.replace("batch = batches.get_next()", "", 1)

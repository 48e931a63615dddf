"""Placeholders that runs feed: what is refused first, then the text; ``programs/rates`` has the values."""

from __future__ import annotations

import pytest

from tests.migrate.forms import of_form
from tests.migrate.sources import migrated, require_left_with_one_comment

FED = {"middle": "p = tf.placeholder(tf.float32)\nscaled = batch * p", "loop": "value = sess.run(scaled, {p: 2.0})"}
RATE = "p = tf.placeholder(tf.float32)\nw = tf.Variable(1.0)\nloss = w * batch\nop = {}.minimize(loss)"


@pytest.mark.parametrize("kind", ["tf.int32", "kind", "tf.float16", "'float32'"])
def test_a_placeholder_whose_values_would_not_be_the_same_is_left(kind: str) -> None:
    text = of_form(**{**FED, "middle": FED["middle"].replace("tf.float32", kind)})
    require_left_with_one_comment(text, "as-dataset", "QC743", "'tf.placeholder' belongs to a graph")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"loop": "sess.run(scaled)"}, "it does not feed 'p', which it may need"),
        ({"loop": "sess.run(scaled, {batch: [1]})"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, {p: 2.0, scaled: 1})"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, {})"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, feeds)"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, {**feeds})"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, {p: 2.0}, options=o)"}, "fed in a way that is not supported"),
        ({"loop": "sess.run(scaled, {p: batch})"}, "it uses a tensor, the session"),
        ({"loop": "sess.run(scaled, {p: sess.run(batch)})"}, "runs the session twice"),
        ({"loop": "sess.run(scaled, {p: 2.0})\n    print(p)"}, "it uses a tensor, the session"),
        ({"middle": FED["middle"] + "\nprint(p.shape)"}, "belongs to a graph"),
        ({"middle": FED["middle"] + "\np = 3"}, "belongs to a graph"),
        ({"middle": RATE.format("tf.train.FtrlOptimizer(p)")}, "'p', which is fed, is only a part of an argument"),
        ({"middle": RATE.format("tf.train.AdamOptimizer(0.1, p)")}, "'p', which is fed, is only a part of an argument"),
        ({"middle": RATE.format("tf.train.AdamOptimizer(p / 2)")}, "'p', which is fed, is only a part of an argument"),
        ({"middle": RATE.format("tf.train.AdamOptimizer(p)"), "loop": "sess.run(op)"}, "it does not feed 'p'"),
    ],
)
def test_a_run_that_is_fed_in_a_different_way_is_left(parts: dict, reason: str) -> None:
    require_left_with_one_comment(of_form(**{**FED, **parts}), "as-dataset", "QC743", reason)


def test_a_pipeline_that_is_fed_is_left() -> None:
    head = "p = tf.placeholder(tf.float32)\nrow = tf.to_float(tf.train.range_input_producer(9).dequeue())\n"
    text = of_form(middle="scaled = batch + 1", loop="sess.run(scaled, {p: 2.0})")
    text = text.replace("batch = inputs()", head + "batch = tf.train.batch([row * p], 3)")
    require_left_with_one_comment(text, "as-dataset", "QC743", "the pipeline uses 'p', which is fed")


def test_a_fed_value_is_there_before_the_run_draws_a_batch() -> None:
    text = migrated(of_form(**FED), "as-dataset")
    assert (
        "for step in range(2):\n    p = tf.constant(2.0, tf.float32)\n    batch = batches.get_next()\n"
        "    scaled = batch * p\n    value = scaled.numpy()\n"
    ) in text
    assert "placeholder" not in text


def test_each_run_has_its_own_value_and_what_no_run_feeds_goes() -> None:
    loop = "sess.run(scaled, {p: step})\n    print(sess.run(batch))"
    middle = FED["middle"] + "\nq = tf.placeholder(tf.bool)"
    text = migrated(of_form(middle=middle, loop=loop), "as-dataset")
    assert text.count("tf.constant(") == 1 and "p = tf.constant(step, tf.float32)\n" in text and "q =" not in text


@pytest.mark.parametrize("name", ["Adam", "GradientDescent", "RMSProp"])
def test_a_learning_rate_that_is_fed_is_a_function(name: str) -> None:
    made = f"tf.train.{name}Optimizer(learning_rate=p)"
    text = migrated(of_form(middle=RATE.format(made), loop="sess.run(op, {p: 0.1 / (step + 1)})"), "as-dataset")
    assert f"optimizer = tf.train.{name}Optimizer(learning_rate=lambda: p)\n" in text
    assert "    p = tf.constant(0.1 / (step + 1), tf.float32)\n    batch = batches.get_next()\n" in text


@pytest.mark.parametrize("rate", ["0.5 * p", "tf.reduce_mean(tf.to_float(batch))"])
def test_a_learning_rate_that_each_run_computes_stays_in_the_graph(rate: str) -> None:
    """Its line used to disappear, and the optimizer before the loop still used its name."""
    new = migrated(
        of_form(
            middle="p = tf.placeholder(tf.float32, [])\nw = tf.Variable(1.0)\nloss = w * tf.to_float(batch)\n"
            f"rate = {rate}\nop = tf.train.GradientDescentOptimizer(rate).minimize(loss)",
            loop="sess.run(op, {p: 2.0})",
        ),
        "as-dataset",
    )
    assert f"    rate = {rate}\n    op = tf.train.GradientDescentOptimizer(rate).minimize(loss)\n" in new

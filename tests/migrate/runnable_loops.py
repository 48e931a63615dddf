"""The loops of generated programs: what is computed from a batch, and how often the session runs it."""

from __future__ import annotations

import random
from typing import Callable, List, NamedTuple, Sequence

from tests.migrate.runnable_forms import indented

__all__ = ["LOOPS", "Batches", "Loop"]

Batches = List[List[float]]


class Loop(NamedTuple):
    """What a program does with its batches: ``x``, or ``x`` and ``twice``.

    Attributes:
      model: statements before the session.
      code: the statements that the session runs.
      lines: the lines that these print.
      parts: definitions at the top of the file.
    """

    model: str
    code: str
    lines: List[str]
    parts: Sequence[str] = ()


def _shown(batch: List[float], pair: bool) -> str:
    return f"{batch} {[2 * value for value in batch]}" if pair else f"{batch}"


def _fetched(pair: bool) -> str:
    return (
        "a, b = sess.run([x, twice])\nprint(a.tolist(), b.tolist())" if pair else "a = sess.run(x)\nprint(a.tolist())"
    )


def _condition(chance: random.Random) -> str:
    return chance.choice(["True", "not coord.should_stop()"])


def _until_the_end(chance: random.Random, body: str, end: str) -> str:
    return f"try:\n    while {_condition(chance)}:\n{indented(body, 2)}\nexcept tf.errors.OutOfRangeError:\n    {end}"


def _to_the_end(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    code = _until_the_end(chance, _fetched(pair), "print('end')")
    return Loop("", code, [*(_shown(batch, pair) for batch in batches), "end"])


def _some_steps(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    count = chance.randint(0, len(batches))
    lines = [_shown(batch, pair) for batch in batches[:count]]
    return Loop("", f"for step in range({count}):\n{indented(_fetched(pair))}", lines)


def _until_a_step(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    count = chance.randint(0, len(batches))
    code = f"step = 0\nwhile {_condition(chance)}:\n    if step == {count}:\n        break\n    step += 1\n"
    lines = [_shown(batch, pair) for batch in batches[:count]]
    return Loop("", f"{code}{indented(_fetched(pair))}\nprint(step)", [*lines, str(count)])


def _summed(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    code = _until_the_end(chance, "total += float(sess.run(y))", "pass")
    return Loop("y = tf.reduce_sum(x)", f"total = 0.0\n{code}\nprint(total)", [str(float(sum(map(sum, batches))))])


def _in_a_variable(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    model = "total = tf.Variable(0.0)\nadd = tf.assign_add(total, tf.reduce_sum(x))"
    count = chance.randint(0, len(batches))
    code = f"for _ in range({count}):\n    sess.run(add)\nprint(float(sess.run(total)))"
    return Loop(model, code, [str(float(sum(map(sum, batches[:count]))))])


def _by_a_model(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    weight = "w = tf.get_variable('w', [], initializer=tf.constant_initializer(2.0))"
    part = f"def model(x):\n    with tf.variable_scope('model'):\n        {weight}\n"
    code = _until_the_end(chance, "value = sess.run(y)\nprint(value.tolist())", "pass")
    lines = [str([2 * value for value in batch]) for batch in batches]
    return Loop("y = model(x)", code, lines, [f"{part}        return w * x"])


def _fed(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    model = "scale = tf.placeholder(tf.float32, [], name='scale')\ny = x * scale"
    count = chance.randint(0, len(batches))
    code = f"for step in range({count}):\n    print(sess.run(y, feed_dict={{scale: 3.0}}).tolist())"
    return Loop(model, code, [str([3 * value for value in batch]) for batch in batches[:count]])


def _by_a_function(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    """The session is passed to a function that runs it."""
    part = f"def show(sess, x, twice):\n{indented(_fetched(pair))}"
    call = f"show(sess, x, {'twice' if pair else 'None'})"
    lines = [_shown(batch, pair) for batch in batches]
    return Loop("", _until_the_end(chance, call, "pass"), lines, [part])


def _by_a_runner(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    """A function gets the session and the tensors, and has the loop."""
    loop = f"try:\n    while True:\n{indented(_fetched(pair), 2)}\nexcept tf.errors.OutOfRangeError:\n    print('end')"
    lines = [*(_shown(batch, pair) for batch in batches), "end"]
    part = f"def run_loop(sess, x, twice):\n{indented(loop)}"
    return Loop("", f"run_loop(sess, x, {'twice' if pair else 'None'})", lines, [part])


def _by_a_generator(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    loop = "try:\n    while True:\n        yield sess.run(x)\nexcept tf.errors.OutOfRangeError:\n    return"
    code = "for a in rounds(sess, x):\n    print(a.tolist())"
    return Loop("", code, [str(batch) for batch in batches], [f"def rounds(sess, x):\n{indented(loop)}"])


def _in_a_structure(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    fetch = chance.choice(
        ["sess.run({'x': x})['x']", "sess.run([x])[0]", "sess.run((x, y))[0]", "x.eval(session=sess)"]
    )
    model = "y = tf.shape(x)" if "y" in fetch else ""
    return Loop(model, _until_the_end(chance, f"print({fetch}.tolist())", "pass"), [str(batch) for batch in batches])


def _in_rounds(chance: random.Random, batches: Batches, pair: bool) -> Loop:
    """Two loops, one inside the other, and one after both."""
    outer = chance.randint(0, max(0, len(batches) // 2))
    code = (
        f"for epoch in range({outer}):\n    for step in range(2):\n        a = sess.run(x)\n"
        "    print(epoch, a.tolist())\nprint('after')"
    )
    return Loop("", code, [*(f"{one} {batches[2 * one + 1]}" for one in range(outer)), "after"])


LOOPS: List[Callable[[random.Random, Batches, bool], Loop]] = [
    _to_the_end, _some_steps, _until_a_step, _summed, _in_a_variable, _by_a_model, _fed, _by_a_function,
    _by_a_runner, _by_a_generator, _in_a_structure, _in_rounds,
]  # fmt: skip

"""The forms of generated programs: where an input function is, how it is called, and how a session runs its batch.

Each form of ``INPUTS`` takes the body of an input function without parameters, which ends in ``return BATCH``; each of
``SESSIONS`` takes the statements that a session runs.
"""

from __future__ import annotations

import random
import textwrap
from typing import Callable, Dict, List, NamedTuple

__all__ = ["INPUTS", "SESSIONS", "Inputs", "indented"]


class Inputs(NamedTuple):
    """A pipeline in a program.

    Attributes:
      parts: definitions at the top of the file.
      before: statements before the batch is made, where the session is.
      code: the expression whose value is the batch.
      within: the head of a block around the statement that makes it; "" for none.
    """

    parts: List[str]
    before: str
    code: str
    within: str = ""


def indented(text: str, levels: int = 1) -> str:
    return textwrap.indent(text, "    " * levels)


def _function(body: str, name: str = "inputs", parameters: str = "") -> str:
    return f"def {name}({parameters}):\n{indented(body)}"


def _plain(chance: random.Random, body: str) -> Inputs:
    return Inputs([_function(body)], "", "inputs()")


def _nested(chance: random.Random, body: str) -> Inputs:
    return Inputs([], _function(body), "inputs()")


def _by_another_name(chance: random.Random, body: str) -> Inputs:
    value = chance.choice(["inputs", "lambda: inputs()", "functools.partial(inputs)"])
    return Inputs(["import functools", _function(body)], f"take = {value}", "take()")


def _with_parameters(chance: random.Random, body: str) -> Inputs:
    """What the body shuffles is a parameter."""
    body = body.replace("shuffle=False", "shuffle=shuffle")
    call = chance.choice(["inputs(False)", "inputs(shuffle=False)", "inputs(shuffle=bool(0))"])
    return Inputs([_function(body, parameters="shuffle")], "", call)


def _by_partial(chance: random.Random, body: str) -> Inputs:
    body = body.replace("shuffle=False", "shuffle=shuffle")
    held = chance.choice(["False", "shuffle=False"])
    top = ["import functools", _function(body, parameters="shuffle")]
    return Inputs(top, f"take = functools.partial(inputs, {held})", "take()")


def _in_a_table(chance: random.Random, body: str) -> Inputs:
    value = chance.choice(["inputs", "lambda: inputs()"])
    table = f"TABLE = {{'train': {value}}}"
    if chance.random() < 0.5:
        return Inputs([_function(body), table], "", "TABLE['train']()")
    return Inputs([_function(body)], table, "TABLE['train']()")


def _method(chance: random.Random, body: str) -> Inputs:
    kind = chance.choice(["", "static", "class"])
    decorator = f"@{kind}method\n" if kind else ""
    first = {"": "self", "static": "", "class": "cls"}[kind]
    method = decorator + _function(body, "batch", first)
    made = chance.random() < 0.5 and not kind
    code = "made.batch()" if made else ("Data.batch()" if kind else "Data().batch()")
    return Inputs([f"class Data(object):\n{indented(method)}"], "made = Data()" if made else "", code)


def _of_an_object(chance: random.Random, body: str) -> Inputs:
    init = "def __init__(self, shuffle=False):\n    self.shuffle = shuffle"
    method = _function(body.replace("shuffle=False", "shuffle=self.shuffle"), "batch", "self")
    made = chance.random() < 0.5
    return Inputs(
        [f"class Data(object):\n{indented(init)}\n\n{indented(method)}"],
        "made = Data()" if made else "",
        "made.batch()" if made else "Data(shuffle=False).batch()",
    )


def _inline(chance: random.Random, body: str) -> Inputs:
    """The pipeline is where the session is."""
    *lines, last = body.splitlines()
    if last == "return batch":
        last = lines.pop().replace("batch = ", "return ", 1)
    return Inputs([], "\n".join(lines), last[len("return ") :])


def _in_two_functions(chance: random.Random, body: str) -> Inputs:
    place = body.index("batch = tf.train") if "batch = tf.train" in body else body.index("return tf.train")
    read, rest = body[:place], body[place:]
    return Inputs([_function(f"{read}return x", "example"), _function(f"x = example()\n{rest}")], "", "inputs()")


def _passed_on(chance: random.Random, body: str) -> Inputs:
    rest = chance.choice(["return inputs()", "found = inputs()\nreturn found"])
    return Inputs([_function(body), _function(rest, "pipeline")], "", "pipeline()")


def _of_a_factory(chance: random.Random, body: str) -> Inputs:
    made = _function(f"{_function(body)}\n\nreturn inputs", "make")
    return Inputs([made], "", "make()()")


def _chosen(chance: random.Random, body: str) -> Inputs:
    other = "return tf.train.batch([tf.train.range_input_producer(3).dequeue()], 2)"
    before = "take = inputs if len(FILES) == 3 else others"
    top = [_function(body), _function(other, "others")]
    if chance.random() < 0.5:
        return Inputs(top, before, "take()")
    return Inputs(top, "", "inputs() if len(FILES) == 3 else others()")


def _in_a_block(chance: random.Random, body: str) -> Inputs:
    head = chance.choice(
        ["with tf.name_scope('input'):", "with tf.device('/cpu:0'):", "with tf.variable_scope('data'):", "if FILES:"]
    )
    return Inputs([_function(body)], "", "inputs()", head)


def _block_in_the_function(chance: random.Random, body: str) -> Inputs:
    head = chance.choice(
        ["with tf.name_scope('input'):", "with tf.device('/cpu:0'):", "with tf.variable_scope('data'):"]
    )
    return Inputs([_function(f"{head}\n{indented(body)}")], "", "inputs()")


def _documented(chance: random.Random, body: str) -> Inputs:
    text = '"""Numbers from files.\n\nReturns:\n  A batch.\n"""\n'
    return Inputs([_function(f"{text}# Read.\n{body}  # all of them")], "", "inputs()")


def _generated(chance: random.Random, body: str) -> Inputs:
    """The only value of a generator."""
    return Inputs([_function(body), _function("yield inputs()", "pipelines")], "", "next(pipelines())")


def _with_a_default(chance: random.Random, body: str) -> Inputs:
    """The default of a parameter is a constant."""
    function = _function(body.replace("shuffle=False", "shuffle=shuffle"), parameters="shuffle=SHUFFLE")
    return Inputs(["SHUFFLE = False", function], "", "inputs()")


def _of_a_config(chance: random.Random, body: str) -> Inputs:
    """An object holds what the body shuffles."""
    config = "class Config(object):\n    def __init__(self, shuffle):\n        self.shuffle = shuffle"
    function = _function(body.replace("shuffle=False", "shuffle=config.shuffle"), parameters="config")
    if chance.random() < 0.5:
        return Inputs([config, function], "", "inputs(Config(False))")
    return Inputs([config, "CONFIG = Config(shuffle=False)", function], "", "inputs(CONFIG)")


def _of_a_subclass(chance: random.Random, body: str) -> Inputs:
    """A base class batches what its subclass reads."""
    place = body.index("batch = tf.train") if "batch = tf.train" in body else body.index("return tf.train")
    read, rest = body[:place], body[place:]
    base = _function(f"x = self.example()\n{rest}", "batch", "self")
    own = _function(f"{read}return x", "example", "self")
    parts = [f"class Data(object):\n{indented(base)}", f"class Numbers(Data):\n{indented(own)}"]
    return Inputs(parts, "made = Numbers()", "made.batch()")


def _in_an_attribute(chance: random.Random, body: str) -> Inputs:
    """An object holds the function."""
    init = "def __init__(self, take):\n    self.take = take"
    if chance.random() < 0.5:
        init = f"{init}\n\ndef batch(self):\n    return self.take()"
    part = f"class Trainer(object):\n{indented(init)}"
    return Inputs(
        [_function(body), part], "trainer = Trainer(inputs)", "trainer.batch()" if "batch" in init else "trainer.take()"
    )


INPUTS: List[Callable[[random.Random, str], Inputs]] = [
    _plain, _nested, _by_another_name, _with_parameters, _by_partial, _in_a_table, _method, _of_an_object, _inline,
    _in_two_functions, _passed_on, _of_a_factory, _chosen, _in_a_block, _block_in_the_function, _documented, _generated,
    _with_a_default, _of_a_config, _of_a_subclass, _in_an_attribute,
]  # fmt: skip


_INIT = "[tf.global_variables_initializer(), tf.local_variables_initializer()]"

# By name. LOOP stands for the statements that a session runs.
SESSIONS: Dict[str, str] = {
    "with": f"""\
with tf.Session() as sess:
    sess.run({_INIT})
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
LOOP
    coord.request_stop()
    coord.join(threads)""",
    "closed": f"""\
sess = tf.Session()
sess.run({_INIT})
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
LOOP
coord.request_stop()
coord.join(threads)
sess.close()""",
    "finally": f"""\
init = {_INIT}
with tf.Session() as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
LOOP
    finally:
        coord.request_stop()
    coord.join(threads)""",
    "without a coordinator": f"""\
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    for one in {_INIT}:
        sess.run(one)
    tf.train.start_queue_runners(sess)
LOOP""",
    "interactive": """\
sess = tf.InteractiveSession()
tf.local_variables_initializer().run()
tf.global_variables_initializer().run()
tf.train.start_queue_runners()
LOOP
sess.close()""",
    "monitored": """\
with tf.train.SingularMonitoredSession() as sess:
LOOP""",
    "supervisor": """\
tf.train.create_global_step()
sv = tf.train.Supervisor(logdir=None, summary_op=None)
with sv.managed_session() as sess:
LOOP
    sv.request_stop()""",
}

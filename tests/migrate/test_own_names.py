"""Functions that build pipelines are called by their own names where a program binds them to others."""

from __future__ import annotations

import pytest

from queuecompat.migrate.rewrite.own_names import with_own_names
from tests.migrate.sources import migrated_as_program, source

TEXT = """\
import functools
import tensorflow as tf


def inputs(files, size, shuffle=True):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=shuffle)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], size)


def main(files):
    size = 2
    BINDING
    batch = CALL
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass
"""
# What the program binds, how it calls it, and what it calls then.
FORMS = [
    ("read = inputs", "read(files, 2)", "inputs(files, 2)"),
    ("read = functools.partial(inputs, files)", "read(2)", "inputs(files, 2)"),
    ("read = functools.partial(inputs, files, shuffle=False)", "read(2)", "inputs(files, 2, shuffle=False)"),
    ("read = functools.partial(inputs, files, size)", "read()", "inputs(files, size)"),
    (
        "read = functools.partial(inputs, shuffle=True, size=3)",
        "read(files, size=2)",
        "inputs(files, shuffle=True, size=2)",
    ),
    (
        "read = functools.partial(inputs, ['a', tf.flags.FLAGS.file])",
        "read(*[2])",
        "inputs(['a', tf.flags.FLAGS.file], *[2])",
    ),
]


def program(binding: str, call: str) -> str:
    return TEXT.replace("BINDING", binding).replace("CALL", call)


def named(text: str) -> str:
    """*text* with its functions called by their own names; "" if nothing changes."""
    found = with_own_names(source(text))
    return "" if found is None else found.text


@pytest.mark.parametrize(("binding", "call", "direct"), FORMS)
def test_a_name_is_replaced_by_the_function_and_what_a_partial_holds(binding: str, call: str, direct: str) -> None:
    expected = program("", direct).replace("    \n", "").replace("import functools\n", "")
    if "functools" not in binding:
        expected = "import functools\n" + expected
    assert named(program(binding, call)) == expected


def test_a_lambda_becomes_a_function() -> None:
    text = named(
        program("# Few.\n    read = lambda size, shuffle=True: inputs(files, size, shuffle)  # pairs", "read(2)")
    )
    assert (
        """\
    size = 2

    # Few.
    def read(size, shuffle=True):
        return inputs(files, size, shuffle)  # pairs

    batch = read(2)
"""
        in text
    )


@pytest.mark.parametrize("line", ["import functools as ft, os", "from functools import wraps, partial as ft"])
def test_of_an_import_only_what_is_unused_goes(line: str) -> None:
    called = "ft" if "from" in line else "ft.partial"
    text = named(program(f"read = {called}(inputs, files)", "read(2)").replace("import functools", line))
    assert text.startswith("import os\n" if "os" in line else "from functools import wraps\n")


@pytest.mark.parametrize(
    ("binding", "call"),
    [
        ("read = inputs\n    read = print", "read(files, 2)"),
        ("read = inputs\n    print(read)", "read(files, 2)"),
        ("for _ in range(2):\n        read = inputs", "read(files, 2)"),
        ("# Why.\n    read = inputs", "read(files, 2)"),
        ("read = functools.partial(inputs, *files)", "read(2)"),
        ("read = functools.partial(inputs, sorted(files))", "read(2)"),
        ("read = functools.partial(inputs, files, size)\n    size = 3", "read()"),
        ("read = functools.partial(inputs, files, shuffle=False)", "read(**dict(size=2))"),
        ("read = functools.partial(print, files)", "inputs(files, 2)"),
        ("read = inputs\n    print(locals())", "read(files, 2)"),
    ],
)
def test_a_name_stays_where_its_replacement_is_not_certain(binding: str, call: str) -> None:
    assert named(program(binding, call)) == ""


@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(("binding", "call", "direct"), FORMS[:3])
def test_such_a_pipeline_is_rewritten_with_its_session(binding: str, call: str, direct: str, target: str) -> None:
    text = migrated_as_program(program(binding, call), target)
    assert f"    for batch in {direct}:\n" in text
    assert "read =" not in text and "queuecompat: QC" not in text


@pytest.mark.parametrize(
    ("readers", "call"),
    [("{'a': READ}", "readers['a'](2)"), ("(READ, None)", "readers[0](2)"), ("[[READ]]", "readers[0][0](2)")],
)
@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_functions_in_a_collection_are_no_pipeline(readers: str, call: str, target: str) -> None:
    binding = f"readers = {readers}".replace("READ", "lambda size: inputs(files, size)")
    text = migrated_as_program(program(binding, call), target)
    assert f"\n    {binding}\n" in text and f"\n    batch = {call}\n" in text


@pytest.mark.parametrize(
    ("binding", "call"),
    [
        ("readers = {'a': inputs}", "readers['a'](files, 2)"),
        ("readers = {'a': lambda: inputs(files, 2)}", "readers['a']()"),
        ("read = inputs if files else print", "read(files, 2)"),
        ("readers = [type('Reader', (), {})(), Reader()]", "readers[1].numbers(files)"),
    ],
)
@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_a_pipeline_that_is_called_in_an_unknown_way_holds_back_one_beside_it(
    binding: str, call: str, target: str
) -> None:
    text = program(binding, call)
    if "Reader()" in binding:
        kind = "class Reader:\n    def numbers(self, files):\n        return inputs(files, 2)\n\n\ndef main"
        text = text.replace("def main", kind)
    text = text.replace("    with tf", "    other = inputs(files, 2)\n    batch = batch + other\n    with tf")
    assert "with tf.Session" in migrated_as_program(text, target)


def test_a_function_that_a_rewritten_block_defines_is_rewritten_too() -> None:
    text = migrated_as_program(program("def read(size):\n        return inputs(files, size)", "read(2)"), "as-dataset")
    assert "    @queuecompat.input_pipeline\n    def read(size):\n" in text
    assert "    for batch in read(2):\n" in text

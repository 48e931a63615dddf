"""Rewrites that public programs showed to be wrong: each of these was done, and raised or changed each time."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.forms import without_graphs
from tests.migrate.sources import migrated, require_left_with_one_comment, source

HEAD = "import tensorflow as tf\n\n\n"
LOOP = HEAD + (
    "def inputs():\n"
    "    [x] = tf.train.slice_input_producer([[1.0, 2.0]], num_epochs=1, shuffle=False)\n"
    "    return tf.train.batch([x], 1)\n\n\n"
    "x = inputs()\n"
    "{line}\n"
    "with tf.Session() as sess:\n"
    "    coord = tf.train.Coordinator()\n"
    "    tf.train.start_queue_runners(sess, coord)\n"
    "    for _ in range(2):\n"
    "        print(sess.run(y))\n"
)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(
    "function",
    [
        "def batched(image, n):\n    return tf.train.batch([image], n)\n",
        "def batched(image, n):\n    x = tf.to_float(image)\n    return tf.train.shuffle_batch([x], n, 9, 3)\n",
        "def batched(queue, n):\n    _, line = tf.TextLineReader().read(queue)\n    return tf.train.batch([line], n)\n",
        "def batched(queue, n):\n    line = queue.dequeue()\n    return tf.train.batch([line], n)\n",
    ],
)
def test_a_function_of_its_callers_tensors_or_queue_is_no_input_function(function: str, to: str) -> None:
    code = {"as-dataset": "QC743", "tf-data": "QC744"}[to]
    reason = "which the caller of 'batched' passes" if to == "as-dataset" else ""
    require_left_with_one_comment(HEAD + function, to, code, reason)


def test_the_outermost_function_is_the_input_function() -> None:
    text = HEAD + (
        "def batched(image, n):\n    return tf.train.batch([image], n)\n\n\n"
        "def inputs(files):\n"
        "    queue = tf.train.string_input_producer(files)\n"
        "    _, line = tf.TextLineReader().read(queue)\n"
        "    return batched(line, 2)\n"
    )
    new = migrated(text, "as-dataset")
    assert "@queuecompat.input_pipeline\ndef inputs(files)" in new and "\n\n\ndef batched" in new


def test_a_function_of_arrays_that_its_caller_passes_is_an_input_function() -> None:
    text = HEAD + "def inputs(images):\n    return tf.train.batch([images], 2, enqueue_many=True)\n"
    assert "@queuecompat.input_pipeline\ndef inputs" in migrated(text, "as-dataset")


INPUTS = (
    "def inputs(batch):\n"
    "    {line}\n"
    "    n = tf.train.range_input_producer(10, shuffle=False).dequeue()\n"
    "    return tf.train.batch([2 * n], batch)\n"
)
LOCAL = INPUTS.format(line="import tensorflow as tf")
GLOBAL = INPUTS.format(line="# Even numbers.")
VERSION = "def version():\n    import tensorflow as tf\n    return tf.__version__\n\n\n"
NEW_IMPORT = "import queuecompat\n"


@pytest.mark.parametrize(
    ("text", "top"),
    [
        (LOCAL, NEW_IMPORT + "\n\n@queue"),
        ("# Ours.\n" + LOCAL, "# Ours.\n" + NEW_IMPORT + "\n\n@queue"),
        (
            "'Doc.'\nfrom __future__ import division\n\n# Twice.\n" + LOCAL,
            "'Doc.'\nfrom __future__ import division\n\n" + NEW_IMPORT + "\n\n# Twice.\n@queue",
        ),
        ("STEP = 2\n\n\n" + LOCAL, NEW_IMPORT + "\n\nSTEP = 2\n"),
        ("import os\n\n\n" + LOCAL, NEW_IMPORT + "import os\n"),
        # What is imported in a function, or after the first one, comes too late for decorators.
        (VERSION + HEAD + GLOBAL, NEW_IMPORT + "\n\ndef version():\n    import tensorflow."),
        ("import os\n\n\n" + VERSION + HEAD + GLOBAL, NEW_IMPORT + "import os\n"),
        ("def f():\n    import queuecompat\n\n\n" + LOCAL, NEW_IMPORT + "\n\ndef f():\n"),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    raise\n\n" + GLOBAL, NEW_IMPORT + "try:\n"),
        ("if True: import tensorflow as tf\n\n" + GLOBAL, NEW_IMPORT + "if True: import tensorflow."),
        ("import queuecompat\n\n\n" + VERSION + HEAD + GLOBAL, NEW_IMPORT + "\n\ndef version():\n"),
    ],
)
def test_what_decorators_need_is_imported_before_them_where_tensorflow_is_imported_in_a_function(
    text: str, top: str
) -> None:
    """The import came into the function: the decorator was a NameError, and a second run added one more."""
    new = migrated(text, "as-dataset")
    assert new.startswith(top)
    assert new.count("@queuecompat.input_pipeline\ndef inputs") == new.count("@queue") == 1
    assert "# queuecompat: " not in new
    compile(new, "inputs.py", "exec")


def test_a_program_whose_input_function_imports_tensorflow_itself_runs(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "inputs.py").write_text(LOCAL)
    (tmp_path / "main.py").write_text(
        "import tensorflow as tf\n"
        "import inputs\n"
        "batch = inputs.inputs(3)\n"
        "with tf.Session() as sess:\n"
        "    coord = tf.train.Coordinator()\n"
        "    threads = tf.train.start_queue_runners(sess, coord)\n"
        "    for _ in range(3):\n"
        "        print(sess.run(batch))\n"
        "    coord.request_stop()\n"
        "    coord.join(threads)\n"
    )
    for one in list(migrate([str(tmp_path)], "as-dataset")):
        assert not one.left
        one.path.write_bytes(one.new)
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[0 2 4]\n[ 6  8 10]\n[12 14 16]\n"
    assert all(one.new == one.old and not one.left for one in migrate([str(tmp_path)], "as-dataset"))


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.examples.tutorials.mnist import mnist\ny = mnist.inference(x, 128, 32)",
        "y = tf.gradients(x * x, x)[0]",
        "y = tf.hessians(x * x, x)[0]",
    ],
)
def test_what_makes_variables_or_needs_a_graph_does_not_move_into_the_loop(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "tf." in line:
        without_graphs(monkeypatch)
    require_left_with_one_comment(LOOP.format(line=line), "as-dataset", "QC743", "")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_the_comment_above_the_first_statement_is_written_once(to: str) -> None:
    text = "import sys, tensorflow as tf; sys.stdout = tf.train.batch([tf.constant(1)], 2); tf.Session()\n"
    once = TARGETS[to](source(text)).text
    assert once != text and once.count("# queuecompat: ") == 1
    assert TARGETS[to](source(once)).text == once


def test_mixed_tabs_and_spaces_get_advice_that_works(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "old.py"
    path.write_bytes(b"if True:\n        x = 1\n\ty = 2\n")
    [one] = migrate([str(path)], "v1")
    [unread] = one.unread
    assert unread.code == "QC731" and "expand -i -t 8" in unread.what
    path.write_bytes(path.read_bytes().expandtabs(8))  # what that command does
    [one] = migrate([str(path)], "v1")
    assert not one.unread


DRAWN = HEAD + (
    "def inputs():\n"
    "    scale = tf.random_uniform([], seed=1)\n"
    "    [x] = tf.train.slice_input_producer([[1.0, 1.0, 1.0, 1.0]], num_epochs=1, shuffle=False)\n"
    "    {line}\n"
    "    return tf.train.batch([{batched}], 4)\n"
)
INLINE = HEAD + (
    "scale = tf.random_uniform([])\n"
    "[x] = tf.train.slice_input_producer([[1.0, 2.0]], num_epochs=1, shuffle=False)\n"
    "batch = tf.train.batch([x * scale], 1)\n"
    "{line}\n"
    "with tf.Session() as sess:\n"
    "    coord = tf.train.Coordinator()\n"
    "    tf.train.start_queue_runners(sess, coord)\n"
    "    for _ in range(2):\n"
    "        print(sess.run(batch))\n"
)


@pytest.mark.parametrize(
    ("line", "batched", "decode"),
    [
        (
            "y = x * scale",
            "y",
            "def decode(x):\n        scale = tf.random_uniform([], seed=1)\n        y = x * scale\n",
        ),
        (
            "pass",
            "x * scale",
            "def decode(x):\n        scale = tf.random_uniform([], seed=1)\n        return x * scale\n",
        ),
    ],
)
def test_a_number_that_is_drawn_before_the_pipeline_is_drawn_for_each_record(
    line: str, batched: str, decode: str
) -> None:
    new = migrated(DRAWN.format(line=line, batched=batched), "tf-data")
    assert decode in new and new.count("tf.random_uniform") == 1


def test_lines_that_change_what_was_drawn_go_with_it() -> None:
    text = DRAWN.format(line="y = x * scale", batched="y").replace("seed=1)\n", "seed=1)\n    scale = scale + 1.0\n")
    new = migrated(text, "tf-data")
    assert "scale = tf.random_uniform([], seed=1)\n        scale = scale + 1.0\n        y = x * scale\n" in new


def test_a_number_that_a_stage_uses_too_is_not_drawn_for_each_record() -> None:
    text = DRAWN.format(line="y = x * scale", batched="y").replace("], 4)", "], 4, capacity=scale)")
    require_left_with_one_comment(text, "tf-data", "QC744", "")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_number_that_is_drawn_before_a_pipeline_of_statements_goes_with_it(to: str) -> None:
    """It stayed in front, and eager mode drew it once for the whole program."""
    new = migrated(INLINE.format(line=""), to)
    function = new.index("def input_pipeline():")
    assert new.count("tf.random_uniform([])") == 1 and new.index("tf.random_uniform([])") > function


def test_a_number_that_is_used_beside_the_pipeline_is_a_reason() -> None:
    text = INLINE.format(line="other = scale * 2.0")
    require_left_with_one_comment(text, "as-dataset", "QC743", "'scale' is recomputed by every session.run")


@pytest.mark.parametrize("end", ["\n  \n# end", "\n\n  \n# end\n", "\n\n\t\n", "\n    \n\n# a\n  \n# b"])
def test_a_file_with_blank_lines_and_comments_at_its_end_is_read(end: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "end.py"
    path.write_text("import tensorflow as tf\n\n\ndef f():\n    return tf.Session()\n" + end)
    [one] = migrate([str(path)], "v1")
    assert one.new == one.old.replace(b"tensorflow", b"queuecompat.v1")

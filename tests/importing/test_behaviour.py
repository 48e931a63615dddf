"""Whether ``import queuecompat.v1`` turns TensorFlow 1's behaviour on: each row is a program."""

from __future__ import annotations

import pathlib

import pytest

from tests.forking import Server

# From what a program is like to its text, and whether eager execution stays on. ``input_file`` imports queuecompat.v1.
PROGRAMS = {
    "a script of TensorFlow 1": ("import queuecompat.v1 as tf", False),
    "a script that has TensorFlow 2 beside it": ("import tensorflow as tf2; import queuecompat.v1 as tf", False),
    "a script that leaves TensorFlow to its modules": ("import input_file; tf = input_file.tf", False),
    "a script of compat.v1": ("import tensorflow.compat.v1 as tf; import input_file", False),
    "one that has turned eager execution off": (
        "import tensorflow as tf; tf.compat.v1.disable_eager_execution(); import input_file",
        False,
    ),
    "one that has run something eagerly": ("import tensorflow as t; t.add(1, 2); import queuecompat.v1 as tf", True),
    "the same inside a graph": (
        "import tensorflow as t; t.add(1, 2)\nwith t.Graph().as_default(): import queuecompat.v1 as tf",
        True,
    ),
    "a program of TensorFlow 2 that imports the file first": ("import tensorflow as tf; import input_file", True),
    "one whose module is of TensorFlow 2": ("import trainer; tf = trainer.tf", True),
    "an interactive session": (
        "import sys; sys.ps1 = '>>> '; import tensorflow as t; import queuecompat.v1 as tf",
        True,
    ),
    "an interactive session of TensorFlow 1": ("import sys; sys.ps1 = '>>> '; import queuecompat.v1 as tf", False),
    "one that has loaded a file": (
        "import queuecompat; queuecompat.load('plain.py'); import queuecompat.v1 as tf",
        True,
    ),
}
FILES = {
    "input_file.py": "import queuecompat.v1 as tf\n",
    "trainer.py": "import tensorflow as tf\nimport input_file\n",
    "plain.py": "import tensorflow as tf\n",
}
END = """
import queuecompat.v1
print("WARNED", sum("QC512" in str(one.message) for one in warned))
print("EAGER", tf.executing_eagerly() if not hasattr(tf, "enable_nothing") else None)
print("BEHAVIOUR", queuecompat.v1.control_flow_v2_enabled())
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_importing_v1_turns_tf1_behaviour_on_in_a_tf1_program_and_warns_once_elsewhere(
    name: str, server: Server, tmp_path: pathlib.Path
) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    code, stays = PROGRAMS[name]
    begin = (
        "import warnings\nwarned = []\nwarnings.simplefilter('always')\nkept = warnings.catch_warnings(record=True)\n"
    )
    done = server.run(["-c", f"{begin}warned = kept.__enter__()\n{code}\n{END}"], str(tmp_path))
    assert done.exit_code == 0, done.err
    assert done.out.split() == ["WARNED", str(int(stays)), "EAGER", str(stays), "BEHAVIOUR", str(stays)], done.err


def test_a_program_that_is_run_is_one_of_tensorflow_1_whatever_has_been_imported(
    server: Server, tmp_path: pathlib.Path
) -> None:
    code = "import queuecompat, tensorflow as tf; print(tf.__name__, tf.executing_eagerly())"
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "queuecompat.v1 False\n", done.err


def test_a_migrated_file_returns_its_dataset_to_a_program_of_tensorflow_2(
    server: Server, tmp_path: pathlib.Path
) -> None:
    # Importing it used to turn eager execution off: QC501.
    (tmp_path / "inputs.py").write_text(
        "import queuecompat.v1 as tf\n"
        "def numbers():\n"
        "  return tf.train.batch([tf.to_float(tf.train.range_input_producer(4, shuffle=False).dequeue())], 2)\n",
        encoding="utf-8",
    )
    code = (
        "import tensorflow as tf, inputs, queuecompat\n"
        "print([b.tolist() for b in queuecompat.as_dataset(inputs.numbers).take(2).as_numpy_iterator()])"
    )
    done = server.run(["-c", code], str(tmp_path))
    assert done.out == "[[0.0, 1.0], [2.0, 3.0]]\n", done.err

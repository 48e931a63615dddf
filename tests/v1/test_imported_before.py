"""Functions that are TensorFlow's own, since they were imported before `install()` or from a private module."""

from __future__ import annotations

import pathlib

import pytest

from tests.forking import Server

ROWS = 60
PROGRAM = """
{imports}
import numpy as np

with open("numbers", "w") as file:
    file.write("".join(f"{{number}}\\n" for number in range(60)))

def number(names):
    return tf.strings.to_number(TextLineReader().read(names)[1], tf.int32)

def names():
    return string_input_producer(["numbers"], num_epochs=1, shuffle=False)

def pairs():
    left, right = slice_input_producer([np.arange(60), np.arange(60)], num_epochs=1)
    return left + 0 * right

n = number(names())
PIPELINES = {{
    "shuffle_batch": lambda: shuffle_batch([n], 6, 50, 10, num_threads=2),
    "batch": lambda: batch([n], 8, allow_smaller_final_batch=True),
    "batch_join": lambda: batch_join([[n]], 6),
    "maybe_batch": lambda: maybe_batch([n], n >= 0, 6),
    "slices": lambda: batch([pairs()], 6),
}}
for name, build in PIPELINES.items():
    with tf.Graph().as_default() as graph:
        n = number(names())
        out = build()
        with tf.compat.v1.Session() as sess:
            sess.run(tf.compat.v1.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = start_queue_runners(sess, coord)
            seen = []
            try:
                while True:
                    seen += sess.run(out).tolist()
            except tf.errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(threads)
        assert sorted(seen) == list(range(60)), (name, seen)
        assert is_compiled(graph), (name, graph)
print("all compiled")
"""
FUNCTIONS = "batch, batch_join, maybe_batch, shuffle_batch, slice_input_producer, string_input_producer"
CHECK = """
def is_compiled(graph):
    found = queuecompat.explain(graph)
    return found.filled and len(found.filled) == len(found.compiled) and not found.native
"""
IMPORTS = {
    "before install()": f"""
import tensorflow as tf
tf.compat.v1.disable_v2_behavior()
from tensorflow.compat.v1 import TextLineReader
from tensorflow.compat.v1.train import start_queue_runners, {FUNCTIONS}
import queuecompat
queuecompat.install()
{CHECK}""",
    "from a private module": f"""
import tensorflow as tf
tf.compat.v1.disable_v2_behavior()
import queuecompat
from tensorflow.compat.v1 import TextLineReader
queuecompat.install()
from tensorflow.python.training.input import {FUNCTIONS}
from tensorflow.python.training.queue_runner_impl import start_queue_runners
{CHECK}""",
}


@pytest.mark.parametrize("how", IMPORTS)
def test_pipelines_of_tensorflows_own_functions_are_compiled_up_to_their_queue(
    how: str, server: Server, tmp_path: pathlib.Path
) -> None:
    done = server.run(["-c", PROGRAM.format(imports=IMPORTS[how])], str(tmp_path))
    assert done.out == "all compiled\n", done.err


def test_under_run_a_private_module_has_the_functions_that_compile_all_of_a_pipeline(
    server: Server, tmp_path: pathlib.Path
) -> None:
    imports = f"""
import tensorflow as tf
from tensorflow import TextLineReader
from tensorflow.python.training.input import {FUNCTIONS}
from tensorflow.python.training.queue_runner_impl import start_queue_runners
import queuecompat
def is_compiled(graph):
    found = queuecompat.explain(graph)
    return found.compiled and not found.filled
"""
    (tmp_path / "program.py").write_text(PROGRAM.format(imports=imports))
    done = server.run(["program.py"], str(tmp_path), launcher=["run", "--strict"])
    assert done.out == "all compiled\n", done.err


def test_after_uninstall_graphs_of_tensorflows_own_functions_are_left_alone(
    server: Server, tmp_path: pathlib.Path
) -> None:
    program = f"""
import tensorflow as tf
tf.compat.v1.disable_v2_behavior()
from tensorflow.compat.v1.train import start_queue_runners, {FUNCTIONS}
import queuecompat
with queuecompat.install():
    pass
out = batch([slice_input_producer([list(range(6))], num_epochs=1, shuffle=False)[0]], 6)
with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = start_queue_runners(sess, coord)
    print(sess.run(out).tolist(), [op.name for op in sess.graph.get_operations() if "queuecompat" in op.name])
    coord.request_stop()
    coord.join(threads)
"""
    done = server.run(["-c", program], str(tmp_path))
    assert done.out == "[0, 1, 2, 3, 4, 5] []\n", done.err

"""Shapes with floats do what they did in TensorFlow 1.15.5, whose answers are written here."""

from __future__ import annotations

import pathlib

import pytest

from tests.forking import Server

# Expressions, and what TensorFlow 1.15.5 makes of them, as text.
ANSWERS = {
    "tf.placeholder(tf.float32, [None, 16 / 2]).shape.as_list()": "[None, 8]",
    "tf.get_variable('a', [np.float64(4), 16 / 2], initializer=tf.zeros_initializer()).shape.as_list()": "[4, 8]",
    "of_shape([None, 3.0])": "[None, 3]",
    "tf.TensorShape([np.float32(2), 3]).as_list()": "[2, 3]",
    "tf.Dimension(8) // tf.Dimension(2.0)": "4",
    "[tf.FIFOQueue(3, [tf.float32], [[4 / 2]]).dequeue().shape.as_list()]": "[[2]]",
    "tf.train.batch([tf.zeros([2])], 3, shapes=[[4 / 2]]).shape.as_list()": "[3, 2]",
    "tf.TensorShape([8.5])": "ValueError",
    "tf.TensorShape([-1.0])": "ValueError",
    "tf.TensorShape([float('nan')])": "ValueError",
    "tf.Dimension(tf.float32)": "TypeError",
    "tf.TensorShape([None, 2, tf.Dimension(3)]).as_list()": "[None, 2, 3]",
}
PROGRAM = """
import numpy as np
import tensorflow as tf

def of_shape(shape):
    tensor = tf.placeholder(tf.float32)
    tensor.set_shape(shape)
    return tensor.shape.as_list()

for expression in {expressions}:
    try:
        print(eval(expression))
    except (TypeError, ValueError) as problem:
        print(type(problem).__name__)
"""


@pytest.mark.parametrize("launcher", [["run"], []])
def test_a_float_that_is_a_whole_number_is_a_dimension(launcher: list, server: Server, tmp_path: pathlib.Path) -> None:
    program = PROGRAM.format(expressions=list(ANSWERS))
    if not launcher:
        program = program.replace("import tensorflow as", "import queuecompat.v1 as")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = server.run(["program.py"], str(tmp_path), launcher=launcher)
    assert done.exit_code == 0, done.err
    assert done.out.splitlines() == list(ANSWERS.values())


def test_tensorflow_2_keeps_its_dimensions(server: Server, tmp_path: pathlib.Path) -> None:
    code = "import tensorflow as tf, queuecompat\nqueuecompat.as_dataset\ntf.TensorShape([8.0])"
    done = server.run(["-c", code], str(tmp_path))
    assert done.exit_code == 1 and "TypeError: Dimension value must be integer" in done.err

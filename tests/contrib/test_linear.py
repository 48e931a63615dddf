"""``core_rnn_cell._linear``, a private function that decoders of programs use, with the answers of TF 1.15.5."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import queuecompat.v1 as tf
from queuecompat._namespace.modules import find
from tests.forking import Server


def core_rnn_cell() -> Any:
    return find("contrib.rnn.python.ops.core_rnn_cell")


def halves() -> Any:
    return tf.variable_scope("s", initializer=tf.constant_initializer(0.5))


def test_matrices_are_joined_and_multiplied_by_a_kernel_of_the_scope() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with halves():
            inputs = [tf.ones([2, 3]), tf.ones([2, 1])]
            mapped = core_rnn_cell()._linear(inputs, 2, True, bias_initializer=tf.constant_initializer(0.25))
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(mapped), np.full([2, 2], 2.25, np.float32))
        assert mapped.name == "s/s/BiasAdd:0"
        assert [(one.name, one.shape.as_list()) for one in tf.global_variables()] == [
            ("s/kernel:0", [4, 2]),
            ("s/bias:0", [2]),
        ]


def test_a_map_that_is_called_twice_has_its_variables_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with halves():
            one = core_rnn_cell()._Linear(tf.ones([2, 3]), 2, False)
        mapped = [one(tf.ones([2, 3])), one(tf.zeros([2, 3]))]
        session.run(tf.global_variables_initializer())
        assert [float(values.max()) for values in session.run(mapped)] == [1.5, 0.0]
        assert [variable.name for variable in tf.global_variables()] == ["s/kernel:0"]


@pytest.mark.parametrize("args", [None, [], [[3]], [[2, None]]], ids=["None", "none", "vector", "unknown"])
@pytest.mark.parametrize("name", ["_linear", "_Linear"])
def test_what_has_no_columns_is_refused(name: str, args: Any) -> None:
    with tf.Graph().as_default():
        given = args and [tf.placeholder(tf.float32, args[0])]
        with pytest.raises(ValueError, match=r"args|linear"):
            getattr(core_rnn_cell(), name)(given, 2, True)


def test_the_names_are_private_to_the_file() -> None:
    assert not hasattr(tf.contrib.rnn, "_linear") and "_linear" not in dir(core_rnn_cell())


def test_the_error_for_another_private_name_does_not_deny_that_tensorflow_1_had_it() -> None:
    with pytest.raises(AttributeError, match=r"TensorFlow 1\.15 had no such public name"):
        core_rnn_cell()._hasattr  # noqa: B018
    with pytest.raises(AttributeError, match=r"TensorFlow 1\.15 had no such name"):
        core_rnn_cell().absent  # noqa: B018


def test_a_program_imports_it_from_its_file(server: Server, tmp_path: pathlib.Path) -> None:
    code = (
        "import tensorflow as tf\n"
        "from tensorflow.contrib.rnn.python.ops import core_rnn_cell\n"
        "from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear\n"
        "print(core_rnn_cell._linear is _linear, _linear(tf.ones([2, 3]), 4, False).shape)\n"
    )
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "True (2, 4)\n", done.err

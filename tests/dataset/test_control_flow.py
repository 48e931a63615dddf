"""Conditions and loops of an input function are TensorFlow 1's; those of the program around it stay TensorFlow 2's."""

from __future__ import annotations

import threading
from typing import Any, List, Set

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
from queuecompat._eager.control_flow import control_flow_of_tf1

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf

OF_TF2 = {"If", "StatelessIf", "While", "StatelessWhile"}


def kinds_of_a_condition() -> Set[str]:
    """The types of the ops that a condition becomes in a graph of TensorFlow 1's kind."""
    with tf2.Graph().as_default() as graph:
        tf2.cond(tf2.compat.v1.placeholder_with_default(True, []), lambda: tf2.constant(1), lambda: tf2.constant(2))
    return {op.type for op in graph.get_operations()}


def numbers() -> Any:
    return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()


@pytest.mark.parametrize(
    ("of_one", "kinds"),
    [
        (lambda n: tf.cond(n > 2, lambda: n * 10, lambda: -n), {"Switch", "Merge"}),
        (lambda n: tf.case([(n < 2, lambda: n + 100), (n < 4, lambda: n + 200)], lambda: n), {"Switch", "Merge"}),
        (lambda n: tf.while_loop(lambda k: k < 40, lambda k: k * 2 + 1, [n]), {"Enter", "Exit", "NextIteration"}),
        (lambda n: tf.reduce_sum(tf.map_fn(lambda k: k * n, tf.range(4))), {"TensorArrayV3", "Enter", "Exit"}),
    ],
    ids=["cond", "case", "while_loop", "map_fn"],
)
def test_an_input_function_builds_the_ops_of_tensorflow_1(of_one: Any, kinds: Set[str]) -> None:
    built: Set[str] = set()

    def input_fn() -> Any:
        batch = tf.train.batch([of_one(numbers())], 3)
        built.update(op.type for op in tf.get_default_graph().get_operations())
        return batch

    batches = [batch.numpy().tolist() for batch in queuecompat.as_dataset(input_fn)]
    assert kinds <= built
    assert not OF_TF2 & built
    expected = [int(np.asarray(of_one(tf2.constant(n)))) for n in range(6)]
    assert batches == [expected[:3], expected[3:]]


def test_an_op_outside_of_a_branch_runs_whichever_is_taken() -> None:
    seen: List[int] = []

    def input_fn() -> Any:
        n = numbers()
        told = tf.py_func(lambda one: seen.append(int(one)) or one, [n], tf.int32)
        told.set_shape([])
        return tf.train.batch([tf.cond(n > 2, lambda: told + 0, lambda: n)], 3)

    assert [batch.numpy().tolist() for batch in queuecompat.as_dataset(input_fn)] == [[0, 1, 2], [3, 4, 5]]
    assert sorted(seen) == [0, 1, 2, 3, 4, 5]


def test_afterwards_graphs_have_what_they_had() -> None:
    before = kinds_of_a_condition()
    queuecompat.as_dataset(numbers)
    assert kinds_of_a_condition() == before
    with pytest.raises(ZeroDivisionError):
        queuecompat.as_dataset(lambda: 1 // 0)
    assert kinds_of_a_condition() == before
    assert OF_TF2 & before


def test_the_last_of_two_threads_restores_the_control_flow() -> None:
    is_in, may_end = threading.Event(), threading.Event()

    def other() -> None:
        with control_flow_of_tf1():
            is_in.set()
            may_end.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    assert is_in.wait(60)
    with control_flow_of_tf1():
        may_end.set()
        thread.join()
        assert "Switch" in kinds_of_a_condition()
    assert OF_TF2 & kinds_of_a_condition()


def test_tf_functions_keep_tensorflow_2s_control_flow_meanwhile() -> None:
    function = tf2.function(lambda flag: tf2.cond(flag, lambda: tf2.constant(1), lambda: tf2.constant(2)))
    with control_flow_of_tf1():
        graph = function.get_concrete_function(tf2.TensorSpec([], tf2.bool)).graph
    assert OF_TF2 & {op.type for op in graph.get_operations()}


def test_the_programs_own_choice_of_control_flow_stays() -> None:
    tf2.compat.v1.disable_control_flow_v2()
    try:
        queuecompat.as_dataset(numbers)
        assert "Switch" in kinds_of_a_condition()
    finally:
        tf2.compat.v1.enable_control_flow_v2()

"""Which parameter server a variable goes to: the values are those of TF 1.15.5."""

from __future__ import annotations

from typing import Any, List

import pytest

import queuecompat.v1 as tf
from queuecompat.contrib import training

SHAPES = ([4, 5], [3], [], [2, 2], [30], [6])


def tasks(strategy: Any, **arguments: Any) -> List[int]:
    """The server of each variable, in a program that has a pipeline, which is none of the strategy's business."""
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(3, ps_strategy=strategy)):
        tf.train.batch([tf.train.range_input_producer(6, shuffle=False).dequeue()], 2)
        variables = [tf.get_variable(f"v{n}", shape, **arguments) for n, shape in enumerate(SHAPES)]
    return [int(variable.device.partition("/job:ps/task:")[2]) for variable in variables]


@pytest.mark.parametrize(("seed", "expected"), [(0, [1, 2, 1, 2, 2, 1]), (5, [1, 1, 1, 0, 1, 1])])
def test_a_random_strategy_goes_by_the_name(seed: int, expected: List[int]) -> None:
    assert tasks(training.RandomStrategy(3, seed)) == expected


def test_a_greedy_strategy_takes_the_server_with_the_lowest_load() -> None:
    strategy, size = training.GreedyLoadBalancingStrategy, training.byte_size_load_fn
    assert tasks(strategy(3, size), use_resource=False) == [0, 1, 2, 2, 1, 2]
    assert tasks(strategy(3, size), use_resource=True) == [0, 1, 2, 0, 1, 2]
    assert tasks(strategy(2, lambda op: len(op.name))) == [0, 1, 0, 1, 0, 1]


def test_the_size_of_an_op_is_that_of_its_output_in_bytes() -> None:
    assert training.byte_size_load_fn(tf.constant([1.0, 2.0]).op) == 8
    assert training.byte_size_load_fn(tf.constant("text").op) == 8
    assert training.byte_size_load_fn(tf.get_variable("doubles", [3], tf.float64, use_resource=False).op) == 24
    numbers = tf.constant([1, 2])
    for op in (tf.no_op(), tf.split(numbers, 2)[0].op, tf.placeholder(tf.int32, [None]).op, tf.where(numbers > 1).op):
        with pytest.raises(ValueError):
            training.byte_size_load_fn(op)

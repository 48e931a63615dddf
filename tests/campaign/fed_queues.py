"""Pipelines over a queue that the program feeds itself: all that was fed is delivered, without more being fed.

A random pipeline takes from the queue: work of several kinds, perhaps a second queue or batcher in between, then a
batcher of one or several lists, whose size a step may choose. An element that any stage holds back until the next one
comes makes the last batch wait forever.
"""

from __future__ import annotations

import pathlib
import random
from typing import Any, Callable, Dict, List

import numpy as np

import queuecompat.v1 as tf
from tests.pipelines.running import queue_of, started

__all__ = ["fed_queues"]

_ROUNDS = 3
_QUEUES: Dict[str, Callable[[], Any]] = {
    "first in, first out": lambda: tf.FIFOQueue(1000, [tf.int32], [[]]),
    "padding": lambda: tf.PaddingFIFOQueue(1000, [tf.int32], [[]]),
    "random": lambda: tf.RandomShuffleQueue(1000, 0, [tf.int32], [[]]),
}
_WORK: Dict[str, Callable[[Any], Any]] = {
    "nothing": lambda x: x,
    "ops": lambda x: (x + 1) - 1,
    "a branch": lambda x: tf.cond(x > 5, lambda: x + 0, lambda: x * 1),
    "Python": lambda x: _known(tf.py_func(np.int32, [x], tf.int32)),
}
_BETWEEN: Dict[str, Callable[[Any], Any]] = {
    "nothing": lambda x: x,
    "a batcher": lambda x: tf.train.batch([x], 1)[0],
    "a queue": lambda x: queue_of(x, 20).dequeue(),
    "a reader": lambda x: tf.string_to_number(tf.IdentityReader().read(queue_of(tf.as_string(x), 20))[1], tf.int32),
}


def fed_queues(size: int, chance: random.Random, folder: pathlib.Path) -> None:
    """So many graphs, each with a pipeline."""
    for number in range(size):
        chosen = {
            "queue": chance.choice(list(_QUEUES)),
            "work": chance.choice(list(_WORK)),
            "between": chance.choice(list(_BETWEEN)),
            "lists": chance.choice([1, 1, 2, 4]),
            "batch": chance.choice([1, 2, 4]),
            "is fed a size": chance.choice([False, True]),
            "has rows": chance.choice([False, False, True]),
            "shuffles": chance.choice([False, True]),
            "capacity": chance.choice([8, 100]),
            "fed": [chance.randint(1, 5) for _ in range(_ROUNDS)],
        }
        try:
            with tf.Graph().as_default():
                _delivers(chosen)
        except Exception as problem:
            raise AssertionError(f"graph {number}, {chosen}: {problem}") from problem


def _delivers(chosen: Dict[str, Any]) -> None:
    queue, given = _QUEUES[chosen["queue"]](), tf.placeholder(tf.int32, [None])
    enqueue, close = queue.enqueue_many([given]), queue.close()
    batch = _batch(queue, chosen)
    with started() as session:
        for batches in chosen["fed"]:
            numbers = list(range(batches * chosen["batch"]))
            session.run(enqueue, {given: numbers})
            # A step that waits forever is ended by the time limit of these sessions.
            found = [int(one) for _ in range(batches) for one in np.ravel(session.run(batch))]
            assert sorted(found) == numbers, f"{len(found)} of {len(numbers)} elements: {sorted(found)}"
        session.run(close)  # no runner closes it, and the pipeline would wait for more


def _batch(queue: Any, chosen: Dict[str, Any]) -> Any:
    lists: List[List[Any]] = []
    for _ in range(chosen["lists"]):
        element = _BETWEEN[chosen["between"]](_WORK[chosen["work"]](queue.dequeue()))
        lists.append([tf.stack([element]) if chosen["has rows"] else element])
    size = tf.placeholder_with_default(chosen["batch"], []) if chosen["is fed a size"] else chosen["batch"]
    arguments = {"batch_size": size, "capacity": chosen["capacity"], "enqueue_many": chosen["has rows"]}
    if chosen["shuffles"]:
        return tf.train.shuffle_batch_join(lists, min_after_dequeue=0, **arguments)
    return tf.train.batch_join(lists, **arguments)


def _known(scalar: Any) -> Any:
    scalar.set_shape([])
    return scalar

"""Pipelines that are started, run for some steps, and ended in one of many ways: no wrong elements, no leaks.

A round is several lives of one graph, one session after the other; or one life of a dataset, or of a loader.
"""

from __future__ import annotations

import gc
import os
import pathlib
import random
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.bad_data import KEY, write_examples
from tests.queues.modes import eager_mode

__all__ = ["ELEMENTS", "ENDS", "FEW", "KINDS", "MANY", "PIPELINES", "is_gone", "lived", "round_of"]

ELEMENTS = 60
# Lives of a graph, and of one of the campaign: to build it takes as long as three of them.
FEW, MANY = 2, 8


def _rows(folder: pathlib.Path, chance: random.Random) -> Any:
    number = tf.train.range_input_producer(ELEMENTS, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([tf.cast(number, tf.int64) + 0], chance.randint(1, 9), capacity=chance.randint(1, 40))


def _records(folder: pathlib.Path, chance: random.Random) -> Any:
    path = write_examples(folder / "a", range(ELEMENTS))
    record = tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=1))[1]
    value = tf.parse_single_example(record, {KEY: tf.FixedLenFeature([], tf.int64)})[KEY]
    return tf.train.batch([value], chance.randint(1, 9), num_threads=chance.randint(1, 3))


def _shuffled(folder: pathlib.Path, chance: random.Random) -> Any:
    least = chance.randint(1, 20)
    number = tf.train.range_input_producer(ELEMENTS, num_epochs=1).dequeue()
    return tf.train.shuffle_batch([tf.cast(number, tf.int64)], chance.randint(1, 9), least + 10, least)


def _in_python(folder: pathlib.Path, chance: random.Random) -> Any:
    number = tf.train.range_input_producer(ELEMENTS, num_epochs=1, shuffle=False).dequeue()
    value = tf.py_func(np.int64, [number], tf.int64)
    value.set_shape([])
    return tf.train.batch([value], chance.randint(1, 9))


PIPELINES: Dict[str, Callable[[pathlib.Path, random.Random], Any]] = {
    "python": _in_python,
    "records": _records,
    "rows": _rows,
    "shuffled": _shuffled,
}

ENDS = ("stop and join", "close", "close without a coordinator", "exception", "to the end", "stop in another thread")


class _PlannedError(Exception):
    pass


def lived(batch: Any, end: str, steps: int, init: Any = None) -> List[int]:
    """What came out of a session that ends in that way.

    Args:
      init: what initialises the variables of a graph that other threads use; None: it is added to the graph.
    """
    delivered: List[int] = []
    with tf.Session() as sess:
        sess.run(init or [tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = None if end == "close without a coordinator" else tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for _ in range(ELEMENTS * 2 if end == "to the end" else steps):
                delivered += sess.run(batch).tolist()
            if end == "exception":
                raise _PlannedError
        except (tf.errors.OutOfRangeError, _PlannedError):
            pass
        if end == "stop in another thread" and coord is not None:
            stopper = threading.Thread(target=coord.request_stop)
            stopper.start()
            stopper.join()
        if coord is not None and end != "close":
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=20)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), f"{thread} is still alive"
    return delivered


def _iterated(batches: Any, end: str, steps: int) -> List[int]:
    """What came out of a loop that ends in that way."""
    delivered: List[int] = []
    try:
        for number, batch in enumerate(batches):
            if end != "to the end" and number >= steps:
                if end == "exception":
                    raise _PlannedError
                break
            delivered += np.asarray(batch).tolist()
    except _PlannedError:
        pass
    return delivered


def _dataset(folder: pathlib.Path, chance: random.Random) -> Tuple[int, str, List[int]]:
    """A dataset of an input function, in which a Python function may be, iterated once or twice."""
    size, end, in_python = (
        chance.randint(1, 9),
        chance.choice(("to the end", "left", "exception")),
        chance.random() < 0.3,
    )

    def input_fn() -> Any:
        number = tf.train.range_input_producer(ELEMENTS, num_epochs=1, shuffle=False).dequeue()
        value = tf.py_func(np.int64, [number], tf.int64) if in_python else tf.cast(number, tf.int64)
        value.set_shape([])
        return tf.train.batch([value], size, capacity=chance.randint(1, 40))

    with eager_mode():
        dataset = queuecompat.as_dataset(input_fn)
        for _ in range(chance.randint(1, 2)):
            delivered = _iterated(dataset, end, chance.randint(0, 8))
        # What waits in Python belongs to the iterator, which belongs to its loop.
        del dataset
        gc.collect()
    return size, end, delivered


def _loader(folder: pathlib.Path, chance: random.Random) -> Tuple[int, str, List[int]]:
    size, end = chance.randint(1, 9), chance.choice(("to the end", "left", "exception"))
    workers = chance.randint(1, 4)
    loader = queuecompat.BackgroundLoader(
        range(ELEMENTS), batch_size=size, num_workers=workers, capacity=chance.randint(size, 40), drop_remainder=True
    )
    with loader:
        return size, end, _iterated(loader, end, chance.randint(0, 8))


_WITHOUT_SESSION: Dict[str, Callable[[pathlib.Path, random.Random], Tuple[int, str, List[int]]]] = {
    "dataset": _dataset,
    "loader": _loader,
}
KINDS = (*PIPELINES, *_WITHOUT_SESSION)


def round_of(kind: str, seed: int, folder: pathlib.Path, lives: int = MANY) -> int:
    """One round with so many lives of a graph; raises what went wrong, or returns how many lives there were."""
    chance = random.Random(seed)
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    if kind in _WITHOUT_SESSION:
        size, end, delivered = _WITHOUT_SESSION[kind](folder, chance)
        _require_right(kind, size, end, delivered)
        _require_nothing_left(end, *before)
        return 1
    with tf.Graph().as_default() as graph:
        kept = weakref.ref(graph)
        _lives_of_a_graph(kind, chance, folder, lives, before)
    del graph
    assert is_gone(kept), f"{kept()} stays"
    return lives


def _lives_of_a_graph(
    kind: str, chance: random.Random, folder: pathlib.Path, lives: int, before: Tuple[int, int]
) -> None:
    batch = PIPELINES[kind](folder, chance)
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    for _ in range(lives):
        end = chance.choice(ENDS)
        delivered = lived(batch, end, chance.randint(0, 8), init)
        _require_right(kind, int(batch.shape[0]), end, delivered)
        _require_nothing_left(end, *before)


def is_gone(kept: weakref.ref[Any]) -> bool:
    """Whether the collector finds what *kept* refers to, soon: a thread may still be ending, and hold what it ended."""
    deadline = time.monotonic() + 20
    while kept() is not None and time.monotonic() < deadline:
        gc.collect()
    return kept() is None


def _require_right(kind: str, size: int, end: str, delivered: List[int]) -> None:
    assert len(set(delivered)) == len(delivered), f"{end}: an element came twice"
    assert set(delivered) <= set(range(ELEMENTS)), f"{end}: an element came that is none"
    if kind != "shuffled":
        assert delivered == list(range(len(delivered))) or kind == "records", f"{end}: the order is another"
    if end == "to the end":
        assert len(delivered) == ELEMENTS // size * size, f"{end}: {len(delivered)} elements in batches of {size}"


def _require_nothing_left(end: str, threads: int, descriptors: int) -> None:
    # The stall watches, of sessions and of datasets, are one each a process.
    assert threading.active_count() <= threads + 2, f"{end}: threads stay: {threading.enumerate()}"
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 8, f"{end}: descriptors stay open"

"""How well shuffle_batch mixes, measured against native queues on the same TensorFlow, in the same run.

Two regimes. Input-bound: the loop takes batches as fast as they come, and a native pool hovers above
``min_after_dequeue``. Compute-bound: the loop waits, as one that computes would, until the native pool is full.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat.v1 as tf
from queuecompat import processors
from tests.natively import natively
from tests.pipelines.running import drain_built, started

BATCH, CAPACITY, MINIMUM, BATCHES = 10, 400, 100, 1000
CROPS, NEAR = 8, 5
# Both sides are random: what is measured varies by a few per cent from run to run.
TOLERANCE = 0.9


def rows(train: Any) -> Any:
    number = train.range_input_producer(10**6, shuffle=False).dequeue()
    return train.shuffle_batch([number], BATCH, capacity=CAPACITY, min_after_dequeue=MINIMUM)


def expensive(train: Any) -> Any:
    """What comes out of Python keeps its order: it is mixed in a pool that begins small, and grows."""
    number = train.range_input_producer(10**6, shuffle=False).dequeue()
    made = tf.py_func(lambda number: number, [number], tf.int32)
    made.set_shape([])
    return train.shuffle_batch([made], BATCH, capacity=CAPACITY, min_after_dequeue=MINIMUM)


def crops(train: Any) -> Any:
    number = train.range_input_producer(10**6, shuffle=False).dequeue()
    return train.shuffle_batch(
        [tf.fill([CROPS], number)], BATCH, capacity=CAPACITY, min_after_dequeue=MINIMUM, enqueue_many=True
    )


NATIVE: Any = real.compat.v1.train


def batches(build: Callable[[Any], Any], train: Any, is_compute_bound: bool) -> np.ndarray:
    with natively() if train is NATIVE else contextlib.nullcontext(), real.Graph().as_default() as graph:
        batch = build(train)
        sizes = [op.outputs[0] for op in graph.get_operations() if op.type == "QueueSizeV2" and "random" in op.name]
        given: List[Any] = []
        with started(graph) as sess:
            while len(given) < BATCHES:
                if is_compute_bound and sizes:
                    while sess.run(sizes[0]) < CAPACITY:
                        pass
                given.append(sess.run(batch))
    return np.array(given)


def displacement(order: np.ndarray, first: int = 0) -> float:
    """Mean distance between an element's place in the source and its place in the training, where *first* is 0."""
    flat = order.ravel()
    return float(np.abs(flat - np.arange(first, first + flat.size)).mean())


def neighbours(order: np.ndarray) -> float:
    """How often an element and the one after it in the source come in one batch."""
    return float(np.mean([sum(n + 1 in batch for n in batch) for batch in order.tolist()])) / BATCH


def near_crops(order: np.ndarray) -> float:
    """How many other crops of its image an element has in its window of NEAR batches.

    In single batches there would be too few to tell: some hundreds, whose number varies by a twentieth.
    """
    windows = order.reshape(-1, NEAR * BATCH).tolist()
    return float(np.mean([sum(window.count(image) - 1 for image in window) for window in windows])) / (NEAR * BATCH)


@pytest.mark.parametrize("is_compute_bound", [False, True], ids=["input-bound", "compute-bound"])
def test_rows_are_mixed_at_least_as_well_as_by_native_queues(is_compute_bound: bool) -> None:
    sides: Dict[str, np.ndarray] = {
        "native": batches(rows, NATIVE, is_compute_bound),
        "ours": batches(rows, tf.train, is_compute_bound),
    }
    measured = {side: (displacement(order), neighbours(order)) for side, order in sides.items()}
    assert measured["ours"][0] >= TOLERANCE * measured["native"][0], measured
    assert measured["ours"][1] <= measured["native"][1] / TOLERANCE + 0.01, measured


@pytest.mark.parametrize("is_compute_bound", [False, True], ids=["input-bound", "compute-bound"])
def test_a_shuffle_buffer_that_has_grown_mixes_as_well_as_one_that_was_filled_first(is_compute_bound: bool) -> None:
    grown = 4 * (CAPACITY - MINIMUM) // BATCH + 1  # batches; one element more for every four that are taken
    orders = {"grown": batches(expensive, tf.train, is_compute_bound), "filled": batches(rows, tf.train, False)}
    theirs = batches(expensive, NATIVE, is_compute_bound)[grown:]
    ours, filled = orders["grown"][grown:], orders["filled"][grown:]
    measured = {
        "native": (displacement(theirs, grown * BATCH), neighbours(theirs)),
        "filled": (displacement(filled, grown * BATCH), neighbours(filled)),
        "ours": (displacement(ours, grown * BATCH), neighbours(ours)),
    }
    for side in ("native", "filled"):
        assert measured["ours"][0] >= TOLERANCE * measured[side][0], measured
        assert measured["ours"][1] <= measured[side][1] / TOLERANCE + 0.01, measured


@pytest.mark.parametrize("is_compute_bound", [False, True], ids=["input-bound", "compute-bound"])
def test_the_crops_of_one_image_are_spread_over_batches(is_compute_bound: bool) -> None:
    ours = near_crops(batches(crops, tf.train, is_compute_bound))
    theirs = near_crops(batches(crops, NATIVE, is_compute_bound))
    assert ours <= theirs / TOLERANCE**2, (ours, theirs)
    assert ours < (CROPS - 1) / 10  # neighbouring rows would nearly all be there


def decoded(train: Any, num_threads: int, seed: Any = 3) -> Any:
    """Some rows take longer than others."""
    number = train.range_input_producer(200, shuffle=False, num_epochs=1).dequeue()
    side = tf.where(tf.equal(number % 7, 0), 300, 3)
    image = tf.image.decode_png(tf.image.encode_png(tf.zeros([side, side, 1], tf.uint8)))
    with tf.control_dependencies([image]):
        number = tf.identity(number)
    return train.shuffle_batch([number], 5, capacity=160, min_after_dequeue=20, seed=seed, num_threads=num_threads)


def of_graph(train: Any, num_threads: int) -> Any:
    tf.set_random_seed(3)
    return decoded(train, num_threads, seed=None)


def copied(train: Any, num_threads: int) -> Any:
    number = train.range_input_producer(200, shuffle=False, num_epochs=1).dequeue()
    return train.shuffle_batch([number * 2], 5, capacity=160, min_after_dequeue=20, seed=3, num_threads=num_threads)


@pytest.mark.parametrize("num_threads", [1, 4])
@pytest.mark.parametrize("build", [copied, decoded, of_graph])
def test_the_order_of_a_seed_is_the_same_in_every_run_and_with_any_number_of_processors(
    build: Callable[[Any, int], Any], num_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is worked on made the pool smaller by some for each processor; and it came out as it was done."""
    orders = []
    for processors_there in (1, 2, 8):
        monkeypatch.setattr(processors, "usable", lambda count=processors_there: count)
        orders.append(np.concatenate(drain_built(lambda: build(tf.train, num_threads))).tolist())
    assert orders[0] == orders[1] == orders[2] != sorted(orders[0])

"""How well a pool mixes: the picture and the figures of ``shuffling.md``.

Run ``python migration_guide/pictures/mixing.py`` (it needs matplotlib) to measure anew. It writes ``mixing.svg``, and
``mixing.json`` with the figures that the page quotes. What is measured is how far an example comes from where it would
come unshuffled; its standard deviation, in examples, is called the mixing. TensorFlow's own queues, in graph mode, are
the ones of TensorFlow 1.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Dict

import numpy as np
import tensorflow as tf

BATCH, CAPACITY, MINIMUM = 10, 500, 100
HERE = pathlib.Path(__file__).parent


def queue(waits_until_full: bool) -> Callable[[int], np.ndarray]:
    """The order in which TensorFlow 1's shuffle_batch gives the numbers 0, 1, 2, ...

    A model that computes longer than loading takes finds the pool full at each step; so does a loop that waits for it.
    """

    def order(batches: int) -> np.ndarray:
        train = tf.compat.v1.train
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as sess:
            number = train.range_input_producer(2**30, shuffle=False, capacity=BATCH).dequeue()
            batch = train.shuffle_batch([number], BATCH, CAPACITY, MINIMUM)
            (size,) = (
                op.outputs[0] for op in graph.get_operations() if op.type == "QueueSizeV2" and "random" in op.name
            )
            coordinator = train.Coordinator()
            threads = train.start_queue_runners(sess, coordinator)
            given = []
            for _ in range(batches):
                while waits_until_full and sess.run(size) < CAPACITY:
                    pass
                given.append(sess.run(batch))
            coordinator.request_stop()
            sess.run(graph.get_operation_by_name("shuffle_batch/random_shuffle_queue_Close_1"))
            coordinator.join(threads, stop_grace_period_secs=20, ignore_live_threads=True)
        return np.concatenate(given)

    return order


def dataset(pool: int) -> Callable[[int], np.ndarray]:
    """The order in which a dataset shuffled by a buffer of *pool* gives them."""

    def order(batches: int) -> np.ndarray:
        numbers = tf.data.Dataset.range(2**30).shuffle(pool).batch(BATCH).take(batches)
        return np.concatenate(list(numbers.as_numpy_iterator()))

    return order


SIDES: Dict[str, Callable[[int], np.ndarray]] = {
    "TF1, model computes": queue(waits_until_full=True),
    "TF1, model waits": queue(waits_until_full=False),
    f"shuffle({CAPACITY}), capacity": dataset(CAPACITY),
    f"shuffle({MINIMUM}), min_after_dequeue": dataset(MINIMUM),
}


def displacements(order: np.ndarray) -> np.ndarray:
    """By how many places each example comes late (negative: early), once the pool has been turned over."""
    late = np.arange(len(order)) - order
    settled = late[5 * CAPACITY :].astype(float)
    return settled - settled.mean()


def measure(batches: int) -> Dict[str, np.ndarray]:
    """Displacements of every side, over so many batches."""
    return {side: displacements(order(batches)) for side, order in SIDES.items()}


def mixing(measured: Dict[str, np.ndarray]) -> Dict[str, float]:
    """The standard deviation of each side's displacements, in examples."""
    return {side: float(late.std()) for side, late in measured.items()}


def draw(measured: Dict[str, np.ndarray], path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # The same figures make the same file; text is text.
    pyplot.rcParams.update({"svg.hashsalt": "mixing", "svg.fonttype": "none"})
    figure, axes = pyplot.subplots(figsize=(7.5, 3.6), layout="constrained")
    edges = np.arange(-600, 1801, 50)
    styles: Any = [("C0", "-", 2.5), ("C0", ":", 1.5), ("C2", "--", 1.5), ("C3", "-", 1.5)]
    for (side, late), (colour, line, width) in zip(measured.items(), styles):
        share, _ = np.histogram(late, edges)
        label = f"{side}: mixing {late.std():.0f}"
        axes.step(edges[:-1] + 25, share / len(late), color=colour, linestyle=line, linewidth=width, label=label)
    axes.set(xlabel="examples that this one comes late by", ylabel="share of all examples")
    axes.set_title(f"capacity {CAPACITY}, min_after_dequeue {MINIMUM}, batch_size {BATCH}", fontsize="medium")
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    measured = measure(4000)
    draw(measured, HERE / "mixing.svg")
    figures = {side: round(value) for side, value in mixing(measured).items()}
    (HERE / "mixing.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(figures)


if __name__ == "__main__":
    main()

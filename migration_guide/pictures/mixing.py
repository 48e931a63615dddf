"""How well a pool mixes: the picture and the figures of ``shuffling.md``.

Run ``python migration_guide/pictures/mixing.py`` (it needs matplotlib) to measure anew. It writes ``mixing.svg``, and
``mixing.json`` with the figures that the page quotes. What is measured is how far an example comes from where it would
come unshuffled; its standard deviation, in examples, is called the mixing. The queue op of TensorFlow 1 is still in
TensorFlow, for graphs.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Dict

import numpy as np
import tensorflow as tf

BATCH, CAPACITY, MINIMUM = 10, 500, 100
HERE = pathlib.Path(__file__).parent


def queue(level: int) -> Callable[[int], np.ndarray]:
    """The order in which the queue of TensorFlow 1's shuffle_batch gives the numbers 0, 1, 2, ...

    *level* is how many it holds when a batch is drawn: all that it can while the model computes longer than loading
    takes; the minimum and the batch itself while the model waits for data.
    """

    def order(batches: int) -> np.ndarray:
        with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
            pool = tf.compat.v1.RandomShuffleQueue(CAPACITY, MINIMUM, [tf.int64], [[]])
            numbers = tf.compat.v1.placeholder(tf.int64, [None])
            fill, draw = pool.enqueue_many(numbers), pool.dequeue_many(BATCH)
            sess.run(fill, {numbers: np.arange(level)})
            given = []
            for come in range(level, level + batches * BATCH, BATCH):
                given.append(sess.run(draw))
                sess.run(fill, {numbers: np.arange(come, come + BATCH)})
        return np.concatenate(given)

    return order


def dataset(pool: int) -> Callable[[int], np.ndarray]:
    """The order in which a dataset shuffled by a buffer of *pool* gives them."""

    def order(batches: int) -> np.ndarray:
        numbers = tf.data.Dataset.range(2**30).shuffle(pool).batch(BATCH).take(batches)
        return np.concatenate(list(numbers.as_numpy_iterator()))

    return order


SIDES: Dict[str, Callable[[int], np.ndarray]] = {
    "TF1, model computes": queue(CAPACITY),
    "TF1, model waits": queue(MINIMUM + BATCH),
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
    measured = measure(20_000)
    draw(measured, HERE / "mixing.svg")
    figures = {side: round(value) for side, value in mixing(measured).items()}
    (HERE / "mixing.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(figures)


if __name__ == "__main__":
    main()

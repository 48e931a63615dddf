"""How unequal shards bias the order: the figures of ``shards.md``.

Run ``python migration_guide/pictures/shards.py`` to measure anew; it writes ``shards.json``. Three files of 1000, 2000
and 3000 records are read in the ways that people read them. If an order is fair, each tenth of an epoch has a sixth of
its records from the first file, a third from the second and half from the third. The bias of a tenth is the part of it
that comes from the wrong file: half the sum of the differences.
"""

from __future__ import annotations

import json
import pathlib
from typing import Callable, Dict

import numpy as np
import tensorflow as tf

SIZES, PARTS, SHUFFLE = (1000, 2000, 3000), 10, 300
HERE = pathlib.Path(__file__).parent


def file_of(number: tf.Tensor) -> tf.data.Dataset:
    """A file stands here for its records: as many times its number as it has records."""
    return tf.data.Dataset.from_tensors(number).repeat(tf.gather(tf.constant(SIZES, tf.int64), number))


def files() -> tf.data.Dataset:
    return tf.data.Dataset.range(len(SIZES)).shuffle(len(SIZES))


def one_after_the_other() -> tf.data.Dataset:
    return files().flat_map(file_of)


def interleaved() -> tf.data.Dataset:
    return files().interleave(file_of, cycle_length=len(SIZES))


def interleaved_and_shuffled() -> tf.data.Dataset:
    return interleaved().shuffle(SHUFFLE)


def sampled_by_length() -> tf.data.Dataset:
    weights = [size / sum(SIZES) for size in SIZES]
    return tf.data.Dataset.sample_from_datasets([file_of(number) for number in range(len(SIZES))], weights)


def shuffled_whole() -> tf.data.Dataset:
    return one_after_the_other().shuffle(sum(SIZES))


WAYS: Dict[str, Callable[[], tf.data.Dataset]] = {
    "flat_map": one_after_the_other,
    "interleave": interleaved,
    f"interleave, then shuffle({SHUFFLE})": interleaved_and_shuffled,
    "sample_from_datasets by length": sampled_by_length,
    "shuffle of all": shuffled_whole,
}


def bias(order: np.ndarray) -> np.ndarray:
    """For each tenth of an epoch, the part of it that comes from the wrong file: 0 is fair, 1 is the worst."""
    fair = np.array(SIZES) / sum(SIZES)
    shares = [np.bincount(part, minlength=len(SIZES)) / len(part) for part in np.array_split(order, PARTS)]
    return np.abs(np.array(shares) - fair).sum(axis=1) / 2


def measure(epochs: int) -> Dict[str, Dict[str, float]]:
    """Of each way: the mean bias of a tenth, and the bias of the last tenth, over so many epochs."""
    figures = {}
    for way, make in WAYS.items():
        orders = make().batch(sum(SIZES), drop_remainder=True).repeat(epochs)
        passes = [bias(order) for order in orders.as_numpy_iterator()]
        figures[way] = {"mean": round(float(np.mean(passes)), 2), "last": round(float(np.mean(passes, axis=0)[-1]), 2)}
    return figures


def main() -> None:
    figures = measure(20)
    (HERE / "shards.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(figures)


if __name__ == "__main__":
    main()

"""A program of TensorFlow 2 that is killed: ``python restarting.py FOLDER SAVED LIVED NAMES``.

It prints a line for each step, with its number and a digest of the batch of each input of NAMES. It saves after its
first SAVED steps, datasets in a ``tf.train.Checkpoint`` and the loader as JSON, and kills itself after LIVED.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import signal
import sys
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import tensorflow as tf

import queuecompat
from queuecompat import readers, train

__all__ = ["INPUTS", "LOADER", "write"]

tf1 = tf.compat.v1
COUNT = 103


def write(folder: pathlib.Path) -> None:
    """The files that the inputs read: three of unequal size."""
    for number, size in enumerate((40, 7, COUNT - 47)):
        with tf.io.TFRecordWriter(str(folder / f"records-{number}")) as writer:
            for record in range(size):
                writer.write(b"%d" % (100 * number + record))


def _records(folder: pathlib.Path) -> tf.Tensor:
    queue = train.string_input_producer([str(folder / f"records-{number}") for number in range(3)])
    return tf.strings.to_number(readers.TFRecordReader().read(queue)[1], tf.int32)


def _mixed(folder: pathlib.Path) -> tf.Tensor:
    return train.shuffle_batch([_records(folder)], 8, 40, 16, num_threads=2)


def _noisy(folder: pathlib.Path) -> Any:
    row, label = train.slice_input_producer([np.arange(3.0 * COUNT).reshape(COUNT, 3), np.arange(COUNT)])
    return train.batch([row + tf1.random_normal([3], dtype=tf.float64), label], 8, num_threads=3)


def _dataset(function: Callable[[pathlib.Path], Any], **options: Any) -> Callable[[pathlib.Path], tf.data.Dataset]:
    return lambda folder: queuecompat.as_dataset(function, folder, strict=True, checkpoint=True, **options)


INPUTS: Dict[str, Callable[[pathlib.Path], tf.data.Dataset]] = {
    "by index": _dataset(_noisy, random="by_index"),
    "global order": _dataset(_mixed, shuffle="global"),
    "part": _dataset(_mixed, shard=(1, 3)),
    "part of a global order": _dataset(_mixed, shard=(1, 3), shuffle="global"),
    "records": _dataset(_mixed),
    "rows": _dataset(_noisy),
}
LOADER = "loader"


def loaded(number: int, rng: np.random.Generator) -> List[Any]:
    return [number, rng.integers(1000)]


def _loader() -> queuecompat.BackgroundLoader:
    return queuecompat.BackgroundLoader(
        range(COUNT), loaded, batch_size=8, capacity=40, num_epochs=None, shuffle=True, num_workers=2
    )


def digest(batch: Any) -> str:
    parts = tf.nest.flatten(batch)
    return hashlib.sha1(b"".join(np.asarray(part).tobytes() for part in parts)).hexdigest()[:12]


class Run:
    """One life of the program."""

    def __init__(self, folder: pathlib.Path, names: List[str]) -> None:
        data = folder.parent / "data"
        self._state = folder / "loader.json"
        self._step = tf.Variable(0, dtype=tf.int64)
        self._loader = _loader()
        self._datasets: Dict[str, Any] = {name: iter(INPUTS[name](data)) for name in names if name != LOADER}
        checkpoint = tf.train.Checkpoint(step=self._step, inputs=self._datasets)
        self._manager = tf.train.CheckpointManager(checkpoint, str(folder), max_to_keep=1)
        if self._manager.restore_or_initialize():
            self._loader.load_state_dict(json.loads(self._state.read_text()))
        self.inputs: Dict[str, Iterator[Any]] = {
            name: iter(self._loader) if name == LOADER else self._datasets[name] for name in names
        }

    def step(self) -> str:
        number = int(self._step.assign_add(1))
        return " ".join([str(number), *(digest(next(batches)) for batches in self.inputs.values())])

    def save(self) -> None:
        self._state.write_text(json.dumps(self._loader.state_dict()))
        self._manager.save()


def main(folder: str, saved: int, lived: int, names: List[str]) -> None:
    run = Run(pathlib.Path(folder), names)
    for number in range(1, lived + 1):
        print(run.step(), flush=True)
        if number == saved:
            run.save()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])

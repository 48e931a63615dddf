"""``python -m tests.bench.by_index``: processor time per record with ``random="by_index"`` and without.

Records of 3 kB are read, cropped and flipped, and put into batches of 128.

Rule 1: the two alternate, in one process and in rounds; each round begins with the other. A ratio is that of one round;
        the smallest, the median and the largest are printed.
Rule 2: each run is warmed up by as many records as are timed. By then the index of the records exists.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time
from typing import Any

import numpy as np

from .data import write_records

__all__ = ["ratios"]

SIDE, CROPPED, BATCH = 32, 28, 128
RECORDS, FILES, TIMED, ROUNDS = 20_000, 4, 40_000, 5


def ratios(folder: pathlib.Path, records: int = RECORDS, timed: int = TIMED, rounds: int = ROUNDS) -> list[float]:
    """Of each round, the processor time with the option beside that without."""
    names = _written(folder, records)
    found = []
    for number in range(rounds):
        seconds = {}
        for random in ("by_index", None) if number % 2 else (None, "by_index"):
            seconds[random] = _seconds(names, timed // BATCH, random=random)
        found.append(seconds["by_index"] / seconds[None])
    return found


def _seconds(names: list[str], steps: int, **options: Any) -> float:
    import tensorflow as tf

    import queuecompat

    def input_fn() -> Any:
        queue = queuecompat.train.string_input_producer(names)
        _, record = queuecompat.readers.TFRecordReader().read(queue)
        image = tf.reshape(tf.io.decode_raw(record, tf.uint8), [SIDE, SIDE, 3])
        image = tf.image.random_flip_left_right(tf.image.random_crop(image, [CROPPED, CROPPED, 3]))
        return queuecompat.train.batch([image], BATCH, num_threads=2)

    batches = iter(queuecompat.as_dataset(input_fn, strict=True, **options))
    for _ in range(steps):
        next(batches)
    begin = time.process_time()
    for _ in range(steps):
        next(batches)
    return time.process_time() - begin


def _written(folder: pathlib.Path, records: int) -> list[str]:
    names = [str(folder / f"records-{number}") for number in range(FILES)]
    generator = np.random.default_rng(0)
    for number, name in enumerate(names):
        write_records(name, (generator.bytes(SIDE * SIDE * 3) for _ in range(number, records, FILES)))
    return names


def main(arguments: list[str] | None = None) -> None:
    """Measures, and prints the ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.by_index", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--timed", type=int, default=TIMED, help="records of each run, after as many in warm-up")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QUEUECOMPAT_INDEX_CACHE"] = os.path.join(folder, "index")
        found = ratios(pathlib.Path(folder), options.records, options.timed, options.rounds)
    median = statistics.median(found)
    print(f"processor time of a record: {median:.2f} times ({min(found):.2f} to {max(found):.2f}, {len(found)} rounds)")


if __name__ == "__main__":
    main(sys.argv[1:])

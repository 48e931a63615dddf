"""``python -m tests.bench.restore``: the cost of resuming at a position, or of recomputing all elements up to it.

Records are parsed and mixed by ``shuffle_batch``. A dataset with ``checkpoint=True`` runs to a position, and is saved.
Then the next batch comes from

    restored   a new dataset of the same kind, from the checkpoint
    skipped    a dataset without the option, by ``Dataset.skip``
    begun      a new dataset with the option, at its first batch: the part of the cost that restoring cannot avoid

Rule 1: the processor time of the whole process is compared, from making the dataset to that batch; ``run`` is the time
        of the run to the position itself. A tenth of the position is run and restored first, for imports and kernels,
        and so that the index of the records exists, as it does after any first start.
Rule 2: the restored batch must be the one that the run would have had next; otherwise nothing is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .data import write_records

__all__ = ["measure", "ways", "written"]

CAPACITY, POSITION, BATCH, FILES = 10_000, 1_000_000, 100, 10
RECORDS = 200_000  # of an epoch
RECORD_BYTES = 64


def measure(
    folder: pathlib.Path, position: int = POSITION, capacity: int = CAPACITY, records: int = RECORDS
) -> dict[str, float]:
    """``ways`` to the batch after *position* records, of as many *records* in an epoch, after a warm-up."""
    names = written(folder, records)
    ways(folder, names, position // 10, capacity)
    return ways(folder, names, position, capacity)


def ways(folder: pathlib.Path, names: list[str], position: int, capacity: int) -> dict[str, float]:
    """Seconds of processor time of each way to the batch after *position* records of the files *names*.

    Raises:
      ValueError: the restored batch is not the one that comes next.
    """
    import tensorflow as tf

    steps = position // BATCH
    iterator = iter(_dataset(names, capacity, checkpoint=True))
    prefix = str(folder / "position")

    def run() -> str:
        for _ in range(steps):
            next(iterator)
        return str(tf.train.Checkpoint(iterator=iterator).save(prefix))

    def restored() -> Any:
        new = iter(_dataset(names, capacity, checkpoint=True))
        tf.train.Checkpoint(iterator=new).restore(saved).assert_consumed()
        return next(new)

    times = {}
    times["run"], saved = _seconds(run)
    times["restored"], batch = _seconds(restored)
    if not np.array_equal(batch, next(iterator)):
        raise ValueError("the restored batch is not the one that comes next")
    times["skipped"], _ = _seconds(lambda: next(iter(_dataset(names, capacity).skip(steps))))
    times["begun"], _ = _seconds(lambda: next(iter(_dataset(names, capacity, checkpoint=True))))
    return times


def _dataset(names: list[str], capacity: int, **options: Any) -> Any:
    import tensorflow as tf

    import queuecompat

    def input_fn() -> Any:
        queue = queuecompat.train.string_input_producer(names)
        _, record = queuecompat.readers.TFRecordReader().read(queue)
        numbers = tf.reshape(tf.io.decode_raw(record, tf.int32), [RECORD_BYTES // 4])
        return queuecompat.train.shuffle_batch([numbers], BATCH, capacity, capacity // 2)

    return queuecompat.as_dataset(input_fn, strict=True, **options)


def _seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


def written(folder: pathlib.Path, records: int) -> list[str]:
    """The names of new files in *folder* that have so many records."""
    names = [str(folder / f"records-{number}") for number in range(FILES)]
    for number, name in enumerate(names):
        numbers = range(number, records, FILES)
        write_records(name, (np.full([RECORD_BYTES // 4], one, np.int32).tobytes() for one in numbers))
    return names


def main(arguments: list[str] | None = None) -> None:
    """Measures, and prints the figures and the ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.restore", description=__doc__)
    parser.add_argument("--position", type=int, default=POSITION, help="in records")
    parser.add_argument("--capacity", type=int, default=CAPACITY, help="of the shuffle_batch")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QUEUECOMPAT_INDEX_CACHE"] = os.path.join(folder, "index")
        times = measure(pathlib.Path(folder), options.position, options.capacity)
    for name, seconds in times.items():
        print(f"{name:10} {seconds:8.2f} s of processor time, {seconds / times['restored']:6.1f} times restored")
    if options.json is not None:
        options.json.write_text(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1:])

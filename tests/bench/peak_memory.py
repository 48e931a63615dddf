"""``python -m tests.bench.peak_memory``: the memory of a process whose ``shuffle_batch`` mixes many decoded JPEGs.

TensorFlow's own queue holds decoded images. Our pipeline, and one of tf.data as its guide recommends, shuffle file
names, and decode a file after its name was drawn.

Rule 1: each side is a process of its own, since freed memory is not always returned to the system.
Rule 2: the peak memory of the process is compared, minus its memory before the pipeline was built.
Rule 3: twice as many images are drawn as the buffer holds, so it has been full.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import pathlib
import resource
import sys
import tempfile
from typing import Any

from .data import make_jpegs
from .jpeg import CROP, JPEG
from .rounds import printed_by
from .sides import Side, prepare, running
from .workload import Workload

__all__ = ["SIDES", "held", "held_in_new_processes", "table"]

CAPACITY = 10_000
SIDES = ["ours/2", "native/2", "tf.data"]
MIB = 2**20


def _shuffled(capacity: int) -> Workload:
    """The JPEGs of the benchmark as bytes, cropped, out of a shuffle buffer of *capacity*."""

    def image(tf: Any, name: Any) -> Any:
        return tf.image.random_crop(tf.image.decode_jpeg(tf.io.read_file(name), channels=3), [CROP, CROP, 3])

    def queues(tf: Any, files: Any, *, num_threads: int, num_epochs: int | None) -> Any:
        name, label = tf.train.slice_input_producer(list(files), num_epochs=num_epochs)
        least = capacity - (num_threads + 2) * JPEG.batch_size
        return tf.train.shuffle_batch(
            [image(tf, name), label], JPEG.batch_size, capacity, max(least, 1), num_threads=num_threads
        )

    def tf_data(tf: Any, files: Any, num_epochs: int | None) -> Any:
        examples = tf.data.Dataset.from_tensor_slices(files).repeat(num_epochs).shuffle(capacity)
        examples = examples.map(lambda name, label: (image(tf, name), label), num_parallel_calls=tf.data.AUTOTUNE)
        return examples.batch(JPEG.batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)

    return dataclasses.replace(JPEG, queues=queues, tf_data=tf_data, best_tf_data=None)


def held(name: str, data_dir: pathlib.Path, count: int, capacity: int) -> int:
    """The bytes that the pipeline of the side *name* took at most, in this process, over *count* files."""
    side, workload, files = Side.from_name(name), _shuffled(capacity), make_jpegs(data_dir, count)
    prepare([side])
    gc.collect()
    before = _most()
    with running(side, workload, files) as take:
        for _ in range(2 * capacity // workload.batch_size):
            take()
    return _most() - before


def _most() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def held_in_new_processes(data_dir: pathlib.Path, count: int, capacity: int) -> dict[str, int]:
    """``held`` of each side."""
    make_jpegs(data_dir, count)  # once, and by none of those that are measured
    given = ["--data_dir", str(data_dir), "--count", str(count), "--capacity", str(capacity)]
    return {name: printed_by("tests.bench.peak_memory", "--side", name, *given, what=name) for name in SIDES}


def table(found: dict[str, int], capacity: int) -> str:
    """A line a side, in Markdown."""
    lines = [f"| side | MiB, capacity {capacity:,} | of native |", "|---|---|---|"]
    lines += [f"| {name} | {its / MIB:,.0f} | {its / found['native/2']:.2f} |" for name, its in found.items()]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peak_memory", description=__doc__)
    parser.add_argument("--capacity", type=int, default=CAPACITY, help="of the shuffle buffer, in images")
    parser.add_argument("--count", type=int, default=JPEG.count, help="files")
    parser.add_argument("--data_dir", type=pathlib.Path, help="keep the data here; default: a temporary folder")
    parser.add_argument("--side", choices=SIDES, help="only this one, in this process; prints bytes")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data_dir or pathlib.Path(temporary)
        if options.side is not None:
            print(held(options.side, folder, options.count, options.capacity))
        else:
            print(table(held_in_new_processes(folder, options.count, options.capacity), options.capacity))
    return 0


if __name__ == "__main__":
    sys.exit(main())

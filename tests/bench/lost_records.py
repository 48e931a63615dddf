"""``python -m tests.bench.lost_records``: the records of an epoch that are lost if a worker of a tf.data service dies.

A dispatcher and two workers compute a pipeline of 60 files with 20 records each. After six batches, or when both have
delivered something, one worker is killed and restarted on the same port. The records that have not arrived at the end
of the epoch are counted.
"""

from __future__ import annotations

import argparse
import pathlib
import signal
import sys
import tempfile
from typing import Any

from tests.service.cluster import Cluster, free_port

from .data import write_records

__all__ = ["lost"]

FILES, RECORDS, BATCH, CAPACITY, BEFORE, ROUNDS = 60, 20, 5, 10, 6, 3


def lost(folder: pathlib.Path) -> int:
    """How many records do not arrive, of an epoch in which a worker is killed."""
    import tensorflow as tf

    import queuecompat
    from queuecompat import readers, train

    names = [str(folder / f"records-{number:02d}") for number in range(FILES)]
    for number, name in enumerate(names):
        write_records(name, (b"%d" % (number * RECORDS + record) for record in range(RECORDS)))

    def input_fn() -> Any:
        queue = train.string_input_producer(names, num_epochs=1, shuffle=False)
        number = tf.strings.to_number(readers.TFRecordReader().read(queue)[1], tf.int32)
        worker = tf.io.read_file("name")  # each runs in a folder that says which it is
        return train.batch([number, worker], BATCH, capacity=CAPACITY, allow_smaller_final_batch=True)

    ports = [str(free_port()) for _ in range(2)]
    cluster = Cluster(folder / "processes", ports)
    try:
        batches = iter(queuecompat.as_dataset(input_fn, strict=True, data_service=cluster.address))
        arrived: list[int] = []
        workers: set[bytes] = set()
        while len(arrived) < BEFORE * BATCH or len(workers) < 2:
            numbers, of_workers = next(batches)
            arrived += numbers.numpy().tolist()
            workers |= set(of_workers.numpy().tolist())
        cluster.workers[0].end(signal.SIGKILL)
        cluster.start_worker(ports[0]).says("worker: of the dispatcher")
        arrived += [int(number) for numbers, _ in batches for number in numbers]
    finally:
        cluster.end()
    if len(set(arrived)) != len(arrived):
        raise ValueError("a record arrived twice")
    return FILES * RECORDS - len(arrived)


def main(arguments: list[str] | None = None) -> None:
    """Counts, and prints what was lost in each round."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lost_records", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    for _ in range(parser.parse_args(arguments).rounds):
        with tempfile.TemporaryDirectory() as folder:
            print(f"{lost(pathlib.Path(folder))} of {FILES * RECORDS} records were lost", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""``python -m tests.bench.many_records [FOLDER]``: 10 million records in a global order, compared with TF1's order.

They are TFRecords of 64 bytes, or with ``--kind FixedLength`` records of 1,000 bytes: files of 10 GB in total, made of
holes, which take no space on a disk and are read as zeros. Such records have no headers, so holes are valid data.

The files are made in FOLDER and reused from there; without FOLDER they are in a temporary folder. It measures

    index        how many records per second are found in the files, and how long a process with the index needs for it;
                 for fixed lengths, only the time of the table of blocks
    first batch  milliseconds from calling the input function to its first batch
    peak         the peak memory of the process in MB, including TensorFlow's own (``imported``)
    wall, cpu    microseconds per record: wall time, and time of all processors

Rule 1: the first batch and the memory are measured in a process for each order. The two orders alternate, and each
        round begins with the other; a ratio is the median over the rounds.
Rule 2: the time per record is measured in one process for both orders, with a tenth of the records of each in turn,
        because the speed of a process changes more from minute to minute than the two orders differ. A ratio is the
        median over the turns of all rounds.
Rule 3: the programs differ only in ``shuffle="global"``. With ``--entry-point session`` each is a TF1 program whose
        session runs its batch; otherwise ``as_dataset`` makes a dataset of the same function.
Rule 4: the same number of records of each is timed, whether or not they come from all over the files, after as many
        records of warm-up.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .rounds import printed_by

__all__ = ["ENTRY_POINTS", "KINDS", "ORDERS", "PROGRAMS", "Program", "in_turns", "one_run", "written"]

RECORDS, FILES = 10_000_000, 20
RECORD_BYTES, FIXED_BYTES = 64, 1000
BATCH = 32
TIMED = 1_000_000  # records
ROUNDS = 5
TURNS = 10
ORDERS: dict[str, dict[str, Any]] = {"files": {}, "global": {"shuffle": "global"}}
ENTRY_POINTS = ("dataset", "session")
ROOT = pathlib.Path(__file__).parents[2]


def _batch(train: Any, one: Any) -> Any:
    return train.batch([one], BATCH)


def _shuffled(train: Any, one: Any, least: int) -> Any:
    return train.shuffle_batch([one], BATCH, capacity=least + 3 * BATCH, min_after_dequeue=least)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "batch": _batch,
    "shuffle_batch of 1,000": lambda train, one: _shuffled(train, one, 1000),
    "shuffle_batch of 10,000": lambda train, one: _shuffled(train, one, 10_000),
}


class Kind(NamedTuple):
    """One kind of files.

    Attributes:
      layout: TF1's name of the reader, without "Reader"; *record_bytes*: its argument, 0 if it has none.
      numbers: int32 numbers in a record.
      bytes_of_record: in the file.
      write: writes the records of those numbers to the file of that name.
    """

    layout: str
    record_bytes: int
    numbers: int
    bytes_of_record: int
    write: Callable[[str, np.ndarray], None]

    def reader(self, readers: Any) -> Any:
        """TF1's reader of them, out of a module that has it."""
        arguments = (self.record_bytes,) if self.record_bytes else ()
        return getattr(readers, f"{self.layout}Reader")(*arguments)


def _tf_records(name: str, values: np.ndarray) -> None:
    from queuecompat.records.checksums import crc32c_of_rows, masked

    data = np.repeat(values.astype("<i4"), RECORD_BYTES // 4).view(np.uint8).reshape(-1, RECORD_BYTES)
    length = np.frombuffer(np.array([RECORD_BYTES], "<u8").tobytes(), np.uint8)[np.newaxis]
    rows = np.zeros(
        len(values), [("length", "u1", 8), ("of_length", "<u4"), ("data", "u1", RECORD_BYTES), ("of_data", "<u4")]
    )
    rows["length"], rows["of_length"] = length, masked(crc32c_of_rows(length))
    rows["data"], rows["of_data"] = data, masked(crc32c_of_rows(data))
    rows.tofile(name)


def _holes(name: str, values: np.ndarray) -> None:
    with open(name, "wb") as file:
        file.truncate(len(values) * FIXED_BYTES)


KINDS = {
    "TFRecord": Kind("TFRecord", 0, RECORD_BYTES // 4, RECORD_BYTES + 16, _tf_records),
    "FixedLength": Kind("FixedLengthRecord", FIXED_BYTES, FIXED_BYTES // 4, FIXED_BYTES, _holes),
}


def written(folder: pathlib.Path, records: int = RECORDS, files: int = FILES, kind: str = "TFRecord") -> list[str]:
    """The names of files in *folder* in which the numbers below *records* follow each other; of holes, only zeros."""
    names = [str(folder / f"many-{number:02d}.{kind.lower()}s") for number in range(files)]
    for number, name in enumerate(names):
        values = np.arange(number * records // files, (number + 1) * records // files)
        size = len(values) * KINDS[kind].bytes_of_record
        if not os.path.exists(name) or os.path.getsize(name) != size:
            KINDS[kind].write(name, values)
    return names


class Program(NamedTuple):
    """A program of ``PROGRAMS`` by its *name*, on the files *names* of a *kind*, through one of ``ENTRY_POINTS``."""

    names: list[str]
    name: str
    kind: str = "TFRecord"
    entry_point: str = "dataset"

    def batches(self, order: str) -> Iterator[Any]:
        """Its batches, without end, in one of ``ORDERS``."""
        return _of_dataset(self, order) if self.entry_point == "dataset" else _of_session(self, order)

    def input_fn(self, train: Any, readers: Any) -> Any:
        import tensorflow as tf

        _, record = KINDS[self.kind].reader(readers).read(train.string_input_producer(self.names))
        numbers = tf.reshape(tf.io.decode_raw(record, tf.int32), [KINDS[self.kind].numbers])
        return PROGRAMS[self.name](train, numbers)


def one_run(program: Program, order: str, timed: int) -> dict[str, float]:
    """Of *program* in one order, in this process: milliseconds to the first batch, and the memory after twice so many
    records as are *timed*."""
    _prepare(program)
    imported = _peak()
    begin = time.perf_counter()
    batches = program.batches(order)
    next(batches)
    first = time.perf_counter() - begin
    for _ in range(2 * timed // BATCH):
        next(batches)
    return {"first_ms": first * 1e3, "imported_mb": imported, "peak_mb": _peak()}


def in_turns(program: Program, timed: int) -> list[dict[str, dict[str, float]]]:
    """Microseconds a record of *program* in both orders: for each turn and order, in this process."""
    _prepare(program)
    running = {order: program.batches(order) for order in ORDERS}
    for batches in running.values():
        _timed(batches, timed // BATCH)
    steps = max(1, timed // BATCH // TURNS)
    orders = [list(ORDERS)[:: -1 if turn % 2 else 1] for turn in range(TURNS)]
    return [{order: _timed(running[order], steps) for order in of_turn} for of_turn in orders]


def _prepare(program: Program) -> None:
    """Pays once for what a process pays once."""
    import tensorflow as tf

    if program.entry_point == "session":
        tf.compat.v1.disable_v2_behavior()


def _of_dataset(program: Program, order: str) -> Iterator[Any]:
    import queuecompat
    from queuecompat import readers, train

    return iter(queuecompat.as_dataset(program.input_fn, train, readers, strict=True, **ORDERS[order]))


def _of_session(program: Program, order: str) -> Iterator[Any]:
    import tensorflow

    import queuecompat
    import queuecompat.v1 as tf

    with tensorflow.Graph().as_default():  # left before the first batch: another program takes turns with this one
        with queuecompat.options(**ORDERS[order]):
            batch = program.input_fn(tf.train, tf)
        session = tf.Session()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        step = session.make_callable(batch)
    try:
        while True:
            yield step()
    finally:
        coordinator.request_stop()
        coordinator.join(threads)
        session.close()


def _timed(batches: Iterator[Any], steps: int) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        next(batches)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    records = steps * BATCH
    return {"wall_us": wall / records * 1e6, "cpu_us": cpu / records * 1e6}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _indexed(names: list[str], kind: str) -> dict[str, float]:
    """How fast the index is made in this process, and read again."""
    from queuecompat._plan.orders import MOST_RECORDS
    from queuecompat.records.blocks import BlockOrder

    order = BlockOrder(KINDS[kind].layout, KINDS[kind].record_bytes, size=MOST_RECORDS, is_global=True)
    paths = [os.fsencode(name) for name in names]
    figures = {}
    for name in ("made_s", "read_s"):
        begin = time.perf_counter()
        blocks = order.blocks(paths, np.zeros(2, np.int64), 0)
        figures[name] = time.perf_counter() - begin
    return {**figures, "blocks": len(blocks), "peak_mb": _peak()}


def _in_a_process(*arguments: str) -> Any:
    return printed_by("tests.bench.many_records", *arguments, what=" ".join(arguments))


def measured(
    folder: pathlib.Path, kind: str, records: int, timed: int, rounds: int, entry_point: str = "dataset"
) -> dict[str, Any]:
    """All figures: of the index, and of each program and order the medians over *rounds*, and their ratios."""
    names = written(folder, records, kind=kind)
    index = folder / "index"
    os.environ["QUEUECOMPAT_INDEX_CACHE"] = str(index)
    for old in index.glob("*"):
        old.unlink()
    for name in names if kind == "TFRecord" else ():  # from a warm disk; holes are on none
        pathlib.Path(name).read_bytes()
    given = ["--folder-of-run", str(folder), "--kind", kind, "--records", str(records), "--timed", str(timed)]
    given += ["--entry-point", entry_point]
    result: dict[str, Any] = {"index": {"records": records, **_in_a_process("--index", *given)}}
    for program in PROGRAMS:
        runs: dict[str, list[dict[str, float]]] = {order: [] for order in ORDERS}
        turns: list[dict[str, dict[str, float]]] = []
        for number in range(rounds):
            for order in list(ORDERS)[:: -1 if number % 2 else 1]:
                runs[order].append(_in_a_process("--program", program, "--order", order, *given))
            turns += _in_a_process("--program", program, *given)
        timings = {order: [turn[order] for turn in turns] for order in ORDERS}
        result[program] = {order: {**_medians(runs[order]), **_medians(timings[order])} for order in ORDERS}
        for found in (runs, timings):
            for key in found["files"][0]:
                ratios = [one[key] / other[key] for one, other in zip(found["files"], found["global"])]
                result[program][f"{key} files/global"] = statistics.median(ratios)
    return result


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def _report(result: dict[str, Any]) -> None:
    index = result.pop("index")
    rate = index["records"] / index["made_s"]
    print(f"index: {rate:,.0f} records a second; {index['read_s']:.2f} s to read it, {index['peak_mb']:.0f} MB at most")
    for program, figures in result.items():
        print(program)
        for order in ORDERS:
            line = "  ".join(f"{key} {value:,.1f}" for key, value in figures[order].items())
            print(f"  order of {order:7} {line}")
        print(
            f"  global order: {figures['wall_us files/global']:.2f} of the records a second, "
            f"{1 / figures['cpu_us files/global']:.2f} times the processor time, "
            f"{1 / figures['first_ms files/global']:.2f} times the time to the first batch, "
            f"{1 / figures['peak_mb files/global']:.2f} times the memory"
        )


def main(arguments: list[str] | None = None) -> None:
    """Measures, and prints the figures and the ratios; or is one of the processes that are measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.many_records", description=__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="keeps the files")
    parser.add_argument("--kind", choices=KINDS, default="TFRecord", help="of files; default: TFRecord")
    parser.add_argument(
        "--entry-point", choices=ENTRY_POINTS, default=ENTRY_POINTS[0], help="what runs the program; default: dataset"
    )
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--timed", type=int, default=TIMED, help="records of each run, after as many in warm-up")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--folder-of-run", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--index", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--program", choices=PROGRAMS, help=argparse.SUPPRESS)
    parser.add_argument("--order", choices=ORDERS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.folder_of_run is not None:
        kind = options.kind
        names = written(options.folder_of_run, options.records, kind=kind)
        if options.index:
            print(json.dumps(_indexed(names, kind)))
            return
        program = Program(names, options.program, kind, options.entry_point)
        if options.order is None:
            print(json.dumps(in_turns(program, options.timed)))
        else:
            print(json.dumps(one_run(program, options.order, options.timed)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        result = measured(folder, options.kind, options.records, options.timed, options.rounds, options.entry_point)
    if options.json is not None:
        options.json.write_text(json.dumps(result))
    _report(result)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The simulation of data larger than memory at a small scale: 100,000 records, with margins for a busy machine."""

from __future__ import annotations

import json
import os
import pathlib
import statistics
from typing import Any

import numpy as np
import tensorflow as tf

from tests.forking import Server

from . import many_records

RECORDS, TIMED = 100_000, 25_000
ROOT = pathlib.Path(__file__).parents[2]


def printed(server: Server, folder: pathlib.Path, *words: str) -> Any:
    """What a program prints that is a process of its own."""
    environment = {"PYTHONPATH": str(ROOT), "QUEUECOMPAT_INDEX_CACHE": str(folder / "index")}
    of_run = ["-m", "tests.bench.many_records", "--program", "batch", "--folder-of-run", str(folder), *words]
    ran = server.run(of_run, str(folder), environment=environment)
    assert ran.exit_code == 0, ran.err
    return json.loads(ran.out)


def test_the_files_are_sound_and_are_not_written_again(tmp_path: pathlib.Path) -> None:
    names = many_records.written(tmp_path, 100, files=3)
    records = [np.frombuffer(record, np.int32) for name in names for record in tf.compat.v1.io.tf_record_iterator(name)]
    assert [set(record.tolist()) for record in records] == [{number} for number in range(100)]
    before = [os.stat(name).st_mtime_ns for name in names]
    assert [os.stat(name).st_mtime_ns for name in many_records.written(tmp_path, 100, files=3)] == before


def test_a_global_order_takes_little_more_than_the_order_of_the_files(tmp_path: pathlib.Path, server: Server) -> None:
    """It used to take twice the time. Where TensorFlow reads no TFRecord file from its middle (2.12), it takes five."""
    most = 1.7 if hasattr(tf.raw_ops, "TFRecordDatasetV2") else 10
    records = 10 * RECORDS  # fewer are in small blocks, to open which takes most of the time
    many_records.written(tmp_path, records)
    turns = printed(server, tmp_path, "--records", str(records), "--timed", str(4 * TIMED))
    ratios = [turn["global"]["cpu_us"] / turn["files"]["cpu_us"] for turn in turns]
    assert statistics.median(ratios) < most


def test_a_global_order_takes_little_memory(tmp_path: pathlib.Path, server: Server) -> None:
    many_records.written(tmp_path, RECORDS)
    words = ["--records", str(RECORDS), "--timed", str(TIMED)]
    peaks = [printed(server, tmp_path, "--order", order, *words)["peak_mb"] for order in many_records.ORDERS]
    # The records have 6 MB, the whole order 1.
    assert peaks[1] < peaks[0] + 100


def test_records_of_holes_are_read_in_both_orders_and_take_no_room(tmp_path: pathlib.Path, server: Server) -> None:
    records = 20_000  # of 1,000 bytes
    names = many_records.written(tmp_path, records, kind="FixedLength")
    assert sum(os.path.getsize(name) for name in names) == 1000 * records
    assert sum(os.stat(name).st_blocks * 512 for name in names) < 10 * records
    words = ["--kind", "FixedLength", "--timed", "3200", "--records", str(records)]
    for entry_point in many_records.ENTRY_POINTS:
        for turn in printed(server, tmp_path, "--entry-point", entry_point, *words):
            assert all(turn[order]["wall_us"] > 0 for order in many_records.ORDERS)

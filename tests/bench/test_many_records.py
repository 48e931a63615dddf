"""The simulation of data larger than memory in small: 100,000 records, with margins for a machine that is busy."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.forking import Server

from . import many_records

RECORDS, TIMED = 100_000, 25_000
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Any:
    """Of each order, in a process of its own."""
    folder = tmp_path_factory.mktemp("many")
    many_records.written(folder, RECORDS)
    environment = {"PYTHONPATH": str(ROOT), "QUEUECOMPAT_INDEX_CACHE": str(folder / "index")}
    of_run = ["--folder-of-run", str(folder), "--records", str(RECORDS), "--timed", str(TIMED)]
    found = {}
    for order in many_records.ORDERS:
        words = ["-m", "tests.bench.many_records", "--program", "batch", "--order", order, *of_run]
        ran = server.run(words, str(folder), environment=environment)
        assert ran.exit_code == 0, ran.err
        found[order] = json.loads(ran.out)
    return found


def test_the_files_are_sound_and_are_not_written_again(tmp_path: pathlib.Path) -> None:
    names = many_records.written(tmp_path, 100, files=3)
    records = [np.frombuffer(record, np.int32) for name in names for record in tf.compat.v1.io.tf_record_iterator(name)]
    assert [set(record.tolist()) for record in records] == [{number} for number in range(100)]
    before = [os.stat(name).st_mtime_ns for name in names]
    assert [os.stat(name).st_mtime_ns for name in many_records.written(tmp_path, 100, files=3)] == before


def test_a_global_order_takes_little_more_than_the_order_of_the_files(figures: Any) -> None:
    """It used to take twice the time. Where TensorFlow reads no TFRecord file from its middle (2.12), it takes five."""
    most = 1.6 if hasattr(tf.raw_ops, "TFRecordDatasetV2") else 10
    assert figures["global"]["cpu_us"] < most * figures["files"]["cpu_us"]
    assert figures["global"]["peak_mb"] < figures["files"]["peak_mb"] + 100  # the records have 6 MB, the whole order 1

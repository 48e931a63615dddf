"""``run`` adds under 0.3 s to the import of TensorFlow itself; in processor time, which nobody else changes."""

from __future__ import annotations

import pathlib

from .test_like_python import run

LIMIT = 0.3  # seconds

PROGRAM = """
import importlib, time
before_all = time.process_time()
importlib.import_module("tensorflow")
loaded = time.process_time()
import tensorflow as tf
tf.train.batch
print(before_all, time.process_time() - loaded)
"""


def test_starting_a_program_costs_little_beside_tensorflow(tmp_path: pathlib.Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "nothing.py").write_text("import time; print(time.process_time())", encoding="utf-8")
    python = min(float(run(["nothing.py"], tmp_path, ours=False).stdout) for _ in range(3))
    totals = []
    for _ in range(3):
        start, namespace = map(float, run(["program.py"], tmp_path, ours=True).stdout.split())
        totals.append(start - python + namespace)
    assert min(totals) < LIMIT, totals

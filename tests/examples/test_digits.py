"""The main job: a TF1 training script, from its queues to its last step."""

from __future__ import annotations

import difflib
import os
import pathlib
import re
import subprocess
import sys

import pytest

DIGITS = pathlib.Path(__file__).parents[2] / "examples" / "digits"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints; it exits with 1 below 95 % held-out accuracy."""
    command = [sys.executable, str(DIGITS / "demo.py"), "--data_dir", str(tmp_path_factory.mktemp("digits"))]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return ran.stdout


def test_it_learns_the_digits(printed: str) -> None:
    accuracy = re.search(r"held-out accuracy: ([\d.]+) % \(\d+ of 297 digits\)", printed)
    assert accuracy is not None
    assert float(accuracy.group(1)) >= 95


def test_it_prints_progress_speed_and_the_plan_of_both_pipelines(printed: str) -> None:
    assert len(re.findall(r"step +\d+ +loss", printed)) >= 5
    assert "examples/s" in printed
    assert printed.count("compiled to one tf.data iterator") == 2
    assert "native" not in printed


def test_only_the_import_line_differs_from_tf1() -> None:
    ours = (DIGITS / "train_digits.py").read_text(encoding="utf-8")
    tf1 = ours.replace("import queuecompat.v1 as tf", "import tensorflow as tf")
    changed = [line for line in difflib.ndiff(ours.splitlines(), tf1.splitlines()) if line[0] in "+-"]
    assert changed == ["- import queuecompat.v1 as tf", "+ import tensorflow as tf"]


def test_shards_are_of_unequal_size_and_hold_every_digit_once(tmp_path: pathlib.Path) -> None:
    subprocess.run(
        [sys.executable, str(DIGITS / "make_records.py"), "--data_dir", str(tmp_path)], check=True, timeout=120
    )
    import tensorflow as tf

    sizes = [
        sum(1 for _ in tf.compat.v1.io.tf_record_iterator(str(path))) for path in sorted(tmp_path.glob("*.tfrecords"))
    ]
    assert len(set(sizes)) == len(sizes)
    assert sum(sizes) == 1797

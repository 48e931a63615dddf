"""The examples of one file: each learns something, and says so in its last lines."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import List

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def numbers(name: str, pattern: str) -> List[float]:
    """Runs the example; gives the groups of *pattern* in what it prints."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(EXAMPLES.parent)}
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        capture_output=True,
        text=True,
        timeout=200,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-3000:]
    assert "native" not in ran.stdout + ran.stderr
    found = re.search(pattern, ran.stdout, re.DOTALL)
    assert found is not None, ran.stdout
    return [float(group) for group in found.groups()]


def test_cifar_records_are_told_apart_and_come_in_whole_batches() -> None:
    (accuracy,) = numbers("cifar_records", r"shuffle +buffer of 1000 of string.*held-out accuracy: ([\d.]+) %")
    assert accuracy > 85


def test_masks_stay_with_their_images() -> None:
    """A mask that is cut elsewhere than its image cannot be learned."""
    steps, _, last = numbers("segmentation", r"(\d+) steps; .*: ([\d.]+) at first, ([\d.]+) at last")
    assert steps == 96 * 12 / 8
    assert last > 0.8


def test_a_linear_model_explains_what_it_can_of_the_csv() -> None:
    explained, steps = numbers("csv_regression", r"held-out R2: ([\d.]+), .* after (\d+) steps")
    assert steps == 364 * 300 / 26
    assert 0.4 < explained < 0.7


def test_buckets_pad_less_and_the_model_learns_words() -> None:
    bucketed, mixed, first, last = numbers(
        "bucketed_text", r"padding: (\d+) % in buckets, (\d+) % without.*loss ([\d.]+) at first, ([\d.]+) at last"
    )
    assert bucketed < mixed / 2
    assert last < first - 1


def test_features_are_looked_up_by_index_and_belong_to_their_words() -> None:
    stored, copied, steps, first, last = numbers(
        "captions",
        r"on disk: ([\d.]+) MB; .* ([\d.]+) MB\s+(\d+) steps; loss ([\d.]+) at first, ([\d.]+) at last",
    )
    assert copied > 4 * stored
    assert steps == 500 * 5 * 4 / 50
    assert last < first - 1  # the words of a topic, at best 1.6; of any, 3.7


def test_two_worker_processes_feed_a_third() -> None:
    assert numbers("data_service", r"DYNAMIC: (\d+) numbers.*OFF: (\d+) numbers") == [600, 600]

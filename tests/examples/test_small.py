"""The examples of one file: each learns something, and says so in its last lines."""

from __future__ import annotations

import pathlib
import re
from typing import Callable, List

import pytest

from tests.forking import Server

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


Numbers = Callable[[str, str], List[float]]


@pytest.fixture
def numbers(server: Server, tmp_path: pathlib.Path) -> Numbers:
    """Runs an example; returns the groups of a pattern in what it prints."""

    def run(name: str, pattern: str) -> List[float]:
        ran = server.run([str(EXAMPLES / f"{name}.py")], str(tmp_path))
        assert ran.exit_code == 0, ran.out[-2000:] + ran.err[-3000:]
        assert "native" not in ran.out + ran.err
        found = re.search(pattern, ran.out, re.DOTALL)
        assert found is not None, ran.out
        return [float(group) for group in found.groups()]

    return run


def test_cifar_records_are_told_apart_and_come_in_whole_batches(numbers: Numbers) -> None:
    (accuracy,) = numbers("cifar_records", r"shuffle +buffer of 1000 of string.*held-out accuracy: ([\d.]+) %")
    assert accuracy > 85


def test_masks_stay_with_their_images(numbers: Numbers) -> None:
    """A mask that is cut elsewhere than its image cannot be learned."""
    steps, _, last = numbers("segmentation", r"(\d+) steps; .*: ([\d.]+) at first, ([\d.]+) at last")
    assert steps == 96 * 12 / 8
    assert last > 0.8


def test_a_linear_model_explains_what_it_can_of_the_csv(numbers: Numbers) -> None:
    explained, steps = numbers("csv_regression", r"held-out R2: ([\d.]+), .* after (\d+) steps")
    assert steps == 364 * 300 / 26
    assert 0.4 < explained < 0.7


def test_buckets_pad_less_and_the_model_learns_words(numbers: Numbers) -> None:
    bucketed, mixed, first, last = numbers(
        "bucketed_text", r"padding: (\d+) % in buckets, (\d+) % without.*loss ([\d.]+) at first, ([\d.]+) at last"
    )
    assert bucketed < mixed / 2
    assert last < first - 1


def test_features_are_looked_up_by_index_and_belong_to_their_words(numbers: Numbers) -> None:
    stored, copied, steps, first, last = numbers(
        "captions",
        r"on disk: ([\d.]+) MB; .* ([\d.]+) MB\s+(\d+) steps; loss ([\d.]+) at first, ([\d.]+) at last",
    )
    assert copied > 4 * stored
    assert steps == 500 * 5 * 4 / 50
    assert last < first - 1  # the words of a topic, at best 1.6; of any, 3.7


def test_two_worker_processes_feed_a_third(numbers: Numbers) -> None:
    found = numbers("data_service", r"one program: (\d+) numbers.*two programs: (\d+) numbers, none more than (\d+)")
    assert found == [600, 600, 4]

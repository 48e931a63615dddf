"""All rounds of a run: which sides in which order, each round in a process of its own."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from .measure import RoundSpec

__all__ = ["ROOT", "in_new_process", "measure_rounds", "rotated"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUND_LIMIT_S = 600.0  # a round that takes longer is taken for a hang


def rotated(names: list[str], round_number: int) -> list[str]:
    """Start each round with the next side; go through the others backwards every second time.

    Rotation alone would leave every side with the same predecessor in nearly every round.
    """
    step = -1 if round_number % 2 else 1
    return [names[(round_number + step * place) % len(names)] for place in range(len(names))]


def measure_rounds(spec: RoundSpec, rounds: int) -> Iterator[dict[str, Any]]:
    """Yield what ``run_round`` returned, once for each of *rounds* processes.

    Raises:
      RuntimeError: a process failed or exceeded ``ROUND_LIMIT_S``; with its error output.
    """
    for number in range(rounds):
        yield in_new_process(dataclasses.replace(spec, sides=rotated(spec.sides, number)))


def in_new_process(spec: RoundSpec) -> dict[str, Any]:
    """Return what ``run_round`` returned in a process of its own.

    Raises:
      RuntimeError: it failed or exceeded ``ROUND_LIMIT_S``; with its error output.
    """
    command = [sys.executable, "-m", "tests.bench.measure", json.dumps(dataclasses.asdict(spec))]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            capture_output=True,
            text=True,
            timeout=ROUND_LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{spec.workload}: no result after {ROUND_LIMIT_S:.0f} s") from error
    if done.returncode:
        raise RuntimeError(f"{spec.workload}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)

"""Runs all rounds: which sides in which order, and each round in a process of its own."""

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

__all__ = ["ROOT", "in_new_process", "measure_rounds", "printed_by", "rotated"]

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
    return printed_by("tests.bench.measure", json.dumps(dataclasses.asdict(spec)), what=spec.workload)


def printed_by(module: str, *arguments: str, what: str, limit_s: float = ROUND_LIMIT_S) -> Any:
    """What ``python -m module arguments`` prints last, a line of JSON; *what* is measured there.

    Raises:
      RuntimeError: the process failed or took longer than *limit_s*; with its error output.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            capture_output=True,
            text=True,
            timeout=limit_s,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{what}: no result after {limit_s:.0f} s") from error
    if done.returncode:
        raise RuntimeError(f"{what}: exit {done.returncode}\n{done.stderr}")
    # Whatever packages print themselves comes before the last line.
    return json.loads(done.stdout.splitlines()[-1])

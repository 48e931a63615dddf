"""Rewriting programs of several files that a generator makes by seed: what holds of every program, whatever is in it.

QUEUECOMPAT_SLOPPY_PROGRAMS is the number of programs; 150 by default, 50 for each target: they take a few seconds.
QUEUECOMPAT_SLOPPY_FIRST is the seed of the first one. ``sloppy_runs`` does the same for many.
"""

from __future__ import annotations

import os
import pathlib

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sloppy_runs import require_program

PROGRAMS = int(os.environ.get("QUEUECOMPAT_SLOPPY_PROGRAMS", "150"))
FIRST = int(os.environ.get("QUEUECOMPAT_SLOPPY_FIRST", "0"))
BLOCK = 10


@pytest.mark.parametrize("to", sorted(TARGETS))
@pytest.mark.parametrize("block", range(max(PROGRAMS // (BLOCK * len(TARGETS)), 1)))
def test_a_sloppy_program_is_rewritten_soundly_and_a_second_time_not_at_all(
    block: int, to: str, tmp_path: pathlib.Path
) -> None:
    for seed in range(FIRST + block * BLOCK, FIRST + (block + 1) * BLOCK):
        require_program(seed * len(TARGETS) + sorted(TARGETS).index(to), to, tmp_path / str(seed))

"""Rewriting programs of several files that a generator makes by seed: what holds of every program, whatever is in it.

QUEUECOMPAT_SLOPPY_PROGRAMS is the number of programs; 150 by default, 50 for each target: they take a few seconds.
QUEUECOMPAT_SLOPPY_FIRST is the seed of the first one.
"""

from __future__ import annotations

import ast
import os
import pathlib
from typing import Dict, List

import pytest

from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sloppy import OF_TENSORFLOW_2, sloppy_program

PROGRAMS = int(os.environ.get("QUEUECOMPAT_SLOPPY_PROGRAMS", "150"))
FIRST = int(os.environ.get("QUEUECOMPAT_SLOPPY_FIRST", "0"))
BLOCK = 10
# How a file of graphs takes batches: a decorated function returns them there, and a dataset has an iterator.
FROM_DATASETS = (b"import reader", b"from reader", b"make_one_shot_iterator", b"@queuecompat.input_pipeline")


def rewritten(folder: pathlib.Path, to: str) -> Dict[str, Migrated]:
    done = list(migrate([str(folder)], to))
    for one in done:
        one.path.write_bytes(one.new)
    return {one.path.name: one for one in done}


def without_comments(text: bytes) -> List[bytes]:
    return [line for line in text.splitlines() if not line.lstrip().startswith(b"# queuecompat: QC74")]


def require_sound(done: Dict[str, Migrated]) -> None:
    """What holds of a rewritten program."""
    for name, one in done.items():
        ast.parse(one.new)
        assert not one.unread
        if name in OF_TENSORFLOW_2:
            assert one.new == one.old and not one.left
        if one.is_comment:
            assert without_comments(one.new) == one.old.splitlines() and one.left
    reader = done["reader.py"]
    if reader.new != reader.old and not reader.is_comment and b"def inputs" in reader.new:
        returns_dataset = b"@queuecompat.input_pipeline" in reader.new or b"dataset = dataset" in reader.new
        for name, one in done.items():
            if name.startswith("train") and returns_dataset:
                require_batches(name, one.new)


def require_batches(name: str, new: bytes) -> None:
    """Whether a session, if one is left, gets batches and no dataset."""
    keeps_its_session = b"import queuecompat.v1" in new and any(found in new for found in FROM_DATASETS)
    assert b"start_queue_runners" not in new or keeps_its_session, f"{name} runs a session on a dataset"


@pytest.mark.parametrize("to", sorted(TARGETS))
@pytest.mark.parametrize("block", range(max(PROGRAMS // (BLOCK * len(TARGETS)), 1)))
def test_a_sloppy_program_is_rewritten_soundly_and_a_second_time_not_at_all(
    block: int, to: str, tmp_path: pathlib.Path
) -> None:
    for seed in range(FIRST + block * BLOCK, FIRST + (block + 1) * BLOCK):
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name, text in sloppy_program(seed * len(TARGETS) + sorted(TARGETS).index(to)).items():
            (folder / name).write_bytes(text.encode())
        require_sound(rewritten(folder, to))
        again = rewritten(folder, to)
        assert [name for name, one in again.items() if one.new != one.old] == [], f"program {seed}"

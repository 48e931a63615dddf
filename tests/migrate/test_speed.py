"""Processor time for a file: ten times what it takes, so that only a relapse of the whole analysis fails."""

from __future__ import annotations

import time
from typing import Callable, Dict

import pytest

from queuecompat.migrate.check.checking import check
from queuecompat.migrate.rewrite.migrating import migrate
from tests.migrate.program_entries import PROGRAMS

FOLDERS = [str(one) for one in sorted(PROGRAMS.iterdir()) if one.is_dir()][::3]
FILES = sum(1 for one in FOLDERS for _ in PROGRAMS.joinpath(one).glob("*.py"))
COMMANDS: Dict[str, Callable[[str], object]] = {
    "check": lambda folder: check([folder]),
    "as-dataset": lambda folder: list(migrate([folder], "as-dataset")),
    "tf-data": lambda folder: list(migrate([folder], "tf-data")),
}


@pytest.mark.parametrize(("command", "seconds"), [("check", 0.1), ("as-dataset", 0.3), ("tf-data", 0.3)])
def test_a_file_takes_less_than_a_part_of_a_second(command: str, seconds: float) -> None:
    COMMANDS[command](FOLDERS[0])  # tables are read once
    began = time.process_time()
    for folder in FOLDERS:
        COMMANDS[command](folder)
    assert (time.process_time() - began) / FILES < seconds

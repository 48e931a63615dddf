"""Processor time for a file: ten times what it takes, so that only a relapse of the whole analysis fails."""

from __future__ import annotations

import pathlib
import time
from typing import Callable, Dict

import pytest

from queuecompat.migrate.analysis.module_files import ModuleFiles
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


def test_the_imports_of_a_file_are_looked_up_once_however_many_files_there_are(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = 30
    text = "import tensorflow as tf\n\n\ndef layer(x):\n    return tf.contrib.layers.fully_connected(x, 4)\n"
    (tmp_path / "layer0.py").write_text(text)
    for number in range(1, layers):
        (tmp_path / f"layer{number}.py").write_text(f"import layer{number - 1}\n{text}")
    asked = []
    imported = ModuleFiles.imported
    monkeypatch.setattr(ModuleFiles, "imported", lambda *given: asked.append(given[1]) or imported(*given))
    list(migrate([str(tmp_path)], "as-dataset"))
    assert asked.count(str(tmp_path / f"layer{layers - 1}.py")) <= 4
    assert len(asked) <= 4 * layers


def test_files_that_import_each_others_names_are_looked_through_once_for_a_name(tmp_path: pathlib.Path) -> None:
    """A package of 48 files with 190 ``import *`` had not ended after five minutes."""
    files = [f"part{number}" for number in range(7)]
    for one in files:
        stars = "".join(f"from {other} import *\n" for other in files if other != one)
        (tmp_path / f"{one}.py").write_text(
            f"import tensorflow as tf\n{stars}\n\ndef {one}_of(x):\n    return tf.Session(absent)\n"
        )
    (tmp_path / "main.py").write_text("from part0 import *\nimport tensorflow as tf\nprint(part6_of(tf.Session()))\n")
    began = time.process_time()
    done = {one.path.name: one for one in migrate([str(tmp_path)], "v1")}
    assert time.process_time() - began < 10
    assert all(b"queuecompat.v1" in one.new for one in done.values())

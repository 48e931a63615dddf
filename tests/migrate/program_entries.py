"""Whole programs in the styles of published ones: the files that are started, and what TensorFlow 1.15.5 prints.

``programs/NAME/MAIN.txt`` is what ``programs/NAME/MAIN.py`` prints; a file is one that is started where there is such a
text. ``python -m tests.migrate.program_entries PYTHON NAME...`` records the programs of these names again, with the
Python of TensorFlow 1.15.5.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List, Sequence, Tuple

from tests.migrate.input_files import write_inputs

__all__ = ["MAINS", "OF_TENSORFLOW_2", "PROGRAMS", "TF1", "copied", "recorded"]

PROGRAMS = pathlib.Path(__file__).parent / "programs"
OF_TENSORFLOW_2 = {"helper.py", "keras_script.py"}
# Of each program: the files that are started.
MAINS: Dict[str, Tuple[str, ...]] = {
    folder.name: tuple(sorted(f"{path.stem}.py" for path in folder.glob("*.txt")))
    for folder in sorted(PROGRAMS.iterdir())
    if folder.is_dir()
}
TF1: List[Tuple[str, str]] = [
    (name, main) for name, mains in MAINS.items() for main in mains if main not in OF_TENSORFLOW_2
]


def copied(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The program in a folder of its own, with the files that it reads."""
    shutil.copytree(PROGRAMS / name, folder)
    write_inputs(folder)
    (folder / "lines.txt").write_text("1\n2\n3\n4\n")
    for number in range(2):
        rows = ([label, *(17 * label + pixel for pixel in range(4))] for label in range(3))
        (folder / f"pictures_{number}.bin").write_bytes(bytes(byte for row in rows for byte in row))
    return folder


def recorded(name: str, main: str) -> str:
    """What TensorFlow 1.15.5 prints; of a program of TensorFlow 2, what that prints."""
    return (PROGRAMS / name / f"{main[:-3]}.txt").read_text()


def _record(python: str, names: Sequence[str]) -> None:
    for name in names:
        for main in MAINS[name]:
            (PROGRAMS / name / main).with_suffix(".txt").write_text(_printed(python, name, main))


def _printed(python: str, name: str, main: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        program = copied(name, pathlib.Path(folder) / name)
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [python, "-W", "ignore", main]
        ran = subprocess.run(
            command, cwd=program, env=environment, capture_output=True, text=True, check=False, timeout=90
        )
    assert ran.returncode == 0, f"{name}/{main}: {ran.stderr[-2000:]}"
    return ran.stdout


if __name__ == "__main__":
    _record(sys.argv[1], sys.argv[2:])

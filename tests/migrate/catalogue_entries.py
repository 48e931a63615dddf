"""The catalogue of input functions in the styles of published programs, and what TensorFlow 1.15.5 recorded of each.

``catalogue/NAME.py`` begins with two comments: how its input function is called, and whether its batches come in a
"fixed" order or in "any". Run this file to record them again, with the Python of TensorFlow 1.15.5 as its argument:
``python -m tests.migrate.catalogue_entries PYTHON``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Mapping

from tests.migrate.input_files import write_inputs

__all__ = ["BATCHES", "ENTRIES", "Entry", "delivered", "recorded_batches"]

BATCHES = 12
_HERE = pathlib.Path(__file__).parent
RECORDED = _HERE / "catalogue" / "recorded.json"


@dataclasses.dataclass(frozen=True)
class Entry:
    """One input function.

    Attributes:
      text: of its file.
      call: the expression that calls it.
      order: "fixed" or "any".
    """

    text: str
    call: str
    order: str

    def comparable(self, batches: Any) -> Any:
        """What of *batches* must be the same: all, or the examples in them."""
        if self.order == "fixed" or isinstance(batches, str):
            return batches
        return sorted(repr(row) for batch in batches for row in zip(*batch))


def _entry(path: pathlib.Path) -> Entry:
    text = path.read_text()
    call, order = (line.partition(": ")[2] for line in text.split("\n")[:2])
    return Entry(text, call, order)


ENTRIES: Dict[str, Entry] = {path.stem: _entry(path) for path in sorted((_HERE / "catalogue").glob("*.py"))}


def delivered(python: str, texts: Mapping[str, str], environment: Mapping[str, str]) -> Dict[str, Any]:
    """The batches of each of *texts*, by its name: what one process of *python* makes of all.

    Args:
      texts: by the name in the catalogue, perhaps with a space and more words after it.
    """
    given = {name: (text, ENTRIES[name.split()[0]].call, BATCHES) for name, text in texts.items()}
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(pathlib.Path(folder))
        ran = subprocess.run(
            [python, "-W", "ignore", str(_HERE / "running_catalogue.py")],
            cwd=folder, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment}, input=json.dumps(given),
            capture_output=True, text=True, check=False, timeout=280,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    return dict(json.loads(line) for line in ran.stdout.splitlines())


def recorded_batches() -> Dict[str, Any]:
    """What TensorFlow 1.15.5 delivers, by the name of the input function."""
    return json.loads(RECORDED.read_text())


def _record(python: str) -> None:
    found = delivered(python, {name: one.text for name, one in ENTRIES.items()}, {})
    lines: List[str] = [f"{json.dumps(name)}: {json.dumps(batches)}" for name, batches in sorted(found.items())]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _record(sys.argv[1])

"""Rewrites sloppy programs, each by every target: ``python -m tests.migrate.sloppy_runs --count 1000 --seed 0``.

Whatever is in a program: what is written is Python, files of TensorFlow 2 stay byte for byte, a comment changes nothing
else, a session that is left gets no dataset, and a second rewrite changes nothing. The programs are not run.
"""

from __future__ import annotations

import argparse
import ast
import collections
import pathlib
import sys
import tempfile
import traceback
from typing import Dict, List

from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.sloppy import OF_TENSORFLOW_2, sloppy_program

__all__ = ["require_program"]

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


def require_program(number: int, to: str, folder: pathlib.Path) -> str:
    """Whether program *number* is rewritten soundly, in *folder*, which is made; what became of its input file."""
    folder.mkdir()
    for name, text in sloppy_program(number).items():
        (folder / name).write_bytes(text.encode())
    done = rewritten(folder, to)
    require_sound(done)
    again = rewritten(folder, to)
    assert [name for name, one in again.items() if one.new != one.old] == [], f"program {number}"
    reader = done["reader.py"]
    return "a comment" if reader.is_comment else "rewritten" if reader.new != reader.old else "as it was"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    given = parser.parse_args()
    failed = 0
    for to in sorted(TARGETS):
        found: collections.Counter = collections.Counter()
        for number in range(given.seed, given.seed + given.count):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found[require_program(number, to, pathlib.Path(folder) / "program")] += 1
                except Exception:
                    failed += 1
                    print(f"program {number}, --to {to}:\n{traceback.format_exc()}", file=sys.stderr)
        print(f"--to {to}: {dict(found)}", flush=True)
    print(f"{given.count} programs, {failed} failures")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Record what TF 1.15.5 makes of every program: ``python tests/scripts/record.py [PROGRAM ...]``.

Each program is run three times; where two of its summaries differ in anything, the program fails, for a
summary holds only what TF 1.15.5 repeats. Programs from before TF 1.0 get theirs from by_hand.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import by_hand  # noqa: E402
import data  # noqa: E402
from catalogue import PROGRAMS, RECORDED, Program  # noqa: E402

JUDGE = "1.15.5"
RUNS = 3
DEADLINE_SECONDS = 120


def _summary(program: Program, data_dir: str) -> Any:
    if program.older_than_one:
        return by_hand.SUMMARIES[program.name]()
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-W", "ignore", *program.command(data_dir, scratch)]
        subprocess.run(command, check=True, timeout=DEADLINE_SECONDS, stdout=subprocess.DEVNULL)
        with open(os.path.join(scratch, "summary.json")) as file:
            return json.load(file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="these alone; every program if none")
    names = parser.parse_args().programs or list(PROGRAMS)
    import tensorflow

    if tensorflow.__version__ != JUDGE:
        print(f"This is TF {tensorflow.__version__}; only {JUDGE} is recorded.")
        return 2
    os.makedirs(RECORDED, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as data_dir:
        data.write_all(data_dir)
        for name in names:
            summaries = [_summary(PROGRAMS[name], data_dir) for _ in range(RUNS)]
            if any(summary != summaries[0] for summary in summaries):
                failed += 1
                print(f"{name:<32} FAILED: no two runs are the same")
                continue
            with open(PROGRAMS[name].record, "w") as file:
                json.dump(summaries[0], file, indent=1, sort_keys=True)
                file.write("\n")
            print(f"{name:<32} {len(summaries[0])} entries", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

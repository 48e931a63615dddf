"""Record what TF 1.15.5 makes of every small program: ``python tests/scripts/small/record.py [PROGRAM ...]``.

Each program is run three times, and so is its input function; where two runs differ in anything, the program
fails, for it may print only what TF 1.15.5 repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from typing import Any, Dict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path[1:1] = [os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]

import data  # noqa: E402
from catalogue import PROGRAMS, RECORDED, Program  # noqa: E402
from forking import Server  # noqa: E402
from running import elements_of, error_of, run_program  # noqa: E402

JUDGE = "1.15.5"
RUNS = 3


def _recording(server: Server, program: Program, data_dir: str) -> Dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        ran = run_program(server, program, data_dir, scratch)
        recording = {"error": error_of(ran), "exit_code": ran.exit_code, "printed": ran.out.splitlines()}
    if ran.exit_code and "Timeout (" in ran.err:
        raise RuntimeError(f"{program.name} hangs:\n{ran.err[-5000:]}")
    if program.inputs is not None:
        with tempfile.TemporaryDirectory() as scratch:
            recording["elements"] = elements_of(server, program, data_dir, scratch)
    return recording


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="these alone; every program if none")
    names = parser.parse_args().programs or [name for name in PROGRAMS if not PROGRAMS[name].by_hand]
    import tensorflow

    if tensorflow.__version__ != JUDGE:
        print(f"This is TF {tensorflow.__version__}; only {JUDGE} is recorded.")
        return 2
    os.makedirs(RECORDED, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as data_dir, Server() as server:
        data.write_all(data_dir)
        for name in names:
            program = PROGRAMS[name]
            recordings = [_recording(server, program, data_dir) for _ in range(RUNS)]
            if any(recording != recordings[0] for recording in recordings):
                failed += 1
                print(f"{name:<32} FAILED: its runs are not the same")
                print(*recordings, sep="\n")
                continue
            with open(program.record, "w") as file:
                json.dump(recordings[0], file, indent=1, sort_keys=True)
                file.write("\n")
            print(
                f"{name:<32} {len(recordings[0]['printed'])} lines, exit code {recordings[0]['exit_code']}", flush=True
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

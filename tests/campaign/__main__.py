"""``python -m tests.campaign [--part PART] [--kind KIND] [--seconds N] [--seed N] [--rounds N]``: see the package."""

from __future__ import annotations

import argparse
import collections
import datetime
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Counter, List

# Rounds of one process: what it leaks shows, and a crash costs no more than these.
ROUNDS = 20
# A process that needs longer for its rounds hangs.
LIMIT_SECONDS = 600


def main() -> int:
    options = _options()
    if options.rounds:
        return _rounds(options.part, options.kind, options.seed, options.rounds)
    print(f"seed {options.seed}; TensorFlow and Python of {sys.executable}", flush=True)
    done: Counter[str] = collections.Counter()
    failures: List[str] = []
    end, seed = time.monotonic() + options.seconds, options.seed
    kinds = [(part, kind) for part, several in _kinds().items() for kind in several]
    chosen = [(p, k) for p, k in kinds if options.part in ("", p) and options.kind in ("", k)]
    while time.monotonic() < end:
        for part, kind in chosen:
            _in_a_process(part, kind, seed, done, failures)
            if time.monotonic() > end:
                break
        seed += ROUNDS
    for name, count in sorted(done.items()):
        print(f"{name}: {count:,} rounds")
    print(f"{len(failures)} failures", *failures, sep="\n  ")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("--part", default="")
    parser.add_argument("--kind", default="")
    parser.add_argument("--seconds", type=float, default=300.0)
    # A new seed each day.
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")) * 100_000)
    parser.add_argument("--rounds", type=int, default=0, help="run so many rounds of one kind in this process")
    return parser.parse_args()


def _kinds() -> dict:
    # By name: this process starts others, and needs no TensorFlow itself.
    return {
        "lifecycles": ["python", "records", "rows", "shuffled"],
        "mutated": ["bmp", "csv", "example", "jpeg", "png", "tfrecord"],
    }


def _in_a_process(part: str, kind: str, seed: int, done: Counter[str], failures: List[str]) -> None:
    again = ["-m", "tests.campaign", "--part", part, "--kind", kind, "--seed", str(seed), "--rounds", str(ROUNDS)]
    try:
        ran = subprocess.run(
            [sys.executable, *again], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
        problem = "" if not ran.returncode else f"exit code {ran.returncode}: {ran.stdout[-2000:]}"
    except subprocess.TimeoutExpired:
        problem = f"no end after {LIMIT_SECONDS} s"
    done[f"{part} {kind}"] += ROUNDS
    if problem:
        failures.append(f"python {' '.join(again)}\n    {problem}")
        print(failures[-1], flush=True)


def _rounds(part: str, kind: str, seed: int, rounds: int) -> int:
    from tests.campaign import lifecycles, mutated

    round_of = {"lifecycles": lifecycles, "mutated": mutated}[part].round_of
    failed = 0
    for number in range(seed, seed + rounds):
        print(f"repeat: python -m tests.campaign --part {part} --kind {kind} --seed {number} --rounds 1", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                round_of(kind, number, pathlib.Path(folder))
            except Exception:
                failed += 1
                traceback.print_exc(file=sys.stdout)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

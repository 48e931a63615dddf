"""``python -m tests.campaign [--part PART] [--kind KIND] [--seconds N] [--seed N] [--rounds N]``: see the package."""

from __future__ import annotations

import argparse
import collections
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Counter, Dict, List, NamedTuple, Tuple

# A process that needs longer for its rounds hangs.
LIMIT_SECONDS = 1800


class Part(NamedTuple):
    """*rounds*: of one process. What it leaks shows, and a crash costs no more than these."""

    kinds: Tuple[str, ...]
    rounds: int


# By name: this process starts others, and needs no TensorFlow itself.
PARTS: Dict[str, Part] = {
    "lifecycles": Part(("dataset", "loader", "python", "records", "rows", "shuffled"), 100),
    "mutated": Part(
        ("bmp", "csv", "example", "gif", "index", "jpeg", "meta", "png", "sequence", "state", "tfrecord"), 20
    ),
    "stress": Part(
        (
            "capacity of one",
            "files",
            "graphs",
            "hooks",
            "interrupts",
            "large batches",
            "names of files",
            "pipelines",
            "stages",
            "threads",
        ),
        1,
    ),
    "schedules": Part(("loader", "runtime", "runtime of two"), 1),
    "generated": Part(("pipelines", "programs"), 200),
}

# Ordinary tests, with so many examples from this seed.
GENERATED = {
    "pipelines": lambda seed, count: (
        ["tests/pipelines/test_against_meaning.py", f"--hypothesis-seed={seed}"],
        {"QUEUECOMPAT_PIPELINES": str(count)},
    ),
    "programs": lambda seed, count: (
        ["tests/migrate/test_sloppy.py"],
        {"QUEUECOMPAT_SLOPPY_PROGRAMS": str(count), "QUEUECOMPAT_SLOPPY_FIRST": str(seed)},
    ),
}


def main() -> int:
    options = _options()
    if options.rounds:
        return _rounds(options)
    print(f"seed {options.seed}; TensorFlow and Python of {sys.executable}", flush=True)
    done: Counter[str] = collections.Counter()
    failures: List[str] = []
    end, seed = time.monotonic() + options.seconds, options.seed
    kinds = [(part, kind) for part, its in PARTS.items() for kind in its.kinds]
    chosen = [(p, k) for p, k in kinds if options.part in ("", p) and options.kind in ("", k)]
    while time.monotonic() < end:
        for part, kind in chosen:
            _in_a_process(part, kind, seed, options.depth, done, failures)
            if time.monotonic() > end:
                break
        seed += max(part.rounds for part in PARTS.values())
    for name, count in sorted(done.items()):
        print(f"{name}: {count:,} rounds")
    print(f"{len(failures)} failures", *failures, sep="\n  ")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("--part", default="", choices=["", *PARTS])
    parser.add_argument("--kind", default="")
    parser.add_argument("--seconds", type=float, default=300.0)
    # A new seed each day.
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")) * 100_000)
    parser.add_argument("--rounds", type=int, default=0, help="run so many rounds of one kind in this process")
    parser.add_argument(
        "--depth", type=int, default=3, help="choices of a forced schedule; each costs three times more"
    )
    return parser.parse_args()


def _in_a_process(part: str, kind: str, seed: int, depth: int, done: Counter[str], failures: List[str]) -> None:
    rounds = PARTS[part].rounds
    again = ["-m", "tests.campaign", "--part", part, "--kind", kind, "--seed", str(seed), "--rounds", str(rounds)]
    again += ["--depth", str(depth)] if part == "schedules" else []
    try:
        ran = subprocess.run(
            [sys.executable, *again], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
        problem = "" if not ran.returncode else f"exit code {ran.returncode}: {(ran.stdout + ran.stderr)[-3000:]}"
        print(*[line for line in ran.stdout.splitlines() if line.startswith("walked")], sep="\n", end="", flush=True)
    except subprocess.TimeoutExpired:
        problem = f"no end after {LIMIT_SECONDS} s"
    done[f"{part} {kind}"] += rounds
    if problem:
        failures.append(f"python {' '.join(again)}\n    {problem}")
        print(failures[-1], flush=True)


def _rounds(options: argparse.Namespace) -> int:
    if options.part == "generated":
        command, variables = GENERATED[options.kind](options.seed, options.rounds)
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *command]
        return subprocess.run(tests, env={**os.environ, **variables}, check=False).returncode
    if options.part == "schedules":
        return _schedules(options.kind, options.depth, options.seed)
    from tests.campaign import lifecycles, mutated, stress

    round_of = {"lifecycles": lifecycles, "mutated": mutated, "stress": stress}[options.part].round_of
    failed = 0
    repeat = f"repeat: python -m tests.campaign --part {options.part} --kind '{options.kind}' --rounds 1 --seed"
    for number in range(options.seed, options.seed + options.rounds):
        print(repeat, number, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                round_of(options.kind, number, pathlib.Path(folder))
            except Exception:
                failed += 1
                traceback.print_exc(file=sys.stdout)
    return 1 if failed else 0


def _schedules(kind: str, depth: int, seed: int) -> int:
    from tests.campaign import schedules

    for name, subject in schedules.SUBJECTS[kind].items():
        count = schedules.walked(subject, depth, seed)
        print(f"walked {count:,} schedules of {depth} choices: {kind}, {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

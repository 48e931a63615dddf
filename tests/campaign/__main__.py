"""``python -m tests.campaign [--part PART] [--kind KIND] [--seconds N] [--count N] [--seed N] [--rounds N]``: see the
package."""

from __future__ import annotations

import argparse
import collections
import datetime
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Counter, Dict, List, NamedTuple, Tuple

# What a round prints that had so many inputs, lives, ...
_DONE = re.compile(r"done \d+")

# A process that needs longer for its rounds hangs.
LIMIT_SECONDS = 1800
# What stays of each round, once the caches of functions are full; while they fill it may be a quarter of a MiB.
MOST_KIB = 500
# The allocator keeps what threads have freed, in up to eight places for each core: some 100 KiB more for each session
# that is started, for a long time. That is no leak, and hides those that are.
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


class Part(NamedTuple):
    """*rounds*: of one process. What it leaks shows, and a crash costs no more than these. *unit*: what is counted."""

    kinds: Tuple[str, ...]
    rounds: int
    unit: str


# By name: this process starts others, and needs no TensorFlow itself.
PARTS: Dict[str, Part] = {
    "lifecycles": Part(("dataset", "loader", "python", "records", "rows", "shuffled"), 30, "lives"),
    "mutated": Part(
        ("bmp", "csv", "example", "gif", "index", "jpeg", "meta", "png", "sequence", "state", "tfrecord"), 5, "inputs"
    ),
    "stress": Part(
        (
            "capacity of one",
            "ends of programs",
            "fed queues",
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
        "rounds",
    ),
    "schedules": Part(("loader", "runtime", "runtime of two"), 1, "walks"),
    "generated": Part(("chains of queues", "pipelines", "programs", "programs that run"), 200, "examples"),
}

# Ordinary tests, with so many examples from this seed.
GENERATED = {
    "pipelines": lambda seed, count: (
        ["tests/pipelines/test_against_meaning.py", f"--hypothesis-seed={seed}"],
        {"QUEUECOMPAT_PIPELINES": str(count)},
    ),
    "chains of queues": lambda seed, count: (
        ["tests/pipelines/test_chains_against_meaning.py", f"--hypothesis-seed={seed}"],
        {"QUEUECOMPAT_CHAINS": str(count)},
    ),
    "programs": lambda seed, count: (
        ["tests/migrate/test_sloppy.py"],
        {"QUEUECOMPAT_SLOPPY_PROGRAMS": str(count), "QUEUECOMPAT_SLOPPY_FIRST": str(seed)},
    ),
    # All are rewritten, for three targets; a tenth runs, as it is and rewritten.
    "programs that run": lambda seed, count: (
        ["tests/migrate/test_generated.py"],
        {
            "QUEUECOMPAT_RUNNABLE_PROGRAMS": str(count),
            "QUEUECOMPAT_RUNNABLE_FIRST": str(seed),
            "QUEUECOMPAT_RUNNABLE_SHARE": "10",
        },
    ),
}


def main() -> int:
    options = _options()
    if options.rounds:
        return _rounds(options)
    print(f"seed {options.seed}; TensorFlow and Python of {sys.executable}", flush=True)
    done: Counter[str] = collections.Counter()
    failures: List[str] = []
    began, seed = time.monotonic(), options.seed
    kinds = [(part, kind) for part, its in PARTS.items() for kind in its.kinds]
    chosen = [(p, k) for p, k in kinds if options.part in ("", p) and options.kind in ("", k)]

    def is_enough() -> bool:
        if options.count:
            return sum(done.values()) >= options.count
        return time.monotonic() - began > options.seconds

    while not is_enough():
        for part, kind in chosen:
            done[f"{part} {kind}"] += _in_a_process(part, kind, seed, options.depth, failures)
            if is_enough():
                break
        seed += max(part.rounds for part in PARTS.values())
        # So that a campaign that is stopped by hand says how far it came, and with which seed it goes on.
        print(f"{_sum(done, failures, began)}; next is --seed {seed}", flush=True)
    for name, count in sorted(done.items()):
        print(f"{name}: {count:,} {PARTS[name.partition(' ')[0]].unit}")
    print(_sum(done, failures, began), *failures, sep="\n  ")
    return 1 if failures else 0


def _sum(done: Counter[str], failures: List[str], began: float) -> str:
    return f"{sum(done.values()):,} in {time.monotonic() - began:,.0f} s, {len(failures)} failures"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("--part", default="", choices=["", *PARTS])
    parser.add_argument("--kind", default="")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--count", type=int, default=0, help="end after so many inputs, lives, ... and not by time")
    # A new seed each day.
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")) * 100_000)
    parser.add_argument("--rounds", type=int, default=0, help="run so many rounds of one kind in this process")
    parser.add_argument("--size", type=int, default=0, help="inputs, or lives of a graph, of one round")
    parser.add_argument(
        "--depth", type=int, default=3, help="choices of a forced schedule; each costs three times more"
    )
    return parser.parse_args()


def _in_a_process(part: str, kind: str, seed: int, depth: int, failures: List[str]) -> int:
    """Runs some rounds; returns how many inputs, lives, ... they had, as far as they came."""
    rounds = PARTS[part].rounds
    again = ["-m", "tests.campaign", "--part", part, "--kind", kind, "--seed", str(seed), "--rounds", str(rounds)]
    again += ["--depth", str(depth)] if part == "schedules" else []
    try:
        ran = subprocess.run(
            [sys.executable, *again],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT_SECONDS,
            check=False, env={**os.environ, **ONE_ARENA},
        )  # fmt: skip
        said, problem = ran.stdout, f"exit code {ran.returncode}: {ran.stdout[-3000:]}" if ran.returncode else ""
    except subprocess.TimeoutExpired as ended:
        said, problem = (ended.stdout or b"").decode(errors="replace"), f"no end after {LIMIT_SECONDS} s"
    lines = said.splitlines()
    print(*[f"{line}\n" for line in lines if line.startswith("walked")], sep="", end="", flush=True)
    if problem:
        failures.append(f"python {shlex.join(again)}\n    {problem}")
        print(failures[-1], flush=True)
    if part in ("generated", "schedules"):
        return rounds
    return sum(int(line.split()[1]) for line in lines if _DONE.fullmatch(line))


def _rounds(options: argparse.Namespace) -> int:
    if options.part == "generated":
        command, variables = GENERATED[options.kind](options.seed, options.rounds)
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *command]
        return subprocess.run(tests, env={**os.environ, **variables}, check=False).returncode
    if options.part == "schedules":
        return _schedules(options.kind, options.depth, options.seed)
    from tests.bench.loader.lives import Resources
    from tests.campaign import lifecycles, mutated, stress

    module = {"lifecycles": lifecycles, "mutated": mutated, "stress": stress}[options.part]
    size = [options.size] if options.size else []
    failed = 0
    repeat = f"repeat: python -m tests.campaign --part {options.part} --kind '{options.kind}' --rounds 1 --seed"
    middle = Resources.now()
    for number in range(options.seed, options.seed + options.rounds):
        if number == options.seed + options.rounds // 2:
            middle = Resources.now()
        print(repeat, number, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("done", module.round_of(options.kind, number, pathlib.Path(folder), *size), flush=True)
            except Exception:
                failed += 1
                traceback.print_exc(file=sys.stdout)
    last = Resources.now()
    grown = (last.memory - middle.memory) / max(options.rounds // 2, 1)
    print(f"{grown:.0f} KiB stay of each round, {last.shared} files in /dev/shm", flush=True)
    is_leaking = options.part == "lifecycles" and options.rounds == PARTS["lifecycles"].rounds and grown > MOST_KIB
    return 1 if failed or is_leaking else 0


def _schedules(kind: str, depth: int, seed: int) -> int:
    from tests.campaign import schedules

    for name, subject in schedules.SUBJECTS[kind].items():
        count = schedules.walked(subject, depth, seed)
        print(f"walked {count:,} schedules of {depth} choices: {kind}, {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

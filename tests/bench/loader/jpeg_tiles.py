"""``python -m tests.bench.loader.jpeg_tiles``: 2,000 JPEG tiles, loaded by our loader and eight others in one run.

Rule 1: a side is a process, so no two sides share threads, an allocator or packages.
Rule 2: sides are interleaved, and each round starts with a different one; ratios are taken within a round, and their
        median is reported.
Rule 3: after a warm-up of one epoch, a side is timed for a number of seconds, in whole consecutive epochs: what it does
        between epochs counts.

``--side NAME`` is one of these processes.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import resource
import statistics
import sys
import tempfile
import time
from typing import Dict, Iterator, List, Sequence

import numpy as np

from queuecompat.loader.images.image_list import list_of

from ..data import make_jpegs
from ..neighbours import Ticks
from ..report import machine
from ..rounds import printed_by, rotated
from .tile_sides import BATCH_SIZE, SIDES, WORKERS

__all__ = ["AIMS", "main", "ratios", "table"]

OURS = "ours"
# How many times as fast as the side named ours has to be.
AIMS = {"thread pool": 1.1, "PyTorch": 1.6, "Grain": 1.6, "tf.data, cropped": 1.1}
MOST_FIRST = 1.2  # times the time of the plain pool until the first batch
POOL = "thread pool"
# By their memory: those that have one batch at a time, and those whose worker processes are not counted.
_NOT_COMPARED = ("one thread", "one thread, in place", "ours, in processes", "PyTorch")
SIDE_LIMIT_S = 300.0  # a side that takes longer is taken for a hang


def run_side(name: str, data_dir: str, count: int, timed_s: float, workers: int) -> Dict[str, float]:
    """Time one side in this process: wall and processor time an example, in microseconds, and the share of the machine
    that other programs had; then, with all that is imported in place, the first batch of another iteration, in
    milliseconds; and the most memory, in MB."""
    paths, labels = make_jpegs(pathlib.Path(data_dir), count)
    files = list_of(zip(paths, labels))
    batches = SIDES[name](files, workers)
    for _ in range(-(-count // BATCH_SIZE)):
        images, _labels = next(batches)
    assert tuple(images.shape) == (BATCH_SIZE, 224, 224, 3), images.shape
    before = Ticks.now()
    taken, begin, cpu_begin = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < timed_s:
        next(batches)
        taken += BATCH_SIZE
    timings = {
        "wall_us": (time.perf_counter() - begin) / taken * 1e6,
        "cpu_us": (time.process_time() - cpu_begin) / taken * 1e6,  # without worker processes
        "examples": taken,
        "others": Ticks.now().others_since(before),
    }
    del batches
    begin = time.perf_counter()
    next(SIDES[name](files, workers))
    timings["first_ms"] = (time.perf_counter() - begin) * 1e3
    timings["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # without worker processes
    return timings


def measured(
    sides: Sequence[str], data_dir: str, count: int, rounds: int, timed_s: float, workers: int = WORKERS
) -> Iterator[Dict]:
    """Yield one round after another: the timings of each side."""
    for number in range(rounds):
        timings = {
            side: _in_new_process(side, data_dir, count, timed_s, workers) for side in rotated(list(sides), number)
        }
        yield {side: timings[side] for side in sides}


def _in_new_process(side: str, data_dir: str, count: int, timed_s: float, workers: int) -> Dict[str, float]:
    given = ["--side", side, "--data_dir", data_dir, "--count", str(count), "--seconds", str(timed_s)]
    given += ["--workers", str(workers)]
    return printed_by("tests.bench.loader.jpeg_tiles", *given, what=side, limit_s=SIDE_LIMIT_S)


def ratios(rounds: List[Dict]) -> Dict[str, float]:
    """How many times as fast ours is as each of the others: the median of the ratios within a round."""
    others = [side for side in rounds[0] if side != OURS]
    return {
        other: statistics.median(timings[other]["wall_us"] / timings[OURS]["wall_us"] for timings in rounds)
        for other in others
    }


def table(rounds: List[Dict]) -> str:
    """A line a side: median time, its extremes, processor time, how many times as fast ours is, and what share of the
    machine other programs had meanwhile: with more than a few percent, times and ratios are not those of the sides."""
    its_ratios = ratios(rounds)
    head = f"  {'side':20} {'us/example':>10} {'(min - max)':>17} {'cpu us':>7} {'ours is faster by':>18} {'aim':>6}"
    head += f" {'first ms':>8} {'MB':>5} {'others':>6}"
    lines = [head]
    for side in rounds[0]:
        walls = [timings[side]["wall_us"] for timings in rounds]
        spread = f"({min(walls):.0f} - {max(walls):.0f})"
        ratio = f"{its_ratios[side]:.2f}" if side in its_ratios else ""
        aim = f"{AIMS[side]:.2f}" if side in AIMS else ""
        cpu = statistics.median(timings[side]["cpu_us"] for timings in rounds)
        line = f"  {side:20} {statistics.median(walls):10.0f} {spread:>17} {cpu:7.0f} {ratio:>18} {aim:>6}"
        first, memory, others = (
            statistics.median(one[side].get(of, 0) for one in rounds) for of in ("first_ms", "memory_mb", "others")
        )
        line += f" {first:8.0f} {memory:5.0f} {others:6.0%}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def missed_besides(rounds: List[Dict]) -> List[str]:
    """What else ours falls short of: the first batch, and the least memory of all sides that are one process and load
    ahead. A single thread has one batch at a time, whatever it loses by that."""
    missed = []
    if {OURS, POOL} <= set(rounds[0]):
        first = statistics.median(one[OURS].get("first_ms", 0) / one[POOL].get("first_ms", 1) for one in rounds)
        if first > MOST_FIRST:
            missed.append(f"first batch, {first:.2f} times the {POOL}'s")
    memory = {
        side: statistics.median(one[side].get("memory_mb", 0) for one in rounds)
        for side in rounds[0]
        if side not in _NOT_COMPARED
    }
    least = min(memory, key=lambda side: memory[side])
    if memory.get(OURS, 0) > memory[least]:
        missed.append(f"memory, {memory[OURS]:.0f} MB; {least} takes {memory[least]:.0f}")
    return missed


def parsed_arguments(arguments: List[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loader.jpeg_tiles", description=__doc__)
    parser.add_argument("--sides", nargs="+", choices=list(SIDES), default=list(SIDES), metavar="SIDE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="for which a side is timed, a round")
    parser.add_argument("--count", type=int, default=2_000, help="tiles")
    parser.add_argument("--workers", type=int, default=WORKERS, help="of each side that is told their number")
    parser.add_argument("--data_dir", help="keep the tiles here; default: made anew, removed")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything here")
    parser.add_argument("--check", action="store_true", help="exit with 1 if an aim is missed")
    parser.add_argument("--side", choices=list(SIDES), help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: List[str] | None = None) -> int:
    options = parsed_arguments(arguments)
    if options.side:
        print(json.dumps(run_side(options.side, options.data_dir, options.count, options.seconds, options.workers)))
        return 0
    facts = machine()
    print("{cores} cores, {processor}, {system}".format(**facts))
    print(f"{options.count:,} JPEG tiles of 256x256: decode, random crop 224, mirror, float32, batch({BATCH_SIZE})")
    print(f"{options.workers} workers, where a side is told their number")
    with tempfile.TemporaryDirectory(prefix="queuecompat-bench-") as temporary:
        data_dir = options.data_dir or temporary
        make_jpegs(pathlib.Path(data_dir), options.count)
        rounds = list(
            measured(options.sides, data_dir, options.count, options.rounds, options.seconds, options.workers)
        )
    print(table(rounds) if OURS in rounds[0] else json.dumps(rounds, indent=1))
    if options.json:
        record = {"machine": facts, "ratios": ratios(rounds), "rounds": rounds, "numpy": np.__version__}
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    missed = [side for side, ratio in ratios(rounds).items() if ratio < AIMS.get(side, 0)]
    missed += missed_besides(rounds)
    print("\n".join(f"missed: {side}" for side in missed) or "every aim is met")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.bench.report_cost``: what ``queuecompat.report()``, or ``run --report``, takes of the throughput.

Rule 1: a process has the pipeline of a workload twice: as it is, and as a report watches it. They take turns of
        half a second, and each pair begins with the other one; a ratio is that of a pair, with over without. (Of
        two processes one has the better minute of the machine: equal ones differed by more than a report takes. So may
        the two pipelines of a process, which further turns do not mend: compare several runs.)
Rule 2: what is done for each batch, and the looks at the counters, go on during the turns. Recordings are held back
        there, as they would be those of both; how much of the consumer's time one takes is measured on its own: of two
        intervals of the pipeline that is watched, one has a recording, and lasts until that has ended.
Rule 3: a run of so many seconds has the recordings that ``sampling`` makes in that time, and loses what they take.
Rule 4: the consumer does nothing else, so all that the counting costs is seen.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import math
import pathlib
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

from queuecompat.reporting import sampling

from .catalogue import WORKLOADS, named
from .rounds import printed_by
from .sides import Side, prepare, running

__all__ = ["LIMIT", "Cost", "measured", "table"]

LIMIT = 1.02  # time of an example with a report over that without, of each workload in a run of RUNS[1] seconds
RUNS = (10, 60, 600)  # seconds of runs in the table
SIDE = Side.from_name("ours/2")


@dataclasses.dataclass(frozen=True)
class Cost:
    """What was found of one workload.

    Attributes:
      ratios: of the time of an example, with a report over without, of each turn.
      lost: seconds that the consumer lost with each recording.
    """

    ratios: list[float]
    lost: list[float]

    def of_run(self, seconds: float) -> float:
        """The time of a run without a report to 1: with one."""
        return statistics.median(self.ratios) + statistics.median(self.lost) * recordings_in(seconds) / seconds


def recordings_in(seconds: float) -> int:
    """How many recordings are made in a run, whose first batch comes at once."""
    return sum(sampling.FIRST * 3**number < seconds for number in range(sampling.MOST))


def measured(workload: str, folder: pathlib.Path, count: int, turns: int, recordings: int, seconds: float) -> Cost:
    """The cost of a report on *workload*, in this process; a turn takes twice so many *seconds*."""
    work = named(workload)
    loaded = work.load(folder, count)
    prepare([SIDE])
    with running(SIDE, work, loaded) as without:
        without()
        with mock.patch.object(sampling, "FIRST", math.inf):
            report = importlib.import_module("queuecompat").report()
            with running(SIDE, work, loaded) as watched:
                watched()
                if not report.pipelines:
                    raise RuntimeError("the report watched no pipeline")
                sampler = report._sampler
                sampler.end()
                for take in (without, watched):
                    _rate(take, seconds)
                ratios = [_ratio(without, watched, sampler, seconds, turn) for turn in range(turns)]
                return Cost(ratios, [_lost(watched, sampler, max(1.0, seconds), turn) for turn in range(recordings)])


def _ratio(without: Callable[[], Any], watched: Callable[[], Any], sampler: Any, seconds: float, turn: int) -> float:
    rates = {}
    for name in ("without", "watched")[:: -1 if turn % 2 else 1]:
        if name == "without":
            rates[name] = _rate(without, seconds)
        else:
            sampler.begin()
            rates[name] = _rate(watched, seconds)
            sampler.end()
    return rates["without"] / rates["watched"]


def _lost(watched: Callable[[], Any], sampler: Any, seconds: float, turn: int) -> float:
    """Seconds of the consumer that one recording takes; the looks go on with and without."""
    taken = {}
    sampler.begin()
    for name in ("without", "recorded")[:: -1 if turn % 2 else 1]:
        taken[name] = _taken(watched, seconds) if name == "without" else _taken_during_one(watched, sampler, seconds)
    sampler.end()
    (batches, elapsed), (usual, whole) = taken["recorded"], taken["without"]
    return elapsed - batches * whole / usual


def _taken_during_one(watched: Callable[[], Any], sampler: Any, seconds: float) -> tuple[int, float]:
    """As ``_taken``, with a recording from the beginning; until that has ended, too."""
    made = len(sampler.recordings)
    recording = threading.Thread(target=sampler.record)
    recording.start()
    taken = _taken(watched, seconds, recording.is_alive)
    if len(sampler.recordings) == made:
        raise RuntimeError("nothing was recorded")
    return taken


def _rate(take: Callable[[], Any], seconds: float) -> float:
    """Batches a second, over so many."""
    batches, elapsed = _taken(take, seconds)
    return batches / elapsed


def _taken(take: Callable[[], Any], seconds: float, goes_on: Callable[[], bool] = lambda: False) -> tuple[int, float]:
    """Batches, and the seconds that they took: at least so many, and longer while *goes_on*."""
    begin, batches = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds or goes_on():
        take()
        batches += 1
    return batches, time.perf_counter() - begin


def table(found: dict[str, Cost]) -> str:
    """A line for each workload."""
    heads = [f"{f'run of {seconds} s':>14}" for seconds in RUNS]
    lines = [f"{'workload':16} {'each batch':>10} {'(quarters)':>16} {'recording':>10} " + " ".join(heads)]
    for name, cost in found.items():
        lower, middle, upper = _quarters(cost.ratios)
        cells = f"{middle:10.4f} {f'({lower:.3f}, {upper:.3f})':>16} {statistics.median(cost.lost) * 1e3:7.0f} ms "
        lines.append(f"{name:16} {cells}" + " ".join(f"{cost.of_run(seconds):14.4f}" for seconds in RUNS))
    return "\n".join(lines)


def _quarters(values: list[float]) -> list[float]:
    return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints the figures, and returns whether the limit is broken; or is the process of one workload."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report_cost", description=__doc__)
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="this one only; may be repeated")
    parser.add_argument("--turns", type=int, default=60, help="of each workload")
    parser.add_argument("--recordings", type=int, default=20, help="of each workload")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each pipeline in a turn")
    parser.add_argument("--quick", action="store_true", help="less data; numbers are rough")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--here", type=pathlib.Path, help=argparse.SUPPRESS)  # measure in this process; holds data
    options = parser.parse_args(arguments)
    found: dict[str, Cost] = {}
    for name in options.workload or ["records", "jpeg"]:
        count = WORKLOADS[name].quick_count if options.quick else WORKLOADS[name].count
        if options.here is not None:
            cost = measured(name, options.here, count, options.turns, options.recordings, options.seconds)
            print(json.dumps(dataclasses.asdict(cost)))
            return 0
        found[name] = _in_new_process(name, options)
    print(table(found))
    most = max(cost.of_run(RUNS[1]) for cost in found.values())
    taken, limit = (100 * (ratio - 1) for ratio in (most, LIMIT))
    print(f"a report takes {taken:+.1f} % of the time of a run of {RUNS[1]} s; the limit is {limit:.0f} %")
    if options.json is not None:
        options.json.write_text(json.dumps({name: dataclasses.asdict(cost) for name, cost in found.items()}))
    return int(most > LIMIT)


def _in_new_process(name: str, options: argparse.Namespace) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        words = ["--workload", name, "--here", folder, "--turns", str(options.turns)]
        words += ["--recordings", str(options.recordings), "--seconds", str(options.seconds)]
        return Cost(**printed_by("tests.bench.report_cost", *words, *["--quick"] * options.quick, what=name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

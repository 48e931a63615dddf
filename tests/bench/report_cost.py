"""``python -m tests.bench.report_cost``: how much ``queuecompat.report()``, or ``run --report``, slows a pipeline down.

Rule 1: the same few ops are run for each batch, whatever the batch is (``test_bench.py`` counts them). So their cost is
        measured where it is visible: with batches of one small example, as a difference of times. A process has that
        pipeline twice, with and without a report; the two take turns of half a second, and each pair of turns begins
        with the other. (Of two pipelines of large batches, one may be faster for as long as the process lives, by more
        than a report costs.)
Rule 2: for a workload, the time per batch and the consumer's time that a recording takes are measured, in a process of
        its own: every second interval has a recording, and lasts until that has ended. The counters are read in all
        intervals.
Rule 3: a run of a given length has the recordings that ``sampling`` makes in that time, and loses their time.
Rule 4: the consumer does nothing else, so the whole cost of counting is visible.
"""

from __future__ import annotations

import argparse
import contextlib
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
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

from queuecompat.reporting import sampling

from .catalogue import WORKLOADS, named
from .rounds import printed_by
from .sides import Side, prepare, running
from .workload import Workload

__all__ = ["LIMIT", "ONES", "Cost", "each_batch", "of_workload", "table"]

LIMIT = 1.02  # time of an example with a report over that without, of each workload in a run of RUNS[1] seconds
RUNS = (10, 60, 600)  # seconds of runs in the table
SIDE = Side.from_name("ours/2")


def _ones(tf: Any, arrays: Any, *, num_threads: int, num_epochs: int | None) -> Any:
    return tf.train.batch(tf.train.slice_input_producer(list(arrays), num_epochs=num_epochs), 1, num_threads)


ONES = Workload(
    summary="numbers in memory, batch(1)",
    batch_size=1,
    count=1000,
    quick_count=1000,
    load=lambda _folder, count: [np.zeros(count, np.uint8), np.zeros(count, np.int64)],
    queues=_ones,
    tf_data=lambda tf, arrays, num_epochs: tf.data.Dataset.from_tensor_slices(arrays).repeat(num_epochs).batch(1),
)


@dataclasses.dataclass(frozen=True)
class Cost:
    """What was found of one workload.

    Attributes:
      batches: seconds that a batch takes, with a report, of each turn.
      lost: seconds that the consumer lost with each recording.
    """

    batches: list[float]
    lost: list[float]

    def of_batches(self, each: float) -> float:
        """The time without a report to 1: with one, which takes *each* second of a batch, but for the recordings."""
        batch = statistics.median(self.batches)
        return batch / (batch - each)

    def of_run(self, each: float, seconds: float) -> float:
        """The same of a run, with its recordings."""
        return self.of_batches(each) + statistics.median(self.lost) * recordings_in(seconds) / seconds


def recordings_in(seconds: float) -> int:
    """How many recordings are made in a run, whose first batch comes at once."""
    return sum(sampling.FIRST * 3**number < seconds for number in range(sampling.MOST))


def each_batch(turns: int, seconds: float) -> list[float]:
    """What a report takes of each batch, in seconds, of each turn; one of those takes twice so many *seconds*."""
    loaded = ONES.load(pathlib.Path(), ONES.count)
    prepare([SIDE])
    with running(SIDE, ONES, loaded) as without:
        without()
        with _watched(ONES, loaded) as (watched, sampler):
            takes = {"without": without, "watched": watched}
            for take in takes.values():
                _taken(take, seconds)
            return [_difference(takes, sampler, seconds, turn) for turn in range(turns)]


def _difference(takes: dict[str, Callable[[], Any]], sampler: Any, seconds: float, turn: int) -> float:
    each = {}
    for name in ("without", "watched")[:: -1 if turn % 2 else 1]:
        if name == "watched":
            sampler.begin()
        batches, elapsed = _taken(takes[name], seconds)
        each[name] = elapsed / batches
        sampler.end()
    return each["watched"] - each["without"]


def of_workload(name: str, folder: pathlib.Path, count: int, recordings: int, seconds: float) -> Cost:
    """The cost of a report on workload *name*, in this process; a recording takes twice so many *seconds*."""
    work = named(name)
    loaded = work.load(folder, count)
    prepare([SIDE])
    with _watched(work, loaded) as (watched, sampler):
        _taken(watched, seconds)
        batches, lost = zip(*(_lost(watched, sampler, seconds, turn) for turn in range(recordings)))
    return Cost(list(batches), list(lost))


@contextlib.contextmanager
def _watched(work: Workload, loaded: Any) -> Iterator[tuple[Callable[[], Any], Any]]:
    """The pipeline that a report watches, and the report's sampler, which has ended and makes no recordings itself."""
    with mock.patch.object(sampling, "FIRST", math.inf):
        report = importlib.import_module("queuecompat").report()
        with running(SIDE, work, loaded) as take:
            take()
            if not report.pipelines:
                raise RuntimeError("the report watched no pipeline")
            report._sampler.end()
            yield take, report._sampler


def _lost(watched: Callable[[], Any], sampler: Any, seconds: float, turn: int) -> tuple[float, float]:
    """Seconds of a batch, and those of the consumer that one recording takes; the looks go on with and without."""
    taken = {}
    sampler.begin()
    for name in ("without", "recorded")[:: -1 if turn % 2 else 1]:
        taken[name] = _taken(watched, seconds) if name == "without" else _taken_during_one(watched, sampler, seconds)
    sampler.end()
    (batches, elapsed), (usual, whole) = taken["recorded"], taken["without"]
    return whole / usual, elapsed - batches * whole / usual


def _taken_during_one(watched: Callable[[], Any], sampler: Any, seconds: float) -> tuple[int, float]:
    """As ``_taken``, with a recording from the beginning; until that has ended, too."""
    made = len(sampler.recordings)
    recording = threading.Thread(target=sampler.record)
    recording.start()
    taken = _taken(watched, seconds, recording.is_alive)
    if len(sampler.recordings) == made:
        raise RuntimeError("nothing was recorded")
    return taken


def _taken(take: Callable[[], Any], seconds: float, goes_on: Callable[[], bool] = lambda: False) -> tuple[int, float]:
    """Batches, and the seconds that they took: at least so many, and longer while *goes_on*."""
    begin, batches = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds or goes_on():
        take()
        batches += 1
    return batches, time.perf_counter() - begin


def table(each: list[float], found: dict[str, Cost]) -> str:
    """What each batch takes, and a line for each workload."""
    lower, middle, upper = (value * 1e6 for value in _quarters(each))
    lines = [f"each batch: {middle:.0f} us (quarters {lower:.0f} to {upper:.0f})"]
    heads = [f"{f'run of {seconds} s':>14}" for seconds in RUNS]
    lines += [f"{'workload':16} {'a batch':>10} {'its ops':>8} {'recording':>10} " + " ".join(heads)]
    for name, cost in found.items():
        batch, lost = (statistics.median(values) * 1e3 for values in (cost.batches, cost.lost))
        cells = f"{batch:7.2f} ms {cost.of_batches(middle / 1e6):8.4f} {lost:7.0f} ms "
        runs = [f"{cost.of_run(middle / 1e6, seconds):14.4f}" for seconds in RUNS]
        lines.append(f"{name:16} {cells}" + " ".join(runs))
    return "\n".join(lines)


def _quarters(values: list[float]) -> list[float]:
    return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints the figures, and returns whether the limit is broken; or is the process of one measurement."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report_cost", description=__doc__)
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="this one only; may be repeated")
    parser.add_argument("--turns", type=int, default=60, help="with batches of one")
    parser.add_argument("--recordings", type=int, default=20, help="of each workload")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each pipeline in a turn")
    parser.add_argument("--quick", action="store_true", help="less data; numbers are rough")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--here", type=pathlib.Path, help=argparse.SUPPRESS)  # measure in this process; holds data
    options = parser.parse_args(arguments)
    if options.here is not None:
        print(json.dumps(_here(options)))
        return 0
    each = _in_new_process("batches of one", options)
    names = options.workload or ["records", "jpeg"]
    found = {name: Cost(**_in_new_process(name, options, "--workload", name)) for name in names}
    print(table(each, found))
    most = max(cost.of_run(statistics.median(each), RUNS[1]) for cost in found.values())
    taken, limit = (100 * (ratio - 1) for ratio in (most, LIMIT))
    print(f"a report takes {taken:+.1f} % of the time of a run of {RUNS[1]} s; the limit is {limit:.0f} %")
    if options.json is not None:
        workloads = {name: dataclasses.asdict(cost) for name, cost in found.items()}
        options.json.write_text(json.dumps({"each_batch": each, "workloads": workloads}))
    return int(most > LIMIT)


def _here(options: argparse.Namespace) -> Any:
    """The measurement that this process is for."""
    if not options.workload:
        return each_batch(options.turns, options.seconds)
    (name,) = options.workload
    count = WORKLOADS[name].quick_count if options.quick else WORKLOADS[name].count
    # Recordings of slow pipelines last up to a second.
    return dataclasses.asdict(of_workload(name, options.here, count, options.recordings, max(1.0, options.seconds)))


def _in_new_process(what: str, options: argparse.Namespace, *words: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        chosen = ["--here", folder, "--turns", str(options.turns), "--recordings", str(options.recordings)]
        chosen += ["--seconds", str(options.seconds), *["--quick"] * options.quick]
        return printed_by("tests.bench.report_cost", *words, *chosen, what=what)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

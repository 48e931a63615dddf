"""One round: every side of one workload, in one new process.

Rule 1: a round is a process, so nothing that TensorFlow grows (allocator arenas, thread pools) comes from an earlier
        round. Sides share the process but not the graph or the session: importing TensorFlow for every side would take
        longer than measuring it.
Rule 2: sides are interleaved, and each round starts with a different one. Other programs on the machine disturb all
        sides of a round alike, so ratios are taken within a round.
Rule 3: a side is timed for a number of seconds, not of batches: long enough to time the fast sides, and no longer than
        that for the slow ones.

``python -m tests.bench.measure SPEC`` takes and prints JSON; the benchmark starts it.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import pathlib
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

from .catalogue import named
from .sides import Side, prepare, running
from .workload import Workload

__all__ = ["RoundSpec", "Timing", "run_round"]


@dataclasses.dataclass(frozen=True)
class RoundSpec:
    """What one process has to do.

    Attributes:
      workload: its name in the catalogue.
      data_dir: where its data is, or will be made.
      count: examples in an epoch.
      sides: their names, in the order in which they run.
      warm_up_s: seconds of batches to drop, after the first batch.
      timed_s: seconds of batches to time.
      compute_ms: milliseconds for which the consumer is busy elsewhere after each batch.
      entry_point: ``session`` or ``dataset``; see sides.py.
    """

    workload: str
    data_dir: str
    count: int
    sides: list[str]
    warm_up_s: float
    timed_s: float
    compute_ms: float = 0.0
    entry_point: str = "session"


@dataclasses.dataclass(frozen=True)
class Timing:
    """What one side needed in one round.

    Attributes:
      wall_us: microseconds an example for which the consumer waited.
      cpu_us: processor time of the whole process, microseconds an example.
      first_batch_ms: milliseconds from calling the pipeline function to its first batch.
      examples: how many were timed.
    """

    wall_us: float
    cpu_us: float
    first_batch_ms: float
    examples: int


def time_side(side: Side, workload: Workload, loaded: Any, spec: RoundSpec) -> Timing:
    begin = time.perf_counter()
    with running(side, workload, loaded) as take:
        take()
        first_batch_s = time.perf_counter() - begin
        _consume(take, spec.warm_up_s, spec.compute_ms)
        cpu_begin = time.process_time()
        batches, waited_s = _consume(take, spec.timed_s, spec.compute_ms)
        cpu_s = time.process_time() - cpu_begin
    examples = batches * workload.batch_size
    return Timing(
        wall_us=waited_s / examples * 1e6,
        cpu_us=cpu_s / examples * 1e6,
        first_batch_ms=first_batch_s * 1e3,
        examples=examples,
    )


def _consume(take: Callable[[], Any], seconds: float, compute_ms: float) -> tuple[int, float]:
    """Take batches for *seconds*; return their number and the seconds spent waiting for them."""
    batches, waited_s = 0, 0.0
    end = time.perf_counter() + seconds
    while True:
        begin = time.perf_counter()
        take()
        now = time.perf_counter()
        batches += 1
        waited_s += now - begin
        if compute_ms:
            # Asleep, as the host is while an accelerator computes: no core is taken from the input.
            time.sleep(compute_ms / 1e3)
        if now >= end:
            return batches, waited_s


def run_round(spec: RoundSpec) -> dict[str, Any]:
    """Run the sides of *spec* one after the other; return their timings and the versions used."""
    import tensorflow

    workload = named(spec.workload)
    loaded = workload.load(pathlib.Path(spec.data_dir), spec.count)
    sides = [Side.from_name(name) for name in spec.sides]
    prepare(sides, spec.entry_point)
    timings = {}
    for side in sides:
        timings[side.name] = dataclasses.asdict(time_side(side, workload, loaded, spec))
        gc.collect()  # graphs are cyclic; the next side should not pay for this one's
    return {
        "timings": timings,
        "tensorflow": tensorflow.__version__,
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    json.dump(run_round(RoundSpec(**json.loads(sys.argv[1]))), sys.stdout)

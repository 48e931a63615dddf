"""``python -m tests.bench.report_cost``: what ``queuecompat.report()``, or ``run --report``, takes of the throughput.

Rule 1: each run is a process of its own, as a report counts in all pipelines that are built after it began. With and
        without take turns, and each round begins with the other one.
Rule 2: a ratio is that of a round, with over without; the result is their median, with the quarters below and above.
Rule 3: the consumer does nothing else, so all that the counting costs is seen. Recordings of TensorFlow's profiler are
        made about 1, 3 and 9 seconds after the first batch: with the usual times the last two fall into what is timed.
Rule 4: the limit holds for each workload.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import statistics
import sys
import tempfile
from typing import Any

from .catalogue import WORKLOADS
from .measure import RoundSpec
from .rounds import in_new_process, rotated

__all__ = ["LIMIT", "measured", "ratios", "table"]

LIMIT = 1.02  # time of an example with a report over that without, of each workload
SIDE = "ours/2"
KINDS = {"without": False, "with": True}

Round = dict[str, dict[str, float]]  # with or without -> fields of measure.Timing


def measured(spec: RoundSpec, rounds: int) -> list[Round]:
    """The timings of *rounds* rounds of *spec*, whose only side is ours."""
    return [
        {
            kind: in_new_process(dataclasses.replace(spec, reported=KINDS[kind]))["timings"][SIDE]
            for kind in rotated(list(KINDS), number)
        }
        for number in range(rounds)
    ]


def ratios(rounds: list[Round], field: str) -> list[float]:
    """With over without of each round: of ``wall_us`` or ``cpu_us``, in ascending order."""
    return sorted(one["with"][field] / one["without"][field] for one in rounds)


def table(found: dict[str, list[Round]]) -> str:
    """A line for each workload."""
    lines = [f"{'workload':16} {'time':>6} {'(quarters)':>14} {'cpu':>6} {'(quarters)':>14}"]
    for name, rounds in found.items():
        cells = [_cells(ratios(rounds, field)) for field in ("wall_us", "cpu_us")]
        lines.append(f"{name:16} " + " ".join(cells))
    return "\n".join(lines)


def _cells(values: list[float]) -> str:
    lower, middle, upper = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return f"{middle:6.3f} ({lower:5.3f}, {upper:5.3f})"


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints the ratios, and returns whether the limit is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report_cost", description=__doc__)
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="this one only; may be repeated")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=8.0, help="of batches that are timed in each run")
    parser.add_argument("--quick", action="store_true", help="less data; numbers are rough")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args(arguments)
    found: dict[str, list[Round]] = {}
    for name in options.workload or ["records", "jpeg"]:
        workload = WORKLOADS[name]
        count = workload.quick_count if options.quick else workload.count
        with tempfile.TemporaryDirectory() as folder:
            spec = RoundSpec(name, folder, count, [SIDE], warm_up_s=options.seconds / 4, timed_s=options.seconds)
            found[name] = measured(spec, options.rounds)
    print(table(found))
    most = max(statistics.median(ratios(rounds, "wall_us")) for rounds in found.values())
    print(f"a report takes {100 * (most - 1):+.1f} % of the time of an example; the limit is {100 * (LIMIT - 1):.0f} %")
    if options.json is not None:
        options.json.write_text(json.dumps(_record(found)))
    return int(most > LIMIT)


def _record(found: dict[str, list[Round]]) -> dict[str, Any]:
    return {
        name: {"rounds": rounds, **{field: statistics.median(ratios(rounds, field)) for field in ("wall_us", "cpu_us")}}
        for name, rounds in found.items()
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

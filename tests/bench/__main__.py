"""``python -m tests.bench``: queuecompat, native queues, ordinary and best tf.data, in one run.

Run it from the root of the repository. measure.py has the method, sides.py what is fetched.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile
from typing import Any

from .catalogue import WORKLOADS
from .measure import RoundSpec
from .report import machine, median_timings, ratios, table, violations
from .rounds import measure_rounds
from .sides import sides_for


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much is run: threads of the queue sides, rounds, and seconds a side and round."""

    thread_counts: list[int]
    rounds: int
    warm_up_s: float
    timed_s: float


QUICK = Effort(thread_counts=[2], rounds=1, warm_up_s=0.3, timed_s=0.5)
NORMAL = Effort(thread_counts=[1, 2], rounds=5, warm_up_s=1.0, timed_s=2.0)
THOROUGH = Effort(thread_counts=[1, 2, 4], rounds=9, warm_up_s=2.0, timed_s=4.0)


def parsed_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--workload",
        action="append",
        choices=list(WORKLOADS),
        help="run only this one; may be repeated",
    )
    parser.add_argument(
        "--entry-point",
        choices=["session", "dataset"],
        default="session",
        help="what is compared: TF1's session loop, or as_dataset in eager mode with the same pipeline in tf.data",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="under a minute; numbers are rough")
    size.add_argument("--thorough", action="store_true", help="more threads, rounds and seconds")
    parser.add_argument("--rounds", type=int, help="processes a workload; default 5")
    parser.add_argument(
        "--threads", type=int, nargs="+", help="of the sides that are TensorFlow 1's functions; default 1 2"
    )
    parser.add_argument(
        "--compute",
        type=float,
        default=0.0,
        metavar="MS",
        help="keep the consumer busy elsewhere for this long after each batch; the report then "
        "gives the time for which it still waited",
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything here")
    parser.add_argument("--check", action="store_true", help="exit with 1 if ours is slower than it may be")
    parser.add_argument("--data_dir", type=pathlib.Path, help="keep the data here; default: a temporary folder")
    options = parser.parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def measured(name: str, effort: Effort, data_dir: str, options: argparse.Namespace) -> Any:
    """Measure the workload *name*, print its table, return everything that is known about it."""
    workload = WORKLOADS[name]
    spec = RoundSpec(
        workload=name,
        data_dir=data_dir,
        count=workload.quick_count if options.quick else workload.count,
        sides=[side.name for side in sides_for(effort.thread_counts, options.entry_point)],
        warm_up_s=effort.warm_up_s,
        timed_s=effort.timed_s,
        compute_ms=options.compute,
        entry_point=options.entry_point,
    )
    results = list(measure_rounds(spec, options.rounds or effort.rounds))
    # In the order of the specification; each round has its own.
    rounds = [{side: result["timings"][side] for side in spec.sides} for result in results]
    timings, its_ratios = median_timings(rounds), ratios(rounds)
    print(f"\n{name}: {spec.count:,} {workload.summary}; rounds: {len(rounds)}")
    print(table(timings, its_ratios), flush=True)
    return {
        "summary": workload.summary,
        "examples": spec.count,
        "versions": {key: results[0][key] for key in ("tensorflow", "python")},
        "medians": timings,
        "ratios": its_ratios,
        "rounds": rounds,
    }


def main(arguments: list[str] | None = None) -> int:
    options = parsed_arguments(arguments)
    effort = QUICK if options.quick else THOROUGH if options.thorough else NORMAL
    if options.threads:
        effort = dataclasses.replace(effort, thread_counts=options.threads)
    record: dict[str, Any] = {"machine": machine(), "workloads": {}}
    print("{cores} cores, {processor}, {system}".format(**record["machine"]))
    print("wall time that the consumer waited, in us/example; medians over the rounds")
    with tempfile.TemporaryDirectory(prefix="queuecompat-bench-") as temporary:
        data_dir = str((options.data_dir or pathlib.Path(temporary)).resolve())
        for name in options.workload or WORKLOADS:
            record["workloads"][name] = measured(name, effort, data_dir, options)
    versions = next(iter(record["workloads"].values()))["versions"]
    print("\nTensorFlow {tensorflow}, Python {python}".format(**versions))
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    broken = [line for name, result in record["workloads"].items() for line in violations(name, result["ratios"])]
    if options.check:
        print("\n".join(broken) or "every limit is kept")
    return 1 if options.check and broken else 0


if __name__ == "__main__":
    sys.exit(main())

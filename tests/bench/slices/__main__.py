"""``python -m tests.bench.slices``: the table of the twelve pipelines. Run it from the root of the repository."""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
from typing import Any

from ..catalogue import SLICES
from ..measure import RoundSpec
from ..report import machine, ratios
from ..rounds import measure_rounds, printed_by
from .share import Share

__all__ = ["main", "table"]

SIDES = ["ours/2", "native/2", "tf.data"]


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.slices", description=__doc__)
    parser.add_argument("--slice", action="append", choices=list(SLICES), help="run only this one; may be repeated")
    parser.add_argument("--rounds", type=int, default=3, help="processes a pipeline")
    parser.add_argument("--seconds", type=float, default=1.5, help="of batches, for each side of a round")
    parser.add_argument("--quick", action="store_true", help="little data, one round; numbers are rough")
    parser.add_argument("--data_dir", type=pathlib.Path, help="keep the data here; default: a temporary folder")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything here")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = _parsed(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data_dir or pathlib.Path(temporary)
        names = options.slice or list(SLICES)
        shares = _shares(folder, names)
        rounds = {name: _rounds(name, folder, options) for name in names}
    print(table(rounds, shares))
    if options.json is not None:
        found = {name: {"rounds": its, "share": vars(shares[name])} for name, its in rounds.items()}
        options.json.write_text(json.dumps({"machine": machine(), "slices": found}, indent=2) + "\n")
    return 0


def _shares(folder: pathlib.Path, names: list[str]) -> dict[str, Share]:
    """In a process of its own: this one needs no TensorFlow, and takes no memory from those that are timed."""
    found = printed_by("tests.bench.slices.share", str(folder), *names, what="shares of ops")
    return {name: Share(**its) for name, its in found.items()}


def _rounds(name: str, folder: pathlib.Path, options: argparse.Namespace) -> list[Any]:
    workload = SLICES[name]
    spec = RoundSpec(
        workload=name,
        data_dir=str(folder),
        count=workload.quick_count if options.quick else workload.count,
        sides=SIDES,
        warm_up_s=0.1 if options.quick else 0.5,
        timed_s=0.1 if options.quick else options.seconds,
    )
    print(f"{name}: {workload.summary}", file=sys.stderr, flush=True)
    return [one["timings"] for one in measure_rounds(spec, 1 if options.quick else options.rounds)]


def table(rounds: dict[str, list[Any]], shares: dict[str, Share]) -> str:
    """A line a pipeline, in Markdown."""
    lines = [
        "| pipeline | time over native | over tf.data | first batch over native | ops once per batch | held back by |",
        "|---|---|---|---|---|---|",
    ]
    for name, its in rounds.items():
        (ours,) = ratios(its).values()
        first = statistics.median(one["ours/2"]["first_batch_ms"] / one["native/2"]["first_batch_ms"] for one in its)
        share = shares[name]
        lines.append(
            f"| {SLICES[name].summary} | {ours['native']:.2f} | {ours['tf.data']:.2f} | {first:.1f} "
            f"| {share.ops} | {', '.join(share.held_back_by)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

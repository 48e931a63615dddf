"""Computes medians, ratios, the table and the verdict from the timings of all rounds.

Rule 1: pure functions of numbers; nothing here runs or times anything.
Rule 2: a ratio is the median, over the rounds, of the ratio within a round. It may differ from the quotient of the two
        medians in the table, and is steadier on a machine that other programs use, too.
Rule 3: ``--check`` checks the table ``LIMITS``.
"""

from __future__ import annotations

import pathlib
import platform
import re
import statistics
from collections.abc import Iterator
from typing import Any

from queuecompat import processors

from .sides import Side

__all__ = ["LIMITS", "machine", "median_timings", "ratios", "table", "violations"]

# Times that `ours` may take, as a multiple of the side named. `best` is a goal, not a promise.
LIMITS = {"native": 1.05, "program": 1.10, "tf.data": 1.10}

Rounds = list[dict[str, dict[str, float]]]  # a round: side name -> fields of measure.Timing


def median_timings(rounds: Rounds) -> dict[str, dict[str, float]]:
    """Return, for each side, the median of each field and the extremes of ``wall_us``."""
    result = {}
    for name in rounds[0]:
        mine = [timings[name] for timings in rounds]
        walls = [timing["wall_us"] for timing in mine]
        medians = {field: statistics.median(t[field] for t in mine) for field in mine[0]}
        result[name] = {**medians, "wall_us_min": min(walls), "wall_us_max": max(walls)}
    return result


def ratios(rounds: Rounds) -> dict[str, dict[str, float]]:
    """Return time of `ours` over time of the others: ``{"ours/2": {"native": 0.3, ...}}``.

    `native` is taken at the same number of threads. A side that was not run is left out.
    """
    result: dict[str, dict[str, float]] = {}
    for name in rounds[0]:
        if Side.from_name(name).kind == "ours":
            others = {kind: other for kind, other in _opponents(name) if other in rounds[0]}
            result[name] = {
                kind: statistics.median(timings[name]["wall_us"] / timings[other]["wall_us"] for timings in rounds)
                for kind, other in others.items()
            }
    return result


def _opponents(name: str) -> Iterator[tuple[str, str]]:
    for kind in ("native", "program"):
        yield kind, Side(kind, Side.from_name(name).num_threads).name
    yield "tf.data", "tf.data"
    yield "best", "best"


def violations(name: str, its_ratios: dict[str, dict[str, float]]) -> list[str]:
    """Return one line for every limit that the workload *name* does not keep."""
    return [
        f"{name}: {side} takes {ratio:.2f} times as long as {kind}; the limit is {LIMITS[kind]:.2f}"
        for side, of_side in its_ratios.items()
        for kind, ratio in of_side.items()
        if ratio > LIMITS.get(kind, float("inf"))
    ]


def table(timings: dict[str, dict[str, float]], its_ratios: dict[str, dict[str, float]]) -> str:
    """Return the table of one workload: a line a side, then a line a ratio."""
    lines = [f"  {'side':10} {'us/example':>10} {'(min - max)':>17} {'cpu us':>8} {'first batch ms':>15}"]
    for name, timing in timings.items():
        spread = f"({timing['wall_us_min']:.1f} - {timing['wall_us_max']:.1f})"
        lines.append(
            f"  {name:10} {timing['wall_us']:10.1f} {spread:>17} {timing['cpu_us']:8.1f} "
            f"{timing['first_batch_ms']:15.0f}"
        )
    for side, of_side in its_ratios.items():
        compared = "   ".join(f"{kind} {ratio:.2f}" for kind, ratio in of_side.items())
        lines.append(f"  time of {side} over: {compared}")
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """Return what the numbers depend on: cores that may be used, processor, operating system."""
    return {"cores": processors.usable(), "processor": _processor(), "system": platform.system()}


def _processor() -> str:
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(), re.MULTILINE)
        if model:
            return model.group(1)
    return platform.processor() or platform.machine()

"""How many ops of a pipeline run once per batch, and what prevents it for the others, as ``explain`` reports it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import sys
from typing import Any

from ..catalogue import SLICES

__all__ = ["Share", "shares"]

_SHARE = re.compile(r"batched: (\d+ of \d+) ops")
_HELD = re.compile(r"QC309 (\S+)")


@dataclasses.dataclass(frozen=True)
class Share:
    """*ops*: ``all``, ``none``, or ``12 of 30``. *held_back_by*: the types of the ops that are named for it."""

    ops: str
    held_back_by: list[str]


def shares(data_dir: pathlib.Path, names: list[str]) -> dict[str, Share]:
    """The share of each pipeline of *names*; its data is made if it is not there."""
    import tensorflow

    import queuecompat
    import queuecompat.v1 as tf

    tensorflow.compat.v1.disable_v2_behavior()
    found = {}
    for name in names:
        workload = SLICES[name]
        with tensorflow.Graph().as_default():
            workload.queues(tf, workload.load(data_dir, workload.quick_count), num_threads=2, num_epochs=1)
            found[name] = share_of(str(queuecompat.explain()))
    return found


def share_of(explanation: str) -> Share:
    """The share of the one pipeline of *explanation*."""
    maps = [line for line in explanation.splitlines() if re.match(r"\s*\d+\s+map ", line)]
    told = _SHARE.search(explanation)
    held = sorted(set(_HELD.findall(explanation)))
    if told is not None:
        return Share(told[1], held)
    return Share("all" if all("on whole batches" in line for line in maps) else "none", held)


def main(arguments: list[str]) -> dict[str, Any]:
    folder, *names = arguments
    return {name: dataclasses.asdict(share) for name, share in shares(pathlib.Path(folder), names).items()}


if __name__ == "__main__":
    json.dump(main(sys.argv[1:]), sys.stdout)

"""The workloads, by name: those of the benchmark, and the pipelines of ``slices``."""

from __future__ import annotations

from .arrays import ARRAYS_BATCH, ARRAYS_CROP, ARRAYS_SHUFFLE
from .distorted import DISTORTED
from .joins import JOINS
from .jpeg import JPEG
from .lines import CSV
from .pngs import PNG
from .records import RECORDS
from .slices import SLICES
from .workload import Workload

__all__ = ["SLICES", "WORKLOADS", "named"]

WORKLOADS: dict[str, Workload] = {
    "records": RECORDS,
    "arrays-batch": ARRAYS_BATCH,
    "arrays-shuffle": ARRAYS_SHUFFLE,
    "arrays-crop": ARRAYS_CROP,
    "csv": CSV,
    "png": PNG,
    "jpeg": JPEG,
    "distorted": DISTORTED,
    "joins": JOINS,
}


def named(name: str) -> Workload:
    """The workload of the benchmark, or the pipeline of ``slices``, of that name."""
    return WORKLOADS[name] if name in WORKLOADS else SLICES[name]

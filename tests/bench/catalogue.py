"""The workloads, by name."""

from __future__ import annotations

from .arrays import ARRAYS_BATCH, ARRAYS_CROP, ARRAYS_SHUFFLE
from .distorted import DISTORTED
from .joins import JOINS
from .jpeg import JPEG
from .lines import CSV
from .pngs import PNG
from .records import RECORDS
from .workload import Workload

__all__ = ["WORKLOADS"]

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

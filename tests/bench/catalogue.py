"""The workloads, by name."""

from __future__ import annotations

from .arrays import ARRAYS_BATCH, ARRAYS_SHUFFLE
from .joins import JOINS
from .jpeg import JPEG
from .records import RECORDS
from .workload import Workload

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    "records": RECORDS,
    "arrays-batch": ARRAYS_BATCH,
    "arrays-shuffle": ARRAYS_SHUFFLE,
    "jpeg": JPEG,
    "joins": JOINS,
}

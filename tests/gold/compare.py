"""Compares a recorded result with a different one: every bit counts.

Rule: there is no tolerance here, except for arrays whose key says so: of ``loss~5``, five decimals are compared. A
      difference that TF 2.x makes legitimate is a line of known_differences.csv, with the id of its row in
      differences.csv.

``python compare.py RECORDED OTHER`` prints the differences of two folders of recordings.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from typing import Dict, List, Optional

import numpy as np

__all__ = ["RECORDED", "differences", "known_differences", "load"]

_DECIMALS = re.compile(r"~(\d+)$")
HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")
KNOWN_DIFFERENCES = os.path.join(HERE, "known_differences.csv")

Result = Dict[str, np.ndarray]


def load(case: str, folder: str = RECORDED) -> Result:
    """The recorded arrays of *case*."""
    with np.load(os.path.join(folder, case + ".npz"), allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def known_differences(path: str = KNOWN_DIFFERENCES) -> Dict[str, Dict[str, str]]:
    """The id of every known difference, by case and key. Lines that begin with # are notes."""
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    known: Dict[str, Dict[str, str]] = {}
    for row in csv.DictReader(lines):
        known.setdefault(row["case"], {})[row["key"]] = row["difference"]
    return known


def differences(recorded: Result, ours: Result) -> List[str]:
    """One line ``key: what differs`` for every key whose arrays are not the same in every bit.

    The kind of the dtype, its size (texts excepted: their width is that of the longest), the
    shape and all bits are compared, so that -0.0 is not 0.0 and a NaN equals itself. Of keys with a number of decimals,
    values may differ by less than one in the last of these.
    """
    lines = []
    for key in sorted(set(recorded) | set(ours)):
        if key not in ours:
            lines.append(f"{key}: recorded, but not given")
        elif key not in recorded:
            lines.append(f"{key}: given, but not recorded")
        else:
            decimals = _DECIMALS.search(key)
            tolerance = None if decimals is None else 10.0 ** -int(decimals[1])
            difference = _difference(np.asarray(recorded[key]), np.asarray(ours[key]), tolerance)
            if difference is not None:
                lines.append(f"{key}: {difference}")
    return lines


def _difference(recorded: np.ndarray, ours: np.ndarray, tolerance: Optional[float]) -> Optional[str]:
    recorded, ours = _encoded(recorded), _encoded(ours)
    is_text = recorded.dtype.kind == ours.dtype.kind == "S"
    if recorded.dtype != ours.dtype and not is_text:
        return f"dtype {ours.dtype}, not {recorded.dtype}"
    if recorded.shape != ours.shape:
        return f"shape {ours.shape}, not {recorded.shape}"
    if tolerance is not None:
        differs = ~np.isclose(recorded, ours, rtol=0, atol=tolerance, equal_nan=True)
    else:
        differs = recorded != ours if is_text else (_bits(recorded) != _bits(ours)).any(axis=-1)
    if not np.any(differs):
        return None
    if recorded.ndim == 0:
        return f"{ours.item()!r}, not {recorded.item()!r}"
    first = tuple(np.argwhere(differs)[0].tolist())
    return (
        f"{differs.sum()} of {differs.size} elements differ, "
        f"first at {first}: {ours[first].item()!r}, not {recorded[first].item()!r}"
    )


def _encoded(array: np.ndarray) -> np.ndarray:
    return np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array


def _bits(array: np.ndarray) -> np.ndarray:
    """The bytes of every element, on a last axis of their own."""
    one_element_rows = np.ascontiguousarray(array).reshape(array.shape + (1,))
    return one_element_rows.view(np.uint8)


def _main(recorded: str, other: str) -> int:
    names = sorted({name for folder in (recorded, other) for name in os.listdir(folder) if name.endswith(".npz")})
    found = 0
    for name in names:
        case = os.path.splitext(name)[0]
        paths = [os.path.join(folder, name) for folder in (recorded, other)]
        if not all(os.path.exists(path) for path in paths):
            lines = ["only in one folder"]
        else:
            lines = differences(load(case, recorded), load(case, other))
        found += len(lines)
        for line in lines:
            print(f"{case}: {line}")
    print(f"{found} differences in {len(names)} cases")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:3]))

"""Every name of TensorFlow 1 that this package has something to say about: one table, ``names.csv``.

The namespace, ``check``, ``migrate``, the coverage page of the guide and the tests read it; a name that is to be
known to one of them is a row here, and then it is known to all. Its columns:

- symbol: as users write it, ``tf.train.batch``; a module stands for all in it that has no row of its own.
- status: a row of ``STATUSES``.
- code: what ``check`` says of it (``queuecompat.errors``); empty where TensorFlow 2 has the name as it was.
- door: which ways in take it, of ``run``, ``v1`` and ``as_dataset``.
- place: where the namespace finds it, as ``_namespace/overlay.py`` reads it; empty where TensorFlow's own is taken.
- page: of ``migration_guide/``.
- advice: what to write on TensorFlow 2.

What the table leaves out: names that are no part of an input pipeline and that ``tensorflow.compat.v1`` still has.
No TensorFlow here.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import pathlib
from typing import Dict, Optional

__all__ = ["STATUSES", "Row", "find", "gone", "table", "under"]

STATUSES = {
    "compiled": "queuecompat's own; compiled into a tf.data pipeline",
    "here": "queuecompat's own, the same as in TensorFlow 1",
    "tensorflow": "TensorFlow's own, from tensorflow.compat.v1",
    "renamed": "a name of TensorFlow 0.x; refers to its replacement",
    "kept": "TensorFlow 2 has it, too",
    "package": "TensorFlow's own, up to TensorFlow 2.15; later the package tensorflow-estimator",
    "gone": "removed; the error says what to use instead",
    "private": "a private module of TensorFlow 1, or a name in one; refers to the public one",
    "eager": "a name of TensorFlow 2: a file that uses it is not TensorFlow 1 code",
}


@dataclasses.dataclass(frozen=True)
class Row:
    """One name; the fields are the columns of ``names.csv``."""

    symbol: str
    status: str
    code: str
    door: str
    place: str
    page: str
    advice: str

    @property
    def is_of_package(self) -> bool:
        """Whether old versions of TensorFlow 2 have the name, and a package of its own has it today."""
        return self.status == "package"


@functools.cache
def table() -> Dict[str, Row]:
    """All rows, by symbol."""
    text = (pathlib.Path(__file__).parent / "names.csv").read_text(encoding="utf-8")
    return {row["symbol"]: Row(**row) for row in csv.DictReader(text.splitlines())}


def find(symbol: str) -> Optional[Row]:
    """The row of *symbol*, or of the innermost class or module around it that has one."""
    while symbol:
        if symbol in table():
            return table()[symbol]
        symbol = symbol.rpartition(".")[0]
    return None


def gone(module: str) -> Dict[str, str]:
    """What to write instead of each name of *module* that was removed."""
    return {name: row.advice for name, row in under(module, "gone").items()}


def under(module: str, *statuses: str) -> Dict[str, Row]:
    """The rows of the names right below *module*, such as ``tf.train``, by these names; of *statuses* alone."""
    rows = {symbol[len(module) + 1 :]: row for symbol, row in table().items() if symbol.startswith(module + ".")}
    return {name: row for name, row in rows.items() if "." not in name and row.status in statuses}

"""Every name of TensorFlow 1 that this package has information about, in one table: ``names.csv``.

The namespace, ``check``, ``migrate``, the coverage page of the guide and the tests all read it, so a name is made known
to all of them by adding a row here. Its columns:

- symbol: the name as users write it, ``tf.train.batch``; a module stands for all names in it that have no row of their
  own.
- status: one of ``STATUSES``.
- code: the code that ``check`` reports for it (``queuecompat.errors``); empty if TensorFlow 2 has the name unchanged.
- entry_points: which of the entry points ``run``, ``v1`` and ``as_dataset`` support it.
- place: where the namespace finds it, in the notation of ``_namespace/overlay.py``; empty if TensorFlow's own is used.
- page: its page in ``migration_guide/``.
- advice: what to write on TensorFlow 2.

The table omits names that are not part of input pipelines and that ``tensorflow.compat.v1`` still has.
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
    entry_points: str
    place: str
    page: str
    advice: str

    @property
    def is_of_package(self) -> bool:
        """Whether the name moved from old versions of TensorFlow 2 to a package of its own."""
        return self.status == "package"


@functools.cache
def table() -> Dict[str, Row]:
    """Returns all rows, by symbol."""
    text = (pathlib.Path(__file__).parent / "names.csv").read_text(encoding="utf-8")
    return {row["symbol"]: Row(**row) for row in csv.DictReader(text.splitlines())}


def find(symbol: str) -> Optional[Row]:
    """Returns the row of *symbol*, or of the innermost class or module around it that has one; else None."""
    while symbol:
        if symbol in table():
            return table()[symbol]
        symbol = symbol.rpartition(".")[0]
    return None


def gone(module: str) -> Dict[str, str]:
    """Returns what to write instead of each name of *module* that was removed."""
    return {name: row.advice for name, row in under(module, "gone").items()}


def under(module: str, *statuses: str) -> Dict[str, Row]:
    """Returns the rows with one of *statuses* for names directly in *module*, such as ``tf.train``, by those names."""
    rows = {symbol[len(module) + 1 :]: row for symbol, row in table().items() if symbol.startswith(module + ".")}
    return {name: row for name, row in rows.items() if "." not in name and row.status in statuses}

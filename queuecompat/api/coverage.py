"""Generates the guide's page of all names: ``python -m queuecompat.api.coverage > migration_guide/coverage.md``."""

from __future__ import annotations

import collections
from typing import Dict, List

from queuecompat.api import STATUSES, Row, table

__all__ = ["page"]

_TOP = """\
# Names of TensorFlow 1, one by one

Made from `queuecompat/api/names.csv` by `python -m queuecompat.api.coverage`. Names that are not listed are not
part of an input pipeline; `queuecompat.v1` has them if `tensorflow.compat.v1` does.

| status | names | |
|---|---|---|
"""
_LINKS = {
    "run": "[run](steps/step_0.md)",
    "v1": "[v1](steps/step_1.md)",
    "as_dataset": "[as_dataset](steps/step_2.md)",
}


def page() -> str:
    """Returns the page's current text."""
    rows = list(table().values())
    count = collections.Counter(row.status for row in rows)
    lines = [f"| {status} | {count[status]} | {what} |" for status, what in STATUSES.items()]
    sections = [line for module, names in _by_module(rows).items() for line in _section(module, names)]
    return _TOP + "\n".join([*lines, *sections]) + "\n"


def _by_module(rows: List[Row]) -> Dict[str, List[Row]]:
    modules: Dict[str, List[Row]] = collections.defaultdict(list)
    for row in rows:
        modules[row.symbol.rpartition(".")[0]].append(row)
    return dict(sorted(modules.items()))


def _section(module: str, rows: List[Row]) -> List[str]:
    head = ["", f"## {module}", "", "| name | | entry points | code | on TensorFlow 2 |", "|---|---|---|---|---|"]
    return head + [_line(row) for row in rows]


def _line(row: Row) -> str:
    entry_points = ", ".join(_LINKS[one] for one in row.entry_points.split())
    code = f"[{row.code}](errors.md#{row.code.lower()})" if row.code else ""
    advice = row.advice.replace("|", "\\|") or ("unchanged" if row.status == "kept" else "")
    name = f"[`{row.symbol}`]({row.page})" if row.page.startswith("functions/") else f"`{row.symbol}`"
    return f"| {name} | {row.status} | {entry_points} | {code} | {advice} |"


if __name__ == "__main__":
    print(page(), end="")

"""The table of differences from TF1, ``tests/gold/differences.csv``, and the texts that are derived from it.

Rule 1: a difference has one row: a stable id, where it is documented, one or two sentences, and the tests that show it.
        A row of ``known_differences.csv`` (an array of a gold case that differs from TF1's) names the difference by its
        id.
Rule 2: *where* is "guide" (a bullet of ``migration_guide/differences.md`` with that id), and the functions whose
        docstrings contain the sentence. With neither, it is a difference of TensorFlow 2 itself.
Rule 3: the list of functions at the end of that page is printed by ``python -m tests.architecture.differences``.
"""

from __future__ import annotations

import csv
import dataclasses
import pathlib
from typing import Dict, List, Tuple

__all__ = ["GUIDE", "TABLE", "Difference", "gold_rows", "list_of_functions", "table"]

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "migration_guide" / "differences.md"
TABLE = ROOT / "tests" / "gold" / "differences.csv"
GOLD = ROOT / "tests" / "gold" / "known_differences.csv"


@dataclasses.dataclass(frozen=True)
class Difference:
    """One row. *text* is in the words of docstrings: arguments in ``*``, code in double back quotes."""

    id: str
    functions: Tuple[str, ...]
    is_in_guide: bool
    text: str
    tests: Tuple[str, ...]


def table() -> List[Difference]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        return [_difference(row) for row in csv.DictReader(file)]


def _difference(row: Dict[str, str]) -> Difference:
    where = row["where"].split()
    functions = tuple(name for name in where if name != "guide")
    return Difference(row["id"], functions, "guide" in where, row["difference"], tuple(row["tests"].split()))


def gold_rows() -> Dict[Tuple[str, str], str]:
    """The difference of each array of a gold case that is not TF1's, by case and key."""
    with GOLD.open(newline="", encoding="utf-8") as file:
        return {(row["case"], row["key"]): row["difference"] for row in csv.DictReader(file)}


def list_of_functions() -> str:
    """The part of the page that lists differences by function: those that the page does not name already."""
    lines = ["| function | difference |", "|---|---|"]
    rows = [row for row in table() if not row.is_in_guide]
    for function in sorted({name for row in rows for name in row.functions}):
        texts = [row.text for row in rows if function in row.functions]
        lines.append(f"| `{_as_called(function)}` | {' '.join(map(_as_markdown, texts))} |")
    own = [row.text for row in rows if not row.functions]
    lines.append(f"| TensorFlow 2 itself | {' '.join(map(_as_markdown, own))} |")
    return "\n".join(lines) + "\n"


def _as_called(function: str) -> str:
    return "tf." + function.replace("readers.", "")


def _as_markdown(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|").replace("**31", "^31").replace("*", "`")


if __name__ == "__main__":
    print(list_of_functions(), end="")

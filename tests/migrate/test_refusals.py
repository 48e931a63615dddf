"""The table of refusals: every reason that a rewrite states is a row, and every row is used."""

from __future__ import annotations

import ast
import pathlib
import string
from typing import Dict, Iterator, Set

import libcst as cst
import pytest

from queuecompat.migrate import rewrite
from queuecompat.migrate.rewrite.refusals import REFUSALS, Refusal, refused

MIGRATE = pathlib.Path(rewrite.__file__).parents[1]


def fields(row: Refusal) -> Set[str]:
    return {name for part in (row.what, row.instead) for _, name, _, _ in string.Formatter().parse(part) if name}


def calls() -> Iterator[ast.Call]:
    """Those of ``refused`` and ``Impurity`` in the package."""
    for path in MIGRATE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Impurity", "refused"):
                yield node


def keys() -> Dict[str, Set[str]]:
    """The keys that are written in calls, and the fields that each gets."""
    found: Dict[str, Set[str]] = {}
    for call in calls():
        first = call.args[0].values[-1] if isinstance(call.args[0], ast.BoolOp) else call.args[0]
        if isinstance(first, ast.Constant):
            given = {one.arg for one in call.keywords if one.arg}
            if len(call.args) > 1 and isinstance(call.args[1], ast.Dict):
                given = {ast.literal_eval(key) for key in call.args[1].keys if key}
            found[first.value] = given
    return found


USED = keys()
# The keys that ``why_not_plain`` returns.
RETURNED = {"annotated", "augmented", "several-statements"}
# The keys that ``unread`` chooses from.
CHOSEN = {"in-inner-function", "part-in-function"}


@pytest.mark.parametrize("key", sorted(USED))
def test_each_reason_is_a_row_that_gets_its_fields(key: str) -> None:
    assert key in REFUSALS and fields(REFUSALS[key]) == USED[key]


@pytest.mark.parametrize("key", sorted(REFUSALS))
def test_each_row_is_used(key: str) -> None:
    assert key in USED or key in RETURNED | CHOSEN


def test_a_reason_is_one_line_whatever_stands_in_its_fields() -> None:
    found = refused("graph-op", cst.Pass(), call="tf.summary\n    .scalar")
    assert found.reason.startswith("'tf.summary .scalar' belongs to a graph: ") and "\n" not in found.reason

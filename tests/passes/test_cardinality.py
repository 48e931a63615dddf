"""Whether a plan can be seen to have no end."""

from __future__ import annotations

import pytest

from queuecompat._plan.cardinality import is_endless
from tests.passes.as_text import PRODUCE, plan, run

COUNTED = "produce(body=body('rows'), num_epochs=3) -> int32[]"
OWN = "pull(stream='own', stage='own', is_native=True) -> int32[]"


def lists(kind: str, *sources: str) -> str:
    specs = "int32[], int32[]" if kind == "zip" else "int32[]"
    return f"{kind}() -> {specs}" + "".join(f"\n  plan 'a' at 'here.py:1'\n    {one}" for one in sources)


@pytest.mark.parametrize(
    ("source", "endless"),
    [
        (PRODUCE, True),
        (COUNTED, False),
        ("produce(body=body('rows', may_end=True)) -> int32[]", False),
        ("endless() -> int64[]", True),
        (OWN, False),
        (lists("zip", PRODUCE, PRODUCE), True),
        (lists("zip", PRODUCE, COUNTED), False),
        (lists("merge", COUNTED, PRODUCE), True),
        (lists("merge", COUNTED, OWN), False),
    ],
)
def test_the_source_decides_whether_there_is_an_end(source: str, endless: bool) -> None:
    assert is_endless(plan(source)) == endless


def test_a_slice_that_may_end_ends_what_has_no_end() -> None:
    assert is_endless(plan(PRODUCE, run(), "batch(size=4) -> int32[4]"))
    assert not is_endless(plan(PRODUCE, run("may_end=True"), "batch(size=4) -> int32[4]"))


def test_a_gate_ends_what_has_no_end() -> None:
    count = "count(queue='q', event='entered', batched=False, is_gated=True) -> int32[]"
    assert not is_endless(plan(PRODUCE, count))

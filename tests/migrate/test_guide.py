"""The guide's page of codes: each example is what ``check`` finds, and each fix is not."""

from __future__ import annotations

import pathlib
import re
from typing import Dict, List

import pytest

import queuecompat
from queuecompat.migrate.check.checking import check_source
from queuecompat.migrate.source.parsing import parsed

GUIDE = pathlib.Path(queuecompat.__file__).parents[1] / "migration_guide" / "errors.md"
_, *PARTS = re.split(r"^## (QC\d{3})$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
BLOCKS: Dict[str, List[str]] = {
    code: re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for code, text in zip(PARTS[::2], PARTS[1::2])
    if "QC701" <= code < "QC731" and "queuecompat check" in text  # and not what only a rewrite says
}


@pytest.mark.parametrize("code", sorted(BLOCKS))
def test_the_example_of_a_code_is_found_and_its_fix_is_clean(code: str) -> None:
    example, *fixes = BLOCKS[code]
    assert code in {one.code for one in check_source(parsed("example.py", example))}
    for fix in fixes:
        assert check_source(parsed("fix.py", fix)) == []


def test_every_rule_has_an_example() -> None:
    assert len(BLOCKS) == 19

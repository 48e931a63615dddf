"""Messages, the guide and this test are derived from one table of errors."""

from __future__ import annotations

import pathlib
import re
import string

import pytest

from queuecompat import api, errors
from queuecompat.codes import CODES

ROOT = pathlib.Path(errors.__file__).parents[1]
GUIDE = ROOT / "migration_guide" / "errors.md"
SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (ROOT / "queuecompat").rglob("*.py")
    if not path.name.startswith("codes")
)
NAMED = {row.code for row in api.table().values()}


def test_every_code_is_a_heading_of_the_guide_and_no_heading_is_without_a_code() -> None:
    headings = re.findall(r"^## (QC\d{3})$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == sorted(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_first_table_of_the_guides_page_has_every_message(code: str) -> None:
    words = CODES[code].what.partition("\n")[0].rstrip(":").replace("|", "\\|")
    row = f"| [{code}](#{code.lower()}) | {words.replace('{', '&lt;').replace('}', '&gt;')} |"
    assert row in GUIDE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_used_and_says_what_where_and_what_instead(code: str) -> None:
    row = CODES[code]
    assert row.code == code
    assert f'"{code}"' in SOURCES or code in NAMED
    fields = {name for _, name, _, _ in string.Formatter().parse(row.what + row.instead) if name}
    text = errors.layout(code, "train.py:41", **dict.fromkeys(fields, "thing"))
    assert text.startswith(f"{code} ")
    assert [line.split(":")[0].strip() for line in text.splitlines()[1:]] == ["made at", "effect", "instead", "see"]
    assert text.splitlines()[-1] == f"  see:      python -m queuecompat explain {code}"
    # A path of the guide is there in a clone alone.
    assert "{" not in text and "migration_guide" not in text and ".md" not in text


def test_bytes_in_a_message_are_text() -> None:
    text = errors.layout("QC204", stage="batch", tensor=b"shared")
    assert "shared_name='shared'" in text


def test_the_line_is_the_callers_and_not_ours() -> None:
    assert pathlib.Path(errors.calling_line().rpartition(":")[0]).name == "test_errors.py"

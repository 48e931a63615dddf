"""What the guide's site makes of the pages, without a browser; ``tests/site`` looks at it in one."""

from __future__ import annotations

import pathlib
import re
import runpy
import types
from typing import Any, Dict

import pytest

import queuecompat
from tests.guide.blocks import GUIDE, ROOT
from tests.guide.test_links import Reader

markdown = pytest.importorskip("markdown")
ERRORS = (GUIDE / "errors.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def hooks() -> Dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "site.py"))


def page(name: str) -> Any:
    return types.SimpleNamespace(file=types.SimpleNamespace(src_uri=name))


def test_the_heading_of_a_code_says_what_it_is_about_and_keeps_its_anchor(hooks: Dict[str, Any]) -> None:
    made = hooks["on_page_markdown"](ERRORS, page=page("errors.md"))
    headings = dict(re.findall(r"^## (QC\d+): (.+) \{#qc\d+\}$", made, re.MULTILINE))
    assert headings["QC301"] == "'&lt;stage&gt;' was run before its pipeline was started"
    assert set(headings) == set(re.findall(r"^## (QC\d+)$", ERRORS, re.MULTILINE))
    assert all(12 <= len(title) <= 180 for title in headings.values())
    reader = Reader()
    reader.feed(markdown.markdown(made, extensions=["attr_list", "fenced_code", "tables", "toc"]))
    assert {code.lower() for code in headings} <= reader.anchors


TABLE = """
| name | what `it` "does" | |
|---|:---:|---|
| a | **b** | c |
| d | | f |
"""


def test_the_cells_of_a_table_have_the_headers_of_their_columns(hooks: Dict[str, Any]) -> None:
    made = hooks["on_page_content"](markdown.markdown(TABLE, extensions=["tables"]))
    cells = re.findall(r"<td([^>]*)>(.*?)</td>", made)
    label = ' data-label="what it &quot;does&quot;"'
    assert [(first.replace(' style="text-align: center;"', ""), text) for first, text in cells] == [
        (' data-label="name"', "a"),
        (label, "<strong>b</strong>"),
        ("", "c"),
        (' data-label="name"', "d"),
        (label, ""),
        ("", "f"),
    ]


def test_other_pages_are_as_they_are(hooks: Dict[str, Any]) -> None:
    assert hooks["on_page_markdown"](ERRORS, page=page("README.md")) == ERRORS


def test_the_footer_has_the_version_of_the_package(hooks: Dict[str, Any]) -> None:
    config = hooks["on_config"](types.SimpleNamespace(copyright=None))
    assert config.copyright == f"queuecompat {queuecompat.__version__}"


def test_the_site_links_to_a_repository_only_where_the_environment_names_one() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert 'repo_url: !ENV [REPOSITORY_URL, ""]\n' in settings
    named = [path for path in (ROOT / "mkdocs.yml", *GUIDE.rglob("*.md")) if "URL_OF_THIS" in path.read_text("utf-8")]
    assert named == []
    assert pathlib.Path(ROOT / "tox.ini").read_text("utf-8").count("passenv = REPOSITORY_URL\n") == 2

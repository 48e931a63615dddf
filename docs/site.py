"""What the guide's site has besides its pages, as hooks of MkDocs: see ``mkdocs.yml``.

Rule: what is known elsewhere is taken from there: the version from the package, the address of the repository from the
      environment, what a code is about from the guide's own table of messages.
"""

from __future__ import annotations

import html
import pathlib
import re
from typing import Any

__all__ = ["on_config", "on_page_content", "on_page_markdown"]

_PACKAGE = pathlib.Path(__file__).parents[1] / "queuecompat" / "__init__.py"
_ROW = re.compile(r"^\| \[(QC\d+)\]\(#qc\d+\) \| (.*) \|$", re.MULTILINE)
# Tables of Markdown; those written as HTML have classes, and no header.
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADER = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
_TABLE_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td(?=[ >])")
_TAG = re.compile(r"<[^>]+>")
_HEADING = re.compile(r"^## (QC\d+)$", re.MULTILINE)
# Where the part of a message ends that says what it is about.
_REST = re.compile(r"; |[.] |, but |, which |, because |: <")


def on_config(config: Any) -> Any:
    """The version in the footer; without ``REPOSITORY_URL`` no link to a repository."""
    version = re.search(r'^__version__ = "(.*)"$', _PACKAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    config.copyright = f"queuecompat {version[1]}"
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Headings of error codes with what they are about; they keep their anchors, to which pages and messages link."""
    if page.file.src_uri != "errors.md":
        return markdown
    titles = {code: _title(message) for code, message in _ROW.findall(markdown)}
    return _HEADING.sub(lambda found: f"## {found[1]}: {titles[found[1]]} {{#{found[1].lower()}}}", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Each cell of a table with the header of its column: on a phone, cells are one below the other."""
    return _TABLE.sub(lambda table: _labelled(table[0]), content)


def _labelled(table: str) -> str:
    labels = [_TAG.sub("", header).strip().replace('"', "&quot;") for header in _HEADER.findall(table)]

    def row(found: re.Match[str]) -> str:
        columns = iter(labels)

        def cell(_: re.Match[str]) -> str:
            label = next(columns, "")
            return f'<td data-label="{label}"' if label else "<td"

        return _CELL.sub(cell, found[0])

    return _TABLE_ROW.sub(row, table)


def _title(message: str) -> str:
    return html.escape(_REST.split(html.unescape(message))[0], quote=False)

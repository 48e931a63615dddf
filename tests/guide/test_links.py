"""Links of the guide lead somewhere, to the heading that they name. Pages are read with the site's own library."""

from __future__ import annotations

import functools
import pathlib
import re
from html import parser
from typing import List, Set, Tuple
from urllib.parse import unquote, urlparse

import markdown
import pytest

from tests.guide.blocks import GUIDE, PAGES, ROOT


class Reader(parser.HTMLParser):
    """Gathers what a page links to, and what can be linked to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: List[str] = []
        self.anchors: Set[str] = set()

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [link for link in (given.get("href"), given.get("src")) if link]
        self.anchors |= {name for name in (given.get("id"),) if name}


@functools.cache
def read(page: pathlib.Path) -> Reader:
    reader = Reader()
    reader.feed(markdown.markdown(page.read_text(encoding="utf-8"), extensions=["fenced_code", "tables", "toc"]))
    return reader


def broken(page: pathlib.Path, link: str) -> bool:
    parts = urlparse(link)
    if parts.scheme in ("http", "https"):
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if GUIDE not in target.parents or not target.is_file():
        return True
    return bool(parts.fragment) and parts.fragment not in read(target).anchors


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(GUIDE).as_posix())
def test_links_lead_to_a_page_of_the_guide_and_a_heading_of_it(page: pathlib.Path) -> None:
    assert [link for link in read(page).links if broken(page, link)] == []


def test_a_broken_link_is_seen() -> None:
    page = GUIDE / "README.md"
    assert broken(page, "absent.md")
    assert broken(page, "errors.md#qc999")
    assert broken(page, "../README.md"), "the site has no such page"
    assert not broken(page, "errors.md#qc101")


def test_every_page_is_reached_from_the_first() -> None:
    seen: Set[pathlib.Path] = set()
    coming = [GUIDE / "README.md"]
    while coming:
        page = coming.pop()
        seen.add(page)
        targets = {(page.parent / urlparse(link).path).resolve() for link in read(page).links if ".md" in link}
        coming += targets - seen
    assert set(PAGES) - seen == set()


def test_files_that_the_guide_names_are_there() -> None:
    for page in PAGES:
        for path in re.findall(r"`((?:examples|tests|migration_guide)/[\w./]+)`", page.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{page}: {path}"


def test_every_page_has_its_place_in_the_site() -> None:
    placed = re.findall(r": ([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [str(page.relative_to(GUIDE)) for page in GUIDE.rglob("*.md")]
    assert sorted(placed) == sorted(pages)

"""The guide's site in a real browser: at three widths no page is wider than the window, and nothing needs a network.

Run by ``tox -e guide-looks``, which also keeps screenshots; skipped where there is no browser or no built site.
"""

from __future__ import annotations

import functools
import http.server
import os
import pathlib
import re
import shutil
import threading
from typing import Any, Iterator

import pytest

from tests.site import browser as looking
from tests.site.browser import WIDTHS

HERE = pathlib.Path(__file__).parents[2]
SITE = HERE / "build" / "guide"
PAGES = sorted(page.relative_to(SITE).with_suffix("").as_posix() for page in SITE.rglob("*.html"))

if not SITE.exists() or not shutil.which("chromium"):
    pytest.skip("needs Chromium, and build/guide of tox -e guide", allow_module_level=True)
wait = pytest.importorskip("selenium.webdriver.support.wait")
yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with looking.started() as driver:
        yield driver


def opened(browser: Any, page: str, width: int) -> None:
    looking.opened(browser, SITE / f"{page}.html", width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_of_a_page_is_cut_off(browser: Any, page: str, width: int) -> None:
    opened(browser, page, width)
    looking.keep_picture(browser, f"{page.replace('/', '_')}_{width}")
    assert looking.cut_off(browser, "article") == []


# What stands before each cell of the first table.
LABELS = """
return [...document.querySelectorAll("article table:not([class]) tbody tr:first-child td")].slice(0, 3)
  .map(one => getComputedStyle(one, "::before").content)
"""


@pytest.mark.parametrize(("width", "shown"), [(400, True), (1280, False)])
def test_on_a_phone_the_cells_of_a_table_say_what_column_they_are_of(browser: Any, width: int, shown: bool) -> None:
    opened(browser, "index", width)
    words = ['"it means: "', '"go to: "'] if shown else ["none", "none"]
    # The theme's script puts each table into a box of its own.
    wait.WebDriverWait(browser, 20).until(lambda _: browser.execute_script(LABELS))
    assert browser.execute_script(LABELS) == ["none", *words]
    headers = 'return document.querySelector("article table:not([class]) thead").getClientRects().length'
    assert bool(browser.execute_script(headers)) != shown


def test_code_is_highlighted_and_the_pages_are_found_by_task(browser: Any) -> None:
    opened(browser, "functions/shuffle_batch", 1280)
    assert browser.execute_script('return document.querySelectorAll(".highlight .k, .highlight .kn").length')
    titles = browser.execute_script(
        'return [...document.querySelectorAll(".md-nav--primary > .md-nav__list > li")]'
        '.map(one => one.querySelector(".md-ellipsis").innerText.trim())'
    )
    nav = yaml.safe_load((HERE / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2].partition("\nval")[0])
    assert titles == [title for entry in nav for title in entry]
    assert titles == ["Start", "The four steps", "The functions of TensorFlow 1", "How to", "Reference"]


def test_a_page_says_its_version_and_has_an_icon(browser: Any) -> None:
    opened(browser, "index", 1280)
    footer = browser.execute_script('return document.querySelector(".md-copyright").innerText')
    assert queuecompat_version() in footer
    icon = browser.execute_script('return document.querySelector("link[rel=icon]").getAttribute("href")')
    assert (SITE / icon).is_file()


def test_the_link_to_the_repository_is_the_one_that_the_environment_names() -> None:
    page = (SITE / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]*)"[^>]*class="md-source"', page)
    assert set(links) == ({os.environ["REPOSITORY_URL"]} if os.environ.get("REPOSITORY_URL") else set())


def test_a_code_is_found_by_what_it_is_about(browser: Any) -> None:
    opened(browser, "errors", 400)
    heading = browser.execute_script('return document.getElementById("qc301").innerText')
    assert heading.startswith("QC301: '<stage>' was run before its pipeline was started")


def queuecompat_version() -> str:
    found = re.search(r'^__version__ = "(.*)"$', (HERE / "queuecompat" / "__init__.py").read_text(), re.MULTILINE)
    assert found
    return found[1]


def test_no_page_asks_for_anything_from_elsewhere() -> None:
    for page in SITE.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img)[^>]* src="?(?:https?:)?//', text), page
        assert not re.findall(r'<link[^>]* rel="?(?:stylesheet|preconnect)"?[^>]* href="?https?:', text), page


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of the site as it is served, since the search's index is not read from files."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


FOUND = 'return [...document.querySelectorAll(".md-search-result__item")].map(one => one.querySelector("a").href)'


@pytest.mark.parametrize(
    ("words", "page"),
    [("shuffle_batch", "functions/shuffle_batch.html"), ("QC301", "errors.html"), ("checkpoint", "restarts.html")],
)
def test_the_search_finds_a_page_once(browser: Any, address: str, words: str, page: str) -> None:
    browser.get(f"{address}/index.html?q={words}")
    wait.WebDriverWait(browser, 20).until(lambda _: browser.execute_script(FOUND))
    pages = [re.split("[?#]", one[len(address) + 1 :])[0] for one in browser.execute_script(FOUND)]
    assert page in pages[:3]
    assert len(pages) == len(set(pages))

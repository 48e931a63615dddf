"""CONTRIBUTING and docs/internals.md: the files that they name exist, and the recipes name every file to change."""

from __future__ import annotations

import pathlib
import re
from typing import List, Set

import pytest

import queuecompat

PACKAGE = pathlib.Path(queuecompat.__file__).parent
ROOT = PACKAGE.parent
PAGES = ("CONTRIBUTING.md", "docs/internals.md")
# A path with a slash, or a module on top of the package, between backticks.
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[a-z_]+\.py)`")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def recipe(kind: str) -> str:
    """The section of CONTRIBUTING on *kind*."""
    _, heading, section = text_of("CONTRIBUTING.md").partition(f"\n### {kind}\n")
    assert heading
    return section.partition("\n##")[0]


def modules_with(pattern: str) -> Set[str]:
    """The modules and tables of the package in which *pattern* occurs."""
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.csv")]
    return {
        path.relative_to(PACKAGE).as_posix() for path in files if re.search(pattern, path.read_text(encoding="utf-8"))
    }


def exists(path: str) -> bool:
    return any((base / path).exists() for base in (ROOT, PACKAGE, ROOT / "migration_guide")) or path.startswith(
        "build/"
    )


def paths(page: str) -> List[str]:
    return sorted({path for path in PATH.findall(text_of(page)) if "<" not in path})


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_a_page_names_are_there(page: str) -> None:
    # A file beside one that was named with its folder, as in "`catalogue.py` there".
    named = paths(page)
    # Not all of the root: another test builds an archive there meanwhile.
    folders = (ROOT / name for name in ("docs", "examples", "queuecompat", "tests"))
    names = {path.name for path in [*ROOT.glob("*.py"), *(path for one in folders for path in one.rglob("*.py"))]}
    missing = [path for path in named if not exists(path) and not ("/" not in path and path in names)]
    assert len(named) > 20
    assert missing == []


def test_every_layer_is_in_the_picture_of_layers() -> None:
    picture = text_of("CONTRIBUTING.md").partition("## Layers")[2].partition("\n## ")[0]
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {folder for folder in folders if f"{folder}/" not in picture} == set()


def test_the_recipe_for_a_kind_of_step_names_every_table_of_kinds() -> None:
    """``Prefetch`` is a step like any other: where it is a key, a new one has to be, too."""
    tables = modules_with(r"(?m)^    ir\.Prefetch: ")
    assert len(tables) == 5
    assert {path for path in tables | {"_plan/ir/"} if f"`{path}`" not in recipe("A kind of step")} == set()


def test_the_recipe_for_a_file_format_names_every_file_that_knows_one() -> None:
    """Fixed-length records are a format like any other; contrib.data has TensorFlow 1's own class of that name."""
    known = modules_with("FixedLengthRecord") - {"contrib/data.py"}
    assert "readers.py" in known
    assert {path for path in known if f"`{path}`" not in recipe("A file format")} == set()


def test_what_replaces_methods_of_tensorflow_is_one_module() -> None:
    """The table of what is changed names it once, and nothing else replaces them."""
    assert modules_with(r"(?m)^\s+(?!self)\w+\.(run|close|request_stop) = ") == {"_session/steps/sessions.py"}


def test_what_replaces_methods_of_graphs_is_one_module() -> None:
    replaces = r"setattr\(graph, name, |(?m)^\s+tf\.compat\.v1\.\S+ = ".replace("(?m)", "")
    assert modules_with(f"(?m){replaces}") == {"_session/settling.py"}
    assert "`_session/settling.py`" in text_of("docs/internals.md")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_refers_to_nothing_outside_of_the_repository(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", text_of(page))
    inside = (ROOT / page).parent
    assert [link for link in links if not link.startswith("http") and not (inside / link).exists()] == []
    assert "../shared" not in text_of(page)

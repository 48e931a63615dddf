"""The differences from TF1 in docstrings and the guide are those of the table, and a test shows every row of it."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest

import queuecompat
from tests.architecture import differences

ROWS = differences.table()
ROOT = differences.ROOT
SURFACE = ("train", "readers", "queues", "image", "contrib", "estimator")
HOW_TO = "python -m tests.architecture.differences prints the list for the end of migration_guide/differences.md"

Documented = Dict[str, str]


def modules() -> Iterator[Any]:
    for name in SURFACE:
        module = importlib.import_module(f"queuecompat.{name}")
        yield module
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
            yield importlib.import_module(found.name)


def definitions(owner: Any, module: str) -> Iterator[Any]:
    """The classes, functions and methods that *module* itself defines."""
    for value in list(vars(owner).values()):
        value = value.__func__ if isinstance(value, staticmethod) else value
        if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module:
            yield value
            if inspect.isclass(value):
                yield from definitions(value, module)


@functools.cache
def documented() -> Documented:
    """What each docstring of the surface says of differences, by where the object is defined."""
    found = {}
    for module in modules():
        for thing in (module, *definitions(module, module.__name__)):
            text = differs(thing)
            if text is not None:
                found[place(thing)] = text
    return found


def place(thing: Any) -> str:
    return thing.__name__ if inspect.ismodule(thing) else f"{thing.__module__}.{thing.__qualname__}"


def differs(thing: Any) -> Optional[str]:
    """The section "Differs from TF1" of a docstring, on one line."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    section = re.search(r"Differs from TF1: *(.*?)(?=\n[A-Z][a-z]+:|\n\s*\n|\Z)", doc, re.DOTALL)
    return " ".join(section[1].split()) if section else None


def resolved(name: str) -> Any:
    """The object of a public name such as ``train.batch``."""
    parts = name.split(".")
    thing: Any = queuecompat
    for number, part in enumerate(parts, 1):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            thing = importlib.import_module(".".join(("queuecompat", *parts[:number])))
    return thing


@functools.cache
def rows_by_place() -> Dict[str, List[differences.Difference]]:
    found: Dict[str, List[differences.Difference]] = {}
    for row in ROWS:
        for name in row.functions:
            found.setdefault(place(resolved(name)), []).append(row)
    return found


def references(text: str) -> Tuple[List[str], str]:
    """The functions of a sentence such as "As ``batch`` and ``maybe_batch``.", and what follows it."""
    sentence = re.match(r"As (``[\w.]+``(?:(?:, | and )``[\w.]+``)*)\. ?", text)
    return (re.findall(r"``([\w.]+)``", sentence[1]), text[sentence.end() :]) if sentence else ([], text)


def referred(name: str, origin: str) -> str:
    """The place of the function that a docstring at *origin* names: a public name, or one of the same module."""
    for candidate in (f"{origin.rpartition('.')[0]}.{name}", f"queuecompat.{name}"):
        if candidate in documented():
            return candidate
    return place(resolved(name))


@pytest.mark.parametrize("where", sorted(documented()))
def test_a_docstring_says_the_differences_of_the_table_and_no_others(where: str) -> None:
    names, rest = references(documented()[where])
    own = [row.text for row in rows_by_place().get(where, [])]
    assert rest == (" ".join(own) if own or names else "None known."), differences.TABLE.name


@pytest.mark.parametrize("where", sorted(documented()))
def test_a_function_that_is_referred_to_has_differences(where: str) -> None:
    for name in references(documented()[where])[0]:
        assert documented().get(referred(name, where), "None known.") != "None known.", name


@pytest.mark.parametrize("row", [row for row in ROWS if row.functions], ids=lambda row: row.id)
def test_every_function_of_a_row_says_it(row: differences.Difference) -> None:
    for name in row.functions:
        assert row.text in documented().get(place(resolved(name)), ""), name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_is_shown_by_a_gold_case_or_a_test(row: differences.Difference) -> None:
    assert row.id in differences.gold_rows().values() or row.tests
    for test in row.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, test


def test_ids_are_distinct_and_every_difference_of_a_gold_case_is_one_of_them() -> None:
    ids = [row.id for row in ROWS]
    assert len(ids) == len(set(ids))
    assert set(differences.gold_rows().values()) <= set(ids)


def test_every_bullet_of_the_page_is_a_row_and_every_row_of_the_guide_is_a_bullet() -> None:
    page = differences.GUIDE.read_text(encoding="utf-8")
    bullets = re.findall(r"^- (?:<a id=\"([\w-]+)\"></a>)?", page, re.MULTILINE)
    assert sorted(bullets) == sorted(row.id for row in ROWS if row.is_in_guide)


def test_the_list_of_functions_on_the_page_is_that_of_the_table() -> None:
    assert differences.GUIDE.read_text(encoding="utf-8").endswith(differences.list_of_functions()), HOW_TO


def test_every_docstring_that_names_its_tf1_source_says_how_it_differs() -> None:
    sourced = [
        thing
        for module in modules()
        for thing in definitions(module, module.__name__)
        if "Source: TF 1.15.5" in (thing.__doc__ or "")
    ]
    assert len(sourced) > 50
    assert [place(thing) for thing in sourced if differs(thing) is None] == []

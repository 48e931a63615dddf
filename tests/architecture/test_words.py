"""Messages, docstrings and the guide are in plain technical English: words that confused readers do not come back.

A word is in the list only if there is a better one for every sentence of these texts.
"""

from __future__ import annotations

import ast
import pathlib
import re
from typing import Iterator, List, Tuple

import pytest

import queuecompat

PACKAGE = pathlib.Path(queuecompat.__file__).parent
GUIDE = PACKAGE.parent / "migration_guide"

# From words to what to write instead.
INSTEAD = {
    r"nobody|somebody|whoever": "name the program, the thread or the function, or use the passive",
    r"anew": "again",
    r"for ever": "forever",
    r"behind": "after",
    r"gives|gave|giving": "return, output, produce, pass",
    r"mend(?:s|ed|ing)?": "fix",
    r"dear(?:er|est)?": "expensive",
    r"nowhere": "missing, removed",
    r"another one|no other one": "a different one; or name it",
    r"inlets?": "input, branch",
    r"lent": "borrowed, external",
    r"likeness": "structure",
    r"curve of|curves of": "summary of",
    r"as it stands": "unchanged",
    r"and is none|is no (?:list|tuple|dict|string|tensor|integer|function)": "is not a ...",
    r"has to do with|had to do with": "is part of, concerns",
}
PATTERNS = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), better) for words, better in INSTEAD.items()]

Text = Tuple[int, str]


def texts_of_module(path: pathlib.Path) -> Iterator[Text]:
    """The strings with more than one word: docstrings, messages, and whatever else may be shown."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def texts_of_page(path: pathlib.Path) -> Iterator[Text]:
    yield from enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def found(texts: Iterator[Text]) -> List[str]:
    return [
        f"line {line + text[: match.start()].count(chr(10))}: '{match[0]}'; write: {better}"
        for line, text in texts
        for pattern, better in PATTERNS
        for match in pattern.finditer(text)
    ]


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize(
    "path",
    MODULES,
    ids=lambda path: path.relative_to(PACKAGE).as_posix(),
)
def test_the_texts_of_a_module_are_in_plain_words(path: pathlib.Path) -> None:
    assert found(texts_of_module(path)) == []


@pytest.mark.parametrize("path", sorted(GUIDE.rglob("*.md")), ids=lambda path: path.relative_to(GUIDE).as_posix())
def test_a_page_of_the_guide_is_in_plain_words(path: pathlib.Path) -> None:
    assert found(texts_of_page(path)) == []


def test_the_table_of_names_is_in_plain_words() -> None:
    assert found(texts_of_page(PACKAGE / "api" / "names.csv")) == []


@pytest.mark.parametrize("text", ["It gives a batch.", "waits for ever", "made anew\nbehind the map"])
def test_a_listed_word_is_found(text: str) -> None:
    assert found(iter([(1, text)]))


@pytest.mark.parametrize("text", ["the given value", "forever", "amend, talented, endear, a different one"])
def test_a_word_that_only_contains_a_listed_one_is_left_alone(text: str) -> None:
    assert found(iter([(1, text)])) == []

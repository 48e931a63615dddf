"""Input functions in the styles of published programs: rewritten, they deliver what TensorFlow 1.15.5 recorded.

``LEFT`` names those that a target leaves as they are; all others are rewritten and run.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any, Dict, Set, Tuple

import pytest

import queuecompat
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.catalogue_entries import ENTRIES, RECORDED, delivered

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])
LEFT: Dict[str, Set[str]] = {
    "as-dataset": {
        "own_queue_dequeue_many",
    },
    "tf-data": {
        "buckets",
        "class_base",
        "join_two_readers",
        "own_queue_dequeue_many",
        "own_shuffle_queue",
    },
}
REWRITTEN = [(name, to) for to in LEFT for name in ENTRIES if name not in LEFT[to]]


def rewritten(text: str, to: str) -> Rewritten:
    source = parsed("inputs.py", text)
    return rewritten_together([source], to)[source]


@pytest.fixture(scope="module")
def recorded() -> Dict[str, Any]:
    return json.loads(RECORDED.read_text())


@pytest.fixture(scope="module")
def found() -> Dict[Tuple[str, str], Any]:
    """What each rewritten input function delivers, by its name and the target."""
    texts = {f"{name} {to}": rewritten(ENTRIES[name].text, to).text for name, to in REWRITTEN}
    batches = delivered(sys.executable, texts, {"PYTHONPATH": ROOT})
    return {(name, to): batches[f"{name} {to}"] for name, to in REWRITTEN}


@pytest.mark.parametrize(("name", "to"), REWRITTEN)
def test_a_rewritten_input_function_delivers_what_tensorflow_1_recorded(
    name: str, to: str, recorded: Dict[str, Any], found: Dict[Tuple[str, str], Any]
) -> None:
    entry = ENTRIES[name]
    assert entry.comparable(found[name, to]) == entry.comparable(recorded[name])


@pytest.mark.parametrize(("name", "to"), REWRITTEN)
def test_a_second_rewrite_of_an_input_function_changes_nothing(name: str, to: str) -> None:
    once = rewritten(ENTRIES[name].text, to)
    assert not once.is_comment and once.text != ENTRIES[name].text
    assert rewritten(once.text, to).text == once.text


@pytest.mark.parametrize(("name", "to"), [(name, to) for to in LEFT for name in sorted(LEFT[to])])
def test_an_input_function_that_is_left_as_it_is_has_one_comment_that_says_why(name: str, to: str) -> None:
    left = rewritten(ENTRIES[name].text, to)
    lines = left.text.splitlines()
    [comment] = [line for line in lines if line.lstrip().startswith("# queuecompat: QC74")]
    lines.remove(comment)
    assert lines == ENTRIES[name].text.splitlines() and left.left

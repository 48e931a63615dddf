"""Input functions in the styles of published programs: rewritten, they deliver what TensorFlow 1.15.5 recorded.

``LEFT`` names those that a target leaves as they are; all others are rewritten and run: every one of them with
QUEUECOMPAT_ALL_PROGRAMS in the environment.
"""

from __future__ import annotations

import functools
import os
import pathlib
import sys
from typing import Any, Dict, Set, Tuple

import pytest

import queuecompat
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.catalogue_entries import ENTRIES, delivered, recorded_batches
from tests.migrate.silence import reported, silence

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])
LEFT: Dict[str, Set[str]] = {
    "as-dataset": {
        "census_columns",
        "deeplab_list",
        "gan_images",
        "learn_features",
        "vae_rows",
    },
    "tf-data": {
        "buckets",
        "census_columns",
        "class_base",
        "compressed_records",
        "deeplab_list",
        "gan_images",
        "im2txt_ops",
        "inception_readers",
        "join_two_readers",
        "lambda_decoder",
        "learn_features",
        "nested_functions",
        "odometry_sequence",
        "ratings_weighted",
        "siamese_two_producers",
        "slim_provider",
        "style_content",
        "style_reader_list",
        "style_two_lists",
        "text_buckets",
        "text_ptb",
        "text_vocabulary",
        "two_stage",
        "vae_rows",
        "video_push",
        "youtube8m_frames",
        "youtube8m_video",
    },
}
# Of those in the style of one project or another, the plain test run takes every third: they differ in what they read.
_KINDS = ("buckets", "caller_", "class_", "helper_", "join_", "key_", "name_", "own_", "plain_", "random_", "summary_")
_STYLES = [name for name in ENTRIES if not name.startswith(_KINDS)]
OFTEN = set(ENTRIES) - (set() if os.environ.get("QUEUECOMPAT_ALL_PROGRAMS") else set(_STYLES) - set(_STYLES[::3]))
REWRITTEN = [(name, to) for to in LEFT for name in sorted(OFTEN - LEFT[to])]


@functools.cache
def rewritten(text: str, to: str) -> Rewritten:
    source = parsed("inputs.py", text)
    return rewritten_together([source], to)[source]


@pytest.fixture(scope="module")
def recorded() -> Dict[str, Any]:
    return recorded_batches()


@pytest.fixture(scope="module")
def found() -> Dict[Tuple[str, str], Any]:
    """What each rewritten input function delivers, by its name and the target."""
    texts = {f"{name} {to}": rewritten(ENTRIES[name].text, to).text for name, to in REWRITTEN}
    batches = delivered(sys.executable, texts, {"PYTHONPATH": ROOT})
    return {(name, to): batches[f"{name} {to}"] for name, to in REWRITTEN}


def test_most_input_functions_are_rewritten() -> None:
    assert len(ENTRIES) >= 120
    assert len(LEFT["as-dataset"]) <= 0.2 * len(ENTRIES) and len(LEFT["tf-data"]) <= 0.3 * len(ENTRIES)


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


@pytest.mark.parametrize(("name", "to"), [(name, to) for to in LEFT for name in sorted(OFTEN & LEFT[to])])
def test_an_unchanged_input_function_has_one_comment_that_says_why(name: str, to: str) -> None:
    left = rewritten(ENTRIES[name].text, to)
    lines = left.text.splitlines()
    [comment] = [line for line in lines if line.lstrip().startswith("# queuecompat: QC74")]
    lines.remove(comment)
    assert lines == ENTRIES[name].text.splitlines() and left.left


@pytest.mark.parametrize("to", sorted(TARGETS))
def test_no_input_function_is_left_without_a_reason(to: str) -> None:
    for name, entry in ENTRIES.items():
        assert reported(entry.text), name
        one = rewritten(entry.text, to)
        assert silence(entry.text, one.text, one.left, is_comment=one.is_comment, to=to) == "", name

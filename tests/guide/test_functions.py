"""The pages of single functions: each function has one, and they have the same parts."""

from __future__ import annotations

import pathlib
import re

import pytest

from queuecompat import api
from tests.guide.blocks import GUIDE, blocks_of

FUNCTIONS = sorted((GUIDE / "functions").glob("*.md"))


@pytest.mark.parametrize("page", FUNCTIONS, ids=lambda page: page.stem)
def test_a_page_says_what_it_did_what_happens_what_is_the_same_and_what_differs(page: pathlib.Path) -> None:
    headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    wanted = [heading for heading in headings if not heading.startswith("The error")]
    assert [heading.replace("they", "it") for heading in wanted] == [
        "Side by side",
        "What it did",
        "What happens now",
        "In tf.data",
        "What differs",
    ]


@pytest.mark.parametrize("page", FUNCTIONS, ids=lambda page: page.stem)
def test_a_page_has_both_columns_and_compares_what_they_produce(page: pathlib.Path) -> None:
    sides = [block for block in blocks_of(page.name, page.read_text(encoding="utf-8")) if block.is_run][:3]
    if page.stem == "queue_runners":  # a loop with a session and one without: what they print is compared
        assert "Session" in sides[0].code and "Session" not in sides[1].code
        return
    assert [block.code.split("(")[0] for block in sides[:2]] == ["def tensorflow_1", "def tf_data"]
    assert "tf.data" not in sides[0].code and "tf.train" not in sides[1].code
    assert sides[2].marks["before"].startswith("assert_same(tensorflow_1, tf_data")


def test_every_function_of_tf_train_that_becomes_a_dataset_has_a_page() -> None:
    rows = [row for row in api.table().values() if re.match(r"tf\.train\.\w+$", row.symbol)]
    without = [row.symbol for row in rows if "as_dataset" in row.entry_points and not row.page.startswith("functions/")]
    assert without == []


def test_every_page_is_that_of_a_name() -> None:
    pages = {row.page for row in api.table().values()}
    assert {f"functions/{page.name}" for page in FUNCTIONS} <= pages

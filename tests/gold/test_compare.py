"""The comparison of the gold results detects every difference, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from compare import differences, known_differences

SAME = [
    np.arange(3),
    np.array(2.5, np.float32),
    np.array([np.nan, np.inf]),
    np.zeros((0, 2)),
    np.array([b"a", b"bc"]),
    np.array([True, False]),
    np.array([1 + 2j], np.complex64),
]

DIFFERENT = {
    "the last bit": (np.array([1.0]), np.nextafter(np.array([1.0]), 2)),
    "the last bit of a scalar": (np.array(1.0), np.nextafter(np.array(1.0), 2)),
    "the sign of zero": (np.array([0.0]), np.array([-0.0])),
    "the size of the dtype": (np.arange(2, dtype=np.int32), np.arange(2, dtype=np.int64)),
    "the kind of the dtype": (np.arange(2), np.arange(2.0)),
    "a text for a number": (np.array([1]), np.array([b"1"])),
    "the shape": (np.zeros((2, 1)), np.zeros((1, 2))),
    "the shape of nothing": (np.zeros((2, 0)), np.zeros((0, 2))),
    "a text": (np.array([b"a", b"b"]), np.array([b"a", b"c"])),
    "a longer text": (np.array([b"a", b"b"]), np.array([b"a", b"bc"])),
}


@pytest.mark.parametrize("array", SAME, ids=str)
def test_an_array_does_not_differ_from_its_copy(array: np.ndarray) -> None:
    assert differences({"key": array}, {"key": array.copy()}) == []


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_difference_in_one_thing_alone_is_seen(what: str) -> None:
    recorded, ours = DIFFERENT[what]
    (line,) = differences({"key": recorded}, {"key": ours})
    assert line.startswith("key: ")


def test_the_width_and_the_kind_of_texts_do_not_count() -> None:
    narrow, wide, unicode = np.array([b"a"]), np.array([b"a"], "S9"), np.array(["a"])
    assert differences({"key": narrow}, {"key": wide}) == []
    assert differences({"key": narrow}, {"key": unicode}) == []


def test_a_missing_and_a_new_key_are_differences() -> None:
    lines = differences({"old": np.zeros(1)}, {"new": np.zeros(1)})
    assert lines == ["new: given, but not recorded", "old: recorded, but not given"]


def test_a_line_says_how_many_elements_differ_and_shows_the_first() -> None:
    lines = differences({"key": np.array([1, 2, 3])}, {"key": np.array([1, 5, 6])})
    assert lines == ["key: 2 of 3 elements differ, first at (1,): 5, not 2"]


def test_notes_in_the_list_of_known_differences_are_skipped(tmp_path) -> None:
    path = tmp_path / "known.csv"
    path.write_text("# a note\ncase,key,difference\none_case,out,an-id\n")
    assert known_differences(str(path)) == {"one_case": {"out": "an-id"}}


def test_of_a_key_with_decimals_no_more_are_compared() -> None:
    recorded = np.array([1.0, np.nan, np.inf, -0.0])
    assert differences({"key~3": recorded}, {"key~3": np.array([1.0009, np.nan, np.inf, 0.0])}) == []
    assert differences({"key~3": recorded}, {"key~3": np.array([1.0011, np.nan, np.inf, 0.0])})
    assert differences({"key~3": recorded}, {"key~3": np.array([1.0, 0.0, np.inf, 0.0])})
    assert differences({"key~3.shapes": recorded}, {"key~3.shapes": np.array([1.0009, np.nan, np.inf, -0.0])})

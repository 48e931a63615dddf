"""Lists of images: every line that may stand in one, and every line that may not."""

from __future__ import annotations

import os
import pathlib
from typing import Any, List

import numpy as np
import pytest

from queuecompat import errors
from queuecompat.loader.images.image_list import ListedImage, images_of, list_of, read_list


def written(directory: pathlib.Path, text: str | bytes) -> str:
    file = directory / "list.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(file)


def one_path(directory: pathlib.Path, line: str) -> List[Any]:
    images = read_list(written(directory, line))
    assert len(images) == 1
    return [os.path.relpath(images.paths[0], directory), images.labels.tolist()[0]]


@pytest.mark.parametrize(
    ("line", "path", "label"),
    [
        ("a.jpg 3", "a.jpg", 3),
        ("a.jpg\t3", "a.jpg", 3),
        ("  a.jpg   -3  ", "a.jpg", -3),
        ("a.jpg 0.5", "a.jpg", 0.5),
        ("a.jpg 1e-1", "a.jpg", pytest.approx(0.1)),
        ("a.jpg 1 2 3", "a.jpg", [1, 2, 3]),
        ("a.jpg 1 2.5", "a.jpg", [1, 2.5]),
        ("my photo (1).jpg 3", "my photo (1).jpg", 3),
        ("photo 7\t3", "photo 7", 3),
        ("photo\t3 4", "photo", [3, 4]),
        ("folder/ä.jpg 3", "folder/ä.jpg", 3),
        ("0001 3", "0001", 3),
        ("a.jpg 9223372036854775807", "a.jpg", 2**63 - 1),
    ],
)
def test_a_line_is_a_path_and_then_numbers(tmp_path: pathlib.Path, line: str, path: str, label: object) -> None:
    assert one_path(tmp_path, line) == [path, label]


def test_blank_lines_comments_and_any_line_ends_are_understood(tmp_path: pathlib.Path) -> None:
    file = written(tmp_path, b"\xef\xbb\xbfa.jpg 1\r\n\r\n# a comment 7\r\n   \r\nb.jpg 2\nc.jpg 3")
    images = read_list(file)
    assert [os.path.basename(path) for path in images.paths] == ["a.jpg", "b.jpg", "c.jpg"]
    assert images.labels.tolist() == [1, 2, 3]
    assert [image.place for image in images] == [f"{file}:1", f"{file}:5", f"{file}:6"]


def test_a_list_may_be_named_by_bytes(tmp_path: pathlib.Path) -> None:
    """Its bytes were taken for the images: "pair 0 is 116"."""
    name = os.fsencode(written(tmp_path, "a.jpg 1\n"))
    assert images_of(name).labels.tolist() == [1] and images_of([name, name]).labels.tolist() == [1, 1]


def test_labels_are_int64_until_one_has_a_fraction(tmp_path: pathlib.Path) -> None:
    assert read_list(written(tmp_path, "a 1\nb 2\n")).labels.dtype == np.int64
    assert read_list(written(tmp_path, "a 1\nb 2.5\n")).labels.dtype == np.float32
    assert read_list(written(tmp_path, "a 1 2\nb 3 4\n")).labels.shape == (2, 2)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a.jpg 1\n\nb.jpg\n", 3, "no label follows the path 'b.jpg'"),
        ("a.jpg cat\n", 1, "no label follows"),
        ("a.jpg\tcat\n", 1, "'cat' is not a number"),
        ("a.jpg\tnan\n", 1, "'nan' is not a number"),
        (" 7\n", 1, "no label follows the path '7'"),
        ("\t7\n", 1, "has no path"),
        ("a.jpg 1 2\nb.jpg 1\n", 2, "has 1 number, but that of .*:1 has 2"),
        ("a.jpg 1\nb.jpg 99999999999999999999\n", 2, "does not fit in 64 bits"),
        (b"a.jpg 1\n\xff\xfe.jpg 2\n", 2, "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(
    tmp_path: pathlib.Path, text: str, line: int, problem: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(errors.QueueCompatValueError, match=problem) as caught:
        read_list(file)
    assert caught.value.code == "QC621"
    assert f"made at:  {file}:{line}\n" in str(caught.value)


def test_the_error_for_a_line_with_the_name_of_a_class_says_how_names_are_read(tmp_path: pathlib.Path) -> None:
    with pytest.raises(errors.QueueCompatValueError, match=r"(?s)QC621.*pass classes='sorted'"):
        read_list(written(tmp_path, "a.jpg cat\n"))


@pytest.mark.parametrize("text", ["", "\n# only\n# comments\n"])
def test_a_list_without_images_is_an_error(tmp_path: pathlib.Path, text: str) -> None:
    with pytest.raises(errors.QueueCompatValueError, match=r"QC622 .*list\.txt"):
        read_list(written(tmp_path, text))
    with pytest.raises(errors.QueueCompatValueError, match="QC622 the list of pairs"):
        list_of([])


def test_a_list_that_is_not_there_is_pythons_own_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"absent\.txt"):
        read_list(tmp_path / "absent.txt")


def test_paths_start_from_the_lists_folder_unless_a_root_is_given(tmp_path: pathlib.Path) -> None:
    text = f"a.jpg 1\n{tmp_path}/elsewhere/b.jpg 2\n"
    folder = tmp_path / "lists"
    folder.mkdir()
    file = written(folder, text)
    assert read_list(file).paths == [f"{folder}/a.jpg", f"{tmp_path}/elsewhere/b.jpg"]
    assert read_list(file, "/data").paths == ["/data/a.jpg", f"{tmp_path}/elsewhere/b.jpg"]


def test_pairs_are_paths_and_numbers_of_any_kind() -> None:
    images = list_of([("a.jpg", 1), (pathlib.Path("b.jpg"), np.int32(2)), ["c.jpg", True]])
    assert images.paths == ["a.jpg", "b.jpg", "c.jpg"]
    assert images.labels.tolist() == [1, 2, 1]
    assert images.labels.dtype == np.int64
    assert images[1] == ListedImage("b.jpg", 2, "pair 1")
    assert list_of([("a.jpg", 1)], root="/data").paths == ["/data/a.jpg"]
    assert list_of((("a.jpg", [0.5, 1]), ("b.jpg", np.array([2, 3])))).labels.tolist() == [[0.5, 1], [2, 3]]


@pytest.mark.parametrize("pair", ["ab", ("a.jpg",), ("a.jpg", "cat"), (3, 4), ("a.jpg", None), ("a.jpg", [[1]]), 7])
def test_what_is_no_pair_is_named_by_its_number(pair: object) -> None:
    with pytest.raises(errors.QueueCompatTypeError, match="QC623 pair 1 of the images"):
        list_of([("a.jpg", 1), pair])


def test_pairs_with_labels_of_two_lengths_are_an_error() -> None:
    with pytest.raises(errors.QueueCompatValueError, match="QC621 pair 1 is"):
        list_of([("a.jpg", 1), ("b.jpg", [1, 2])])


def test_a_part_of_a_list_remembers_its_lines(tmp_path: pathlib.Path) -> None:
    images = read_list(written(tmp_path, "a 1\n\nb 2\nc 3\n"))
    assert [image.place.rpartition(":")[2] for image in images[1:]] == ["3", "4"]
    assert [image.place for image in list_of([("a", 1), ("b", 2)])[1:]] == ["pair 1"]
    assert len(images[1:]) == 2


@pytest.mark.parametrize("text", ["a 16777217\nb .5\n", "a 16777217 .5\nb 1 2\n"])
def test_a_whole_number_that_float32_has_not_is_refused_beside_a_fraction(tmp_path: pathlib.Path, text: str) -> None:
    """It would become 16777216, without a word."""
    with pytest.raises(ValueError, match=r"(?s)QC621 .*list.txt:1.*label 16777217 is not exact"):
        read_list(written(tmp_path, text))
    assert read_list(written(tmp_path, text.replace("16777217", "33554432"))).labels.dtype == np.float32


def test_a_large_whole_number_is_refused_in_pairs_and_next_to_a_fraction_in_another_list(
    tmp_path: pathlib.Path,
) -> None:
    with pytest.raises(ValueError, match=r"QC621 .*16777217"):
        list_of([("a", 16777217), ("b", 0.5)])
    whole, other = tmp_path / "whole.txt", tmp_path / "other.txt"
    whole.write_text("a 1\nb 16777217\n")
    other.write_text("c .5\n")
    with pytest.raises(ValueError, match=r"(?s)QC621 .*whole.txt:2.*16777217"):
        images_of([whole, other], None)


def test_a_label_without_a_number_is_named() -> None:
    with pytest.raises(ValueError, match=r"QC621 .*its label has no number"):
        list_of([("a", ())])

"""Where records begin: found from their heads, kept in index files, and never believed of a file that has changed."""

from __future__ import annotations

import errno
import gzip
import os
import pathlib
import struct
import time
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import cli
from queuecompat.records import finding, index_files, indexing
from queuecompat.records.checksums import crc32c, masked
from queuecompat.records.finding import found_lines, found_tf_records

SIZES = [0, 1, 30, 30, 70_000, 9_000, 9_000, 12, 200_000, 5]


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(folder))
    return folder


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    return written(tmp_path / "a.tfrecords", SIZES)


def written(path: pathlib.Path, sizes: List[int]) -> pathlib.Path:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for size in sizes:
            writer.write(bytes(size))
    return path


def bounds(sizes: List[int]) -> List[int]:
    return np.cumsum([0, *(size + 16 for size in sizes)]).tolist()


def many_of(size: int, count: int) -> bytes:
    head = struct.pack("<Q", size)
    data = bytes(size)
    return (head + struct.pack("<I", masked(crc32c(head))) + data + struct.pack("<I", masked(crc32c(data)))) * count


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit:
        cli.main(["index", *arguments])
    assert isinstance(exit.value.code, int)
    return exit.value.code


# What is found.


def test_records_of_all_sizes_are_found(file: pathlib.Path) -> None:
    assert found_tf_records(str(file)).bounds.tolist() == bounds(SIZES)


def test_a_file_without_records_has_one_bound(tmp_path: pathlib.Path) -> None:
    assert found_tf_records(str(written(tmp_path / "empty", []))).bounds.tolist() == [0]


@pytest.mark.parametrize(
    "sizes", [[30] * 5000, [10_000] * 20, ([30] * 3 + [9_000]) * 40], ids=["small", "large", "mixed"]
)
def test_a_file_that_is_cut_off_is_named_with_the_record_that_is_not_whole(
    sizes: List[int], tmp_path: pathlib.Path
) -> None:
    path = written(tmp_path / "a", sizes)
    for lost in (1, 10, sizes[-1] + 3, sizes[-1] + 15):
        os.truncate(path, sum(sizes) + 16 * len(sizes) - lost)
        found = found_tf_records(str(path))
        assert found.problem is not None
        assert found.problem.offset == bounds(sizes)[-2]
        assert found.bounds.tolist() == bounds(sizes)[:-1]


@pytest.mark.parametrize("sizes", [[30] * 5000, [10_000] * 20], ids=["small", "large"])
@pytest.mark.parametrize("at", [0, 7, -1])
def test_a_head_that_is_damaged_is_named_with_its_position(sizes: List[int], at: int, tmp_path: pathlib.Path) -> None:
    path = written(tmp_path / "a", sizes)
    place = bounds(sizes)[:-1][at]
    content = bytearray(path.read_bytes())
    content[place + 1] ^= 4
    path.write_bytes(content)
    found = found_tf_records(str(path))
    assert found.problem is not None
    assert (found.problem.code, found.problem.offset, found.problem.path) == ("QC641", place, str(path))
    assert found.bounds.tolist() == [one for one in bounds(sizes) if one <= place]


@pytest.mark.parametrize(
    ("content", "ends"),
    [(b"", [0]), (b"a\n", [0, 2]), (b"a\n\nb", [0, 2, 3, 4]), (b"\n", [0, 1]), (b"a\r\nb\r\n", [0, 3, 6])],
)
def test_lines_are_found(content: bytes, ends: List[int], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert found_lines(str(path)).bounds.tolist() == ends


def test_lines_are_found_over_the_borders_of_reads(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_LINES_WINDOW", 3)
    path = tmp_path / "a.csv"
    path.write_bytes(b"ab\ncdefgh\n\n\ni")
    assert found_lines(str(path)).bounds.tolist() == [0, 3, 10, 11, 12, 13]


@pytest.mark.parametrize("size", [30, 20_000])
def test_three_hundred_thousand_heads_a_second_are_read(size: int, tmp_path: pathlib.Path) -> None:
    """In processor time; half as many would still pass, for the sake of slow machines."""
    path, count = tmp_path / "a", 20_000 if size > 100 else 200_000
    one = many_of(size, 1)
    with open(path, "wb") as out:
        for _ in range(100):
            out.write(one * (count // 100))
    begin = time.process_time()
    assert len(found_tf_records(str(path)).bounds) == count + 1
    assert count / (time.process_time() - begin) > 150_000


@pytest.mark.parametrize("size", [10, 300])
def test_three_hundred_thousand_lines_a_second_are_found(size: int, tmp_path: pathlib.Path) -> None:
    """As for TFRecords."""
    path, count = tmp_path / "a.csv", 300_000
    path.write_bytes((b"1," * (size // 2) + b"\n") * count)
    begin = time.process_time()
    assert len(found_lines(str(path)).bounds) == count + 1
    assert count / (time.process_time() - begin) > 300_000


# What is kept.


def search(path: pathlib.Path) -> List[int]:
    """How many bytes were searched, and the bounds."""
    searched: List[int] = [0]
    found = index_files.bounds_of(str(path), "TFRecord", searched.append)
    return [sum(searched), *found.bounds.tolist()]


def test_the_second_use_of_a_file_reads_its_index(file: pathlib.Path, cache: pathlib.Path) -> None:
    assert search(file) == [file.stat().st_size, *bounds(SIZES)]
    assert search(file) == [0, *bounds(SIZES)]
    assert len(list(cache.iterdir())) == 1
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == [file.name]


def test_an_index_beside_the_file_is_used(file: pathlib.Path, cache: pathlib.Path) -> None:
    assert run(str(file)) == 0
    assert search(file)[0] == 0
    assert not cache.exists()


def test_an_index_of_a_file_that_has_changed_is_replaced(file: pathlib.Path) -> None:
    search(file)
    written(file, [5, 5])
    assert search(file) == [42, *bounds([5, 5])]
    assert search(file) == [0, *bounds([5, 5])]


def test_an_index_of_a_file_of_the_same_size_and_another_time_is_replaced(file: pathlib.Path) -> None:
    written(file, [4, 6])
    search(file)
    written(file, [6, 4])
    os.utime(file, ns=(0, 1))
    assert search(file) == [42, *bounds([6, 4])]


def test_an_index_of_lines_is_none_of_records(file: pathlib.Path) -> None:
    index_files.bounds_of(str(file), "TextLine")
    assert search(file)[0] > 0


@pytest.mark.parametrize("damage", ["cut", "longer", "bit", "json", "text", "nested", "empty"])
def test_an_index_file_that_is_damaged_is_replaced(damage: str, file: pathlib.Path, cache: pathlib.Path) -> None:
    search(file)
    (index,) = cache.iterdir()
    content = index.read_bytes()
    damaged = {
        "cut": content[:-8],
        "longer": content + bytes(8),
        "bit": content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
        "json": content.replace(b'"bounds": ', b'"bounds": -'),
        "text": b"queuecompat index 1\n[]\n",
        "nested": b"queuecompat index 1\n" + b"[" * 4000,
        "empty": b"",
    }
    index.write_bytes(damaged[damage])
    assert search(file) == [file.stat().st_size, *bounds(SIZES)]
    assert index.read_bytes() == content


def test_a_damaged_file_is_searched_each_time(file: pathlib.Path, cache: pathlib.Path) -> None:
    os.truncate(file, file.stat().st_size - 1)
    assert search(file)[0] > 0
    assert search(file)[0] > 0
    assert not cache.exists()


def full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_costs_the_next_reader_a_search(
    file: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "replace", full)
    assert search(file)[0] > 0
    assert list(cache.iterdir()) == []
    assert search(file) == [file.stat().st_size, *bounds(SIZES)]


def test_a_reader_that_keeps_an_index_does_not_wait_for_the_disk(
    file: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands of small files that took longer than all the rest."""
    monkeypatch.setattr(os, "fsync", full)
    assert search(file)[0] > 0
    assert len(list(cache.iterdir())) == 1


# The command.


def test_all_that_may_read_the_file_may_read_its_index(file: pathlib.Path) -> None:
    """Only its owner could: another user's programs searched the file again each time."""
    file.chmod(0o666)
    before = os.umask(0o022)
    try:
        assert run(str(file)) == 0
    finally:
        os.umask(before)
    assert pathlib.Path(index_files.index_path(str(file))).stat().st_mode & 0o777 == 0o644


def test_an_index_of_a_file_that_grew_while_it_was_searched_does_not_hold(
    file: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It held for the grown file, whose last records were never read."""
    find = finding.FINDERS["TFRecord"]

    def found_before_it_grew(path: str, seen: Any) -> Any:
        found = find(path, seen)
        with open(path, "ab") as out:
            out.write(many_of(7, 1))
        return found

    monkeypatch.setitem(finding.FINDERS, "TFRecord", found_before_it_grew)
    assert run(str(file)) == 0
    monkeypatch.undo()
    assert run(str(file)) == 0
    assert capsys.readouterr().out == f"{file}: 10 records\n{file}: 11 records\n"


def test_the_command_says_how_many_records_there_are(file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(file)) == 0
    assert capsys.readouterr().out == f"{file}: 10 records\n"
    assert run(str(file)) == 0
    assert capsys.readouterr().out == f"{file}: 10 records\n"


def test_the_command_counts_lines(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"1,2\n3,4\n")
    assert run("--lines", "--cache", str(path)) == 0
    assert capsys.readouterr().out == f"{path}: 2 records\n"
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["a.csv"]


@pytest.mark.parametrize("has_index", [False, True])
def test_the_command_finds_no_lines_in_a_compressed_file(
    has_index: bool, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its bytes were counted as one line, with exit code 0."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n3,4\n"))
    if has_index:
        index_files.store(str(path), index_files.stamp_of(str(path), "TextLine"), np.array([0, 5]))
    assert run("--lines", str(path)) == 1
    printed = capsys.readouterr()
    assert not printed.out and "the file is compressed" in printed.err


@pytest.mark.parametrize(
    ("content", "is_text"),
    [
        (b"1,2\n3,4\n", True),
        (b"a\n", True),
        ("\u00fc,2\n".encode(), True),
        (("a" + "\u00fc" * 40).encode(), True),
        (b"\0" * 40, False),
        (b"", False),
        (b"\x93a\xf0\x9f\xa8~\xc4\xb1", False),
    ],
)
def test_the_error_for_a_file_of_lines_says_how_to_index_it(
    content: bytes, is_text: bool, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    run(str(path))
    assert ("pass --lines to index its lines" in capsys.readouterr().err) is is_text


def test_the_command_goes_on_after_a_file_that_is_damaged_or_missing(
    file: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = written(tmp_path / "b.tfrecords", [5, 5, 5])
    os.truncate(broken, 60)
    assert run(str(broken), str(tmp_path / "missing"), str(file)) == 1
    out, err = capsys.readouterr()
    assert out == f"{file}: 10 records\n"
    assert "QC641 the record at byte 42 of" in err
    assert "complete records before it: 2" in err
    assert f"{tmp_path / 'missing'}: No such file or directory" in err


def test_the_command_says_that_the_disk_is_full(
    file: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", full)
    assert run(str(file)) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == [file.name]


def test_files_that_are_found_at_once_show_no_bar_and_a_missing_one_is_named_once(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line of the output used to show the bar, and a missing file was named before the reason and after it."""
    missing = str(tmp_path / "nope")
    assert indexing.index([missing, str(tmp_path)], "TFRecord") == 1
    assert capsys.readouterr().err == f"{missing}: No such file or directory\n{tmp_path}: Is a directory\n"


def test_a_bar_is_shown_only_after_two_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    with indexing.search_bar(100) as bar:
        monkeypatch.setattr(bar, "_time", lambda: clock[0])
        bar.start_t = bar.last_print_t = clock[0]
        for seconds in (1.9, 0.3):
            shown_before = capsys.readouterr().err
            clock[0] += seconds
            bar.update(10)
        assert not shown_before
        assert "finding records" in capsys.readouterr().err

"""Whether a TFRecord file ends within the head of a record, found from its end."""

from __future__ import annotations

import io
from typing import List

import pytest

from queuecompat.records import ends
from queuecompat.records.checksums import crc32c, masked

SIZES = [0, 1, 7, 100, 4060, 4096, 70_000, 3]


def framed(size: int) -> bytes:
    length = size.to_bytes(8, "little")
    data = bytes(range(256)) * (size // 256 + 1)
    checksums = [masked(crc32c(part)).to_bytes(4, "little") for part in (length, data[:size])]
    return length + checksums[0] + data[:size] + checksums[1]


def found(content: bytes) -> object:
    return ends.find_cut_header(io.BytesIO(content), len(content))


@pytest.mark.parametrize("size", SIZES)
def test_a_whole_file_is_whole_whatever_the_size_of_its_last_record(size: int) -> None:
    assert found(framed(5) + framed(size)) is None
    assert found(framed(size)) is None


def test_a_file_without_records_is_whole() -> None:
    assert found(b"") is None


@pytest.mark.parametrize("left", range(1, 12))
def test_each_cut_within_a_head_is_found_with_its_place(left: int) -> None:
    whole = framed(5) + framed(300)
    assert found(whole + framed(9)[:left]) == len(whole)
    assert found(framed(9)[:left]) == 0


@pytest.mark.parametrize("left", [12, 13, 20, 24])
def test_a_cut_within_the_data_is_left_to_tensorflow(left: int) -> None:
    assert found(framed(5) + framed(9)[:left]) is None


def test_records_within_a_record_are_not_taken_for_the_end() -> None:
    inner = framed(3) + framed(4)
    length = len(inner).to_bytes(8, "little")
    outer = length + masked(crc32c(length)).to_bytes(4, "little") + inner + masked(crc32c(inner)).to_bytes(4, "little")
    assert found(outer) is None
    assert found(outer + b"12345") == len(outer)


def test_of_a_large_whole_file_only_the_end_is_read() -> None:
    class Counting(io.BytesIO):
        sizes: List[int] = []

        def read(self, size: int = -1) -> bytes:  # type: ignore[override]
            self.sizes.append(size)
            return super().read(size)

    content = framed(50) * 10_000
    file = Counting(content)
    assert ends.find_cut_header(file, len(content)) is None
    assert sum(file.sizes) <= 4096


def test_a_last_record_that_is_larger_than_what_is_looked_at_is_found_from_the_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ends, "_LARGEST_WINDOW", 4096)
    assert found(framed(5) + framed(70_000)) is None
    assert found(framed(70_000) + b"123") == len(framed(70_000))

"""Blocks of records, read at once or one after the other: those of an epoch, and the rest of it at any place."""

from __future__ import annotations

import os
import pathlib
from typing import Any, List, Tuple

import numpy as np
import pytest

from queuecompat.records.blocks import NUMBERS_BYTES, BlockOrder, Column

KEY = np.array([1, 2], np.int64)
SIZES = (5, 0, 23, 1, 40)
RECORD_BYTES = 100


@pytest.fixture
def paths(tmp_path: pathlib.Path) -> List[bytes]:
    for number, size in enumerate(SIZES):
        (tmp_path / f"file-{number}").write_bytes(bytes(RECORD_BYTES * size))
    return [os.fsencode(tmp_path / f"file-{number}") for number in range(len(SIZES))]


def order(**how: Any) -> BlockOrder:
    return BlockOrder("FixedLength", record_bytes=RECORD_BYTES, size=8, is_global=True, **how)


def blocks_of(group: bytes, together: int) -> List[bytes]:
    if together == 1:
        return [group]
    count = int(np.frombuffer(group, "<i8", 1)[0])
    ends = 8 * (1 + count) + np.cumsum([0, *np.frombuffer(group, "<i8", count, 8)])
    return [group[begin:end] for begin, end in zip(ends, ends[1:])]


def records(groups: np.ndarray, together: int, in_turn: int = 1) -> List[Tuple[bytes, int]]:
    """The records in the order in which they are read: of the blocks of a group some each in turn."""
    found = []
    for group in groups.tolist():
        turns = []
        for block in blocks_of(group, together):
            numbers, name = np.frombuffer(block[:NUMBERS_BYTES], "<i8"), block[NUMBERS_BYTES:]
            first, count = numbers[Column.FIRST], numbers[Column.COUNT]
            assert numbers[Column.OFFSET] == RECORD_BYTES * first and numbers[Column.LENGTH] == RECORD_BYTES * count
            turns.append([(name, int(first) + n) for n in range(count)])
        begins = range(0, max(map(len, turns)), in_turn)
        found += [record for begin in begins for turn in turns for record in turn[begin : begin + in_turn]]
    return found


@pytest.mark.parametrize("part", [{}, {"part": 1, "parts": 2}], ids=["all", "a part"])
@pytest.mark.parametrize("in_turn", [1, 3, 5, 16])
@pytest.mark.parametrize("together", [1, 3, 40])
def test_what_comes_after_any_record_is_the_rest_of_the_epoch(
    together: int, in_turn: int, part: Any, paths: List[bytes]
) -> None:
    chosen = order(together=together, in_turn=in_turn, **part)
    whole = records(chosen.blocks(paths, KEY, 0), together, in_turn)
    assert len(set(whole)) == len(whole) == (sum(SIZES) if not part else sum(SIZES) - sum(SIZES) // 2)
    for gone in range(len(whole) + 1):
        rest, total = chosen.blocks_after(paths, KEY, 0, gone)
        assert records(rest, together, in_turn) == whole[gone:], gone
        assert total == len(whole)


def test_parts_fit_together_in_whatever_order_each_worker_has_found_the_files(paths: List[bytes]) -> None:
    """``os.listdir`` returns names in any order; the order of the list used to decide which records a part has."""
    lists = [paths, paths[::-1], [*paths[2:], *paths[:2]]]
    for epoch in range(2):
        parts = [records(order(part=part, parts=3).blocks(its, KEY, epoch), 1) for part, its in enumerate(lists)]
        assert len(set().union(*parts)) == sum(map(len, parts)) == sum(SIZES)


def test_each_epoch_has_an_order_of_its_own(paths: List[bytes]) -> None:
    first, second = (records(order(together=4).blocks(paths, KEY, epoch), 4) for epoch in (0, 1))
    assert sorted(first) == sorted(second)
    assert first != second


@pytest.mark.parametrize(
    ("record_bytes", "count", "expected"),
    [
        (10, 3000, 8),
        (10, 200_000, 100),
        (10, 1_000_000, 500),
        (10, 10_000_000, 2048),
        (100_000, 30_000, 10),
        (3_000_000, 40, 1),
    ],
    ids=["few", "some", "many", "more", "large", "very large"],
)
def test_a_block_has_fewer_records_where_the_data_are_few_or_the_records_large(
    record_bytes: int, count: int, expected: int, tmp_path: pathlib.Path
) -> None:
    with open(tmp_path / "a", "wb") as file:
        file.truncate(record_bytes * count)  # sparse
    blocks = BlockOrder("FixedLength", record_bytes=record_bytes, size=2048, is_global=True).blocks(
        [os.fsencode(tmp_path / "a")], KEY, 0
    )
    counts = [int(np.frombuffer(block[:NUMBERS_BYTES], "<i8")[Column.COUNT]) for block in blocks.tolist()]
    assert max(counts) == expected
    assert sum(counts) == count


def test_files_are_drawn_from_in_proportion_to_their_sizes(tmp_path: pathlib.Path) -> None:
    """Exactly in an epoch, and at any time in one as in a random order of its blocks: within five deviations."""
    counts, epochs = np.array([1000, 500, 400, 100]), 100  # of blocks
    for file, count in enumerate(counts):
        with open(tmp_path / str(file), "wb") as out:
            out.truncate(int(count) * 10 * RECORD_BYTES)  # sparse
    paths = [os.fsencode(tmp_path / str(file)) for file in range(4)]
    chosen = BlockOrder("FixedLength", record_bytes=RECORD_BYTES, size=2048, is_global=True)
    shares = np.zeros([10, 4])
    for epoch in range(epochs):
        files = [int(block[-1:]) for block in chosen.blocks(paths, KEY, epoch).tolist()]
        assert np.bincount(files).tolist() == counts.tolist()
        shares += [np.bincount(tenth, minlength=4) / 200 for tenth in np.reshape(files, [10, 200])]
    expected = counts / 2000
    deviation = np.sqrt(expected * (1 - expected) / 200 * (1800 / 1999) / epochs)
    assert (np.abs(shares / epochs - expected) < 5 * deviation).all()


def test_large_blocks_of_many_records_mix_like_a_permutation(tmp_path: pathlib.Path) -> None:
    """Of sorted records, with a buffer of a hundredth: how many of 10 classes a batch has, and how far records move."""
    many, together, classes = 5_000_000, 40, 10
    with open(tmp_path / "a", "wb") as file:
        file.truncate(many)  # sparse
    chosen = BlockOrder("FixedLength", record_bytes=1, size=2048, is_global=True)
    blocks = [
        np.frombuffer(block[:NUMBERS_BYTES], "<i8") for block in chosen.blocks([os.fsencode(tmp_path / "a")], KEY, 0)
    ]
    firsts, counts = (np.array([block[column] for block in blocks]) for column in (Column.FIRST, Column.COUNT))
    assert counts.max() == 2048
    turn = np.arange(2048)
    in_turns = []
    for begin in range(0, len(blocks), together):
        group = slice(begin, begin + together)
        is_there = turn < counts[group, np.newaxis]
        records, is_there = (  # sixteen of each block in turn
            each.reshape(-1, 2048 // 16, 16).transpose(1, 0, 2).ravel()
            for each in (firsts[group, np.newaxis] + turn, is_there)
        )
        in_turns.append(records[is_there])
    generator = np.random.default_rng(1)
    order = generator.permuted(np.concatenate(in_turns).reshape(-1, many // 100), axis=1).ravel()

    def of_batches(order: np.ndarray) -> float:
        batches = np.sort((order // (many // classes)).reshape(-1, 10), axis=1)
        return float(1 + (np.diff(batches, axis=1) > 0).sum(axis=1).mean())

    assert of_batches(order) >= 0.9 * of_batches(generator.permutation(many))
    assert np.abs(order - np.arange(many)).mean() >= 0.9 * many / 3

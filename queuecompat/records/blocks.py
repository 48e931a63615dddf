"""Divides files into blocks of consecutive records, orders the blocks over all files, and cuts them into equal parts.

A block is a string of bytes: six 64-bit integers (see ``Column``), followed by the name of its file. It contains
everything that a reader needs, so blocks can be passed wherever file names could. Blocks that are interleaved (some
records of each are read in turn) form one string, a *group*: the number of blocks and the length of each, as 64-bit
integers, followed by the blocks.

Rule 1: The order is a function of the file names, their records, the key and the number of the epoch. So all processes
        that are given the same have the same order.
Rule 2: Parts are cut by record. The sizes of *count* parts differ by at most one record; parts do not overlap, and
        together they have all records. With a global order, the parts are cut again in every epoch.
Rule 3: In a global order a block has at most *size* records. It has fewer if there is little data (an order of only a
        few blocks is hardly random) or if the records are large (small blocks of them cost no extra time).
Rule 4: If a file cannot be searched to its end, its last block is at the damaged place. A missing file has a block,
        too. Reading such a block raises the same error, at the same time, as reading the file would.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from queuecompat.errors import QueueCompatValueError, error_at
from queuecompat.records.index_files import bounds_of
from queuecompat.records.indexing import search_bar
from queuecompat.records.numbers import number_of

__all__ = ["LEAST_RECORDS", "NUMBERS_BYTES", "UNKNOWN", "WHOLE_FILE", "BlockOrder", "Column"]

# LENGTH of a block that cannot be read: its file is missing, or is damaged there.
UNKNOWN = 0
# COUNT of a block that is read to the end of its file, whatever it contains.
WHOLE_FILE = -1
# The number of blocks that an epoch of a global order (or a part of it) should have. ``LEAST_RECORDS`` takes
# precedence, since a file is opened for each block.
_BLOCKS_OF_AN_EPOCH = 2000
LEAST_RECORDS = 8
# A block of larger records has fewer of them, down to one: reading them takes longer than opening the file.
_MOST_BYTES = 1024 * 1024


class Column:
    """The meaning of each integer of a block.

    Attributes:
      OFFSET: where it begins in its file, in bytes; LENGTH: its size in bytes; TAIL: the bytes of the file after it.
      FIRST: the number of its first record in the file; COUNT: its number of records.
      NUMBER: the number of its first record among those of all epochs (``numbers``).
    """

    OFFSET, LENGTH, TAIL, FIRST, COUNT, NUMBER = range(6)


NUMBERS_BYTES = 6 * 8


@dataclasses.dataclass(frozen=True)
class BlockOrder:
    """How files are divided into blocks.

    Attributes:
      layout: TF1's name of the reader, without "Reader".
      record_bytes, header_bytes, footer_bytes: the reader's sizes, for fixed-length records.
      skipped: lines at the beginning of each file that are not records.
      size: the records per block; with *is_global* the maximum; None: all consecutive records of a file.
      is_global: whether blocks are in a random order over all files; otherwise in the order of the files.
      part, parts: the number of this part, and the number of parts.
      together: the number of blocks in a group; 1: blocks are not grouped.
      in_turn: how many records are read from each block of a group in turn.
    """

    layout: str
    record_bytes: int = 0
    header_bytes: int = 0
    footer_bytes: int = 0
    skipped: int = 0
    size: Optional[int] = None
    is_global: bool = False
    part: int = 0
    parts: int = 1
    together: int = 1
    in_turn: int = 1

    def blocks(self, paths: Sequence[bytes], key: np.ndarray, epoch: int) -> np.ndarray:
        """Returns the blocks (or groups) of one epoch in their order, as bytes ``[blocks]``.

        Args:
          key: int64 ``[2]``; decides the order.
        Raises:
          QueueCompatValueError: QC333, a file is not a local one.
        """
        return self.blocks_after(paths, key, epoch, 0)[0]

    def blocks_after(
        self,
        paths: Sequence[bytes],
        key: np.ndarray,
        epoch: int,
        gone: int,
        places: Optional[Sequence[int]] = None,
        epochs_before: int = 0,
    ) -> Tuple[np.ndarray, int]:
        """Returns what follows the first *gone* records of one epoch, and the number of all its records.

        Args:
          key, epoch: as for ``blocks``, which also lists the errors.
          places: the position of each of *paths* in the program's list; None: they are in that order.
          epochs_before: added to the epoch in the numbers of records, but not for the order.
        """
        tables = self._tables(paths)
        files = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        table = np.concatenate([np.zeros((0, 5), np.int64), *tables])
        if self.is_global:
            order = self._same_for_all_parts(files, paths)[_generator(key, epoch).permutation(len(table))]
            table, files = table[order], files[order]
        if self.parts > 1:
            table, files = self._part(table, files, paths)
        total = int(_counts(table).sum())
        ends = np.append(np.cumsum(_counts(table))[self.together - 1 :: self.together], total)  # of groups, in records
        group = int(np.searchsorted(ends, gone, side="right"))
        begin = group * self.together
        first, table = table[begin : begin + self.together], table[begin + self.together :]
        of_first, files = files[begin : begin + self.together], files[begin + self.together :]
        sizes: List[int] = []  # of the first groups, in blocks
        if len(first):
            before = gone - (int(ends[group - 1]) if group else 0)
            first, of_first, sizes = self._rest_of_group(first, of_first, paths, before)
        table, files = np.concatenate([first, table]), np.concatenate([of_first, files])
        of_files = np.arange(len(paths)) if places is None else np.asarray(places)
        firsts = [number_of(epoch + epochs_before, int(of_files[file])) for file in range(len(paths))]
        numbers = np.array(firsts, np.int64)[files] + table[:, Column.FIRST]
        table = np.concatenate([table, numbers[:, np.newaxis]], axis=1)
        strings = _as_strings(table, files, paths)
        return strings if self.together == 1 else _in_groups(strings, sizes, self.together), total

    def _tables(self, paths: Sequence[bytes]) -> List[np.ndarray]:
        total = sum(map(_size_of, paths))
        of_block = total // (_BLOCKS_OF_AN_EPOCH * self.parts)
        with search_bar(total) as bar:
            return [self._table(os.fsdecode(path), of_block, bar.update) for path in paths]

    def _table(self, path: str, of_block: int, seen: Callable[[int], Any]) -> np.ndarray:
        """Returns the blocks of one file, without NUMBER; int64 ``[blocks, 5]``.

        Args:
          of_block: the size in bytes that a block should have in a global order.
        """
        if "://" in path:
            raise error_at(QueueCompatValueError, "QC333", None, path=path)
        if not os.path.isfile(path):
            return np.array([[0, UNKNOWN, 0, 0, WHOLE_FILE]], np.int64)
        size = os.path.getsize(path)
        bounds, is_whole = self._bounds(path, size, seen)
        first = np.arange(self.skipped, len(bounds) - 1, self._records(bounds, of_block), dtype=np.int64)
        last = np.append(first[1:], len(bounds) - 1) if len(first) else first
        table = _rows(bounds, first, last, size)
        if is_whole:
            return table
        damaged = int(bounds[-1])
        return np.concatenate([table, [[damaged, UNKNOWN, 0, len(bounds) - 1, 1]]])

    def _records(self, bounds: np.ndarray, of_block: int) -> int:
        """Returns the number of records per block, for the file with these *bounds*."""
        if self.size is None or not self.is_global:
            return self.size or max(1, len(bounds))
        record = max(1, int(bounds[-1] - bounds[0]) // max(1, len(bounds) - 1))  # bytes, on average
        return max(1, min(self.size, max(LEAST_RECORDS, of_block // record), _MOST_BYTES // record))

    def _bounds(self, path: str, size: int, seen: Callable[[int], Any]) -> Tuple[np.ndarray, bool]:
        if not self.record_bytes:
            found = bounds_of(path, self.layout, seen)
            return found.bounds, found.problem is None
        count = max(0, size - self.header_bytes - self.footer_bytes) // self.record_bytes
        return self.header_bytes + self.record_bytes * np.arange(count + 1, dtype=np.int64), True

    def _same_for_all_parts(self, files: np.ndarray, paths: Sequence[bytes]) -> np.ndarray:
        """Returns an order of the blocks that all workers agree on, even if they list *paths* in different orders."""
        if self.parts == 1:
            return np.arange(len(files))
        ranks = np.argsort(sorted(range(len(paths)), key=paths.__getitem__))
        return np.argsort(ranks[files], kind="stable")

    def _part(self, table: np.ndarray, files: np.ndarray, paths: Sequence[bytes]) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the blocks of this part; blocks that cross its borders are cut."""
        counts = _counts(table)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        low, high = total * self.part // self.parts, total * (self.part + 1) // self.parts
        kept = np.flatnonzero((ends > low) & (ends - counts < high) & (low < high))
        table, files, begins, ends = table[kept], files[kept], (ends - counts)[kept], ends[kept]
        for row in {0, len(table) - 1} if low < high else ():
            cut = max(0, low - int(begins[row])), max(0, int(ends[row]) - high)
            if any(cut):
                table[row] = self._cut(table[row], os.fsdecode(paths[files[row]]), *cut)
        return table, files

    def _rest_of_group(
        self, table: np.ndarray, files: np.ndarray, paths: Sequence[bytes], before: int
    ) -> Tuple[np.ndarray, np.ndarray, List[int]]:
        """Returns the rest of the group *table* after *before* records, which were taken from its blocks in turn.

        Returns:
          The table, its files, and the number of blocks in each new group. If a turn has begun, its rest is a group of
          its own, so that the group after it begins with a whole turn.
        """
        if not before:
            return table, files, [len(table)]
        counts = _counts(table)
        rounds = np.arange(-(-int(counts.max()) // self.in_turn))
        begins, ends = (np.minimum(counts, self.in_turn * each[:, np.newaxis]) for each in (rounds, rounds + 1))
        read = np.cumsum(ends - begins)  # after each turn; a round has one turn per block
        turn = int(np.searchsorted(read, before, side="right"))
        this_round, block = divmod(turn, len(table))
        gone = np.append(ends[this_round, :block], begins[this_round, block:])
        left = int(read[turn]) - before
        pieces = []  # block, records before the piece, records after it
        if left < ends[this_round, block] - gone[block]:
            gone[block] = ends[this_round, block]
            pieces.append((block, int(gone[block]) - left, int(counts[block] - gone[block])))
            block += 1
        turns = [(n, int(gone[n]), 0) for n in [*range(block, len(table)), *range(block)] if gone[n] < counts[n]]
        sizes = [len(group) for group in (pieces, turns) if group]
        pieces += turns
        rows = [self._cut(table[n], os.fsdecode(paths[files[n]]), before, after) for n, before, after in pieces]
        return np.array(rows, np.int64).reshape(-1, table.shape[1]), files[[n for n, _, _ in pieces]], sizes

    def _cut(self, row: np.ndarray, path: str, before: int, after: int) -> np.ndarray:
        """Returns the block of *row* without its first *before* and its last *after* records."""
        if not before and not after:
            return row
        first = int(row[Column.FIRST]) + before
        last = int(row[Column.FIRST]) + int(row[Column.COUNT]) - after
        size = os.path.getsize(path)
        bounds, _ = self._bounds(path, size, lambda count: None)
        return _rows(bounds, np.array([first]), np.array([last]), size)[0]


def _counts(table: np.ndarray) -> np.ndarray:
    # A whole file, or a damaged place, counts as one record.
    counts: np.ndarray = np.maximum(table[:, Column.COUNT], 1)
    return counts


def _rows(bounds: np.ndarray, first: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    begins, ends = bounds[first], bounds[last]
    return np.stack([begins, ends - begins, size - ends, first, last - first], axis=1).astype(np.int64)


def _generator(key: np.ndarray, epoch: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([*np.asarray(key, np.uint64).tolist(), epoch])))


def _as_strings(table: np.ndarray, files: np.ndarray, paths: Sequence[bytes]) -> np.ndarray:
    """Returns the blocks of *table* as bytes."""
    names = np.array(paths, bytes)
    rows = np.zeros(len(table), [("numbers", "<i8", 6), ("name", names.dtype if len(paths) else "S1")])
    if len(table):
        rows["numbers"], rows["name"] = table, names[files]
    # NumPy strips trailing zeros from such strings; a file name does not end in a zero byte.
    return rows.view(f"S{rows.dtype.itemsize}")


def _in_groups(blocks: np.ndarray, sizes: List[int], together: int) -> np.ndarray:
    """Combines *blocks* into groups, bytes ``[groups]``: the first have *sizes* blocks, all others *together*."""
    given = blocks.tolist()
    begins = [sum(sizes[:number]) for number in range(len(sizes))]
    begins += range(sum(sizes), len(given), together)
    groups = [given[begin:end] for begin, end in zip(begins, [*begins[1:], len(given)])]
    made = np.empty(len(groups), object)
    made[:] = [np.array([len(group), *map(len, group)], "<i8").tobytes() + b"".join(group) for group in groups]
    return made


def _size_of(path: bytes) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0

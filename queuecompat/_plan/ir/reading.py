"""How files are divided into records, blocks and parts, and the step that reads them."""

from __future__ import annotations

import dataclasses
from typing import Optional

from queuecompat._plan.ir.plan import Step

__all__ = ["Blocks", "FileLayout", "Part", "Read"]


@dataclasses.dataclass(frozen=True)
class FileLayout:
    """How a file is divided into records: TF1's reader and its arguments.

    Attributes:
      name: the name of TF1's reader class, without "Reader".
      compression: as the reader takes it; empty: none.
      skip_header_lines: lines to skip at the beginning of each file.
      record_bytes: the size of each record, in bytes; 0: records differ in size.
      header_bytes: bytes to skip at the beginning of each file.
      footer_bytes: bytes to skip at the end of each file.
      hop_bytes: bytes from the beginning of one record to the beginning of the next; 0: as *record_bytes*.
    """

    name: str
    compression: str = ""
    skip_header_lines: int = 0
    record_bytes: int = 0
    header_bytes: int = 0
    footer_bytes: int = 0
    hop_bytes: int = 0


@dataclasses.dataclass(frozen=True)
class Blocks:
    """How a producer of file names divides the files into blocks of consecutive records, which it outputs instead.

    Attributes:
      layout: how the files are divided into records.
      size: records in a block; 0: all consecutive records of a file. With *is_global* this is a maximum: blocks are
        smaller where there are few data or the records are large (``records.blocks``).
      is_global: whether the blocks are in a random order over all files, reshuffled every epoch; otherwise they are in
        the order of the files.
      together: how many blocks are read at once. More than one are output together as one string, a *group*.
      in_turn: how many records are read from a block of a group before it is the next block's turn.
    """

    layout: FileLayout
    size: int = 0
    is_global: bool = False
    together: int = 1
    in_turn: int = 1


@dataclasses.dataclass(frozen=True)
class Part:
    """A shard: part *number* (from 0) of the *count* equal parts that the data are divided into."""

    number: int
    count: int


@dataclasses.dataclass(frozen=True)
class Read(Step):
    """Reads the records of files, file after file. Outputs (key, value), or (value) if *with_key* is false.

    Attributes:
      layout: how a file is divided into records.
      with_key: whether the keys of the records are output.
      up_to: None: each element is one record; otherwise a vector of at most *up_to* records of one file.
      open_blocks: 0: the input is file names; otherwise it is groups of this many blocks (``Produce.blocks``), which
        are read at once.
      in_turn: how many records are read from one block of a group before it is the next block's turn.
      skips: whether the rest of a file that cannot be read to its end is skipped and listed; otherwise it is an error.
      checks_ends: whether a file that ends within the header of a record is an error (raised after its records).
      numbered: whether each record's number (``Produce.numbered``) is output last. The input is then blocks, or file
        names with the number of each file.
    """

    layout: FileLayout
    with_key: bool
    up_to: Optional[int] = None
    open_blocks: int = 0
    in_turn: int = 1
    skips: bool = False
    checks_ends: bool = False
    numbered: bool = False

    @property
    def is_vector(self) -> bool:
        """Whether each element is a vector of records (``read_up_to``)."""
        return self.up_to is not None

    def without_key(self) -> Read:
        """Returns this step without the key: it outputs (value)."""
        return dataclasses.replace(self, components=self.components[-1:], with_key=False)

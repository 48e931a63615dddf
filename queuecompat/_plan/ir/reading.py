"""Files: how they are cut into records, blocks and parts, and the step that reads them."""

from __future__ import annotations

import dataclasses
from typing import Optional

from queuecompat._plan.ir.plan import Step

__all__ = ["Blocks", "FileLayout", "Part", "Read"]


@dataclasses.dataclass(frozen=True)
class FileLayout:
    """*name* is that of TF1's reader, without "Reader"; sizes are in bytes, *hop_bytes* 0: no gap.

    *record_bytes* 0: records differ in size.
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
    """How files are cut into blocks of consecutive records, which a producer of names outputs in place of the names.

    *layout*: how the files are cut into records. *size*: records of a block; 0: all that follow each other in a file.
    *is_global*: blocks are in a random order over all files, a different one in every epoch, and *size* is the most
    that one has: there are fewer where the data are few or the records large (``records.blocks``). *together*: so many
    are read at once, *in_turn* records of each in turn, and come as one string.
    """

    layout: FileLayout
    size: int = 0
    is_global: bool = False
    together: int = 1
    in_turn: int = 1


@dataclasses.dataclass(frozen=True)
class Part:
    """The part of that *number* of the *count* equal parts that the data are divided into."""

    number: int
    count: int


@dataclasses.dataclass(frozen=True)
class Read(Step):
    """Records of the named files, file after file. Outputs (key, value), or (value) without key.

    *layout*: how a file is cut into records. *up_to* None: record by record; otherwise vectors of at most
    so many records of one file. *open_blocks*: what comes in are not names but blocks (``Produce.blocks``), so many
    together, of each of which *in_turn* records come in turn; 0: names.
    *skips*: of a file that cannot be read to its end the rest is left out, and listed. *checks_ends*: a file that ends
    within the head of a record is an error, after its records. *numbered*: as in ``Produce``; what comes in are blocks,
    or names and beside each the number of the file.
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
        """As in ``Pull``."""
        return self.up_to is not None

    def without_key(self) -> Read:
        """The same that outputs (value)."""
        return dataclasses.replace(self, components=self.components[-1:], with_key=False)

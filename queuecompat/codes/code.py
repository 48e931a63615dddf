"""One row of the table of QC codes."""

from __future__ import annotations

import dataclasses

__all__ = ["Code"]


@dataclasses.dataclass(frozen=True)
class Code:
    """One row of the table. *what* and *instead* may name fields in braces; *effect* is fixed."""

    code: str
    what: str
    effect: str
    instead: str

"""Numbers of things, as sentences say them."""

from __future__ import annotations

from typing import Optional

__all__ = ["counted"]


def counted(number: int, one: str, many: Optional[str] = None) -> str:
    """``1 file``, ``2 files``, ``1,000 files``; *many* where an s does not make it."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"

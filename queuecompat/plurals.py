"""Formats numbers of things in sentences."""

from __future__ import annotations

from typing import Optional

__all__ = ["counted"]


def counted(number: int, one: str, many: Optional[str] = None) -> str:
    """Returns ``1 file``, ``2 files``, ``1,000 files``; *many* is the plural, if it is not *one* with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"

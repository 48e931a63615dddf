"""Formats numbers and types of things in sentences."""

from __future__ import annotations

from typing import Any, Optional

__all__ = ["counted", "type_of"]


def counted(number: int, one: str, many: Optional[str] = None) -> str:
    """Returns ``1 file``, ``2 files``, ``1,000 files``; *many* is the plural, if it is not *one* with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def type_of(value: Any) -> str:
    """Returns the name of the type of *value* with its article: ``a list``, ``an int``, ``an ndarray``."""
    name = type(value).__name__
    is_vowel = name[:1].lower() in tuple("aeio") or name.startswith("nd")  # "en-dee"
    return f"an {name}" if is_vowel else f"a {name}"

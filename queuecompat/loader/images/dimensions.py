"""Reads the size that an image file claims to have from its first bytes: (height, width) in pixels; (0, 0) if unknown.

Nothing is decoded, and no memory is allocated for pixels. The size of a JPEG is found by ``kinds``, which reads its
segments.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, Sequence, Tuple

__all__ = ["MAX_PIXELS", "dimensions_of", "size_text"]

# Pillow's default limit: a quarter of a gigabyte, with three bytes per pixel.
MAX_PIXELS = 1024 * 1024 * 1024 // 4 // 3

Size = Tuple[int, int]


def size_text(size: Sequence[int]) -> str:
    """Returns ``480x640`` for (480, 640), height and width, and for the shape of such an image."""
    return f"{size[0]}x{size[1]}"


def dimensions_of(kind: str, data: bytes) -> Size:
    """Returns height and width of a file of *kind*, the name of a ``Kind``; (0, 0) if they are not known."""
    measure = _MEASURES.get(kind)
    return measure(data) if measure is not None else (0, 0)


def _little(data: bytes, start: int, size: int) -> int:
    return int.from_bytes(data[start : start + size], "little")


def _png(data: bytes) -> Size:
    return int.from_bytes(data[20:24], "big"), int.from_bytes(data[16:20], "big")


def _gif(data: bytes) -> Size:
    return _little(data, 8, 2), _little(data, 6, 2)


def _bmp(data: bytes) -> Size:
    if _little(data, 14, 4) == 12:  # the header of OS/2
        return _little(data, 20, 2), _little(data, 18, 2)
    # A negative height means that the rows are stored from top to bottom.
    return abs(int.from_bytes(data[22:26], "little", signed=True)), _little(data, 18, 4)


def _webp(data: bytes) -> Size:
    if data[12:16] == b"VP8X":
        return _little(data, 27, 3) + 1, _little(data, 24, 3) + 1
    if data[12:16] == b"VP8L":
        bits = _little(data, 21, 4)
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1
    return _little(data, 28, 2) & 0x3FFF, _little(data, 26, 2) & 0x3FFF


# The format and two numbers, separated by whitespace and comments: "P6", "# by a camera", "640 480".
_PNM = re.compile(rb"P\d(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)")


def _pnm(data: bytes) -> Size:
    found = _PNM.match(data[:4096])
    return (int(found.group(2)), int(found.group(1))) if found else (0, 0)


def _tiff(data: bytes) -> Size:
    """Returns the size of the first picture. Entries of its directory consist of a tag, a type, a count and a value."""
    order = "little" if data[:1] == b"I" else "big"

    def number(start: int, size: int) -> int:
        return int.from_bytes(data[start : start + size], order)  # type: ignore[arg-type]

    directory = number(4, 4)
    found = {256: 0, 257: 0}  # width and height
    for entry in range(directory + 2, directory + 2 + 12 * number(directory, 2), 12):
        tag, kind = number(entry, 2), number(entry + 2, 2)
        if tag in found:
            found[tag] = number(entry + 8, 2 if kind == 3 else 4)
    return found[257], found[256]


_MEASURES: Dict[str, Callable[[bytes], Size]] = {
    "PNG": _png,
    "PNG 16 bit": _png,
    "GIF": _gif,
    "BMP": _bmp,
    "WebP": _webp,
    "TIFF": _tiff,
    "PNM": _pnm,
}

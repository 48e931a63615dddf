"""How many pixels an image file claims to have, by its first bytes: (height, width), or (0, 0) where they do not say.

Nothing is decoded, and no memory is taken. A JPEG's are found by ``kinds``, on its way through the segments.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, Tuple

__all__ = ["MAX_PIXELS", "dimensions_of"]

# Pillow's: what fits into a quarter of a gigabyte, in three bytes each.
MAX_PIXELS = 1024 * 1024 * 1024 // 4 // 3

Size = Tuple[int, int]


def dimensions_of(kind: str, data: bytes) -> Size:
    """Height and width of a file of that *kind*."""
    measure = _MEASURES.get(kind)
    return measure(data) if measure is not None else (0, 0)


def _little(data: bytes, start: int, size: int) -> int:
    return int.from_bytes(data[start : start + size], "little")


def _png(data: bytes) -> Size:
    return int.from_bytes(data[20:24], "big"), int.from_bytes(data[16:20], "big")


def _gif(data: bytes) -> Size:
    return _little(data, 8, 2), _little(data, 6, 2)


def _bmp(data: bytes) -> Size:
    if _little(data, 14, 4) == 12:  # the head that OS/2 wrote
        return _little(data, 20, 2), _little(data, 18, 2)
    # A negative height says that the first row is at the top.
    return abs(int.from_bytes(data[22:26], "little", signed=True)), _little(data, 18, 4)


def _webp(data: bytes) -> Size:
    if data[12:16] == b"VP8X":
        return _little(data, 27, 3) + 1, _little(data, 24, 3) + 1
    if data[12:16] == b"VP8L":
        bits = _little(data, 21, 4)
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1
    return _little(data, 28, 2) & 0x3FFF, _little(data, 26, 2) & 0x3FFF


# A number, blanks and comments between: "P6", "# by a camera", "640 480".
_PNM = re.compile(rb"P\d(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)")


def _pnm(data: bytes) -> Size:
    found = _PNM.match(data[:4096])
    return (int(found.group(2)), int(found.group(1))) if found else (0, 0)


def _tiff(data: bytes) -> Size:
    """Of the first picture: its directory has entries of a tag, a type, a count and a value."""
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

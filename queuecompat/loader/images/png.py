"""Removes the chunks of PNG files that decoders treat differently, so that all decoders return the same picture.

Rule 1: a critical chunk, on which the picture depends (its name begins with a capital letter), must have the right
        checksum and a known name; otherwise the file is damaged.
Rule 2: other chunks with a wrong checksum are dropped, as libpng does; Pillow would refuse the file.
Rule 3: chunks of an animation are dropped. What is left is the picture that programs without support for animations
        show.

Nothing is decompressed.
"""

from __future__ import annotations

import zlib
from typing import List

__all__ = ["SIGNATURE", "plain_png"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KNOWN = frozenset([b"IHDR", b"PLTE", b"IDAT", b"IEND"])
_OF_ANIMATIONS = frozenset([b"acTL", b"fcTL", b"fdAT"])
_END = b"\0\0\0\0IEND\xaeB`\x82"


def plain_png(data: bytes) -> bytes:
    """Returns the file without the chunks that decoders treat differently; *data* itself if it has none.

    Raises:
      ValueError: the file is damaged.
    """
    kept: List[memoryview] = [memoryview(data)[: len(SIGNATURE)]]
    position, is_same = len(SIGNATURE), True
    view = memoryview(data)
    while position + 12 <= len(data):
        name = data[position + 4 : position + 8]
        end = position + 12 + int.from_bytes(data[position : position + 4], "big")
        if name == b"IEND":
            return data if is_same and data[position:end] == _END else b"".join([*kept, _END])
        is_right = zlib.crc32(view[position + 4 : end - 4]) == int.from_bytes(data[end - 4 : end], "big")
        if _is_critical(name):
            if not is_right:
                raise ValueError(f"the checksum of its chunk {_text(name)} is wrong")
            if name not in _KNOWN:
                raise ValueError(f"its chunk {_text(name)} is not of any known kind")
        if is_right and name not in _OF_ANIMATIONS:
            kept.append(view[position:end])
        else:
            is_same = False
        position = end
    raise ValueError("it ends before its image data does")


def _is_critical(name: bytes) -> bool:
    return not name[0] & 0x20


def _text(name: bytes) -> str:
    return name.decode("ascii", "backslashreplace")

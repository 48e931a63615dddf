"""The kind of an image file, detected from its bytes and never from its name.

Rule 1: kinds are distinguished only if a decoder treats them differently: a JPEG in CMYK and a JPEG in RGB are two
        kinds, a grey PNG and a coloured PNG are one.
Rule 2: truncated files are detected here, because some decoders fill the rest of the picture with grey and report
        nothing.

Nothing is decoded.
"""

from __future__ import annotations

from typing import NamedTuple, Tuple

from queuecompat.loader.images.dimensions import dimensions_of
from queuecompat.loader.images.png import SIGNATURE

__all__ = ["Kind", "kind_of"]

# The first bytes of the other formats.
_SIGNATURES = (
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    *((b"P" + digit, "PNM") for digit in (b"1", b"2", b"3", b"4", b"5", b"6")),
)

# The markers of a JPEG without a length or content: TEM, RST0-7, SOI.
_STANDALONE_MARKERS = frozenset([0x01, *range(0xD0, 0xD9)])
# Start-of-frame markers: all of C0 to CF, except C4, C8 and CC.
_FRAMES = frozenset(set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC})
_SCAN, _END = 0xDA, b"\xff\xd9"


class Kind(NamedTuple):
    """The kind of a file.

    Attributes:
      name: ``JPEG``, ``JPEG CMYK``, ``JPEG 12 bit``, ``PNG``, ``PNG 16 bit``, ``GIF``, ``BMP``,
        ``WebP``, ``TIFF``, ``PNM`` or ``unknown``.
      height, width: in pixels, as the first bytes claim; 0 if they are not known.
      is_whole: False if the file is certainly truncated.
    """

    name: str
    height: int = 0
    width: int = 0
    is_whole: bool = True


def kind_of(data: bytes) -> Kind:
    """Returns the kind of a file with the bytes *data*."""
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:8] == SIGNATURE:
        # The first chunk is IHDR; its ninth byte is the number of bits per sample.
        name = "PNG 16 bit" if data[24:25] == b"\x10" else "PNG"
        return Kind(name, *dimensions_of(name, data), data.rfind(b"IEND") > 0)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        is_whole = len(data) >= 8 + int.from_bytes(data[4:8], "little")
        return Kind("WebP", *dimensions_of("WebP", data), is_whole)
    name = next((name for start, name in _SIGNATURES if data.startswith(start)), "unknown")
    return Kind(name, *dimensions_of(name, data))


def _jpeg(data: bytes) -> Kind:
    """Returns the kind of a JPEG: reads its segments up to the first scan. Previews inside of segments are skipped."""
    name, size = "JPEG", (0, 0)
    position, end = 2, len(data) - 3
    while position < end:
        marker = data[position + 1]
        if data[position] != 0xFF or marker == 0xFF:
            position += 1  # padding
        elif marker in _STANDALONE_MARKERS:
            position += 2
        elif marker == _SCAN:
            # In the coded data, FF is always followed by 00 or a restart marker, so _END marks the end of the picture.
            return Kind(name, *size, data.rfind(_END, position) > 0)
        else:
            if marker in _FRAMES:
                name, size = _frame(data, position)
            position += 2 + (data[position + 2] << 8) + data[position + 3]
    return Kind(name, *size, is_whole=False)


def _frame(data: bytes, position: int) -> Tuple[str, Tuple[int, int]]:
    """Returns the name of the kind, and the size, from the frame header at *position*: after marker and length it has
    the bits per sample, the height, the width and the number of components."""
    head = data[position + 4 : position + 10]
    if len(head) < 6:
        return "JPEG", (0, 0)
    name = "JPEG 12 bit" if head[0] != 8 else "JPEG CMYK" if head[5] == 4 else "JPEG"
    return name, (int.from_bytes(head[1:3], "big"), int.from_bytes(head[3:5], "big"))

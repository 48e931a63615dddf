"""The wire format of protocol buffers: reads the fields of a message without generated classes.

Truncated data, or an unknown wire type, raises ValueError.
"""

from __future__ import annotations

from typing import Iterator, List, Tuple, Union

__all__ = ["BYTES", "FOUR_BYTES", "VARINT", "Field", "fields", "messages", "varint"]

Field = Tuple[int, int, Union[int, bytes]]  # number, kind, value
VARINT, _EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5


def messages(data: bytes, number: int) -> List[bytes]:
    """Returns the contents of the fields with this *number* that are strings of bytes."""
    return [content for n, kind, content in fields(data) if n == number and kind == BYTES and type(content) is bytes]


def fields(data: bytes) -> Iterator[Field]:
    """Yields the fields of the message *data*."""
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, place = varint(data, place)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, place = varint(data, place)
        elif kind in (_EIGHT_BYTES, FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of kind {kind}, which does not exist")
        if place + size > len(data):
            raise ValueError("it is truncated")
        yield number, kind, data[place : place + size]
        place += size


def varint(data: bytes, place: int) -> Tuple[int, int]:
    """Returns the number at *place*, which has seven bits per byte, and where it ends."""
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("it is truncated" if place >= len(data) else "a number of more than 64 bits")
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value, place
        shift += 7

"""CRC32C, the checksum of TFRecord files.

Rule 1: ``google-crc32c`` computes it if it is installed. Otherwise NumPy does: it processes many pieces of the data in
        parallel, byte by byte, and then joins their checksums. A Python loop over the bytes of a large record would
        take ten times as long.
Rule 2: Both return the same. The checksum is linear over bits, so the checksums of two pieces are joined by appending
        zeros to the first one.
"""

from __future__ import annotations

import functools
from typing import Callable, TypeVar

import numpy as np

__all__ = ["crc32c", "crc32c_of_rows", "masked"]

Checksum = TypeVar("Checksum", int, np.ndarray)

_POLYNOMIAL = np.uint32(0x82F63B78)  # Castagnoli's, with its bits reversed
_ONES = np.uint32(0xFFFFFFFF)
_PIECE = 64  # bytes, a power of two
_LEAST_VECTOR = 4096  # bytes; for fewer, a loop is faster than arrays


def _made_table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ _POLYNOMIAL, table >> 1)
    return table


_TABLE = _made_table()
_NUMBERS = _TABLE.tolist()


def crc32c_of_rows(rows: np.ndarray) -> np.ndarray:
    """Returns the checksum of each row of uint8 ``[rows, bytes]``, as uint32 ``[rows]``."""
    return _remainders(rows, np.full(len(rows), _ONES)) ^ _ONES


def _remainders(rows: np.ndarray, remainders: np.ndarray) -> np.ndarray:
    for column in np.ascontiguousarray(rows.T):
        remainders = _TABLE[(remainders ^ column) & 0xFF] ^ remainders >> 8
    return remainders


def _portable(data: bytes) -> int:
    return _in_a_loop(data) if len(data) < _LEAST_VECTOR else _with_numpy(data)


def _in_a_loop(data: bytes) -> int:
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder = _NUMBERS[(remainder ^ byte) & 0xFF] ^ remainder >> 8
    return remainder ^ 0xFFFFFFFF


def _with_numpy(data: bytes) -> int:
    values = np.frombuffer(data, np.uint8)
    pieces = -(-len(values) // _PIECE)
    # Zeros before the data change nothing as long as the remainder is 0. The ones that a checksum starts with are
    # equivalent to inverting the first four bytes.
    padded = np.zeros(pieces * _PIECE, np.uint8)
    start = len(padded) - len(values)
    padded[start:] = values
    padded[start : start + 4] ^= 0xFF
    remainders = _remainders(padded.reshape(pieces, _PIECE), np.zeros(pieces, np.uint32))
    size = _PIECE
    while len(remainders) > 1:
        if len(remainders) % 2:
            remainders = np.concatenate([np.zeros(1, np.uint32), remainders])
        remainders = _appended(_zeros(size), remainders[::2]) ^ remainders[1::2]
        size *= 2
    return int(remainders[0] ^ _ONES)


@functools.lru_cache(maxsize=64)
def _zeros(count: int) -> np.ndarray:
    """Returns how *count* zeros, a power of two, change a remainder with one byte set: uint32 ``[4, 256]``."""
    bytes_apart = np.arange(256, dtype=np.uint32) << (8 * np.arange(4, dtype=np.uint32))[:, np.newaxis]
    if count == 1:
        return _TABLE[bytes_apart & 0xFF] ^ bytes_apart >> 8
    half = _zeros(count // 2)
    return _appended(half, _appended(half, bytes_apart))


def _appended(zeros: np.ndarray, remainders: np.ndarray) -> np.ndarray:
    """Returns *remainders* after appending those *zeros* to the data."""
    out = zeros[0][remainders & 0xFF]
    for number in (1, 2, 3):
        out = out ^ zeros[number][remainders >> np.uint32(8 * number) & 0xFF]
    return out


def _chosen() -> Callable[[bytes], int]:
    try:
        import google_crc32c
    except ImportError:
        return _portable
    return google_crc32c.value


crc32c = _chosen()


def masked(checksum: Checksum) -> Checksum:
    """Masks a checksum as TFRecord files store it (rotated, plus a constant), since data may contain checksums.

    Args:
      checksum: a number, or an array of uint32.
    """
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF

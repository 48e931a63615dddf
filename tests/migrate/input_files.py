"""The files that the programs of the catalogue read: those of ``pipelines``, and what published programs read besides.

Pictures of 4 x 6 pixels with their masks, the same in folders of persons, sharded files of Examples and of
SequenceExamples, sounds, sentences, lists of files, and ratings. All are written without TensorFlow.
"""

from __future__ import annotations

import pathlib
import struct
import wave
import zlib
from typing import Dict, List, Sequence, Union

import numpy as np

from tests.migrate.pipelines import tf_record, write_files

__all__ = ["write_inputs"]

_HEIGHT, _WIDTH = 4, 6
_SENTENCES = ["the cat sat", "a dog", "the dog ran to the cat", "rain", "a cat and a dog ran"]

Feature = Union[bytes, Sequence[int], Sequence[float]]


def write_inputs(folder: pathlib.Path) -> None:
    """Writes all of them."""
    write_files(folder)
    for number in range(4):
        (folder / f"pic_{number}.png").write_bytes(_png(_pixels(number)))
        (folder / f"mask_{number}.png").write_bytes(_png(_pixels(number)[:, :, :1] % 3))
    for person, count in (("anna", 2), ("bert", 3)):
        (folder / "faces" / person).mkdir(parents=True)
        for number in range(count):
            (folder / "faces" / person / f"{person}_{number}.png").write_bytes(_png(_pixels(number + len(person))))
    for shard in range(2):
        records = (_example(shard * 4 + number) for number in range(4))
        (folder / f"train-0000{shard}-of-00002").write_bytes(b"".join(map(tf_record, records)))
    (folder / "captions-00000-of-00001").write_bytes(b"".join(tf_record(_sequence(number)) for number in range(4)))
    for number in range(3):
        _write_sound(folder / f"word_{number}.wav", np.arange(8) * 1000 * (number + 1))
    (folder / "labels.txt").write_text("".join(f"pic_{number}.png {number % 3}\n" for number in range(4)))
    (folder / "pairs.txt").write_text("".join(f"pic_{number}.png mask_{number}.png\n" for number in range(4)))
    (folder / "text.txt").write_text("".join(f"{number % 2}\t{line}\n" for number, line in enumerate(_SENTENCES)))
    (folder / "ratings.dat").write_text("".join(f"{row % 3},item{row % 4},{row % 5 + 0.5}\n" for row in range(7)))


def _pixels(number: int) -> np.ndarray:
    return (np.arange(_HEIGHT * _WIDTH * 3) * (number + 3) % 251).astype(np.uint8).reshape(_HEIGHT, _WIDTH, 3)


def _png(pixels: np.ndarray) -> bytes:
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _write_sound(path: pathlib.Path, samples: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16)
        file.writeframes(samples.astype("<i2").tobytes())


def _example(number: int) -> bytes:
    """An Example as the scripts of slim write them, with a caption and three numbers besides."""
    pixels = _pixels(number)
    features: Dict[str, Feature] = {
        "image/encoded": _png(pixels),
        "image/format": b"png",
        "image/filename": b"pic_%d" % number,
        "image/height": [_HEIGHT],
        "image/width": [_WIDTH],
        "image/class/label": [number % 3],
        "image/raw": pixels.tobytes(),
        "caption": list(range(1, number % 3 + 2)),
        "values": [number / 2, number / 4, 1.0],
    }
    return _field(1, _features(features))


def _sequence(number: int) -> bytes:
    """A SequenceExample: an image and an id, and for each step a word and four bytes."""
    context = _features(
        {"image/data": bytes(range(number, number + 4)), "video_id": b"v%d" % number, "labels": [number % 3, 3]}
    )
    steps = range(number % 3 + 2)
    lists: Dict[str, List[Feature]] = {
        "image/caption_ids": [[number + step] for step in steps],
        "rgb": [bytes([number, step, 2, 3]) for step in steps],
    }
    entries = (
        _field(1, _field(1, name.encode()) + _field(2, b"".join(_field(1, _feature(one)) for one in values)))
        for name, values in sorted(lists.items())
    )
    return _field(1, context) + _field(2, b"".join(entries))


def _features(features: Dict[str, Feature]) -> bytes:
    return b"".join(
        _field(1, _field(1, name.encode()) + _field(2, _feature(one))) for name, one in sorted(features.items())
    )


def _feature(value: Feature) -> bytes:
    if isinstance(value, bytes):
        return _field(1, _field(1, value))
    if isinstance(value[0], float):
        return _field(2, _field(1, struct.pack(f"<{len(value)}f", *value)))
    return _field(3, _field(1, bytes(value)))  # type: ignore[arg-type]  # each below 128: one byte


def _field(number: int, data: bytes) -> bytes:
    """A field of a message, of a length."""
    length, size = len(data), b""
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + data

"""Small JPEG files of every kind that ``decode_jpeg`` reads, and some that are none."""

from __future__ import annotations

import io
from typing import Any, Dict

import numpy as np
from PIL import Image

__all__ = ["FILES", "HEIGHT", "WIDTH", "cut_off", "damaged_at", "encoded"]

HEIGHT, WIDTH = 75, 93


def encoded(mode: str = "RGB", kind: str = "JPEG", **how: Any) -> bytes:
    """Smooth shapes and some noise: neighbours differ, and so would colours that were smoothed without them."""
    random = np.random.RandomState(5)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    planes = [np.sin(rows / (3 + n)) * 60 + np.cos(columns / (2 + n)) * 60 + 128 for n in range(3)]
    pixels = np.stack(planes, -1) + random.randint(-7, 8, [HEIGHT, WIDTH, 3])
    file = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).convert(mode).save(file, kind, **how)
    return file.getvalue()


def cut_off(contents: bytes) -> bytes:
    return contents[: len(contents) * 2 // 3]


def damaged_at(contents: bytes, share: float) -> bytes:
    """*contents* with a table in the middle of the pixels that no decoder accepts."""
    place = int(len(contents) * share)
    return contents[:place] + b"\xff\xc4\x00\x00" + contents[place + 4 :]


FILES: Dict[str, bytes] = {
    "4:4:4": encoded(subsampling=0, quality=90),
    "4:2:2": encoded(subsampling=1, quality=80),
    "4:2:0": encoded(subsampling=2, quality=95),
    "progressive": encoded(subsampling=2, progressive=True),
    "four colours": encoded("CMYK", subsampling=2),
    "grayscale": encoded("L"),
    "bytes after the end": encoded(subsampling=2) + b"\0",
    "PNG": encoded(kind="PNG"),
}

"""One image file of every sort that a list may name, and what it has to become.

Each is made out of one part of a photograph, so that decoders have something to disagree about.
"""

from __future__ import annotations

import functools
import io
import struct
import zlib
from typing import Any, Callable, Dict, Sequence, Tuple

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_images

__all__ = ["BROKEN", "SOUND", "UNDEFINED", "encoded", "photograph"]


@functools.cache
def photograph() -> np.ndarray:
    """uint8 ``[64, 80, 3]``."""
    part = np.ascontiguousarray(load_sample_images().images[0][150:214, 200:280])
    part.setflags(write=False)
    return part


def encoded(image: Any, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(file, form, **options)
    return file.getvalue()


def _three(grey: np.ndarray) -> np.ndarray:
    return np.repeat(grey[:, :, np.newaxis], 3, axis=2)


def _colour(mode: str) -> Image.Image:
    return Image.fromarray(photograph()).convert(mode)


def _alpha() -> np.ndarray:
    return np.arange(64 * 80, dtype=np.uint8).reshape(64, 80)


def _sixteen_bits() -> np.ndarray:
    return (photograph().astype(np.uint16) << 8) + _alpha()[:, :, np.newaxis]


def _png_of_16_bits(samples: np.ndarray) -> bytes:
    """Pillow writes no PNG with three channels of 16 bits; this does."""
    return _png(samples, 16)


def _chunk(name: bytes, content: bytes, wrong: int = 0) -> bytes:
    """A chunk of a PNG, with a checksum that is *wrong* by so much."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content) ^ wrong)


def _png(
    samples: np.ndarray,
    bits: int = 8,
    before: Sequence[bytes] = (),
    after: Sequence[bytes] = (),
    wrong: Sequence[bytes] = (),
) -> bytes:
    """A PNG with chunks *before* and *after* its data; the checksums of those in *wrong* are wrong."""
    height, width, _ = samples.shape
    head = struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0)
    parts = [_chunk(b"IHDR", head, b"IHDR" in wrong), *before, _chunk(b"IDAT", _rows(samples, bits), b"IDAT" in wrong)]
    return b"\x89PNG\r\n\x1a\n" + b"".join([*parts, *after, _chunk(b"IEND", b"", b"IEND" in wrong)])


def _rows(samples: np.ndarray, bits: int = 8) -> bytes:
    """The compressed data of a PNG."""
    return zlib.compress(b"".join(b"\0" + row.astype(f">u{bits // 8}").tobytes() for row in samples))


def _with_wrong_checksum(data: bytes, name: bytes) -> bytes:
    """The PNG *data* with a wrong checksum of its first chunk of that *name*."""
    position = 8
    while data[position + 4 : position + 8] != name:
        position += 12 + int.from_bytes(data[position : position + 4], "big")
    end = position + 12 + int.from_bytes(data[position : position + 4], "big")
    return data[: end - 1] + bytes([data[end - 1] ^ 1]) + data[end:]


def _palette_png() -> bytes:
    """With PLTE and tRNS."""
    return encoded(_colour("P"), "PNG", transparency=bytes(range(200)))


def _grey_with_a_transparent_shade() -> bytes:
    return encoded(_colour("L"), "PNG", transparency=100)


def _animated_besides() -> bytes:
    """An animated PNG whose own picture is none of the animation's."""
    height, width, _ = photograph().shape
    frame = _chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 10, 0, 1))
    data = _chunk(b"fdAT", struct.pack(">I", 1) + _rows(photograph()[::-1]))
    return _png(photograph(), before=[_chunk(b"acTL", struct.pack(">II", 1, 0))], after=[frame, data])


def _with_orientation(form: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    return encoded(photograph(), form, exif=exif)


def _jpeg_as_pillow_has_it(image: Any, **options: Any) -> Tuple[bytes, np.ndarray]:
    data = encoded(image, "JPEG", **options)
    with Image.open(io.BytesIO(data)) as again:
        return data, np.asarray(again.convert("RGB"))


def _cmyk() -> Tuple[bytes, np.ndarray]:
    inks = np.dstack([photograph(), _alpha() // 2])
    data = encoded(Image.frombytes("CMYK", (80, 64), inks.tobytes()), "JPEG", quality=95)
    with Image.open(io.BytesIO(data)) as again:
        stored = np.asarray(again).astype(np.float64)
    return data, (255 - stored[..., :3]) * (255 - stored[..., 3:]) / 255


def _damaged(data: bytes, at: int, what: bytes) -> bytes:
    return data[:at] + what + data[at + len(what) :]


_MORE = [Image.fromarray(photograph()[::-1])]

# From a name to a function that makes the file and the pixels that it has to become.
SOUND: Dict[str, Callable[[], Tuple[bytes, np.ndarray]]] = {
    "JPEG": lambda: _jpeg_as_pillow_has_it(photograph(), quality=90),
    "JPEG, progressive": lambda: _jpeg_as_pillow_has_it(photograph(), progressive=True),
    "JPEG, full colour": lambda: _jpeg_as_pillow_has_it(photograph(), subsampling=0),
    "JPEG, odd size": lambda: _jpeg_as_pillow_has_it(photograph()[:17, :33]),
    "JPEG, grey": lambda: _jpeg_as_pillow_has_it(_colour("L")),
    "JPEG, CMYK": _cmyk,
    "JPEG, orientation": lambda: (_with_orientation("JPEG"), _jpeg_as_pillow_has_it(photograph())[1]),
    "JPEG, with a tail": lambda: (encoded(photograph(), "JPEG") + b"tail" * 9, _jpeg_as_pillow_has_it(photograph())[1]),
    "PNG": lambda: (encoded(photograph(), "PNG"), photograph()),
    "PNG, grey": lambda: (encoded(_colour("L"), "PNG"), _three(np.asarray(_colour("L")))),
    "PNG, black and white": lambda: (encoded(_colour("1"), "PNG"), _three(np.asarray(_colour("1")) * np.uint8(255))),
    "PNG, palette": lambda: (encoded(_colour("P"), "PNG"), np.asarray(_colour("P").convert("RGB"))),
    "PNG, palette with transparent entries": lambda: (
        encoded(_colour("P"), "PNG", transparency=bytes(range(200))),
        np.asarray(_colour("P").convert("RGB")),
    ),
    "PNG, alpha": lambda: (encoded(np.dstack([photograph(), _alpha()]), "PNG"), photograph()),
    "PNG, grey and alpha": lambda: (
        encoded(Image.merge("LA", [_colour("L"), Image.fromarray(_alpha())]), "PNG"),
        _three(np.asarray(_colour("L"))),
    ),
    "PNG, 16 bits": lambda: (_png_of_16_bits(_sixteen_bits()), photograph()),
    "PNG, grey of 16 bits": lambda: (encoded(_sixteen_bits()[:, :, 0].copy(), "PNG"), _three(photograph()[:, :, 0])),
    "PNG, orientation": lambda: (_with_orientation("PNG"), photograph()),
    "PNG, animated": lambda: (encoded(photograph(), "PNG", save_all=True, append_images=_MORE), photograph()),
    "PNG, animated besides": lambda: (_animated_besides(), photograph()),
    "PNG, wrong checksum of its text": lambda: (
        _png(photograph(), before=[_chunk(b"tEXt", b"by\0me", wrong=1)]),
        photograph(),
    ),
    "PNG, wrong checksum of its end": lambda: (_png(photograph(), wrong=[b"IEND"]), photograph()),
    "PNG, wrong checksum of its transparent entries": lambda: (
        _with_wrong_checksum(_palette_png(), b"tRNS"),
        np.asarray(_colour("P").convert("RGB")),
    ),
    "PNG, wrong checksum of its transparent shade": lambda: (
        _with_wrong_checksum(_grey_with_a_transparent_shade(), b"tRNS"),
        _three(np.asarray(_colour("L"))),
    ),
    **{
        f"PNG, animated, wrong checksum of {chunk.decode()}": functools.partial(
            lambda chunk: (_with_wrong_checksum(_animated_besides(), chunk), photograph()), chunk
        )
        for chunk in (b"acTL", b"fcTL", b"fdAT")
    },
    "GIF, animated": lambda: (
        encoded(_colour("P"), "GIF", save_all=True, append_images=_MORE),
        np.asarray(_colour("P").convert("RGB")),
    ),
    "BMP": lambda: (encoded(photograph(), "BMP"), photograph()),
    "WebP": lambda: (encoded(photograph(), "WEBP", lossless=True), photograph()),
    "WebP, animated": lambda: (
        encoded(photograph(), "WEBP", lossless=True, save_all=True, append_images=_MORE),
        photograph(),
    ),
    "TIFF": lambda: (encoded(photograph(), "TIFF"), photograph()),
    "TIFF, two pages": lambda: (encoded(photograph(), "TIFF", save_all=True, append_images=_MORE), photograph()),
    "TIFF, grey of 16 bits": lambda: (encoded(_sixteen_bits()[:, :, 0].copy(), "TIFF"), _three(photograph()[:, :, 0])),
    "PPM": lambda: (encoded(photograph(), "PPM"), photograph()),
}

# Files that give no picture: what is wrong with them is QC625.
BROKEN: Dict[str, Callable[[], bytes]] = {
    "JPEG without its end": lambda: encoded(photograph(), "JPEG")[:-300],
    "JPEG without its last byte": lambda: encoded(photograph(), "JPEG")[:-1],
    "head of a JPEG": lambda: encoded(photograph(), "JPEG")[:100],
    "JPEG whose preview is whole": lambda: (
        b"\xff\xd8\xff\xe0\x00\x08pre\xff\xd9\0" + encoded(photograph(), "JPEG")[2:-300]
    ),
    "PNG without its end": lambda: encoded(photograph(), "PNG")[:-300],
    "PNG with damaged data": lambda: _damaged(encoded(photograph(), "PNG"), 2000, b"\7\7\7\7"),
    "PNG with a wrong checksum of its data": lambda: _png(photograph(), wrong=[b"IDAT"]),
    "PNG with a wrong checksum of its head": lambda: _png(photograph(), wrong=[b"IHDR"]),
    "PNG with a wrong checksum of its palette": lambda: _with_wrong_checksum(_palette_png(), b"PLTE"),
    "PNG with a wrong checksum of a palette that it does not need": lambda: _with_wrong_checksum(
        _png(photograph(), before=[_chunk(b"PLTE", bytes(30))]), b"PLTE"
    ),
    "PNG, animated, with a wrong checksum of its data": lambda: _with_wrong_checksum(_animated_besides(), b"IDAT"),
    "PNG with a part of no known kind": lambda: _png(photograph(), before=[_chunk(b"ABCD", b"what")]),
    "GIF without its end": lambda: encoded(_colour("P"), "GIF")[:-300],
    "BMP without its end": lambda: encoded(photograph(), "BMP")[:-300],
    "WebP without its end": lambda: encoded(photograph(), "WEBP")[:-300],
    "TIFF without its end": lambda: encoded(photograph(), "TIFF")[:-300],
    "PPM without its end": lambda: encoded(photograph(), "PPM")[:-300],
    "text": lambda: b"<html>404 not found</html>",
}

# Whole files for whose samples there is no one way to 8 bits: QC629.
UNDEFINED: Dict[str, Callable[[], bytes]] = {
    "TIFF of floats": lambda: encoded(photograph()[:, :, 0].astype(np.float32), "TIFF"),
    "TIFF of 32 bits": lambda: encoded(photograph()[:, :, 0].astype(np.int32) << 20, "TIFF"),
    "JPEG of 12 bits": lambda: encoded(photograph(), "JPEG").replace(
        b"\xff\xc0\x00\x11\x08", b"\xff\xc0\x00\x11\x0c", 1
    ),
}

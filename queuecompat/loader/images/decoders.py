"""The table of decoders: which packages can decode which kinds of files, the fastest first.

Rule 1: every decoder returns the same pixels for a kind that its row names: uint8 ``[height, width, 3]``,
        red first. A kind that a package decodes differently, or not at all, is not in its row.
Rule 2: a package is imported when its row is first needed; a package that cannot be imported is skipped.
Rule 3: truncated files are found by ``kinds`` before decoding, since some decoders fill the rest with grey and report
        nothing.

What images that are not plain RGB become, whichever decoder is installed:

====================  ==========================================================================
grey                  three equal channels
palette               the colours of the palette; which entry is transparent does not matter
alpha                 dropped: the colours as they are stored, without blending
black and white       0 and 255
CMYK                  RGB by ``(255 - ink) * (255 - black) / 255``; inverted inks, as Adobe writes them, are handled
16 bits               the upper 8 bits of each sample
animated, many pages  the first picture; of a PNG, the one that programs without support for animations show
wrong checksum        of a PNG chunk: an error (QC625) if the picture depends on the chunk; else the chunk is dropped
EXIF orientation      ignored: pixels as they are stored, as with TensorFlow's and Caffe's decoders
truncated             an error (QC625); other damage inside of a JPEG is decoded as far as libjpeg can
12-bit JPEG, floats   an error (QC629): there is no standard conversion to 8 bits
====================  ==========================================================================
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import io
import threading
from typing import Any, Callable, FrozenSet, Iterator, Optional, Sequence, Tuple

import numpy as np

from queuecompat.loader.images.kinds import Kind

__all__ = ["DECODERS", "Decoder", "TooManyPixelsError", "decoder_for", "is_usable", "usable_decoders"]


class TooManyPixelsError(Exception):
    """The header, which only the decoder's library can read, claims more pixels than are allowed. *size* is (0, 0) if
    the library does not say how many."""

    def __init__(self, height: int, width: int) -> None:
        super().__init__(height, width)
        self.size = (height, width)


@dataclasses.dataclass(frozen=True)
class Decoder:
    """A row of the table of decoders.

    Attributes:
      name: the name in the argument ``decoders`` and in messages.
      module: the module to import.
      package: the package to install with pip.
      kinds: the kinds of files that it decodes: names of ``kinds.Kind``.
      decode: decodes a file, given its bytes, its kind and the maximum number of pixels. Returns uint8
        ``[height, width, 3]``, which may be in memory of the calling thread that its next call overwrites.
        If the kind has no size, it raises ``TooManyPixelsError`` before it allocates memory for the pixels.
    """

    name: str
    module: str
    package: str
    kinds: FrozenSet[str]
    decode: Callable[[bytes, Kind, float], np.ndarray]


_of_this_thread = threading.local()


def _scratch(size: int) -> np.ndarray:
    """Returns memory for one picture, reused by this thread. The page faults of new memory for each picture would cost
    a seventh of the decoding time."""
    memory: Optional[np.ndarray] = getattr(_of_this_thread, "memory", None)
    if memory is None or memory.size < size:
        memory = _of_this_thread.memory = np.empty(size, np.uint8)
    return memory[:size]


def _with_simplejpeg(data: bytes, kind: Kind, most: float) -> np.ndarray:
    import simplejpeg

    # strict=False: as in the other decoders, damage that libjpeg can recover from is not an error.
    memory = _scratch(kind.height * kind.width * 3)
    return simplejpeg.decode_jpeg(data, "RGB", buffer=memory, strict=False)


def _with_opencv(data: bytes, kind: Kind, most: float) -> np.ndarray:
    import cv2

    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    if image is None:
        raise ValueError("OpenCV cannot decode it")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=image)


def _with_pillow(data: bytes, kind: Kind, most: float) -> np.ndarray:
    from PIL import Image

    with _opened(Image, data) as image:
        if image.width * image.height > most:
            raise TooManyPixelsError(image.height, image.width)
        image.load()
        # With a transparent entry of the palette, convert() would warn, or blend that entry.
        image.info.pop("transparency", None)
        if image.mode.startswith("I"):
            return _upper_bits(np.asarray(image))
        if image.mode == "F":
            raise NotImplementedError("it holds floating-point samples")
        return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))


def _opened(pillow: Any, data: bytes) -> Any:
    try:
        return pillow.open(io.BytesIO(data))
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning) as problem:
        # Pillow's own limit; only the text of its exception contains the size.
        raise TooManyPixelsError(0, 0) from problem


def _upper_bits(samples: np.ndarray) -> np.ndarray:
    """Returns 16-bit grey samples, which Pillow may hold in any integer type, as three equal 8-bit channels."""
    if samples.min() < 0 or samples.max() > 0xFFFF:
        raise NotImplementedError("its samples have more than 16 bits")
    grey = (samples >> 8).astype(np.uint8)
    return np.broadcast_to(grey[:, :, np.newaxis], (*grey.shape, 3))


DECODERS: Tuple[Decoder, ...] = (
    Decoder("simplejpeg", "simplejpeg", "simplejpeg", frozenset(["JPEG"]), _with_simplejpeg),
    Decoder("OpenCV", "cv2", "opencv-python-headless", frozenset(["JPEG", "PNG", "PNG 16 bit"]), _with_opencv),
    Decoder(
        "Pillow",
        "PIL",
        "pillow",
        frozenset(
            ["JPEG", "JPEG CMYK", "PNG", "PNG 16 bit", "GIF", "BMP", "WebP", "TIFF", "PNM", "unknown"],
        ),
        _with_pillow,
    ),
)


@functools.cache
def is_usable(module: str) -> bool:
    """Returns whether *module* can be imported. OpenCV may be installed, but lack a display library."""
    try:
        importlib.import_module(module)
    except Exception:
        return False
    return True


def usable_decoders(names: Optional[Sequence[str]] = None) -> Iterator[Decoder]:
    """Returns the decoders whose packages can be imported, the fastest first; only those in *names*, if not None."""
    return (row for row in DECODERS if (names is None or row.name in names) and is_usable(row.module))


def decoder_for(kind: str, names: Optional[Sequence[str]] = None) -> Optional[Decoder]:
    """Returns the fastest of ``usable_decoders`` that can decode *kind*, or None. Imports only packages whose rows
    have this kind, up to the one returned."""
    for row in DECODERS:
        if kind in row.kinds and (names is None or row.name in names) and is_usable(row.module):
            return row
    return None

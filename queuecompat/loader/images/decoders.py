"""The decoders: which packages can decode which kinds of files, the fastest first.

Rule 1: every decoder returns the same pixels for a kind that its row names: uint8 ``[height, width, 3]``,
        red first. A kind that a package decodes differently, or not at all, is not in its row.
Rule 2: a package is imported when its row's turn comes, and one that cannot be imported is passed over.
Rule 3: a file that ends too early is not for a decoder to judge: ``kinds`` finds it before, since some of
        them fill the rest with grey.

What becomes of images that are not plain RGB, whichever decoder is installed:

====================  ==========================================================================
grey                  three equal channels
palette               the colours of the palette; which entry is transparent does not matter
alpha                 dropped: the colours that are stored under it
black and white       0 and 255
CMYK                  RGB by ``(255 - ink) * (255 - black) / 255``, inks inverted where Adobe did so
16 bits               the upper 8 of each sample
animated, many pages  the first picture; of a PNG, the one that programs show which know no animations
wrong checksum        of a PNG: an error (QC625) in what the picture depends on; other chunks are dropped
EXIF orientation      ignored: pixels as they are stored, as with TensorFlow's and Caffe's decoders
truncated             an error (QC625); what is damaged inside is decoded as far as libjpeg can
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
    """The header, which only the decoder's library can read, claims more pixels than are allowed."""

    def __init__(self, height: int, width: int) -> None:
        super().__init__(height, width)
        self.size = (height, width)


@dataclasses.dataclass(frozen=True)
class Decoder:
    """A row of the table.

    Attributes:
      name: as users know it.
      module: what is imported.
      package: what is installed with pip.
      kinds: names of ``kinds.Kind``.
      decode: from the bytes of a file, its kind and the most pixels to its pixels, uint8
        ``[height, width, 3]``. They may lie in memory of the calling thread that its next call overwrites.
        Where the kind has no size, it raises ``TooManyPixelsError`` before it takes memory for them.
    """

    name: str
    module: str
    package: str
    kinds: FrozenSet[str]
    decode: Callable[[bytes, Kind, float], np.ndarray]


_of_this_thread = threading.local()


def _scratch(size: int) -> np.ndarray:
    """Memory for one picture. A fresh one for each costs as much as a seventh of the decoding: page faults."""
    memory: Optional[np.ndarray] = getattr(_of_this_thread, "memory", None)
    if memory is None or memory.size < size:
        memory = _of_this_thread.memory = np.empty(size, np.uint8)
    return memory[:size]


def _with_simplejpeg(data: bytes, kind: Kind, most: float) -> np.ndarray:
    import simplejpeg

    # strict=False: damage that libjpeg can step over is no error, as with the other decoders.
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
        # convert() would warn about a transparent entry of the palette, or blend it.
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
        # Pillow's own limit, of which the size was read out of its message alone.
        raise TooManyPixelsError(0, 0) from problem


def _upper_bits(samples: np.ndarray) -> np.ndarray:
    """Grey of 16 bits, whatever integers Pillow holds it in, to three channels of 8."""
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
    """Whether *module* can be imported; OpenCV may be installed but lack a display library."""
    try:
        importlib.import_module(module)
    except Exception:
        return False
    return True


def usable_decoders(names: Optional[Sequence[str]] = None) -> Iterator[Decoder]:
    """The rows whose packages can be imported, the fastest first; of those *names* only, if given."""
    return (row for row in DECODERS if (names is None or row.name in names) and is_usable(row.module))


def decoder_for(kind: str, names: Optional[Sequence[str]] = None) -> Optional[Decoder]:
    """The fastest of ``usable_decoders`` that can decode *kind*. No other package is imported."""
    for row in DECODERS:
        if kind in row.kinds and (names is None or row.name in names) and is_usable(row.module):
            return row
    return None

"""From a listed image to its pixels, or to the one error that says what is wrong with the file.

Rule 1: whatever is wrong with a file is a BadImageError that names the file and the line of the list.
Rule 2: what a file becomes depends on its bytes alone, not on which decoders are installed: see
        ``decoders``.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.images.decoders import DECODERS, Decoder, TooManyPixelsError, decoder_for
from queuecompat.loader.images.dimensions import MAX_PIXELS
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.kinds import Kind, kind_of
from queuecompat.loader.images.png import plain_png
from queuecompat.loader.images.resizing import resized, size_of
from queuecompat.loader.metrics.stages import stage

__all__ = ["BadImageError", "bad_image", "read_image"]

# What Pillow calls the bytes that it was given in place of a file.
_BUFFER = re.compile(r" <_io\.BytesIO object at 0x\w+>")


class BadImageError(errors.QueueCompatValueError):
    """An image of the list cannot be used.

    Attributes:
      path: its file.
      code: QC624 (no file, or an empty one), QC625 (truncated, damaged, or no image), QC626 (no decoder
        installed), QC627 (too small), QC628 (not of the mean image's size), QC629 (no defined result), QC631
        (too many pixels).
    """

    path: str = ""

    def __reduce__(self) -> Tuple[Any, ...]:
        # Its attributes go with it from a worker's process.
        return type(self), self.args, {"path": self.path, "code": self.code}


def bad_image(image: ListedImage, code: str, **fields: object) -> BadImageError:
    """The error for *image*; where it was made is where the list names it."""
    error = BadImageError(errors.layout(code, image.place, path=image.path, **fields))
    error.path, error.code = image.path, code
    return error


def read_image(
    image: ListedImage,
    decoder_names: Optional[Sequence[str]] = None,
    max_pixels: Optional[int] = MAX_PIXELS,
    resize: Union[int, Tuple[int, int], None] = None,
) -> np.ndarray:
    """Read, decode and resize one file.

    Args:
      decoder_names: which rows of ``DECODERS`` may be used; all that are installed by default.
      max_pixels: the most that it may have by its first bytes, and resized, before memory is taken for them; None for
        any number.
      resize: the shorter side, or height and width, that it gets; None for its own.
    Returns:
      Its pixels, uint8 ``[height, width, 3]``, red first. They may lie in memory that the next call of
      the same thread overwrites.
    Raises:
      BadImageError: QC624, QC625, QC626, QC629 or QC631.
    """
    pixels = _decoded_file(image, decoder_names, max_pixels)
    if resize is None:
        return pixels
    own = pixels.shape[0], pixels.shape[1]
    size = size_of(own, resize)
    # A line of pixels is small as it is, and takes gigabytes when its shorter side has grown.
    if max_pixels is not None and size[0] * size[1] > max_pixels:
        raise bad_image(image, "QC631", size=f"{_by(own)}, and resized {_by(size)}", most=max_pixels, more="")
    return resized(pixels, size)


def _decoded_file(image: ListedImage, decoder_names: Optional[Sequence[str]], max_pixels: Optional[int]) -> np.ndarray:
    with stage("read"):
        data = _contents(image, _bytes_at_once)
    with stage("decode"):
        try:
            return _read(image, data, decoder_names, max_pixels)
        except BadImageError:
            whole = _contents(image, _bytes_of)
            if whole == data:
                raise
        return _read(image, whole, decoder_names, max_pixels)


def _read(
    image: ListedImage, data: bytes, decoder_names: Optional[Sequence[str]], max_pixels: Optional[int]
) -> np.ndarray:
    kind = kind_of(data)
    most = float("inf") if max_pixels is None else max_pixels
    if kind.height * kind.width > most:
        raise _too_large(image, (kind.height, kind.width), most)
    decoder = decoder_for(kind.name, decoder_names)
    if kind.name == "JPEG 12 bit":
        raise bad_image(image, "QC629", why="it is a JPEG of 12 bits")
    if not kind.is_whole:
        raise bad_image(image, "QC625", why=f"it is a {kind.name} file that ends before its image data does")
    if decoder is None:
        able = " or ".join(row.package for row in DECODERS if kind.name in row.kinds)
        raise bad_image(image, "QC626", kind=kind.name, packages=able)
    if kind.name.startswith("PNG"):
        try:
            data = plain_png(data)
        except ValueError as error:
            raise bad_image(image, "QC625", why=str(error)) from None
    return _decoded(image, data, kind, decoder, most)


def _decoded(image: ListedImage, data: bytes, kind: Kind, decoder: Decoder, most: float) -> np.ndarray:
    try:
        return decoder.decode(data, kind, most)
    except NotImplementedError as error:
        raise bad_image(image, "QC629", why=str(error)) from error
    except TooManyPixelsError as error:
        raise _too_large(image, error.size, most) from error.__cause__
    except MemoryError:
        raise
    except Exception as error:  # each decoder has its own types
        said = _BUFFER.sub("", str(error))
        raise bad_image(image, "QC625", why=f"{decoder.name} says: {said}") from error


def _too_large(image: ListedImage, size: Tuple[int, int], most: float) -> BadImageError:
    if not any(size):  # Pillow's own limit
        more = "; raise PIL.Image.MAX_IMAGE_PIXELS, too"
        return bad_image(image, "QC631", size="too many", most="None" if most == float("inf") else most, more=more)
    return bad_image(image, "QC631", size=_by(size), most=most, more="")


def _by(size: Tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


_AT_ONCE = 1 << 16  # bytes; most images have fewer
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # the latter on Windows


def _contents(image: ListedImage, bytes_of: Callable[[str], bytes]) -> bytes:
    try:
        data = bytes_of(image.path)
    except OSError as error:
        raise bad_image(image, "QC624", why=error.strerror or str(error)) from error
    if not data:
        raise bad_image(image, "QC624", why="it is empty")
    return data


def _bytes_at_once(path: str) -> bytes:
    """Those of a file that one call reads, mostly all of them: each system call lets go of Python's lock, and with many
    workers it takes longer to get that back than to read an image.

    A file system may return fewer than there are, though none that is common does. So what is wrong with these bytes
    has to be wrong with those of ``_bytes_of``, too.
    """
    file = os.open(path, _FLAGS)
    try:
        data = os.read(file, _AT_ONCE)
        return data if len(data) < _AT_ONCE else _rest(file, data)
    finally:
        os.close(file)


def _bytes_of(path: str) -> bytes:
    """The result of ``open(path, "rb").read()``, with half the system calls."""
    file = os.open(path, _FLAGS)
    try:
        return _rest(file, b"")
    finally:
        os.close(file)


def _rest(file: int, data: bytes) -> bytes:
    """*data*, and what comes after it in *file*."""
    size = os.fstat(file).st_size
    while len(data) < size:
        more = os.read(file, size - len(data))
        if not more:
            break  # the file is being made shorter
        data += more
    return data

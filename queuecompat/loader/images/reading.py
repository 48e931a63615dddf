"""Reads and decodes a listed image, or raises the error that says what is wrong with the file.

Rule 1: anything that is wrong with a file raises a BadImageError, which names the file and the line of the list.
Rule 2: the pixels depend on the bytes of the file alone, not on which decoders are installed: see ``decoders``.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.images.decoders import DECODERS, Decoder, TooManyPixelsError, decoder_for
from queuecompat.loader.images.dimensions import MAX_PIXELS, size_text
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.kinds import Kind, kind_of
from queuecompat.loader.images.png import plain_png
from queuecompat.loader.images.resizing import resized, size_of
from queuecompat.loader.metrics.stages import stage

__all__ = ["BadImageError", "bad_image", "read_image"]

# Part of Pillow's messages, which name the buffer that was passed instead of a file.
_BUFFER = re.compile(r" <_io\.BytesIO object at 0x\w+>")


class BadImageError(errors.QueueCompatValueError):
    """An image of the list cannot be used.

    Attributes:
      path: the path of the file.
      code: QC624 (no file, or an empty one), QC625 (truncated, damaged, or not an image), QC626 (no decoder
        installed), QC627 (too small), QC628 (not of the mean image's size), QC629 (no defined result), QC631
        (too many pixels).
    """

    path: str = ""

    def __reduce__(self) -> Tuple[Any, ...]:
        # Keeps the attributes when the error is pickled in a worker process.
        return type(self), self.args, {"path": self.path, "code": self.code}


def bad_image(image: ListedImage, code: str, **fields: object) -> BadImageError:
    """Returns the error for *image*. Its message gets the place of the image in the list instead of a source line."""
    error = errors.error_at(BadImageError, code, image.place, path=image.path, **fields)
    error.path = image.path
    return error


def read_image(
    image: ListedImage,
    decoder_names: Optional[Sequence[str]] = None,
    max_pixels: Optional[int] = MAX_PIXELS,
    resize: Union[int, Tuple[int, int], None] = None,
) -> np.ndarray:
    """Reads, decodes and resizes one file.

    Args:
      decoder_names: the names of the ``DECODERS`` that may be used; None for all that are installed.
      max_pixels: the maximum number of pixels by the file's first bytes, and after resizing; checked before memory is
        allocated for the pixels. None for no limit.
      resize: the length of the shorter side, or height and width, to which the image is resized; None to keep its size.
    Returns:
      The pixels, uint8 ``[height, width, 3]``, red first. They may be in memory that the next call on the same thread
      overwrites.
    Raises:
      BadImageError: QC624, QC625, QC626, QC629 or QC631.
    """
    pixels = _decoded_file(image, decoder_names, max_pixels)
    if resize is None:
        return pixels
    own = pixels.shape[0], pixels.shape[1]
    size = size_of(own, resize)
    # An image one pixel high is small, but may take gigabytes after its shorter side has been enlarged.
    if max_pixels is not None and size[0] * size[1] > max_pixels:
        raise bad_image(
            image, "QC631", size=f"{size_text(own)}, and resized {size_text(size)}", most=max_pixels, more=""
        )
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
    return bad_image(image, "QC631", size=size_text(size), most=most, more="")


_AT_ONCE = 1 << 16  # bytes; most images have fewer
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # O_BINARY exists on Windows only


def _contents(image: ListedImage, bytes_of: Callable[[str], bytes]) -> bytes:
    try:
        data = bytes_of(image.path)
    except OSError as error:
        raise bad_image(image, "QC624", why=error.strerror or str(error)) from error
    if not data:
        raise bad_image(image, "QC624", why="it is empty")
    return data


def _bytes_at_once(path: str) -> bytes:
    """Returns the bytes that one system call reads: the whole file, if it is small; more calls read a larger file.

    Few calls, because each one releases Python's lock, and with many workers getting the lock back takes longer than
    reading an image. A file system may return fewer bytes than the file has, although no common one does. So an error
    in these bytes counts only if the bytes of ``_bytes_of`` have it, too.
    """
    file = os.open(path, _FLAGS)
    try:
        data = os.read(file, _AT_ONCE)
        return data if len(data) < _AT_ONCE else _rest(file, data)
    finally:
        os.close(file)


def _bytes_of(path: str) -> bytes:
    """Returns the result of ``open(path, "rb").read()``, with half as many system calls."""
    file = os.open(path, _FLAGS)
    try:
        return _rest(file, b"")
    finally:
        os.close(file)


def _rest(file: int, data: bytes) -> bytes:
    """Returns *data*, the bytes of *file* that were already read, with the rest of the file."""
    size = os.fstat(file).st_size
    while len(data) < size:
        more = os.read(file, size - len(data))
        if not more:
            break  # the file has become shorter meanwhile
        data += more
    return data

"""Labels that are words: names of classes in a list file, in pairs, or of folders.

Rule 1: the number of a class is its place among all names in sorted order, or its place in the list that is passed. So
        it depends neither on the order of the images, nor on the file system's order of files.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from queuecompat import errors

__all__ = ["Classes", "files_of_classes", "files_without_class", "numbered"]

# "sorted", a list of the names, or None for labels that are numbers.
Classes = Union[str, Sequence[str], None]

# The endings of image files. Other files in a folder of images are notes, checksums and so on.
_ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp")


def numbered(words: Sequence[str], classes: Classes, place: Any) -> Tuple[np.ndarray, List[str]]:
    """Returns the number of each of *words*, int64, and the names of all classes.

    Args:
      place: returns the place in the list of the word with an index, for messages.
    Raises:
      ValueError: a word that is not one of *classes* (QC640).
    """
    names = sorted(set(words)) if classes is None or isinstance(classes, str) else list(classes)
    numbers = {name: number for number, name in enumerate(names)}
    column = np.empty(len(words), np.int64)
    for index, word in enumerate(words):
        number = numbers.get(word)
        if number is None:
            known = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
            raise errors.error(errors.QueueCompatValueError, "QC640", place=place(index), given=word, known=known)
        column[index] = number
    return column, names


def files_of_classes(folder: str, classes: Classes) -> Iterator[Tuple[str, str]]:
    """Yields the image files below *folder*, sorted, each with its class: the name of the subfolder that it is in."""
    known: Optional[Sequence[str]] = None if classes is None or isinstance(classes, str) else classes
    for name in sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() and not entry.name.startswith(".")):
        if known is not None and name not in known:
            yield os.path.join(folder, name), name  # makes ``numbered`` raise QC640, with this path as the place
        for path in _files_below(os.path.join(folder, name), {os.path.realpath(folder)}):
            if _is_image(os.path.basename(path)):
                yield path, name


def _files_below(folder: str, above: Set[str]) -> Iterator[str]:
    """Yields the files below *folder*, sorted. Follows links, except links to a folder in *above*, the folders around.

    Skips folders that cannot be read, such as lost+found, like ``os.walk``.
    """
    real = os.path.realpath(folder)
    try:
        entries = [] if real in above else sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    yield from (entry.path for entry in entries if not entry.is_dir())
    for entry in entries:
        if entry.is_dir():
            yield from _files_below(entry.path, above | {real})


def files_without_class(folder: str) -> List[str]:
    """Returns the image files directly in *folder*, sorted; they are not in the folder of a class."""
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_file() and _is_image(entry.name))


def _is_image(file: str) -> bool:
    return file.lower().endswith(_ENDINGS) and not file.startswith(".")

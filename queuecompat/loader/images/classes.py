"""Labels that are words: the names of classes, in a list, in pairs, or of folders.

Rule 1: the number of a class is its place among all names, sorted, or in the list that is passed. So it does not
        depend on the order of the images, nor on the system's order of files.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional, Sequence, Set, Tuple, Union

import numpy as np

from queuecompat import errors

__all__ = ["Classes", "files_of_classes", "files_without_class", "numbered"]

# "sorted", the names themselves, or None for labels that are numbers.
Classes = Union[str, Sequence[str], None]

# Other files in a folder of images are notes, checksums and the like.
_ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp")


def numbered(words: Sequence[str], classes: Classes, place: Any) -> Tuple[np.ndarray, List[str]]:
    """The number of each of *words*, int64, and the names of all classes.

    Args:
      place: from the index of a word to where it stands, for messages.
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
    """The image files below *folder*, sorted, each with its class: the name of the folder that it is below."""
    known: Optional[Sequence[str]] = None if classes is None or isinstance(classes, str) else classes
    for name in sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() and not entry.name.startswith(".")):
        if known is not None and name not in known:
            yield os.path.join(folder, name), name  # an error, with its place
        for path in _files_below(os.path.join(folder, name), {os.path.realpath(folder)}):
            if _is_image(os.path.basename(path)):
                yield path, name


def _files_below(folder: str, above: Set[str]) -> Iterator[str]:
    """The files below *folder*, sorted; links are followed, but not those that lead back to a folder *above* them.

    Like ``os.walk``, passes over folders that cannot be read, such as lost+found.
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
    """The image files in *folder* itself, sorted: they are in no folder of a class."""
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_file() and _is_image(entry.name))


def _is_image(file: str) -> bool:
    return file.lower().endswith(_ENDINGS) and not file.startswith(".")

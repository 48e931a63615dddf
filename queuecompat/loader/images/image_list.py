"""Lists of image files and their labels: a text file of "path label" lines, folders of classes, or pairs in memory.

Rule 1: a line is a path and then one or more numbers, separated by blanks. All numbers at the end of the line are the
        label, so a path may contain blanks. If a path itself ends in a blank and a number, a tab has to end the path.
        Empty lines and lines that begin with ``#`` are skipped.
Rule 2: all labels of a list have the same dtype and length: int64, or float32 if at least one label has a fraction; one
        number each, or the same number of numbers. Anything else is an error that names file and line; so is a whole
        number that float32 cannot represent.
Rule 3: a list is stored as columns, because lists of a million lines are usual.

Nothing here opens an image, except an image that was passed by mistake instead of a list.
"""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np

from queuecompat import errors
from queuecompat.loader.images.classes import Classes, files_of_classes, files_without_class, numbered
from queuecompat.loader.images.kinds import kind_of
from queuecompat.plurals import counted

__all__ = ["ImageList", "ListedImage", "PathLike", "images_of", "list_of", "no_image", "read_list"]

PathLike = Union[str, "os.PathLike[str]"]

_MOST_EXACT = 2**24  # float32 represents all whole numbers up to this one
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LAST_NUMBER = re.compile(rf"\s({_NUMBER.pattern})\s*$")
_WHOLE = re.compile(r"[+-]?\d+")

_CHECK_FILE = "check the file; lines that begin with # are comments"
_WRITE_LINES = (
    "write a path and its label (a number, or several) on each line, separated by spaces: images/cat.jpg 3; "
    "for names of classes pass classes='sorted'"
)
_HEAD = 64  # the number of bytes that are enough to know the format of an image


class ListedImage(NamedTuple):
    """One entry of a list: the file, its label (a NumPy number or vector), and its place for messages:
    ``train.txt:41``, ``pair 7``."""

    path: str
    label: Any
    place: str


class ImageList(Sequence[ListedImage]):
    """An immutable list of images.

    Attributes:
      name: the name of the list's source, for messages.
      paths: the path of each image.
      labels: int64 or float32, of shape ``[images]`` or ``[images, k]``.
      classes: the names of the classes that the labels number, or None.
    """

    def __init__(
        self,
        name: str,
        paths: List[str],
        labels: np.ndarray,
        places: Tuple[str, np.ndarray],
        classes: Optional[List[str]] = None,
    ) -> None:
        self.classes = classes
        self.name = name
        self.paths = paths
        self.labels = labels
        self._before_line, self._lines = places

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, index: int) -> ListedImage: ...

    @overload
    def __getitem__(self, index: slice) -> ImageList: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.chosen(np.arange(len(self))[index])
        return ListedImage(self.paths[index], self.labels[index], self.place(index))

    def place(self, index: int) -> str:
        """Returns the place of the image with this *index*, for messages."""
        return f"{self._before_line}{self._lines[index]}"

    def chosen(self, indices: np.ndarray) -> ImageList:
        """Returns the list of the images with these *indices*, in this order."""
        places = self._before_line, self._lines[indices]
        paths = [self.paths[index] for index in indices]
        return ImageList(self.name, paths, self.labels[indices], places, self.classes)

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'image')} of {self.name}>"


_PATHS = (str, bytes, os.PathLike)


def images_of(images: Any, root: Optional[PathLike] = None, classes: Classes = None) -> ImageList:
    """Returns the list for the argument *images*: a list file, a folder of classes, several of either, or pairs.

    Raises:
      FileNotFoundError: a list or folder does not exist.
      TypeError: an element that is not a pair of a path and a label (QC623).
      ValueError: QC621, QC622 and QC640, as in ``ImageListLoader``.
    """
    if isinstance(images, _PATHS):
        return _joined([os.fsdecode(images)], root, classes)
    images = list(images)
    if images and all(isinstance(part, _PATHS) for part in images):
        return _joined([os.fsdecode(part) for part in images], root, classes)
    return list_of(images, root, classes)


def _joined(names: List[str], root: Optional[PathLike], classes: Classes) -> ImageList:
    """Returns the images of several list files and folders, one after another."""
    if len(names) == 1 and not os.path.isdir(names[0]) and classes is None:
        return read_list(names[0], root)
    if not any(map(os.path.isdir, names)) and classes is None:
        parts = [read_list(name, root) for name in names]
        places = "", np.array([part.place(index) for part in parts for index in range(len(part))], object)
        if len({(part.labels.ndim, part.labels.shape[1:]) for part in parts}) > 1:
            raise _bad_line(names[0], "the lists have labels of different lengths")
        labels = np.concatenate([part.labels for part in parts])
        if labels.dtype.kind == "f":
            for part in parts:
                _require_exact(part.labels, part.place)
            labels = labels.astype(np.float32)
        return ImageList(", ".join(names), [path for part in parts for path in part.paths], labels, places)
    found = [one for name in names for one in _words_of(name, root, classes)]
    if not found:
        raise _no_class(names)
    return _of_words(", ".join(names), found, classes)


def _words_of(name: str, root: Optional[PathLike], classes: Classes) -> Iterator[Tuple[str, str, str]]:
    """Yields path, word and place of each image of a folder of classes, or of a list file whose labels are words."""
    if os.path.isdir(name):
        for path, word in files_of_classes(name, classes):
            yield path, word, path
        return
    folder = os.path.dirname(os.path.abspath(name)) if root is None else os.fspath(root)
    for number, text in _lines_of(pathlib.Path(name)):
        path, tab, word = text.partition("\t")
        if not tab:
            path, _, word = text.strip().rpartition(" ")
        if not path.strip() or not word.strip():
            raise _bad_line(f"{name}:{number}", "it is not a path and the name of a class")
        yield os.path.join(folder, path.strip()), word.strip(), f"{name}:{number}"


def _of_words(name: str, found: Sequence[Tuple[str, str, str]], classes: Classes) -> ImageList:
    if not found:
        raise no_image(name)
    labels, names = numbered([word for _, word, _ in found], classes, lambda index: found[index][2])
    places = "", np.array([place for _, _, place in found], object)
    return ImageList(name, [path for path, _, _ in found], labels, places, names)


def read_list(list_file: PathLike, root: Optional[PathLike] = None) -> ImageList:
    """Reads a text file of "path label" lines: UTF-8, with the line ends of any system.

    Args:
      root: the folder that relative paths start from; the list file's folder by default.
    Raises:
      FileNotFoundError: the list does not exist.
      ValueError: a line that is not a path and a label (QC621), or a list without lines (QC622).
    """
    name = os.fspath(list_file)
    folder = os.path.dirname(os.path.abspath(name)) if root is None else os.fspath(root)
    paths, labels, lines = [], [], []
    for number, text in _lines_of(pathlib.Path(name)):
        path, label = _path_and_label(text, f"{name}:{number}")
        paths.append(os.path.join(folder, path))
        labels.append(label)
        lines.append(number)
    places = f"{name}:", np.array(lines, np.int64)
    return ImageList(name, paths, _column(name, labels, places), places)


def list_of(
    pairs: Iterable[Tuple[PathLike, Any]], root: Optional[PathLike] = None, classes: Classes = None
) -> ImageList:
    """Makes a list of pairs of a path and a label: a number, a sequence of numbers, or the name of a class.

    Raises:
      TypeError: an element that is not a pair of a path and numbers (QC623).
      ValueError: labels of different lengths (QC621), or no pairs (QC622).
    """
    name, paths, labels = "the list of pairs", [], []
    pairs = list(pairs)
    if classes is not None or (pairs and _is_word(pairs[0])):
        found = [_path_and_word(number, pair, root) for number, pair in enumerate(pairs)]
        return _of_words(name, found, classes)
    for number, pair in enumerate(pairs):
        path, label = _pair(number, pair)
        paths.append(path if root is None else os.path.join(os.fspath(root), path))
        labels.append(label)
    places = "pair ", np.arange(len(paths))
    return ImageList(name, paths, _column(name, labels, places), places)


def _lines_of(path: pathlib.Path) -> Iterator[Tuple[int, str]]:
    """Yields the lines that are not empty and not comments, with their numbers, from 1, and without line ends."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        # The test for a null byte comes first, because a list may begin like an image, for example with "BMW/1.jpg".
        if b"\0" in head and kind_of(head).name != "unknown":
            fix = f"pass pairs of a path and a label, such as ('{path}', 3), or a text file with such lines"
            raise _bad_line(str(path), "it is an image", fix)
        file.seek(0)
        for number, line in enumerate(file, start=1):
            try:
                # utf-8-sig, because some editors write a byte order mark at the beginning of the file.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n\0 ")
            except UnicodeDecodeError as error:
                raise _bad_line(f"{path}:{number}", f"it is not UTF-8 ({error.reason})") from None
            if text.strip() and not text.startswith("#"):
                yield number, text


def _path_and_label(text: str, place: str) -> Tuple[str, Tuple[float, ...]]:
    path, tab, rest = text.partition("\t")
    numbers: List[str] = rest.split() if tab else []
    while not tab:
        found = _LAST_NUMBER.search(path)
        if found is None:
            break
        numbers.insert(0, found.group(1))
        path = path[: found.start()]
    path = path.strip()
    if not path:
        raise _bad_line(place, "it has no path")
    if not numbers:
        raise _bad_line(place, f"no label follows the path '{path}'")
    strange = [number for number in numbers if not _NUMBER.fullmatch(number)]
    if strange:
        raise _bad_line(place, f"the label '{strange[0]}' is not a number")
    return path, tuple(int(number) if _WHOLE.fullmatch(number) else float(number) for number in numbers)


def _is_word(pair: Any) -> bool:
    return isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[1], str)


def _path_and_word(number: int, pair: Any, root: Optional[PathLike]) -> Tuple[str, str, str]:
    if not _is_word(pair) or not isinstance(pair[0], (str, os.PathLike)):
        raise errors.error(errors.QueueCompatTypeError, "QC623", number=str(number), given=_short(repr(pair)))
    path = os.fspath(pair[0])
    return (path if root is None else os.path.join(os.fspath(root), path)), pair[1], f"pair {number}"


def _pair(number: int, pair: Any) -> Tuple[str, Tuple[float, ...]]:
    try:
        path, label = pair
        if isinstance(pair, (str, bytes)):
            raise TypeError
        if isinstance(label, (np.integer, np.floating)):
            label = label.item()
        if type(label) in (int, float) and abs(label) < 2**63:  # the usual case, without the cost of an array
            return os.fspath(path), (label,)
        values = np.asarray(label)
        if values.dtype.kind not in "iufb" or values.ndim > 1:
            raise TypeError
        return os.fspath(path), tuple(np.atleast_1d(values).tolist())
    except (TypeError, ValueError):
        raise errors.error(errors.QueueCompatTypeError, "QC623", number=str(number), given=_short(repr(pair))) from None


def _column(name: str, labels: List[Tuple[float, ...]], places: Tuple[str, np.ndarray]) -> np.ndarray:
    """Returns all labels as one array, int64 or float32, of shape ``[images]`` or ``[images, k]``."""
    if not labels:
        raise no_image(name)

    def place(index: int) -> str:
        return f"{places[0]}{places[1][index]}"

    size = len(labels[0])
    for index, label in enumerate(labels):
        if not label:
            raise _bad_line(place(index), "its label has no number")
        if len(label) != size:
            problem = f"its label has {counted(len(label), 'number')}, but that of {place(0)} has {size}"
            raise _bad_line(place(index), problem)
    whole = all(isinstance(number, int) for label in labels for number in label)
    try:
        column = np.array(labels, np.int64 if whole else np.float32)
    except OverflowError:
        index = next(i for i, label in enumerate(labels) if any(abs(number) >= 2**63 for number in label))
        raise _bad_line(place(index), "its label does not fit in 64 bits") from None
    if not whole:
        for number in range(size):
            _require_exact([label[number] for label in labels], place)
    return column[:, 0] if size == 1 else column


def _require_exact(labels: Union[np.ndarray, List[float]], place: Callable[[int], str]) -> None:
    """Raises QC621 if one of *labels* is a whole number that float32 cannot represent.

    Args:
      place: returns the place of the label with an index, for the message.
    """
    wide = np.asarray(labels)
    if not wide.size or np.abs(wide).max() <= _MOST_EXACT:
        return
    for index, label in enumerate(labels):
        for number in np.atleast_1d(label).tolist():
            if isinstance(number, int) and int(np.float32(number)) != number:
                problem = f"its label {number} is not exact in float32, which all labels use because one has a fraction"
                raise _bad_line(place(index), problem)


def _bad_line(place: str, problem: str, fix: str = _WRITE_LINES) -> errors.QueueCompatValueError:
    return errors.error_at(errors.QueueCompatValueError, "QC621", place, place=place, problem=problem, fix=fix)


def no_image(name: str, where: str = "", fix: str = _CHECK_FILE) -> errors.QueueCompatError:
    """Returns the error for a list, or for folders, without any image; *name* describes them."""
    return errors.error(errors.QueueCompatValueError, "QC622", list=name, where=where, fix=fix)


def _no_class(names: List[str]) -> errors.QueueCompatError:
    """Returns the error for folders and lists in which no image has a class."""
    folders = list(filter(os.path.isdir, names))
    if not folders:
        return no_image(", ".join(names))
    loose = [os.path.join(folder, file) for folder in folders for file in files_without_class(folder)]
    where = f" in the folder of a class; {len(loose)} directly in it, such as '{loose[0]}'" if loose else ""
    folder, file = os.path.split(loose[0]) if loose else (folders[0], "1.jpg")
    example = os.path.join(folder, "cat", file)
    fix = f"make a folder for each class, with its images: '{example}'; or pass pairs of a path and a label"
    return no_image(", ".join(names), where, fix)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."

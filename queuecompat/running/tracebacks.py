"""Tracebacks with the user's lines.

1. The frames that started the program are not part of it.
2. An error that this package raises itself, with a code, ends at the line that called the package: the message says
   the rest. An error that only passes through the package keeps all of its frames: it may be a defect of ours.
"""

from __future__ import annotations

import importlib.util
import os
import types
from typing import Iterator, List, Optional, Tuple, Union

from queuecompat.errors import QueueCompatError

__all__ = ["only_the_program"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# What starts the program, and what its imports, and its calls of Python's and NumPy's functions, go through.
_STARTER = tuple(os.path.join(_PACKAGE, folder, "") for folder in ("running", "_importing", "_namespace/older"))
Folders = Union[str, Tuple[str, ...]]
_IMPORT_SYSTEM = ("<frozen importlib", importlib.util.__file__)  # the latter is frozen, too, from Python 3.11 on


def only_the_program(problem: BaseException) -> BaseException:
    """*problem*, and the errors that it came from, without the frames of this package's starter."""
    for one in _chain(problem):
        one.__traceback__ = _without(_PACKAGE if isinstance(one, QueueCompatError) else _STARTER, one.__traceback__)
    return problem


def _chain(problem: Optional[BaseException]) -> Iterator[BaseException]:
    seen: List[BaseException] = []
    waiting = [problem]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in seen:
            seen.append(one)
            waiting += [one.__cause__, one.__context__]
            yield one


def _without(folder: Folders, traceback: Optional[types.TracebackType]) -> Optional[types.TracebackType]:
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    rest = None
    for number in reversed(range(len(frames))):
        if not _is_ours(folder, frames, number):
            frames[number].tb_next = rest
            rest = frames[number]
    return rest


def _is_ours(folder: Folders, frames: List[types.TracebackType], number: int) -> bool:
    """Whether a frame is of a file below *folder*, or of Python's import system on the way to or from it.

    Python takes its own import frames out of a traceback, but not those on both sides of a loader's.
    """
    if _file(frames[number]).startswith(folder):
        return True
    if not _file(frames[number]).startswith(_IMPORT_SYSTEM):
        return False
    around = (_neighbour(frames, number, step) for step in (-1, 1))
    return any(path.startswith(folder) for path in around)


def _neighbour(frames: List[types.TracebackType], number: int, step: int) -> str:
    """The file of the nearest frame on that side which is not of the import system."""
    while 0 <= number < len(frames) and _file(frames[number]).startswith(_IMPORT_SYSTEM):
        number += step
    return _file(frames[number]) if 0 <= number < len(frames) else ""


def _file(traceback: types.TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename

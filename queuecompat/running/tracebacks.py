"""Removes lines that are not the user's from tracebacks.

1. The frames that started the program are removed.
2. An error that this package raises itself, with a code, ends at the line that called the package: the message explains
   the rest. An error that only passes through the package keeps all its frames, since it may be a bug of ours.
"""

from __future__ import annotations

import importlib.util
import os
import types
from typing import Iterator, List, Optional, Tuple, Union

from queuecompat.errors import QueueCompatError

__all__ = ["only_the_program"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# The folders whose frames start the program, or are in between at its imports and its calls of functions of Python and
# NumPy.
_STARTER = tuple(os.path.join(_PACKAGE, folder, "") for folder in ("running", "_importing", "_namespace/older"))
Folders = Union[str, Tuple[str, ...]]
_IMPORT_SYSTEM = ("<frozen importlib", importlib.util.__file__)  # the latter is frozen as well since Python 3.11


def only_the_program(problem: BaseException) -> BaseException:
    """Removes the frames of this package's starter from *problem* and its causes; returns *problem*."""
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
    """Whether a frame is in a file below *folder*, or in Python's import system directly before or after such a frame.

    Python removes its own import frames from a traceback, but not those around a custom loader's.
    """
    if _file(frames[number]).startswith(folder):
        return True
    if not _file(frames[number]).startswith(_IMPORT_SYSTEM):
        return False
    around = (_neighbour(frames, number, step) for step in (-1, 1))
    return any(path.startswith(folder) for path in around)


def _neighbour(frames: List[types.TracebackType], number: int, step: int) -> str:
    """Returns the file of the nearest frame in that direction that is not in the import system."""
    while 0 <= number < len(frames) and _file(frames[number]).startswith(_IMPORT_SYSTEM):
        number += step
    return _file(frames[number]) if 0 <= number < len(frames) else ""


def _file(traceback: types.TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename

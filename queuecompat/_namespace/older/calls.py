"""Functions that take calls of TensorFlow 1's time, which they refuse by now, in the user's files.

Rule 1: a call that the function takes is its own; what it refuses is looked at.
Rule 2: the caller decides: an installed library gets the error as it is. So what libraries of today find out by an
        error, they find out. In a program of TensorFlow 2 only its modules of TensorFlow 1 are attended to.
Rule 3: what was refused then stays an error, and that of the function.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from typing import Any, Callable, Dict, Optional, Sequence

from queuecompat.installed_files import is_installed

__all__ = ["Again", "Repair", "is_by_the_user", "put", "repaired", "take_in_all_files", "without"]

_ERRORS = (OverflowError, TypeError, ValueError)
# What repairs a call, by the function, its error and its arguments: what to call without arguments; None: nothing does.
Again = Optional[Callable[[], Any]]
Repair = Callable[[Callable[..., Any], Exception, Sequence[Any], Dict[str, Any]], Again]


class _State:
    is_in_all_files = False


def take_in_all_files() -> None:
    """The process runs a program of TensorFlow 1: all files are of that time but for installed ones."""
    _State.is_in_all_files = True


def is_by_the_user(caller: types.FrameType) -> bool:
    """Whether the frame that called is of a program, or a module, of TensorFlow 1."""
    # Modules of TensorFlow 1 have builtins of their own (``_importing.imports``); with queuecompat.v1 they need none.
    is_of_then = caller.f_builtins is not vars(builtins) or _State.is_in_all_files
    return is_of_then and not is_installed(caller.f_code.co_filename)


def repaired(function: Callable[..., Any], repair: Repair) -> Callable[..., Any]:
    """*function*, which also takes the calls that *repair* knows."""

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _ERRORS as problem:
            if not is_by_the_user(sys._getframe(1)):
                raise
            again = repair(function, problem, args, kwargs)
            if again is None:
                raise
        return again()

    return calling


def put(owner: types.ModuleType, name: str, function: Callable[..., Any]) -> None:
    """Puts *function* into its module, under the name by which it is pickled."""
    function.__module__, function.__qualname__ = owner.__name__, name
    setattr(owner, name, function)


def without(function: Callable[..., Any], argument: str) -> Callable[..., Any]:
    """*function*, which has no such argument any more. It is left out first: a call may use up what it is given."""

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        if argument in kwargs and is_by_the_user(sys._getframe(1)):
            del kwargs[argument]
        return function(*args, **kwargs)

    return calling

"""Makes functions accept calls from the time of TensorFlow 1 that they refuse now, in the user's files.

Rule 1: A call that the function accepts is not touched; only a refused call is examined.
Rule 2: The caller decides: an installed library gets the original error, so that libraries that test for an error still
        see it. In a TensorFlow 2 program, only calls by its TensorFlow 1 modules are handled.
Rule 3: A call that was refused then still raises the function's own error.
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
# Repairs a call, given the function, its error and the call's arguments. It returns a function without arguments to
# call instead, or None if it cannot repair the call.
Again = Optional[Callable[[], Any]]
Repair = Callable[[Callable[..., Any], Exception, Sequence[Any], Dict[str, Any]], Again]


class _State:
    is_in_all_files = False


def take_in_all_files() -> None:
    """Declares that the process runs a TensorFlow 1 program: all files except installed ones are of that time."""
    _State.is_in_all_files = True


def is_by_the_user(caller: types.FrameType) -> bool:
    """Whether the frame that called belongs to a TensorFlow 1 program or module."""
    # TensorFlow 1 modules have builtins of their own (``_importing.imports``), but not those that use queuecompat.v1.
    is_of_then = caller.f_builtins is not vars(builtins) or _State.is_in_all_files
    return is_of_then and not is_installed(caller.f_code.co_filename)


def repaired(function: Callable[..., Any], repair: Repair) -> Callable[..., Any]:
    """Returns *function*, which also accepts the calls that *repair* can repair."""

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
    """Sets *function* in its module, with the name that it is pickled by."""
    function.__module__, function.__qualname__ = owner.__name__, name
    setattr(owner, name, function)


def without(function: Callable[..., Any], argument: str) -> Callable[..., Any]:
    """Returns *function* so that it ignores *argument*, which it no longer has.

    The argument is removed before the call, not after an error, since a call may consume what it is passed.
    """

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        if argument in kwargs and is_by_the_user(sys._getframe(1)):
            del kwargs[argument]
        return function(*args, **kwargs)

    return calling

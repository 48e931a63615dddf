"""Decorators that warn of a function which is not to be used any more: once, with the line that calls it.

What TensorFlow 1 wrote into docstrings as well is left out.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Set

import tensorflow.compat.v1 as tf

__all__ = ["deprecated", "deprecated_arg_values", "deprecated_args"]

# From the arguments of a call to what in it is deprecated.
_Find = Callable[[Mapping[str, Any]], Iterable[str]]


def deprecated(date: Optional[str], instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Warns when the function is called. A class becomes a function that makes its objects, as in TensorFlow 1.

    Args:
      date: ``"2019-01-31"``, after which it may be removed; None: in a future version.
      instructions: what to use instead.
      warn_once: at the first call alone.
    Raises:
      ValueError: *date* is none, or *instructions* are empty.
    """
    _check(date, instructions)

    return lambda function: _warning(function, date, instructions, warn_once, lambda _: [function.__name__])


def deprecated_args(
    date: Optional[str], instructions: str, *names: Any, warn_once: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Warns when one of the arguments *names* is passed; ``("name", value)``: passed with a different value.

    Raises:
      ValueError: as for ``deprecated``; or the function has no such argument.
    """
    _check(date, instructions)
    usual: Dict[str, Any] = dict(one if isinstance(one, tuple) else (one, inspect.Parameter.empty) for one in names)

    def passed(given: Mapping[str, Any]) -> Iterable[str]:
        return [name for name, value in usual.items() if name in given and given[name] is not value]

    return _of_arguments(usual, date, instructions, warn_once, passed)


def deprecated_arg_values(
    date: Optional[str], instructions: str, warn_once: bool = True, **values: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Warns when an argument is passed with the value that *values* has for it.

    Raises:
      ValueError: as for ``deprecated``; or the function has no such argument.
    """
    _check(date, instructions)

    def passed(given: Mapping[str, Any]) -> Iterable[str]:
        return [f"{name}={value!r}" for name, value in values.items() if name in given and _is(given[name], value)]

    return _of_arguments(values, date, instructions, warn_once, passed)


def _is(given: Any, value: Any) -> bool:
    return given is value or (isinstance(given, type(value)) and isinstance(given, (int, str)) and given == value)


def _check(date: Optional[str], instructions: str) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"date is YYYY-MM-DD, and not {date!r}")
    if not instructions:
        raise ValueError("instructions are needed: what to use instead")


def _of_arguments(
    names: Mapping[str, Any], date: Optional[str], instructions: str, warn_once: bool, passed: _Find
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(function).parameters
        takes_more = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        absent = sorted(set(names) - set(parameters))
        if absent and not takes_more:
            raise ValueError(f"{function.__name__} has no argument {', '.join(absent)}")
        return _warning(function, date, instructions, warn_once, passed)

    return decorate


def _warning(
    function: Callable[..., Any], date: Optional[str], instructions: str, warn_once: bool, what: _Find
) -> Callable[..., Any]:
    """*function*, which warns of what *what* finds in a call."""
    signature = inspect.signature(function)
    told: Set[str] = set()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # Python says what is wrong with the call
        for one in what({**bound.kwargs, **bound.arguments}):
            if warn_once and one in told:
                continue
            told.add(one)
            caller = sys._getframe(1)
            when = "in a future version" if date is None else f"after {date}"
            tf.logging.warning(
                "From %s:%d: %s (of %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                caller.f_code.co_filename, caller.f_lineno, one, function.__module__, when, instructions,
            )  # fmt: skip
        return function(*args, **kwargs)

    return call

"""Decorators that log a warning when a deprecated function is called: once, with the line of the call.

Unlike TensorFlow 1, they do not change the function's docstring.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Set

import tensorflow.compat.v1 as tf

__all__ = ["deprecated", "deprecated_arg_values", "deprecated_args"]

# A function from the arguments of a call, by name, to the texts that name what is deprecated in the call.
_Find = Callable[[Mapping[str, Any]], Iterable[str]]


def deprecated(date: Optional[str], instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Returns a decorator that warns when the function is called. It turns a class into a function that makes its
    objects, as in TensorFlow 1.

    Args:
      date: the date after which the function may be removed, such as ``"2019-01-31"``; None: in a future version.
      instructions: what to use instead.
      warn_once: whether to warn at the first call only.
    Raises:
      ValueError: *date* is not a date, or *instructions* are empty.
    """
    _check(date, instructions)

    return lambda function: _warning(function, date, instructions, warn_once, lambda _: [function.__name__])


def deprecated_args(
    date: Optional[str], instructions: str, *names: Any, warn_once: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that warns when one of the arguments *names* is passed; for a pair ``("name", value)``, when
    the argument is passed with any other value.

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
    """Returns a decorator that warns when an argument is passed with its value in *values*.

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
        raise ValueError(f"date must be YYYY-MM-DD, not {date!r}")
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
    """Returns *function* with a warning for each text that *what* returns for the arguments of a call."""
    signature = inspect.signature(function)
    told: Set[str] = set()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # raises Python's own error about the arguments
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

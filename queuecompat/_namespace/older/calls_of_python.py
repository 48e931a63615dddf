"""Calls of functions of Python, and of PyYAML, as they took them in 2018.

json.loads(text, encoding="utf-8")        the encoding of bytes, of which it was never asked
open(path, "rU")                          lines end as they do in any text file
random.sample(a_set, 2)                   of the set's elements, in its order
random.randint(0, 5.0)                    numbers that are whole
random.shuffle(x, lambda: 0.5)            numbers from this function
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Set
from typing import Any, Callable, Dict, List, Sequence

from queuecompat._namespace.older.calls import Again, Repair, put, repaired, without

__all__ = ["CHANGED", "opening", "take_older_calls_of"]


def take_older_calls_of(module: str) -> None:
    """Puts the functions of *module*, if it has any of these, in their places."""
    owner = sys.modules[module]
    for name, change in CHANGED.get(module, {}).items():
        put(owner, name, change(getattr(owner, name)))


def opening(function: Callable[..., Any]) -> Callable[..., Any]:
    """``open``, which takes the mode of Python 2 for texts."""
    return repaired(function, _of_text)


def _of_text(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    given = {**dict(zip(("file", "mode", "buffering", "encoding", "errors", "newline"), args)), **kwargs}
    mode = given.get("mode")
    if not isinstance(mode, str) or "U" not in mode:
        return None
    rest = mode.replace("U", "")
    return functools.partial(function, **{**given, "mode": rest if "r" in rest else f"r{rest}"})


def _of_set(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    given = {**dict(zip(("population", "k"), args)), **kwargs}
    if not isinstance(given.get("population"), Set):
        return None
    return functools.partial(function, **{**given, "population": tuple(given["population"])})


def _of_whole_numbers(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    if not any(isinstance(one, float) for one in args) or kwargs:
        return None
    if not all(one == int(one) for one in args if isinstance(one, float)):
        return None
    return functools.partial(function, *(int(one) if isinstance(one, float) else one for one in args))


def _of_function(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    given = {**dict(zip(("x", "random"), args)), **kwargs}
    if set(given) != {"x", "random"} or not callable(given["random"]):
        return None
    return functools.partial(_shuffle, given["x"], given["random"])


def _shuffle(x: List[Any], draw: Callable[[], float]) -> None:
    for last in reversed(range(1, len(x))):
        other = int(draw() * (last + 1))
        x[last], x[other] = x[other], x[last]


def _of_loader(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    if len(args) + len(kwargs) != 1 or "Loader" in kwargs:
        return None
    return functools.partial(function, *args, **kwargs, Loader=sys.modules["yaml"].FullLoader)


def _without_encoding(function: Callable[..., Any]) -> Callable[..., Any]:
    return without(function, "encoding")


def _repaired_by(repair: Repair) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda function: repaired(function, repair)


# By module and function: what makes one of it that takes more.
CHANGED: Dict[str, Dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
    "json": dict.fromkeys(("load", "loads"), _without_encoding),
    "random": {
        "randint": _repaired_by(_of_whole_numbers),
        "randrange": _repaired_by(_of_whole_numbers),
        "sample": _repaired_by(_of_set),
        "shuffle": _repaired_by(_of_function),
    },
    "yaml": dict.fromkeys(("load", "load_all"), _repaired_by(_of_loader)),
}

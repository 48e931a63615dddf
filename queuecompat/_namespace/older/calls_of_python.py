"""Calls of functions of Python, PyYAML and SciPy that these accepted in 2018.

json.loads(text, encoding="utf-8")        the encoding of bytes, which was ignored
open(path, "rU")                          universal newlines, as in any text file now
random.sample(a_set, 2)                   of the set's elements, in its order
random.randint(0, 5.0)                    floats that are whole numbers
random.shuffle(x, lambda: 0.5)            random numbers from this function
interp1d([0, 0, 1], y, "slinear")         steps, as with "linear", which was the same
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Set
from typing import Any, Callable, Dict, List, Sequence

from queuecompat._namespace.older.calls import Again, Repair, put, repaired, without

__all__ = ["CHANGED", "opening", "take_older_calls_of"]


def take_older_calls_of(module: str) -> None:
    """Replaces the functions of *module* that accept fewer calls now; none for most modules."""
    owner = sys.modules[module]
    for name, change in CHANGED.get(module, {}).items():
        put(owner, name, change(getattr(owner, name)))


def opening(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``open``, which also accepts the modes of Python 2 for text files."""
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


def _with_steps(interpolation: Any) -> Any:
    """Returns the class ``interp1d``, whose objects may have steps."""
    interpolation.__init__ = repaired(interpolation.__init__, _of_steps)
    return interpolation


def _of_steps(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    given = {**dict(zip(("self", "x", "y", "kind"), args)), **kwargs}
    if given.get("kind") != "slinear" or len(args) > 4:
        return None
    return functools.partial(function, **{**given, "kind": "linear"})


def _without_encoding(function: Callable[..., Any]) -> Callable[..., Any]:
    return without(function, "encoding")


def _repaired_by(repair: Repair) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda function: repaired(function, repair)


# By module and function: returns a version of the function that accepts more calls.
CHANGED: Dict[str, Dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
    "json": dict.fromkeys(("load", "loads"), _without_encoding),
    "random": {
        "randint": _repaired_by(_of_whole_numbers),
        "randrange": _repaired_by(_of_whole_numbers),
        "sample": _repaired_by(_of_set),
        "shuffle": _repaired_by(_of_function),
    },
    "scipy.interpolate": {"interp1d": _with_steps},
    "yaml": dict.fromkeys(("load", "load_all"), _repaired_by(_of_loader)),
}

"""Calls of NumPy's functions as programs of TensorFlow 1's time wrote them, which NumPy refuses by now.

    np.array([[1], [1, 2]])                   an array of lists
    np.array(x, copy=False)                   copies where it has to
    np.array([-1], np.uint8)                  255
    np.vstack(map(f, x)), np.sum(i for ...)   take what can be gone through once
    np.percentile(x, 5, interpolation=...)    known as method; of histograms, normed as density
    float(x), int(x), "%d" % x                of an array that holds one number
    np.cross([1, 2], [3, 4])                  in the plane

and two functions whose answer is another:

    np.issubdtype(x.dtype, float)             whether it is of any number of bits
    np.unique(x, return_inverse=True)         the numbers of the values, in one row

NumPy 1.18 is the measure.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import sys
import types
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from queuecompat._namespace.older.calls import Again, Repair, is_by_the_user, put, repaired
from queuecompat._namespace.older.methods import add_method

__all__ = ["print_as_then", "take_older_calls"]


def take_older_calls(numpy: Any) -> None:
    """Puts the functions in their places in *numpy*, for the rest of the process."""
    for owner, names, repair in _repairs(numpy):
        for name in names:
            put(owner, name, repaired(getattr(owner, name), repair))
    put(numpy, "issubdtype", _issubdtype(numpy))
    put(numpy, "unique", _unique(numpy))
    for name, made, slot in (("__float__", float, _NB_FLOAT), ("__int__", int, _NB_INT)):
        if _is_refused(made, numpy.zeros([1])):
            _convert_one_number(numpy.ndarray, name, slot)


def print_as_then(numpy: Any) -> None:
    """Numbers in lists are printed as ``0.5``, and not as ``np.float32(0.5)``; a program may change it."""
    if not numpy.get_printoptions()["legacy"]:
        numpy.set_printoptions(legacy="1.21")


def _repairs(numpy: Any) -> Iterator[Tuple[Any, Sequence[str], Repair]]:
    """Where functions are, their names, and what repairs their calls."""
    yield numpy, ("array", "asarray"), _of_made_array
    yield numpy.random, ("choice", "permutation"), _of_ragged(numpy, "a", "x", position=0)
    yield numpy, ("save",), _of_ragged(numpy, "arr", position=1)
    yield numpy, ("column_stack", "dstack", "hstack", "stack", "vstack"), _of_iterated
    yield numpy, ("sum",), _of_summed
    yield numpy, ("cross",), _of_plane(numpy)
    quantiles = ("nanpercentile", "nanquantile", "percentile", "quantile")
    yield numpy, quantiles, _of_renamed({"interpolation": "method"})
    yield numpy, ("histogram", "histogram2d", "histogramdd"), _of_renamed({"normed": "density"})


def _of_made_array(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    if isinstance(problem, OverflowError):
        return _of_wide_numbers(function, args, kwargs)
    # Without a copy it cannot be done: that is the error, or what an array of lists needs.
    changed: Dict[str, Any] = {"copy": True} if kwargs.get("copy") is False else {}
    if _is_of_ragged(problem) and len(args) < 2 and kwargs.get("dtype") is None:
        changed["dtype"] = object
    return functools.partial(function, *args, **{**kwargs, **changed}) if changed else None


def _of_wide_numbers(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    """The last bits of numbers that the type has no room for."""
    given = {**dict(zip(("object", "dtype"), args)), **kwargs}
    dtype = given.pop("dtype", None)
    if dtype is None or "object" not in given or len(args) > 2:
        return None
    return lambda: function(given.pop("object"), **given).astype(dtype)


def _is_of_ragged(problem: Exception) -> bool:
    return "inhomogeneous" in str(problem)


def _of_ragged(numpy: Any, *names: str, position: int) -> Repair:
    """For functions that make an array of what stands at *position*, or is called one of *names*."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if not _is_of_ragged(problem):
            return None
        given = [numpy.asarray(one, object) if place == position else one for place, one in enumerate(args)]
        named = {name: numpy.asarray(one, object) if name in names else one for name, one in kwargs.items()}
        return functools.partial(function, *given, **named)

    return repair


def _of_iterated(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    # Nothing was taken from it: NumPy looks for the methods of a sequence first.
    if not args or not hasattr(args[0], "__next__"):
        return None
    return functools.partial(function, list(args[0]), *args[1:], **kwargs)


def _of_summed(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    is_generator = len(args) == 1 and isinstance(args[0], types.GeneratorType)
    return functools.partial(builtins.sum, args[0]) if is_generator and not kwargs else None


def _of_plane(numpy: Any) -> Repair:
    """For the cross product of vectors of two numbers, which is one number."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if len(args) != 2 or kwargs or {numpy.shape(one)[-1:] for one in args} != {(2,)}:
            return None
        first, second = (numpy.moveaxis(numpy.asarray(one), -1, 0) for one in args)
        return lambda: first[0] * second[1] - first[1] * second[0]

    return repair


def _of_renamed(names: Dict[str, str]) -> Repair:
    """For functions of which arguments have other names by now."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if not any(one in kwargs for one in names):
            return None
        return functools.partial(function, *args, **{names.get(one, one): value for one, value in kwargs.items()})

    return repair


def _issubdtype(numpy: Any) -> Callable[[Any, Any], bool]:
    """NumPy's function, in which Python's numbers were kinds of numbers: ``float`` was any of them, not float64."""
    kinds = {float: numpy.floating, int: numpy.signedinteger, complex: numpy.complexfloating}
    original = numpy.issubdtype

    @functools.wraps(original)
    def issubdtype(arg1: Any, arg2: Any) -> bool:
        is_kind = isinstance(arg2, type) and arg2 in kinds and is_by_the_user(sys._getframe(1))
        found: bool = original(arg1, kinds[arg2] if is_kind else arg2)
        return found

    return issubdtype


def _unique(numpy: Any) -> Callable[..., Any]:
    """NumPy's function, which numbered the values in one row, whatever the shape of the array is."""
    original = numpy.unique

    @functools.wraps(original)
    def unique(
        ar: Any,
        return_index: bool = False,
        return_inverse: bool = False,
        return_counts: bool = False,
        axis: Optional[int] = None,
        **others: Any,
    ) -> Any:
        found = original(ar, return_index, return_inverse, return_counts, axis, **others)
        if not return_inverse or axis is not None or not is_by_the_user(sys._getframe(1)):
            return found
        place = 2 if return_index else 1
        return (*found[:place], found[place].reshape(-1), *found[place + 1 :])

    return unique


# A method in the names of a type that is written in C is not what the interpreter calls for ``float(x)``: that is a
# slot of the type. Classes of Python have a function in theirs that looks the method up, whatever the type is, and this
# is put into the slot. Where a slot is follows from CPython's headers, which have not changed since Python 3.8.

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In PyTypeObject, after the head of an object: size, name, basicsize, itemsize, dealloc, vectorcall_offset, getattr,
# setattr, as_async, repr.
_AS_NUMBER = object.__basicsize__ + 10 * _POINTER
# In PyNumberMethods.
_NB_INT, _NB_FLOAT = 16, 18


def _is_refused(made: Callable[[Any], Any], value: Any) -> bool:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made(value)
        except TypeError:
            return True
    return False


def _convert_one_number(ndarray: Any, name: str, slot: int) -> None:
    """Arrays of one number, of any shape, are converted by the method *name*, ``__float__`` or ``__int__``."""
    looks_up = type("WithIt", (), {name: lambda self: 0})
    without = type("Without", (), {})
    there = _slot(looks_up, slot)
    if not there.value or _slot(without, slot).value:
        return  # it is somewhere else in this Python: NumPy's error stays
    original = getattr(ndarray, name)

    @functools.wraps(original)
    def converted(self: Any) -> Any:
        try:
            return original(self)
        except TypeError:
            if self.size != 1 or not self.ndim or not is_by_the_user(sys._getframe(1)):
                raise
        return original(self.reshape(()))

    add_method(ndarray, name, converted)
    _slot(ndarray, slot).value = there.value


def _slot(kind: type, slot: int) -> Any:
    """The place, in memory, of the *slot*-th of the functions that a type has for numbers."""
    table = ctypes.c_void_p.from_address(id(kind) + _AS_NUMBER).value
    assert table is not None
    return ctypes.c_void_p.from_address(table + slot * _POINTER)

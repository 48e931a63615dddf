"""Calls of NumPy's functions that NumPy accepted at the time of TensorFlow 1 and refuses now.

    np.array([[1], [1, 2]])                   an array of lists
    np.array(x, copy=False)                   copies only where it has to
    np.array([-1], np.uint8)                  255
    np.vstack(map(f, x)), np.sum(i for ...)   accept iterators and generators
    np.percentile(x, 5, interpolation=...)    renamed to method; for histograms, normed was renamed to density
    float(x), int(x), "%d" % x                for an array of any shape that contains one number
    np.cross([1, 2], [3, 4])                  in two dimensions

Two functions return something else now:

    np.issubdtype(x.dtype, float)             whether it is a float of any size
    np.unique(x, return_inverse=True)         the inverse is one-dimensional

The reference is NumPy 1.18.
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
    """Replaces the functions in *numpy*, for the rest of the process."""
    for owner, names, repair in _repairs(numpy):
        for name in names:
            put(owner, name, repaired(getattr(owner, name), repair))
    put(numpy, "issubdtype", _issubdtype(numpy))
    put(numpy, "unique", _unique(numpy))
    for name, made, slot in (("__float__", float, _NB_FLOAT), ("__int__", int, _NB_INT)):
        if _is_refused(made, numpy.zeros([1])):
            _convert_one_number(numpy.ndarray, name, slot)


def print_as_then(numpy: Any) -> None:
    """Prints numbers in lists as ``0.5`` and not as ``np.float32(0.5)``, unless the program has chosen a format."""
    if not numpy.get_printoptions()["legacy"]:
        numpy.set_printoptions(legacy="1.21")


def _repairs(numpy: Any) -> Iterator[Tuple[Any, Sequence[str], Repair]]:
    """Yields the owner of some functions, their names, and the repair for their calls."""
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
    # It cannot be done without a copy: either that is the error itself, or an array of lists needs one, too.
    changed: Dict[str, Any] = {"copy": True} if kwargs.get("copy") is False else {}
    if _is_of_ragged(problem) and len(args) < 2 and kwargs.get("dtype") is None:
        changed["dtype"] = object
    return functools.partial(function, *args, **{**kwargs, **changed}) if changed else None


def _of_wide_numbers(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    """Keeps the low bits of numbers that are too large for the type."""
    given = {**dict(zip(("object", "dtype"), args)), **kwargs}
    dtype = given.pop("dtype", None)
    if dtype is None or "object" not in given or len(args) > 2:
        return None
    return lambda: function(given.pop("object"), **given).astype(dtype)


def _is_of_ragged(problem: Exception) -> bool:
    return "inhomogeneous" in str(problem)


def _of_ragged(numpy: Any, *names: str, position: int) -> Repair:
    """Returns a repair for functions that make an array of the argument at *position*, or called one of *names*."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if not _is_of_ragged(problem):
            return None
        given = [numpy.asarray(one, object) if place == position else one for place, one in enumerate(args)]
        named = {name: numpy.asarray(one, object) if name in names else one for name, one in kwargs.items()}
        return functools.partial(function, *given, **named)

    return repair


def _of_iterated(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    # The iterator is still unused: NumPy first looks for the methods of a sequence.
    if not args or not hasattr(args[0], "__next__"):
        return None
    return functools.partial(function, list(args[0]), *args[1:], **kwargs)


def _of_summed(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
    is_generator = len(args) == 1 and isinstance(args[0], types.GeneratorType)
    return functools.partial(builtins.sum, args[0]) if is_generator and not kwargs else None


def _of_plane(numpy: Any) -> Repair:
    """Returns a repair for the cross product of vectors of two numbers, which is one number."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if len(args) != 2 or kwargs or {numpy.shape(one)[-1:] for one in args} != {(2,)}:
            return None
        first, second = (numpy.moveaxis(numpy.asarray(one), -1, 0) for one in args)
        return lambda: first[0] * second[1] - first[1] * second[0]

    return repair


def _of_renamed(names: Dict[str, str]) -> Repair:
    """Returns a repair for functions with renamed arguments."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> Again:
        if not any(one in kwargs for one in names):
            return None
        return functools.partial(function, *args, **{names.get(one, one): value for one, value in kwargs.items()})

    return repair


def _issubdtype(numpy: Any) -> Callable[[Any, Any], bool]:
    """Returns NumPy's function with Python's types as kinds of numbers: ``float`` meant any float, not float64."""
    kinds = {float: numpy.floating, int: numpy.signedinteger, complex: numpy.complexfloating}
    original = numpy.issubdtype

    @functools.wraps(original)
    def issubdtype(arg1: Any, arg2: Any) -> bool:
        is_kind = isinstance(arg2, type) and arg2 in kinds and is_by_the_user(sys._getframe(1))
        found: bool = original(arg1, kinds[arg2] if is_kind else arg2)
        return found

    return issubdtype


def _unique(numpy: Any) -> Callable[..., Any]:
    """Returns NumPy's function, whose inverse was one-dimensional whatever the shape of the array."""
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


# For ``float(x)`` the interpreter does not call the method in the type's dict if the type is written in C: it calls a
# slot of the type. Python classes have a generic function in this slot, which looks up the method for any type; that
# function is copied into the slot. The slot's offset follows from CPython's headers, which have not changed since
# Python 3.8.

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In PyTypeObject, after the object header: size, name, basicsize, itemsize, dealloc, vectorcall_offset, getattr,
# setattr, as_async, repr.
_AS_NUMBER = object.__basicsize__ + 10 * _POINTER
# Indices in PyNumberMethods.
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
    """Converts arrays of one number, whatever their shape, by the method *name*, ``__float__`` or ``__int__``."""
    looks_up = type("WithIt", (), {name: lambda self: 0})
    without = type("Without", (), {})
    there = _slot(looks_up, slot)
    if not there.value or _slot(without, slot).value:
        return  # the offset is different in this Python: NumPy's error stays
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
    """Returns the memory of slot number *slot* in a type's PyNumberMethods."""
    table = ctypes.c_void_p.from_address(id(kind) + _AS_NUMBER).value
    assert table is not None
    return ctypes.c_void_p.from_address(table + slot * _POINTER)

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

Rule 1: a call that NumPy takes is NumPy's; what it refuses is looked at (but for these two).
Rule 2: the caller decides: an installed library gets the error that NumPy raised. So what libraries of today find out
        by an error, they find out. In a program of TensorFlow 2 only its modules of TensorFlow 1 are attended to.
Rule 3: what NumPy 1.18 refused stays an error, and that of NumPy.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import gc
import sys
import types
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from queuecompat._namespace.installed_files import is_installed

__all__ = ["add_method", "take_in_all_files", "take_older_calls"]

_ERRORS = (OverflowError, TypeError, ValueError)
# What repairs a call, by the function, its error and its arguments: what to call without arguments; None: nothing does.
_Again = Optional[Callable[[], Any]]
_Repair = Callable[[Callable[..., Any], Exception, Sequence[Any], Dict[str, Any]], _Again]


def take_older_calls(numpy: Any) -> None:
    """Puts the functions in their places in *numpy*, for the rest of the process."""
    for owner, names, repair in _repairs(numpy):
        for name in names:
            setattr(owner, name, _repaired(getattr(owner, name), repair))
    numpy.issubdtype = _issubdtype(numpy)
    numpy.unique = _unique(numpy)
    for name, made, slot in (("__float__", float, _NB_FLOAT), ("__int__", int, _NB_INT)):
        if _is_refused(made, numpy.zeros([1])):
            _convert_one_number(numpy.ndarray, name, slot)


class _State:
    is_in_all_files = False


def take_in_all_files(numpy: Any) -> None:
    """The process runs a program of TensorFlow 1. It prints numbers in lists as ``0.5``, not as ``np.float32(0.5)``."""
    _State.is_in_all_files = True
    if not numpy.get_printoptions()["legacy"]:  # a program may change it
        numpy.set_printoptions(legacy="1.21")


def add_method(kind: type, name: str, method: Any) -> None:
    """Adds *method* to a type that is written in C: what ``setattr`` refuses."""
    [names] = gc.get_referents(vars(kind))
    names[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _repairs(numpy: Any) -> Iterator[Tuple[Any, Sequence[str], _Repair]]:
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


def _repaired(function: Callable[..., Any], repair: _Repair) -> Callable[..., Any]:
    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _ERRORS as problem:
            if not _is_by_the_user(sys._getframe(1)):
                raise
            again = repair(function, problem, args, kwargs)
            if again is None:
                raise
        return again()

    return calling


def _is_by_the_user(caller: types.FrameType) -> bool:
    # Modules of TensorFlow 1 have builtins of their own (``_importing.imports``); with queuecompat.v1 they need none.
    is_of_then = caller.f_builtins is not vars(builtins) or _State.is_in_all_files
    return is_of_then and not is_installed(caller.f_code.co_filename)


def _of_made_array(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
    if isinstance(problem, OverflowError):
        return _of_wide_numbers(function, args, kwargs)
    # Without a copy it cannot be done: that is the error, or what an array of lists needs.
    changed: Dict[str, Any] = {"copy": True} if kwargs.get("copy") is False else {}
    if _is_of_ragged(problem) and len(args) < 2 and kwargs.get("dtype") is None:
        changed["dtype"] = object
    return functools.partial(function, *args, **{**kwargs, **changed}) if changed else None


def _of_wide_numbers(function: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
    """The last bits of numbers that the type has no room for."""
    given = {**dict(zip(("object", "dtype"), args)), **kwargs}
    dtype = given.pop("dtype", None)
    if dtype is None or "object" not in given or len(args) > 2:
        return None
    return lambda: function(given.pop("object"), **given).astype(dtype)


def _is_of_ragged(problem: Exception) -> bool:
    return "inhomogeneous" in str(problem)


def _of_ragged(numpy: Any, *names: str, position: int) -> _Repair:
    """For functions that make an array of what stands at *position*, or is called one of *names*."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
        if not _is_of_ragged(problem):
            return None
        given = [numpy.asarray(one, object) if place == position else one for place, one in enumerate(args)]
        named = {name: numpy.asarray(one, object) if name in names else one for name, one in kwargs.items()}
        return functools.partial(function, *given, **named)

    return repair


def _of_iterated(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
    # Nothing was taken from it: NumPy looks for the methods of a sequence first.
    if not args or not hasattr(args[0], "__next__"):
        return None
    return functools.partial(function, list(args[0]), *args[1:], **kwargs)


def _of_summed(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
    is_generator = len(args) == 1 and isinstance(args[0], types.GeneratorType)
    return functools.partial(builtins.sum, args[0]) if is_generator and not kwargs else None


def _of_plane(numpy: Any) -> _Repair:
    """For the cross product of vectors of two numbers, which is one number."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
        if len(args) != 2 or kwargs or {numpy.shape(one)[-1:] for one in args} != {(2,)}:
            return None
        first, second = (numpy.moveaxis(numpy.asarray(one), -1, 0) for one in args)
        return lambda: first[0] * second[1] - first[1] * second[0]

    return repair


def _of_renamed(names: Dict[str, str]) -> _Repair:
    """For functions of which arguments have other names by now."""

    def repair(function: Any, problem: Exception, args: Sequence[Any], kwargs: Dict[str, Any]) -> _Again:
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
        is_kind = isinstance(arg2, type) and arg2 in kinds and _is_by_the_user(sys._getframe(1))
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
        if not return_inverse or axis is not None or not _is_by_the_user(sys._getframe(1)):
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
            if self.size != 1 or not self.ndim or not _is_by_the_user(sys._getframe(1)):
                raise
        return original(self.reshape(()))

    add_method(ndarray, name, converted)
    _slot(ndarray, slot).value = there.value


def _slot(kind: type, slot: int) -> Any:
    """The place, in memory, of the *slot*-th of the functions that a type has for numbers."""
    table = ctypes.c_void_p.from_address(id(kind) + _AS_NUMBER).value
    assert table is not None
    return ctypes.c_void_p.from_address(table + slot * _POINTER)

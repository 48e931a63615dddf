"""Restores names that modules had at the time of TensorFlow 1 and have lost since.

Rule 1: Only absent names are added; a name that a module has, or provides with a warning of its own, stays as it is.
        (One exception: ``getargspec`` of Python 3.9 and 3.10, which refuses functions with annotations. TensorFlow's
        functions had none then.)
Rule 2: Each name means what it meant: the value of the new name or, if the old function did something else, a function
        that does that.
Rule 3: Names are restored when a module of the user imports theirs (``_importing.imports``) and, for modules that are
        loaded already, when TensorFlow 1's behaviour begins; from then on also when modules of the installed packages
        in ``_PACKAGES`` are imported. They stay for the rest of the process: other code sees them, too, as it did at
        that time.
"""

from __future__ import annotations

import builtins
import functools
import importlib.abc
import importlib.machinery
import math
import operator
import pkgutil
import sys
import types
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from queuecompat._namespace.older.calls_of_numpy import take_older_calls
from queuecompat._namespace.older.calls_of_python import CHANGED, take_older_calls_of
from queuecompat._namespace.older.methods import METHODS, add_methods
from queuecompat.reference.older_names import BY_HAND, OLDER

__all__ = ["bring_back", "bring_back_where_loaded", "concerns"]


def concerns(module: str) -> bool:
    """Whether the module has lost names, or refuses calls that it accepted."""
    return module in OLDER or module in METHODS or module in CHANGED


def bring_back_where_loaded() -> None:
    """Restores the names of modules that are imported already, and of those in ``_PACKAGES`` when they are imported."""
    for name in [one for one in sys.modules if concerns(one)]:
        bring_back(name)
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules of packages as Python does, and restores their names after their import."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec of *fullname*, if that module has lost names; *path* is where its package's modules are."""
        if not concerns(fullname) or fullname.partition(".")[0] not in _PACKAGES:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            execute = found.loader.exec_module

            def with_older_names(module: types.ModuleType) -> None:
                execute(module)
                bring_back(fullname)

            found.loader.exec_module = with_older_names  # type: ignore[method-assign]
        return found


# Of Python's own modules, only those that TensorFlow may not have imported.
_PACKAGES = ("PIL", "configparser", "h5py", "pandas", "scipy", "xml", "yaml")


@functools.cache  # a module is processed once
def bring_back(module: str) -> None:
    """Restores the names of *module*, which has been imported; does nothing for a module that lost none."""
    owner = sys.modules.get(module)
    if owner is None or not concerns(module):
        return
    for name, now in OLDER.get(module, {}).items():
        if name not in vars(owner) or name == "getargspec":
            setattr(owner, name, _VALUES.get((module, name)) or _value(f"{module}.{name}", now))
    add_methods(module, owner)
    take_older_calls_of(module)
    if module == "xml.etree":
        sys.modules.setdefault("xml.etree.cElementTree", vars(owner)["cElementTree"])
    if module == "numpy":
        _bring_back_of_numpy(owner)
    for part in {*OLDER, *METHODS} & set(sys.modules):
        if part.startswith(f"{module}."):
            bring_back(part)


def _value(full: str, now: str) -> Any:
    """Returns the value of *now*, an entry of the table: a name of Python's or of a module, ``-`` negates it.

    For names in ``BY_HAND``, the function of SciPy that was called *full*.
    """
    if full == "numpy.sctypes":
        return _sctypes()
    if full in BY_HAND:
        from queuecompat._namespace.older import scipy_images

        return getattr(scipy_images, full.rpartition(".")[2])
    name = now.lstrip("-")
    value = pkgutil.resolve_name(name) if "." in name else getattr(builtins, name)
    return operator.neg(value) if now.startswith("-") else value


def _bring_back_of_numpy(numpy: types.ModuleType) -> None:
    if numpy.lib.NumpyVersion(numpy.__version__) >= "2.3.0":
        numpy.fromstring = _reading_bytes(numpy.fromstring)  # type: ignore[attr-defined]
    take_older_calls(numpy)


def _reading_bytes(fromstring: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``numpy.fromstring`` that also reads bytes, into a new array, if no separator is passed."""

    @functools.wraps(fromstring)
    def reading(string: Any, dtype: Any = float, count: int = -1, *given: Any, sep: str = "", **others: Any) -> Any:
        import numpy as np

        if given or sep:
            return fromstring(string, dtype, count, *given, **({"sep": sep} if sep else {}), **others)
        data = string.encode("latin-1") if isinstance(string, str) else string
        return np.frombuffer(data, dtype, count, **others).copy()

    return reading


# Functions that did something else than their successors.


class ArgSpec(NamedTuple):
    """The type that ``inspect.getargspec`` returned."""

    args: List[str]
    varargs: Optional[str]
    keywords: Optional[str]
    defaults: Optional[Tuple[Any, ...]]


def _getargspec(function: Any) -> ArgSpec:
    """Returns a function's arguments, without annotations, which TensorFlow's functions have now.

    Raises:
      ValueError: the function has keyword-only arguments.
    """
    import inspect

    found = inspect.getfullargspec(function)
    if found.kwonlyargs:
        raise ValueError("Function has keyword-only parameters, use inspect.signature()")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def _asscalar(a: Any) -> Any:
    return a.item()


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    import numpy as np

    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _asfarray(a: Any, dtype: Any = float) -> Any:
    import numpy as np

    # As then: a type that is not a floating-point type is replaced by float64.
    return np.asarray(a, dtype if np.issubdtype(np.dtype(dtype), np.inexact) else float)


def _msort(a: Any) -> Any:
    import numpy as np

    return np.sort(np.array(a, subok=True), axis=0)


class _Cast:
    """Restores ``numpy.cast``: maps a type to the function that makes an array of that type."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], Any]:
        import numpy as np

        return lambda x: np.array(x, dtype=dtype)


def _sctypes() -> Dict[str, List[type]]:
    import numpy as np

    return {
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
        "float": [np.float16, np.float32, np.float64, np.longdouble],
        "complex": [np.complex64, np.complex128, np.clongdouble],
        "others": [bool, object, bytes, str, np.void],
    }


_VALUES: Dict[Tuple[str, str], Any] = {
    ("inspect", "getargspec"): _getargspec,
    ("numpy", "asfarray"): _asfarray,
    ("numpy", "asscalar"): _asscalar,
    ("numpy", "cast"): _Cast(),
    ("numpy", "in1d"): _in1d,
    ("numpy", "math"): math,
    ("numpy", "msort"): _msort,
    ("numpy", "sys"): sys,
    ("numpy", "warnings"): warnings,
}

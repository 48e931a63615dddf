"""Names of TensorFlow 1's time that Python, NumPy and SciPy have no longer, in their old places again.

Rule 1: only what is absent is added; what a module has, or provides with a warning of its own, stays as it is.
Rule 2: each means what it meant: the new name's value, or, where the old function did something else, a function that
        does that.
Rule 3: they come when a module of the user's imports theirs (``_importing.imports``), and for the modules that are
        there already when TensorFlow 1's behaviour begins; SciPy's also when they are imported later. They stay for the
        process: other code sees them, too, as it did in Python and NumPy of that time.
Rule 4: ``tostring`` of arrays is put into NumPy's type itself, which Python allows only in the way of ``_add_method``.
        ``tests/v1/test_older_names.py`` tries it on every Python and NumPy.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import gc
import importlib.abc
import importlib.machinery
import operator
import pkgutil
import sys
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from queuecompat.reference.older_names import BY_HAND, OF_ARRAYS, OLDER, OWNERS

__all__ = ["bring_back", "bring_back_where_loaded"]


def bring_back_where_loaded() -> None:
    """The names of those modules that are imported already, and of SciPy's when they are."""
    for name in OLDER:
        if name in sys.modules:
            bring_back(name)
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds SciPy's modules where Python does, and has them bring back their names; TensorFlow imports the others."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """The module *fullname*, if it is one of SciPy's; *path* is where its package has its modules."""
        if OWNERS.get(fullname) != "SciPy":
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            execute = found.loader.exec_module

            def with_older_names(module: types.ModuleType) -> None:
                execute(module)
                bring_back(fullname)

            found.loader.exec_module = with_older_names  # type: ignore[method-assign]
        return found


@functools.cache  # a module is looked at once
def bring_back(module: str) -> None:
    """The names of *module*, which has been imported; nothing for a module that lost none."""
    owner = sys.modules.get(module)
    if owner is None or module not in OLDER:
        return
    for name, now in OLDER[module].items():
        if name not in vars(owner):
            setattr(owner, name, _VALUES.get((module, name)) or _value(f"{module}.{name}", now))
    if module == "xml.etree":
        sys.modules.setdefault("xml.etree.cElementTree", vars(owner)["cElementTree"])
    if module == "numpy":
        _bring_back_of_numpy(owner)


def _value(full: str, now: str) -> Any:
    """What the code *now*, of the table, is: a name of Python's, or of a module, or its negative.

    Of images, the function of SciPy's called *full*.
    """
    if full in BY_HAND:
        from queuecompat._namespace import scipy_images

        return getattr(scipy_images, full.rpartition(".")[2])
    name = now.lstrip("-")
    value = pkgutil.resolve_name(name) if "." in name else getattr(builtins, name)
    return operator.neg(value) if now.startswith("-") else value


def _bring_back_of_numpy(numpy: types.ModuleType) -> None:
    for kind in (numpy.ndarray, numpy.generic):
        for name, now in OF_ARRAYS.items():
            if not hasattr(kind, name):
                _add_method(kind, name, getattr(kind, now))
    if numpy.lib.NumpyVersion(numpy.__version__) >= "2.3.0":
        numpy.fromstring = _reading_bytes(numpy.fromstring)  # type: ignore[attr-defined]


def _add_method(kind: type, name: str, method: Any) -> None:
    """Adds *method* to a type that is written in C: what ``setattr`` refuses."""
    [names] = gc.get_referents(vars(kind))
    names[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _reading_bytes(fromstring: Callable[..., Any]) -> Callable[..., Any]:
    """``numpy.fromstring`` that also reads bytes, where no separator is given: a new array, as it returned."""

    @functools.wraps(fromstring)
    def reading(string: Any, dtype: Any = float, count: int = -1, *given: Any, sep: str = "", **others: Any) -> Any:
        import numpy as np

        if given or sep:
            return fromstring(string, dtype, count, *given, **({"sep": sep} if sep else {}), **others)
        data = string.encode("latin-1") if isinstance(string, str) else string
        return np.frombuffer(data, dtype, count, **others).copy()

    return reading


# Functions that did something else than what is there now.


class ArgSpec(NamedTuple):
    """What ``inspect.getargspec`` returned."""

    args: List[str]
    varargs: Optional[str]
    keywords: Optional[str]
    defaults: Optional[Tuple[Any, ...]]


def _getargspec(function: Any) -> ArgSpec:
    """Of a function without keyword-only arguments; annotations, which TensorFlow's have now, are left out.

    Raises:
      ValueError: it has some.
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


_VALUES: Dict[Tuple[str, str], Any] = {
    ("inspect", "getargspec"): _getargspec,
    ("numpy", "asscalar"): _asscalar,
    ("numpy", "in1d"): _in1d,
}

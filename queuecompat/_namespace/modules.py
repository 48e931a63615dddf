"""The namespace's modules by path: ``tf``, ``tf.train``, ``tf.contrib.slim``.

``find`` decides which module a path below ``tf`` means. It is the only place that does: ``import queuecompat.v1.train``
uses it (``offer``), and so do imports of tensorflow in the user's files (``_importing``), ``install`` and
``as_dataset``.

1. ``contrib.*``: queuecompat.contrib, without the private folders that may be in the path. Files in those folders that
   contain other names than their package are in ``names.CONTRIB_PRIVATE``.
2. Modules that ``names`` has a table for: TensorFlow's module with that table on top.
3. Private modules (``python.*``, ``core.*``): TensorFlow's own, except for the modules and names in ``names.PRIVATE``,
   which lists what to use for them now.
4. Everything else: the module of that name in ``tensorflow.compat.v1``.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import pkgutil
import sys
import types
from typing import Any, Dict, List, Mapping, Optional, Sequence

from queuecompat import api
from queuecompat._lazy import absence
from queuecompat._namespace import names
from queuecompat._namespace.overlay import Overlay
from queuecompat._native import estimators
from queuecompat.errors import missing

__all__ = ["find", "find_with_parents", "object_at", "offer"]

_PACKAGE = "queuecompat.v1"
# Top-level packages of the tensorflow distribution that are not part of the API.
_PRIVATE_PACKAGES = ("python", "core", "compiler", "lite", "tools")
# Private modules that were moved and still contain the same names. User-defined optimizers use this one, as
# TensorFlow's own do.
_MOVED = {"python.training.training_ops": "tensorflow.python.ops.gen_training_ops"}
# The folder of the estimator modules in TensorFlow 1, which only re-exported the estimator package, and where they are
# now.
_ESTIMATORS = ("python.estimator", "tensorflow_estimator.python.estimator")
# Folders in contrib.P.python whose names are not directly in P: maps each to the module of P that has them.
_CONTRIB_FOLDERS = {"datasets": "datasets", "learn_io": "io", "nets": "nets", "preprocessing": "preprocessing"}


@functools.cache
def find(path: str) -> types.ModuleType:
    """Returns the module that *path*, a dotted path below ``tf``, means; "" is ``tf`` itself.

    Raises:
      ModuleNotFoundError: there is none; the message says what to use instead, if that is known.
    """
    if not path:
        return _root()
    first = path.partition(".")[0]
    if path in names.CONTRIB_PRIVATE:
        return importlib.import_module(names.CONTRIB_PRIVATE[path])
    if first == "contrib":
        return _contrib(path)
    if path in names.OURS:
        return _overlaid(path)
    if path in names.PRIVATE:
        return _module_at(names.PRIVATE[path], path)
    if first in _PRIVATE_PACKAGES:
        return _private(path)
    if first == "examples":
        return _example(path)
    return _module_at(path, path)


def find_with_parents(path: str) -> types.ModuleType:
    """Returns the same, after making each module on the path an attribute of its parent, as an import does."""
    module = find(path)
    parent, _, name = path.rpartition(".")
    if name and not hasattr(find_with_parents(parent), name):
        setattr(find(parent), name, module)
    return module


def object_at(place: str) -> Any:
    """Returns the object at *place*, which is written as in the tables of ``names``."""
    if place.startswith("="):
        return functools.reduce(getattr, place[1:].split("."), importlib.import_module("tensorflow.compat.v1"))
    module, _, attribute = place.partition(":")
    is_ours = module == _PACKAGE or module.startswith(f"{_PACKAGE}.")
    found = find(module[len(_PACKAGE) + 1 :]) if is_ours else importlib.import_module(module)
    return functools.reduce(getattr, attribute.split(".") if attribute else (), found)


def _root() -> types.ModuleType:
    below = {path: f"{_PACKAGE}.{path}" for path in names.OURS if path and "." not in path}
    real = importlib.import_module("tensorflow.compat.v1")
    # Pipelines that are built by functions outside of the namespace are compiled as well, as far as possible.
    importlib.import_module("queuecompat._session.attending").adopt_graphs()
    return Overlay(_PACKAGE, real, "tensorflow.compat.v1", {**names.OURS[""], **below}, names.GONE[""], object_at)


def _overlaid(path: str) -> types.ModuleType:
    real: Any = importlib.import_module("tensorflow.compat.v1")
    if path in names.INSTEAD and not hasattr(real, path):
        real = importlib.import_module(names.INSTEAD[path])
    else:
        for part in path.split("."):
            real = getattr(real, part)
    below = {
        other[len(path) + 1 :]: f"{_PACKAGE}.{other}"
        for other in names.OURS
        if other.startswith(path + ".") and "." not in other[len(path) + 1 :]
    }
    ours = {**names.OURS[path], **below}
    return Overlay(
        f"{_PACKAGE}.{path}", real, f"tensorflow.compat.v1.{path}", ours, names.GONE.get(path, {}), object_at
    )


def _module_at(path: str, asked: str) -> types.ModuleType:
    return _reached(find(""), path.split("."), asked, f"tf.{path}")


def _reached(found: Any, parts: Sequence[str], asked: str, title: str) -> types.ModuleType:
    """Returns the module that *parts*, attribute by attribute, lead to from *found*.

    Args:
      asked: the path in an error.
      title: what users call the module.
    """
    for part in parts:
        try:
            found = getattr(found, part)
        except AttributeError as problem:
            raise _absent(asked, str(problem)) from None
    if not isinstance(found, types.ModuleType):
        raise _absent(asked, f"{title} is not a module")
    return found


def _contrib(path: str) -> types.ModuleType:
    """Maps ``contrib.P.python.x.y.leaf`` to ``contrib.P.leaf``, or to the package P where it has no such module."""
    _, *parts = path.split(".")
    if "python" not in parts:
        return _contrib_module(parts, path)
    package, inner = parts[: parts.index("python")], parts[parts.index("python") + 1 :]
    package += [_CONTRIB_FOLDERS[folder] for folder in inner[:-1] if folder in _CONTRIB_FOLDERS]
    public = _contrib_module(package, path)
    # The files that our package consists of are not names of it: they contain only a part of what TF1's files had.
    files = {one.name for one in pkgutil.iter_modules(getattr(public, "__path__", ()))} - set(dir(public))
    leaf = getattr(public, inner[-1], None) if inner and inner[-1] not in files else None
    if isinstance(leaf, types.ModuleType):
        return leaf
    title = f"tf.contrib.{'.'.join(package)}"
    gone = api.gone(title)
    if not names.CONTRIB_FILES.issuperset(inner):
        file, name = ("", *inner)[-2:]
        raise _absent(path, str(absence(f"{title}.{file}.{name}", "")) if file in gone else _why_not(public, name))
    if inner and inner[-1] in gone:
        return _Gone(f"{_PACKAGE}.{path}", f"{title}.{inner[-1]}")
    # A module of its own, so that a submodule can be set as its attribute without becoming a name of the package.
    below = {name: f"{_PACKAGE}.{path}.{name}" for name in files & names.CONTRIB_FILES}
    below.update(names.CONTRIB_PRIVATE_NAMES.get(path, {}))
    return _Inner(f"{_PACKAGE}.{path}", public, title, below)


class _Inner(Overlay):
    """A private module of contrib: all names of *public*, and in addition *ours*: files and private names."""

    def __init__(self, name: str, public: Any, title: str, ours: Mapping[str, str]) -> None:
        super().__init__(name, public, title, ours, {}, object_at)
        self.__public = public

    def __dir__(self) -> List[str]:
        return [name for name in dir(self.__public) if not name.startswith("_")]


class _Gone(types.ModuleType):
    """A private module of contrib whose public form, *symbol*, was removed; using a name of it raises an error."""

    def __init__(self, name: str, symbol: str) -> None:
        super().__init__(name)
        self.__symbol = symbol

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself looks these up to test for them
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        raise absence(f"{self.__symbol}.{name}", "")


def _why_not(module: types.ModuleType, name: str) -> str:
    try:
        getattr(module, name)
    except AttributeError as problem:
        return str(problem)
    return f"{module.__name__}.{name} is not a module"


def _contrib_module(parts: Sequence[str], asked: str) -> types.ModuleType:
    contrib = importlib.import_module("queuecompat.contrib")
    found = _reached(contrib, parts, asked, f"tf.contrib.{'.'.join(parts)}")
    if found.__name__.startswith("queuecompat.") and not hasattr(found, "__path__"):
        # All of TF1's were packages: Python looks for a submodule such as ``lookup.lookup_ops`` only in a package.
        found.__path__ = []
    return found


def _example(path: str) -> types.ModuleType:
    try:
        return importlib.import_module(f"queuecompat._namespace.{path}")
    except ModuleNotFoundError:
        raise _absent(path, "tensorflow.examples has only tutorials.mnist, with input_data and mnist") from None


def _private(path: str) -> types.ModuleType:
    ours = _ours_below(path)
    try:
        real = importlib.import_module(f"tensorflow.{path}")
    except ModuleNotFoundError:
        moved = _moved(path)
        if moved is None and not ours:
            raise _absent(path, "the TensorFlow that is installed has no such private module") from None
        # A removed folder, of which we provide some modules.
        real = moved or types.ModuleType(f"tensorflow.{path}")
    return Overlay(f"tensorflow.{path}", real, f"tensorflow.{path}", ours, {}, object_at) if ours else real


def _moved(path: str) -> Optional[types.ModuleType]:
    """Returns the module that the private module *path* was moved to; None if there is none."""
    place = _MOVED.get(path)
    before, after = _ESTIMATORS
    if place is None and f"{path}.".startswith(f"{before}."):
        estimators.estimator_names()  # makes the package importable
        place = after + path[len(before) :]
    try:
        return None if place is None else importlib.import_module(place)
    except ModuleNotFoundError:
        return None


def _ours_below(path: str) -> Dict[str, str]:
    """Returns the places of our names below the private module *path*, and of the folders on the way to them.

    TensorFlow's own files in that folder are found through the real module.
    """
    ours = {}
    for other in [*names.PRIVATE, *names.PRIVATE_FUNCTIONS]:
        if other.startswith(f"{path}."):
            name = other[len(path) + 1 :].partition(".")[0]
            ours[name] = _place(f"{path}.{name}")
    return ours


def _place(path: str) -> str:
    if path in names.PRIVATE_FUNCTIONS:
        return names.PRIVATE_FUNCTIONS[path]
    return f"{_PACKAGE}:{names.PRIVATE[path]}" if path in names.PRIVATE else f"{_PACKAGE}.{path}"


def _absent(path: str, why: str) -> ModuleNotFoundError:
    name = f"tensorflow.{path}"
    if "QC511" not in why:
        why = missing(name, why)
    return ModuleNotFoundError(why, name=name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets the import system find all modules that ``find`` knows."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        inner = name[len(_PACKAGE) + 1 :]
        if not name.startswith(_PACKAGE + ".") or inner.startswith("_"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        # Replaces the empty module that the import system made; the real module must keep its own spec.
        sys.modules[module.__name__] = find(module.__name__[len(_PACKAGE) + 1 :])


def offer() -> None:
    """Lets ``import queuecompat.v1.<path>`` find every module that ``find`` knows."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        # Placed first, since the other finders would load a second copy of a module below one of TensorFlow's packages.
        sys.meta_path.insert(0, _Finder())

"""In the user's files, ``tensorflow`` means ``queuecompat.v1``.

Rule 1: only the user's modules are concerned. They share builtins of their own, whose ``__import__``
        answers for tensorflow; a library's imports never pass through here.
Rule 2: the user's source is compiled by Python's own loader and not changed: lines, bytecode files
        and ``inspect.getsource`` stay what they are. Code that the user's code executes (``exec`` of
        a configuration file) inherits its builtins, and so imports the same.

``importlib.import_module("tensorflow")`` is a call like any other and gives the real one.
"""

from __future__ import annotations

import builtins
import functools
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Mapping, Optional, Sequence

from queuecompat.running.tree import Tree

__all__ = ["UserModules", "user_builtins"]


@functools.cache
def user_builtins() -> types.ModuleType:
    """The ``__builtins__`` of the user's ``__main__``; those of all other modules are its dict, as in Python."""
    ours = types.ModuleType(builtins.__name__, builtins.__doc__)
    vars(ours).update(vars(builtins), __import__=_import)
    builtins.__class__ = _Mirrored
    return ours


class _Mirrored(types.ModuleType):
    """Python's builtins: what is set there later (``mock.patch("builtins.open")``) holds for the user's, too."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name != "__import__":
            setattr(user_builtins(), name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if name != "__import__":
            delattr(user_builtins(), name)


def _import(
    name: str,
    globals: Optional[Mapping[str, Any]] = None,
    locals: Optional[Mapping[str, Any]] = None,
    fromlist: Optional[Sequence[str]] = (),
    level: int = 0,
) -> types.ModuleType:
    if level or (name != "tensorflow" and not name.startswith("tensorflow.")):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    # Only here: a program that never imports TensorFlow need not wait for it.
    from queuecompat.v1 import _submodules

    path = name.partition(".")[2]
    module = _submodules.find_with_parents(path)
    for wanted in fromlist or ():
        if wanted != "*" and not hasattr(module, wanted):
            _load(module, path, wanted)
    return module if fromlist else _submodules.find("")


def _load(module: types.ModuleType, path: str, wanted: str) -> None:
    """Loads the submodule *wanted*, which ``from module import wanted`` means and *module* does not have yet.

    Raises:
      ImportError: there is none; says what *module* has to say of that name.
    """
    from queuecompat.v1 import _submodules

    try:
        _submodules.find_with_parents(f"{path}.{wanted}".lstrip("."))
    except ModuleNotFoundError as problem:
        raise ImportError(f"cannot import name '{wanted}' from '{module.__name__}': {problem}") from None


class UserModules(importlib.abc.MetaPathFinder):
    """Finds modules as Python does, and gives those of *tree* the user's builtins."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not spec.has_location or not self._tree.has(spec.origin or ""):
            return None  # the finders after this one see to it
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _UserLoader(spec.loader.name, spec.loader.path)
        return spec

    def __enter__(self) -> UserModules:
        # In front of Python's own path finder, behind the built-in modules.
        place = sys.meta_path.index(importlib.machinery.PathFinder)
        sys.meta_path.insert(place, self)
        return self

    def __exit__(self, *_: Any) -> None:
        sys.meta_path.remove(self)


class _UserLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)["__builtins__"] = vars(user_builtins())
        super().exec_module(module)

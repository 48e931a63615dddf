"""In the user's files, ``tensorflow`` means ``queuecompat.v1``.

Rule 1: only the user's modules are concerned. They share builtins of their own, whose ``__import__``
        answers for tensorflow; a library's imports never pass through here.
Rule 2: the user's source is compiled by Python's own loader and not changed: lines, bytecode files
        and ``inspect.getsource`` stay what they are. Code that the user's code executes (``exec`` of
        a configuration file) inherits its builtins, and so imports the same.
Rule 3: what goes for the statement goes for the functions (``import_calls``) and for worker processes
        (``workers``).
"""

from __future__ import annotations

import builtins
import dis
import functools
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Mapping, Optional, Sequence

from queuecompat.running.tree import Tree

__all__ = ["UserModules", "find", "is_of_the_user", "is_tensorflow", "user_builtins"]


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
    if level or not is_tensorflow(name):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = find(name)
    for wanted in fromlist or ():
        if wanted != "*" and not hasattr(module, wanted):
            _load(module, name, wanted, is_needed=_is_statement(sys._getframe(1)))
    return module if fromlist else find("tensorflow")


def _is_statement(frame: types.FrameType) -> bool:
    """Whether *frame* is at an import statement, which fails without its names; a call of ``__import__`` does not."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_NAME"]


def is_tensorflow(name: str) -> bool:
    """Whether *name* is that of tensorflow or of a module in it."""
    return name == "tensorflow" or name.startswith("tensorflow.")


def is_of_the_user(frame: types.FrameType) -> bool:
    """Whether *frame* runs code of the user's, or code that such code executes."""
    return frame.f_builtins is vars(user_builtins())


def find(name: str) -> types.ModuleType:
    """What the user means by the module *name*, which is tensorflow or in it.

    Raises:
      ModuleNotFoundError: there is none.
    """
    # Only here: a program that never imports TensorFlow need not wait for it.
    from queuecompat.v1 import _submodules

    try:
        return _submodules.find_with_parents(name.partition(".")[2])
    except ModuleNotFoundError as problem:
        raise problem.with_traceback(None) from None  # the user's line and the message say it all


def _load(module: types.ModuleType, name: str, wanted: str, *, is_needed: bool) -> None:
    """Loads the submodule *wanted*, which ``from name import wanted`` means and *module* does not have yet.

    Raises:
      ImportError: there is none, and it *is_needed*; says what *module* has to say of that name.
    """
    try:
        find(f"{name}.{wanted}")
    except ModuleNotFoundError as problem:
        if not is_needed:
            return
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
    # Not exec_module, which would be a frame of every traceback out of the module.
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        vars(module)["__builtins__"] = vars(user_builtins())
        return module

"""The import system's functions, called by the user's code: they find what an ``import`` statement there finds.

``importlib.import_module("tensorflow")``, ``importlib.__import__``, ``importlib.util.find_spec``, and
``runpy.run_path`` and ``run_module`` of the user's files. So do files that are loaded by their paths:
``importlib.util.spec_from_file_location``, ``imp.load_source``, ``importlib.machinery.SourceFileLoader``.

Rule 1: the caller decides, never the call. A frame of the user's has the user's builtins; for everybody else
        the functions are Python's own. So is ``map(importlib.import_module, names)`` the user's, and
        ``executor.submit(importlib.import_module, name)`` is not.
Rule 2: a function is taken from its module at the call (``importlib.import_module``) or by an import after the
        program's start; a library that took it earlier has Python's own, which it would get anyway.
Rule 3: a file that is loaded by its path is the user's by the tree that it is in, not by the caller: all these ways
        leave it to Python's own loader to make the module, which is where it gets the user's builtins.
Rule 4: only under ``queuecompat run``. In a program of TensorFlow 2 these functions stay Python's own, and a module of
        TensorFlow 1 has an ``importlib`` of its own (``own_importlib``).
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import runpy
import sys
import types
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from queuecompat._importing.imports import (
    find,
    is_of_the_user,
    is_tensorflow,
    module_of_the_user,
    user_builtins,
)
from queuecompat._importing.own_importlib import absolute
from queuecompat._importing.tree import Tree

__all__ = ["offer", "with_user_builtins"]


def offer(tree: Tree) -> None:
    """Puts the functions in their modules, for the rest of the process."""
    _replace(importlib, "import_module", _import_module)
    _replace(importlib, "__import__", _import)
    _replace(importlib.util, "find_spec", _find_spec)
    _replace(runpy, "run_path", functools.partial(_run_path, tree))
    _replace(runpy, "run_module", functools.partial(_run_module, tree))
    _make_modules(importlib.machinery.SourceFileLoader, tree)


def with_user_builtins(names: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
    """*names*, as globals that a program of the user's may begin with."""
    return {"__builtins__": user_builtins(), **(names or {})}


def _replace(module: types.ModuleType, name: str, for_the_user: Callable[..., Any]) -> None:
    """*for_the_user* gets Python's own function first, and then the arguments of the call."""
    original = getattr(module, name)

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if is_of_the_user(sys._getframe(1)):
            return for_the_user(original, *args, **kwargs)
        return original(*args, **kwargs)

    setattr(module, name, function)


def _make_modules(loader: Any, tree: Tree) -> None:
    """From now on *loader*, Python's own for source files, makes the modules of the user's files as ours does."""
    original = loader.create_module

    @functools.wraps(original)
    def create_module(self: Any, spec: importlib.machinery.ModuleSpec) -> Optional[types.ModuleType]:
        made: Optional[types.ModuleType] = original(self, spec)
        return module_of_the_user(spec.name) if made is None and tree.has(spec.origin or "") else made

    loader.create_module = create_module


def _import_module(original: Callable[..., Any], name: str, package: Optional[str] = None) -> types.ModuleType:
    full = absolute(name, package)
    return find(full) if is_tensorflow(full) else original(name, package)


def _import(
    original: Callable[..., Any],
    name: str,
    globals: Optional[Mapping[str, Any]] = None,
    locals: Optional[Mapping[str, Any]] = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> types.ModuleType:
    if level or not is_tensorflow(name):
        return original(name, globals, locals, fromlist, level)
    return vars(user_builtins())["__import__"](name, globals, locals, fromlist)


def _find_spec(
    original: Callable[..., Any], name: str, package: Optional[str] = None
) -> Optional[importlib.machinery.ModuleSpec]:
    """Whether and where a module is; of ``tensorflow`` itself the real one's: programs look for its files."""
    full = absolute(name, package)
    if full == "tensorflow" or not is_tensorflow(full):
        return original(name, package)
    try:
        module = find(full)
    except ModuleNotFoundError:
        return None
    return module.__spec__ or importlib.machinery.ModuleSpec(full, None)


def _run_path(
    tree: Tree,
    original: Callable[..., Any],
    path_name: str,
    init_globals: Optional[Mapping[str, Any]] = None,
    run_name: Optional[str] = None,
) -> Dict[str, Any]:
    if tree.has(path_name):
        init_globals = with_user_builtins(init_globals)
    return original(path_name, init_globals, run_name)


def _run_module(
    tree: Tree,
    original: Callable[..., Any],
    mod_name: str,
    init_globals: Optional[Mapping[str, Any]] = None,
    *args: Any,
    **kwargs: Any,
) -> Dict[str, Any]:
    try:
        spec = importlib.util.find_spec(mod_name)
    except (ImportError, ValueError):
        spec = None  # runpy has words of its own for that
    if spec is not None and spec.has_location and tree.has(spec.origin or ""):
        init_globals = with_user_builtins(init_globals)
    return original(mod_name, init_globals, *args, **kwargs)

"""Makes the import system's functions, called by the user's code, find what an ``import`` statement there finds.

The functions are ``importlib.import_module("tensorflow")``, ``importlib.__import__``, ``importlib.util.find_spec``, and
``runpy.run_path`` and ``run_module`` for the user's files. The same holds for files that are loaded by path:
``importlib.util.spec_from_file_location``, ``imp.load_source``, ``importlib.machinery.SourceFileLoader``.

Rule 1: The calling frame decides, not the arguments. A frame of the user's code has the user's builtins; for all other
        callers the functions are Python's own. So ``map(importlib.import_module, names)`` counts as a call by the user,
        and ``executor.submit(importlib.import_module, name)`` does not.
Rule 2: A function is ours if it is looked up in its module at the call (``importlib.import_module``), or was imported
        from there after the program's start. A library that imported it earlier has Python's own, which is what a
        library would get anyway.
Rule 3: Whether a file that is loaded by path is the user's depends on its location (the tree), not on the caller: all
        these ways let Python's own loader create the module, and the user's builtins are set there.
Rule 4: This applies only under ``queuecompat run``. In a TensorFlow 2 program these functions stay Python's own, and
        each TensorFlow 1 module gets an ``importlib`` of its own (``own_importlib``).
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
    """Replaces the functions in their modules, for the rest of the process."""
    _replace(importlib, "import_module", _import_module)
    _replace(importlib, "__import__", _import)
    _replace(importlib.util, "find_spec", _find_spec)
    _replace(runpy, "run_path", functools.partial(_run_path, tree))
    _replace(runpy, "run_module", functools.partial(_run_module, tree))
    _make_modules(importlib.machinery.SourceFileLoader, tree)


def with_user_builtins(names: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
    """Returns *names* with the user's builtins, as the initial globals of a program."""
    return {"__builtins__": user_builtins(), **(names or {})}


def _replace(module: types.ModuleType, name: str, for_the_user: Callable[..., Any]) -> None:
    """Replaces a function of *module* for calls by the user's code.

    Args:
      for_the_user: is called with Python's own function, followed by the arguments of the call.
    """
    original = getattr(module, name)

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if is_of_the_user(sys._getframe(1)):
            return for_the_user(original, *args, **kwargs)
        return original(*args, **kwargs)

    setattr(module, name, function)


def _make_modules(loader: Any, tree: Tree) -> None:
    """Makes *loader*, Python's own for source files, create the modules of the user's files as our loader does."""
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
    """Returns the spec of a module. For ``tensorflow`` itself it is the real one: programs locate its files by it."""
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
        spec = None  # runpy raises its own error for that
    if spec is not None and spec.has_location and tree.has(spec.origin or ""):
        init_globals = with_user_builtins(init_globals)
    return original(mod_name, init_globals, *args, **kwargs)

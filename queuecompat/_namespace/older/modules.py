"""Modules of TensorFlow 1's time that are gone, for the user's imports of them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from typing import Any, Optional, Tuple

from queuecompat.reference.older_names import MODULES

__all__ = ["put_where_gone"]


def put_where_gone(name: str) -> None:
    """If *name* is such a module, and cannot be imported, ``sys.modules`` has what is used instead of it."""
    if name not in MODULES or name in sys.modules:
        return
    package, _, last = name.rpartition(".")
    if package:
        put_where_gone(package)
    try:
        if importlib.util.find_spec(name) is not None:
            return
        now = _imp() if name == "imp" else importlib.import_module(MODULES[name])
    except ImportError:
        return  # what it is a part of is not installed: Python says so
    sys.modules[name] = now
    if package:
        setattr(sys.modules[package], last, now)


def _imp() -> types.ModuleType:
    """What programs used of ``imp``, which Python 3.12 removed."""
    imp = types.ModuleType("imp", "``imp`` of Python 3.11, as far as ``importlib`` has the same.")
    vars(imp).update(
        PY_SOURCE=1,
        PY_COMPILED=2,
        C_EXTENSION=3,
        PKG_DIRECTORY=5,
        find_module=_find_module,
        load_module=_load_module,
        load_package=lambda name, path: _load_module(name, None, path, ("", "", 5)),
        load_source=lambda name, pathname, file=None: _load_module(name, file, pathname, (".py", "r", 1)),
        new_module=types.ModuleType,
        reload=importlib.reload,
    )
    return imp


_Details = Tuple[str, str, int]


def _find_module(name: str, path: Optional[Any] = None) -> Tuple[Any, Optional[str], _Details]:
    """The open file of a module, or None; where it is; and what it is.

    Raises:
      ImportError: there is none.
    """
    found = importlib.machinery.PathFinder.find_spec(name, path) or importlib.util.find_spec(name)
    if found is None:
        raise ImportError(f"No module named {name!r}", name=name)
    if found.submodule_search_locations:
        return None, next(iter(found.submodule_search_locations)), ("", "", 5)
    if isinstance(found.loader, importlib.machinery.SourceFileLoader) and found.origin:
        return open(found.origin, encoding="utf-8"), found.origin, (".py", "r", 1)
    return None, found.origin, ("", "", 3)


def _load_module(name: str, file: Any, filename: str, details: _Details) -> types.ModuleType:
    """The module *name* of a file or a folder, executed; in ``sys.modules`` from then on.

    Raises:
      ImportError: there is nothing to load it from.
    """
    path = f"{filename}/__init__.py" if details[2] == 5 else filename
    places = [filename] if details[2] == 5 else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=places)
    if spec is None or spec.loader is None:
        raise ImportError(f"No module named {name!r}", name=name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules[name]

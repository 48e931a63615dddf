"""``importlib`` for the modules of one tree: its ``import_module`` finds what an ``import`` statement there finds.

Rule: Python's own module is not changed. A module of the tree that imports ``importlib`` gets an instance of this
class.
"""

from __future__ import annotations

import importlib
import importlib.util
import types
from typing import Any, Callable, Optional

__all__ = ["OwnImportlib", "absolute"]


class OwnImportlib(types.ModuleType):
    """Python's ``importlib`` with a different ``import_module``.

    Args:
      find: returns the module with an absolute name.
    """

    def __init__(self, find: Callable[[str], types.ModuleType]) -> None:
        super().__init__(importlib.__name__, importlib.__doc__)
        self._find = find

    def import_module(self, name: str, package: Optional[str] = None) -> types.ModuleType:
        """As Python's own: a *name* that begins with dots is relative to *package*."""
        full = absolute(name, package)
        # If a name stays relative, Python raises its own error.
        return importlib.import_module(name, package) if full.startswith(".") else self._find(full)

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib, name)


def absolute(name: str, package: Optional[str]) -> str:
    """Returns the absolute form of *name* relative to *package*; *name* itself where Python refuses it."""
    if not name.startswith(".") or not package:
        return name
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:
        return name

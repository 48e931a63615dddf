"""``importlib`` as the modules of one tree see it: ``import_module`` finds what an ``import`` statement there finds.

Rule: Python's own module is not changed. A module of the tree that imports ``importlib`` gets one of these instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import types
from typing import Any, Callable, Optional

__all__ = ["OwnImportlib", "absolute"]


class OwnImportlib(types.ModuleType):
    """Python's module with an ``import_module`` of its own.

    Args:
      find: returns the module of an absolute name.
    """

    def __init__(self, find: Callable[[str], types.ModuleType]) -> None:
        super().__init__(importlib.__name__, importlib.__doc__)
        self._find = find

    def import_module(self, name: str, package: Optional[str] = None) -> types.ModuleType:
        """As Python's: *name* may begin with dots, and is relative to *package* then."""
        full = absolute(name, package)
        # Python says what is wrong with a name that stays relative.
        return importlib.import_module(name, package) if full.startswith(".") else self._find(full)

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib, name)


def absolute(name: str, package: Optional[str]) -> str:
    """The name that *name*, relative to *package*, stands for; *name* itself where Python refuses it."""
    if not name.startswith(".") or not package:
        return name
    try:
        return importlib.util.resolve_name(name, package)
    except ImportError:
        return name

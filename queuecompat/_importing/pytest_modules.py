"""The user's test modules under pytest, which loads them with a loader that rewrites their assertions.

That loader lets Python create the module. The change here makes it create modules of the user, as our own loader does.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import types
from typing import Any, Callable, Optional

from queuecompat._importing.tree import Files

__all__ = ["PYTEST", "with_users_modules"]

# The module that contains the loader, in every pytest since version 3.
PYTEST = "_pytest.assertion.rewrite"


def with_users_modules(
    spec: Optional[importlib.machinery.ModuleSpec], files: Files, make: Callable[[str], types.ModuleType]
) -> Optional[importlib.machinery.ModuleSpec]:
    """Returns *spec*, of ``PYTEST``, so that the loader in it will *make* the modules of *files*."""
    if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
        spec.loader = _Changing(spec.loader, files, make)
    return spec


class _Changing(importlib.machinery.SourceFileLoader):
    def __init__(
        self, loader: importlib.machinery.SourceFileLoader, files: Files, make: Callable[[str], types.ModuleType]
    ) -> None:
        super().__init__(loader.name, loader.path)
        self._files, self._make = files, make

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        hook: Any = module.AssertionRewritingHook
        create = hook.create_module
        files, make = self._files, self._make

        @functools.wraps(create)
        def create_module(self: Any, spec: importlib.machinery.ModuleSpec) -> Optional[types.ModuleType]:
            made: Optional[types.ModuleType] = create(self, spec)
            return make(spec.name) if made is None and files.has(spec.origin or "") else made

        hook.create_module = create_module

"""``install()``: puts queuecompat's functions in TensorFlow's own places.

This is for notebooks, and for libraries that import TensorFlow themselves. In programs and their modules, prefer
``import queuecompat.v1 as tf`` or ``python -m queuecompat run``, which change nothing for other code.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import threading
import types
from typing import Any, List, Optional, Sequence, Tuple

import tensorflow as tf  # noqa: F401  # its modules have to be there

from queuecompat._namespace import modules
from queuecompat._namespace.places import api_of, apis, dropped, replaced
from queuecompat._session.attending import adopt_graphs, leave_graphs

__all__ = ["Installation", "install", "uninstall"]

_ABSENT = object()
_lock = threading.RLock()
_installations: List[Installation] = []


class Installation:
    """The result of ``install``; as a context manager it uninstalls at the end of the block."""

    def __init__(self) -> None:
        self._before: List[Tuple[types.ModuleType, str, Any]] = []
        self._finder = _Finder(self)

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *_: Any) -> None:
        uninstall()

    def __repr__(self) -> str:
        if self not in _installations:
            return "<queuecompat installation: over>"
        state = f"{len(_installations[0]._before)} names of TensorFlow are queuecompat's"
        return f"<queuecompat installation: {state}>"

    def _put(self) -> None:
        adopt_graphs()
        sys.meta_path = [self._finder, *sys.meta_path]
        for module, _ in apis():
            self.put_into(module)

    def put_into(self, module: types.ModuleType) -> None:
        """Sets our names in *module*, if it is a part of TensorFlow's API for which we have any."""
        api = api_of(module.__name__)
        if api is None:
            return
        absent = {name: value for name, value in dropped(api).items() if not hasattr(module, name)}
        for name, value in {**replaced(api), **absent}.items():
            self._before.append((module, name, vars(module).get(name, _ABSENT)))
            setattr(module, name, value)

    def _restore(self) -> None:
        if self._before:
            leave_graphs()
        self._finder.withdraw()
        while self._before:
            module, name, value = self._before.pop()
            if value is _ABSENT:
                delattr(module, name)
            else:
                setattr(module, name, value)


class _Finder(importlib.abc.MetaPathFinder):
    """Lets ``import tensorflow.contrib.slim`` find ours, and handles parts of the API that are imported later."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._ours: List[str] = []

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        api = api_of(name)
        if api is None:
            return None
        if api.path == "contrib" or api.path.startswith("contrib."):
            self._ours.append(name)
            return importlib.machinery.ModuleSpec(name, _Ours(api.path), is_package=True)
        if not replaced(api) and not dropped(api):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Late(spec.loader, self._installation)
        return spec

    def withdraw(self) -> None:
        sys.meta_path = [one for one in sys.meta_path if one is not self]
        for name in self._ours:
            sys.modules.pop(name, None)
        self._ours.clear()


class _Ours(importlib.abc.Loader):
    """Loads the module of TensorFlow 1's namespace at *path*."""

    def __init__(self, path: str) -> None:
        self._path = path

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        # Replaces the empty module that the import system made; the real module must keep its own spec.
        sys.modules[module.__name__] = modules.find(self._path)


class _Late(importlib.machinery.SourceFileLoader):
    """Loads a part of TensorFlow's API as *loader* does, and then sets our names in it."""

    def __init__(self, loader: importlib.machinery.SourceFileLoader, installation: Installation) -> None:
        super().__init__(loader.name, loader.path)
        self._installation = installation

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        with _lock:
            if self._installation in _installations:
                # TensorFlow may have replaced this module in sys.modules.
                self._installation.put_into(sys.modules[module.__name__])


def install() -> Installation:
    """Puts queuecompat's functions where code that imports TensorFlow looks for them.

    - ``tf.compat.v1.train``'s input functions, queue runners and coordinators, and ``tf.compat.v1``'s readers
      are ours, however they are spelled: ``import tensorflow.compat.v1 as tf`` before or after this call,
      ``from tensorflow.compat.v1.train import batch``;
    - ``tf.train`` and ``tf`` have those of them that TensorFlow 2 dropped;
    - ``tf.contrib`` and ``tf.compat.v1.contrib`` are ``queuecompat.contrib``, and can be imported: ``from
      tensorflow.contrib import slim``, ``import tensorflow.contrib.training.python.training.training``.

    Nothing else changes: eager execution stays on or off as it was. Functions that were imported by their own names
    before (``from tensorflow.compat.v1.train import batch``) stay TensorFlow's.

    Calls may be nested: the outermost ``uninstall`` restores everything.

    Returns:
      An ``Installation``, for ``with queuecompat.install():``.
    """
    with _lock:
        installation = Installation()
        _installations.append(installation)
        if len(_installations) == 1:
            installation._put()
        return installation


def uninstall() -> None:
    """Undoes the last ``install``: every name is again what it was before; names that did not exist are removed.

    Raises:
      RuntimeError: nothing is installed.
    """
    with _lock:
        if not _installations:
            raise RuntimeError("queuecompat.uninstall() without an install() before it")
        _installations.pop()._restore()

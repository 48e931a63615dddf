"""The rest of slim: layers, nets, losses, training loops: those of the package ``tf_slim``, if it is installed.

It works unchanged on TensorFlow 2.12 and later, except for ``batch_norm`` on 2.16 and later: TensorFlow looks for
that layer in the package ``tf_keras`` (``pip install tf-keras``), under a module name that tf-keras no longer has.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, List, Optional

from queuecompat.errors import missing

__all__ = ["find", "names"]

PACKAGE = "tf_slim"
# From the module where TensorFlow looks for its old layers to the module where they are.
SOUGHT = "tf_keras.legacy_tf_layers"
FOUND = "tf_keras.src.legacy_tf_layers"


def find(name: str) -> Any:
    """What ``tf_slim`` has under *name*: one of its names, or a module of it that is not imported yet.

    Raises:
      AttributeError: it has no such name, or is not installed.
    """
    if name.startswith("__"):  # Python itself looks up such names; a library should not be loaded for that
        raise AttributeError(f"module 'queuecompat.contrib.slim' has no attribute '{name}'")
    if not _is_installed():
        why = f"queuecompat has slim's input modules; slim.{name} is in the package tf-slim, which is not installed"
        raise AttributeError(missing(f"tf.contrib.slim.{name}", why, "pip install tf-slim"))
    package = _package()
    if hasattr(package, name):
        return getattr(package, name)
    if importlib.util.find_spec(f"{PACKAGE}.{name}") is None:
        raise AttributeError(missing(f"tf.contrib.slim.{name}", f"neither queuecompat nor tf-slim has slim.{name}"))
    return importlib.import_module(f"{PACKAGE}.{name}")


def names() -> List[str]:
    """The public names of ``tf_slim``, if it is installed."""
    return [name for name in dir(_package()) if not name.startswith("_")] if _is_installed() else []


def _is_installed() -> bool:
    return PACKAGE in sys.modules or importlib.util.find_spec(PACKAGE) is not None


def _package() -> types.ModuleType:
    if not any(isinstance(finder, _MovedLayers) for finder in sys.meta_path):
        sys.meta_path.append(_MovedLayers())
    return importlib.import_module(PACKAGE)


class _MovedLayers(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes old layers importable where TensorFlow looks for them. The last finder, so a real module comes first."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if name != SOUGHT or importlib.util.find_spec(FOUND) is None:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: types.ModuleType) -> None:
        for name in ("", ".normalization"):
            sys.modules[SOUGHT + name] = importlib.import_module(FOUND + name)

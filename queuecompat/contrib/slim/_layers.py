"""The rest of slim: layers, nets, losses, training loops. They are the package ``tf_slim``'s, if it is installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, List

__all__ = ["find", "names"]

PACKAGE = "tf_slim"


def find(name: str) -> Any:
    """What ``tf_slim`` has under *name*: one of its names, or a module of it that nobody imported yet.

    Raises:
      AttributeError: it has no such name, or is not installed.
    """
    if name.startswith("__"):  # Python asks for these, and a library should not be loaded for it
        raise AttributeError(f"module 'queuecompat.contrib.slim' has no attribute '{name}'")
    if importlib.util.find_spec(PACKAGE) is None:
        raise AttributeError(
            f"queuecompat has slim's input modules; slim.{name} is in the package tf-slim, which is not installed: "
            "pip install tf-slim"
        )
    package = importlib.import_module(PACKAGE)
    if hasattr(package, name):
        return getattr(package, name)
    if importlib.util.find_spec(f"{PACKAGE}.{name}") is None:
        raise AttributeError(f"neither queuecompat nor tf-slim has slim.{name}")
    return importlib.import_module(f"{PACKAGE}.{name}")


def names() -> List[str]:
    """The public names of ``tf_slim``, where it is installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return []
    return [name for name in dir(importlib.import_module(PACKAGE)) if not name.startswith("_")]

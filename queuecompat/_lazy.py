"""Packages whose names are looked up when they are first used (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Callable, List, Mapping, Tuple

__all__ = ["lazily"]


def lazily(
    package: str, places: Mapping[str, str], absent: Callable[[str], str]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of *package*.

    Args:
      places: from each public name to the module it is in, as ``"module:attribute"``, or ``"module"``
        where the name is the module itself.
      absent: from a name that is not public to what the AttributeError has to say.
    """

    def look_up(name: str) -> Any:
        if name not in places:
            raise AttributeError(absent(name))
        module, _, attribute = places[name].partition(":")
        found = importlib.import_module(module)
        value = getattr(found, attribute) if attribute else found
        setattr(sys.modules[package], name, value)
        return value

    return look_up, lambda: sorted(places)

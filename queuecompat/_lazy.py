"""Packages whose names are looked up when they are first used (PEP 562)."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, List, Mapping, Tuple

from queuecompat.errors import missing

__all__ = ["lazily"]

_OURS = "queuecompat."
_CONTRIB = "queuecompat.contrib"


def lazily(
    package: str, places: Mapping[str, str], absent: Callable[[str], str]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of *package*.

    Args:
      places: from each public name to the module it is in, as ``"module:attribute"``, or ``"module"``
        where the name is the module itself. The attribute may have dots: a module that a package has as an attribute is
        not always the one that an import by its path makes, and TensorFlow has the latter from then on.
      absent: from a name that is not public to what the AttributeError has to say.

    The error for a name that ``tf.contrib`` had in TensorFlow 1 is QC511.
    """

    def look_up(name: str) -> Any:
        if name not in places:
            why = absent(name)
            is_of_tf1 = package.startswith(_CONTRIB) and not name.startswith("__")
            raise AttributeError(missing(f"tf.{package[len(_OURS) :]}.{name}", why) if is_of_tf1 else why)
        module, _, attribute = places[name].partition(":")
        found = importlib.import_module(module)
        value = functools.reduce(getattr, attribute.split("."), found) if attribute else found
        setattr(sys.modules[package], name, value)
        return value

    return look_up, lambda: sorted(places)

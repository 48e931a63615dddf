"""Lazy packages, whose names are looked up at their first use (PEP 562)."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, List, Mapping, Tuple

from queuecompat import api
from queuecompat.errors import missing, no_attribute

__all__ = ["absence", "lazily", "never_there"]

_OURS = "queuecompat."
_CONTRIB = "queuecompat.contrib"


def absence(asked: str, otherwise: str) -> AttributeError:
    """Returns the error for a missing name of TensorFlow 1 (QC511).

    Args:
      asked: the name, such as "tf.contrib.nn". If ``queuecompat.api`` has a row for it, or for the module that it is
        in, that says what to do instead, the error says so.
      otherwise: why it is missing, for a name without such a row.
    """
    row = api.find(asked)
    if row is None or row.status != "gone":
        return AttributeError(missing(asked, otherwise))  # it may be misspelt: Python adds a similar name
    why = "TensorFlow 2 has no tf.contrib, and queuecompat has no replacement for this name"
    return no_attribute(missing(asked, why, row.advice))


def never_there(name: str) -> str:
    """Returns why a name is missing that TensorFlow 1 did not have either, or not among its public names."""
    return f"TensorFlow 1.15 had no such {'public ' if name.startswith('_') else ''}name"


def lazily(
    package: str, places: Mapping[str, str], absent: Callable[[str], str] = never_there, *, title: str = ""
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Returns the ``__getattr__`` and the ``__dir__`` of *package*.

    Args:
      places: from each public name to its place: ``"module:attribute"``, or ``"module"`` if the name is the module
        itself. The attribute may have dots. That matters for a module that is an attribute of a package: importing it
        by its path may create a second module, which TensorFlow would then use.
      absent: returns why a name is missing, for one that is neither public nor in ``queuecompat.api``.
      title: what users call the package, if not by its own path.

    The error for a name of ``tf.contrib`` is QC511.
    """

    title = title or f"tf.{package[len(_OURS) :]}"

    def look_up(name: str) -> Any:
        if name not in places:
            why = absent(name)
            is_of_tf1 = package.startswith(_CONTRIB) and not name.startswith("__")
            raise absence(f"{title}.{name}", why) if is_of_tf1 else AttributeError(why)
        module, _, attribute = places[name].partition(":")
        found = importlib.import_module(module)
        value = functools.reduce(getattr, attribute.split("."), found) if attribute else found
        setattr(sys.modules[package], name, value)
        return value

    return look_up, lambda: sorted(places)

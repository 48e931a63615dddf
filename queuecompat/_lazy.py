"""Packages whose names are looked up when they are first used (PEP 562)."""

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
    """The error for a name of TensorFlow 1 (QC511).

    Args:
      asked: the name, such as "tf.contrib.crf". If it, or the module that it is in, has a row that says what to do
        instead, the error says that.
      otherwise: why it is missing, for a name that no row is about.
    """
    row = api.find(asked)
    if row is None or row.status != "gone":
        return AttributeError(missing(asked, otherwise))  # it may be misspelt: Python adds a similar name
    why = "TensorFlow 2 has no tf.contrib, and queuecompat no replacement for this name"
    return no_attribute(missing(asked, why, row.advice))


def never_there(name: str) -> str:
    """Why a name is missing that TensorFlow 1 had not, either."""
    return "TF 1.15 had none of this name"


def lazily(
    package: str, places: Mapping[str, str], absent: Callable[[str], str] = never_there, *, title: str = ""
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of *package*.

    Args:
      places: from each public name to the module it is in, as ``"module:attribute"``, or ``"module"``
        where the name is the module itself. The attribute may have dots: a module that a package has as an attribute is
        not always the one that an import by its path makes, and TensorFlow has the latter from then on.
      absent: from a name that is not public, and that no row of ``queuecompat.api`` is about, to why it is missing.
      title: what users call the package, where that is not its own path.

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

"""A module of TensorFlow with names of ours on top.

Rule: nothing is hidden. What is not ours is the very same object as in TensorFlow, looked up when it is
asked for. What neither has says where it went.
"""

from __future__ import annotations

import importlib
import types
from typing import Any, List, Mapping

__all__ = ["Overlay"]


class Overlay(types.ModuleType):
    """*real* with *ours* on top.

    Args:
      name: of this module.
      title: what users call *real*.
      ours: from names to where they are: ``"module:attribute"``, or ``"module"`` for the module itself;
        ``"=path"`` is another name of *real*'s own package, such as ``"=summary.merge"``.
      gone: from names that no TensorFlow 2 has to what to do instead.
    """

    def __init__(
        self, name: str, real: Any, title: str, ours: Mapping[str, str], gone: Mapping[str, str], doc: str = ""
    ) -> None:
        super().__init__(name, doc or f"``{title}`` with {len(ours)} names of queuecompat on top.")
        self.lay(real, title, ours, gone)

    def lay(self, real: Any, title: str, ours: Mapping[str, str], gone: Mapping[str, str]) -> None:
        """What the constructor does, for a module that exists already and was made an Overlay."""
        # Under names that no module of TensorFlow has: whatever is set here shadows TensorFlow's own.
        self.__real, self.__title, self.__ours, self.__gone = real, title, ours, gone

    def __getattr__(self, name: str) -> Any:
        if name in self.__ours:
            value = _find(self.__ours[name])
            setattr(self, name, value)
            return value
        if name == "__all__":
            return dir(self)
        try:
            return getattr(self.__real, name)
        except AttributeError as problem:
            raise AttributeError(self.__absence(name, problem)) from None

    def __absence(self, name: str, problem: AttributeError) -> str:
        if name in self.__gone:
            return f"module '{self.__name__}' has no attribute '{name}': {self.__gone[name]}"
        if "not available with Keras 3" in str(problem):
            return (
                f"{self.__title}.{name} is part of Keras 2, which TensorFlow 2.16 and later do not bring along.\n"
                "  instead:  pip install tf_keras; queuecompat.v1 then uses it by itself"
                " (unless TensorFlow's own Keras was loaded before)"
            )
        if self.__real.__name__.startswith("queuecompat."):
            return str(problem)
        return f"module '{self.__name__}' has no attribute '{name}': {self.__title} has none"

    def __dir__(self) -> List[str]:
        return sorted({name for name in _names(self.__real) if not name.startswith("_")} | set(self.__ours))

    def __repr__(self) -> str:
        if not self.__ours:
            return f"<module '{self.__name__}': {self.__title}>"
        return f"<module '{self.__name__}': {self.__title} with {len(self.__ours)} names of queuecompat on top>"


def _find(place: str) -> Any:
    if place.startswith("="):
        found: Any = importlib.import_module("tensorflow.compat.v1")
        for part in place[1:].split("."):
            found = getattr(found, part)
        return found
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def _names(real: Any) -> List[str]:
    try:
        return dir(real)
    except ImportError:
        return []  # TensorFlow's stand-in for a part of Keras 2 that is not installed

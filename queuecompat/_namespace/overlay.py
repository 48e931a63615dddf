"""A module of TensorFlow with names of ours on top.

Rule: Nothing is hidden. A name that is not ours is the very same object as in TensorFlow, looked up at each access. For
a name that neither has, the error says what became of it.
"""

from __future__ import annotations

import difflib
import types
from typing import Any, Callable, List, Mapping

from queuecompat.errors import missing, no_attribute

__all__ = ["Overlay"]


class Overlay(types.ModuleType):
    """The module *real* with the names *ours* on top.

    Args:
      name: the name of this module.
      real: TensorFlow's module.
      title: what users call *real*.
      ours: maps each name to its place: ``"module:attribute"``, or ``"module"`` for the module itself; ``"=path"`` is
        another name in *real*'s own package, such as ``"=summary.merge"``.
      gone: maps names that no TensorFlow 2 has to what to do instead.
      look_up: returns the object at such a place.
    """

    def __init__(
        self,
        name: str,
        real: Any,
        title: str,
        ours: Mapping[str, str],
        gone: Mapping[str, str],
        look_up: Callable[[str], Any],
    ) -> None:
        super().__init__(name, f"``{title}`` with {len(ours)} names of queuecompat on top.")
        # Private names that no module of TensorFlow has, since attributes that are set here shadow TensorFlow's own.
        self.__real, self.__title, self.__ours, self.__gone = real, title, ours, gone
        self.__look_up = look_up

    def __getattr__(self, name: str) -> Any:
        if name in self.__ours:
            value = self.__look_up(self.__ours[name])
            setattr(self, name, value)
            return value
        if name == "__all__":
            return dir(self)
        try:
            return getattr(self.__real, name)
        except AttributeError as problem:
            raise no_attribute(self.__absence(name, problem)) from None

    def __absence(self, name: str, problem: AttributeError) -> str:
        asked = f"{self.__title}.{name}".replace("tensorflow.compat.v1", "tf")
        if name.startswith("__"):  # Python itself looks these up to test for them
            return f"module '{self.__name__}' has no attribute '{name}'"
        if name in self.__gone:
            return missing(asked, "TensorFlow 2 removed it", self.__gone[name])
        if "not available with Keras 3" in str(problem):
            return missing(
                asked,
                "it is part of Keras 2, which TensorFlow 2.16 and later do not contain",
                "pip install tf_keras; queuecompat.v1 then uses it by itself (unless TensorFlow's own Keras was loaded"
                " before)",
            )
        if self.__real.__name__.startswith("queuecompat."):
            return str(problem)
        similar = difflib.get_close_matches(name, dir(self), n=1)
        # The guess is by spelling only: 'string_split' for 'string_length'.
        return missing(asked, f"{self.__title} has no such name", f"did you mean '{similar[0]}'?" if similar else "")

    def __dir__(self) -> List[str]:
        return sorted({name for name in _names(self.__real) if not name.startswith("_")} | set(self.__ours))

    def __repr__(self) -> str:
        if not self.__ours:
            return f"<module '{self.__name__}': {self.__title}>"
        return f"<module '{self.__name__}': {self.__title} with {len(self.__ours)} names of queuecompat on top>"


def _names(real: Any) -> List[str]:
    try:
        return dir(real)
    except ImportError:
        return []  # TensorFlow's placeholder for a part of Keras 2 that is not installed

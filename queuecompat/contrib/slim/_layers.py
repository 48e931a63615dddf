"""The rest of slim (layers, nets, losses, training loops), taken from the package ``tf_slim`` if it is installed.

tf_slim works unchanged on TensorFlow 2.12. On later versions two things are repaired here:

- For ``batch_norm``, on 2.16 and later: TensorFlow looks for that layer in the package ``tf_keras``
  (``pip install tf-keras``) under a module name that tf-keras no longer has. ``_MovedLayers`` provides that module.
- For gradient clipping, and for metrics, losses and decoders that use ``cond``: TensorFlow has moved names out of
  private modules that tf_slim uses, such as ``ops.IndexedSlices`` and ``control_flow_ops.cond``. ``_Completed`` makes
  tf_slim's modules see these names in their old places.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import operator
import sys
import types
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from queuecompat import api
from queuecompat._lazy import never_there
from queuecompat.errors import missing, no_attribute

__all__ = ["beside", "find", "has", "is_installed", "load", "missing_without", "names"]

PACKAGE = "tf_slim"
# The module in which TensorFlow looks for its old layers, and the module in which they are.
SOUGHT = "tf_keras.legacy_tf_layers"
FOUND = "tf_keras.src.legacy_tf_layers"
# The modules of tf_slim that were loaded before. After the first load of each, all of tf_slim's modules are completed;
# this set avoids doing it again at every look-up of a layer.
_LOADED: weakref.WeakSet[types.ModuleType] = weakref.WeakSet()


def find(name: str) -> Any:
    """Returns the attribute *name* of ``tf_slim``, which may be a submodule that is not imported yet.

    Raises:
      AttributeError: ``tf_slim`` has no such name, or is not installed.
    """
    if name.startswith("__"):  # looked up by Python itself, for which tf_slim should not be loaded
        raise AttributeError(f"module 'queuecompat.contrib.slim' has no attribute '{name}'")
    if not is_installed():
        why = f"queuecompat has slim's input modules; slim.{name} is in the package tf-slim, which is not installed"
        raise no_attribute(missing(f"tf.contrib.slim.{name}", why, "pip install tf-slim"))
    package = _package()
    if hasattr(package, name):
        return getattr(package, name)
    if importlib.util.find_spec(f"{PACKAGE}.{name}") is None:
        raise AttributeError(missing(f"tf.contrib.slim.{name}", f"neither queuecompat nor tf-slim has slim.{name}"))
    return load(f"{PACKAGE}.{name}")


def load(path: str) -> types.ModuleType:
    """Imports and returns the module *path* of ``tf_slim``, or the package itself.

    Raises:
      ModuleNotFoundError: there is no such module.
    """
    if not any(isinstance(finder, _MovedLayers) for finder in sys.meta_path):
        sys.meta_path.append(_MovedLayers())
    module = importlib.import_module(path)
    if module not in _LOADED:
        _LOADED.add(module)
        for name, other in list(sys.modules.items()):
            if name == PACKAGE or name.startswith(f"{PACKAGE}."):
                _complete(other)
    return module


def has(name: str) -> bool:
    """Returns whether ``tf_slim`` is installed and has *name*."""
    return is_installed() and hasattr(_package(), name)


def names() -> List[str]:
    """Returns the public names of ``tf_slim``; none if it is not installed."""
    return [name for name in dir(_package()) if not name.startswith("_")] if is_installed() else []


def is_installed() -> bool:
    """Returns whether the package ``tf_slim`` is installed."""
    return sys.modules.get(PACKAGE) is not None or importlib.util.find_spec(PACKAGE) is not None


def beside(
    own: Callable[[str], Any], own_names: Callable[[], List[str]], places: Mapping[str, str]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Returns ``__getattr__`` and ``__dir__`` for a module of contrib, some names of which are in ``tf_slim``.

    Args:
      own: looks up all names that are not in *places*, and all names if ``tf_slim`` is not installed; raises the error
        for a missing name.
      own_names: lists the names that *own* finds.
      places: from each name that is in ``tf_slim`` to the module of ``tf_slim`` that has it.
    """

    def look_up(name: str) -> Any:
        if name in places and is_installed():
            return getattr(load(f"{PACKAGE}.{places[name]}"), name)
        return own(name)

    def listed() -> List[str]:
        return sorted({*own_names(), *(places if is_installed() else ())})

    return look_up, listed


def missing_without(
    places: Mapping[str, str], why: str = "it is in the package tf-slim (pip install tf-slim), which is not installed"
) -> Callable[[str], str]:
    """Returns a function from a name to the reason why it is missing if ``tf_slim`` is not installed: *why* for the
    names in *places*."""
    return lambda name: why if name in places else never_there(name)


def _package() -> types.ModuleType:
    return load(PACKAGE)


def _complete(module: types.ModuleType) -> None:
    """Makes *module*, one of tf_slim's, find the names that TensorFlow has moved out of the private modules that
    *module* has imported."""
    for name, value in list(vars(module).items()):
        if isinstance(value, types.ModuleType) and value.__name__ in _moved() and not isinstance(value, _Completed):
            setattr(module, name, _Completed(value, _moved()[value.__name__]))


@functools.cache
def _moved() -> Dict[str, Dict[str, str]]:
    """Returns, for each private module of TensorFlow, the names that it lost, with their paths in ``tf.compat.v1``."""
    found: Dict[str, Dict[str, str]] = {}
    for symbol, row in api.table().items():
        if row.status == "private":
            module, _, name = symbol.rpartition(".")
            found.setdefault(module, {})[name] = row.place
    return found


class _Completed(types.ModuleType):
    """Wraps one of TensorFlow's private modules, and adds the names that it had in earlier versions."""

    def __init__(self, real: types.ModuleType, moved: Dict[str, str]) -> None:
        super().__init__(real.__name__)
        self.__real, self.__moved = real, moved

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self.__real, name)
        except AttributeError:
            if name not in self.__moved:
                raise
        return operator.attrgetter(self.__moved[name])(importlib.import_module("tensorflow.compat.v1"))


class _MovedLayers(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes old layers importable where TensorFlow looks for them. It is the last finder, so a real module, if there is
    one, is found first."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if name != SOUGHT or importlib.util.find_spec(FOUND) is None:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: types.ModuleType) -> None:
        for name in ("", ".normalization"):
            sys.modules[SOUGHT + name] = importlib.import_module(FOUND + name)

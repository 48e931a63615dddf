"""TensorFlow 1's input files in a program of TensorFlow 2, unchanged::

    cifar10_input = queuecompat.load("models/cifar10_input.py")

    with queuecompat.tf1_imports():
        import cifar10_input

    dataset = queuecompat.as_dataset(cifar10_input.distorted_inputs, data_dir, 128)

In the files that are imported so, ``import tensorflow`` means TensorFlow 1's namespace. TensorFlow 2's behaviour stays
on, and all other files keep TensorFlow 2.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import types
from typing import Any, Callable, Iterator, Optional, Tuple, Union, cast

from queuecompat._importing.imports import in_tree, is_user_module
from queuecompat._importing.tree import RENAME, Imported, OwnTree
from queuecompat._namespace import behaviour
from queuecompat.errors import QueueCompatImportError, QueueCompatValueError, error

__all__ = ["function_at", "load", "tf1_imports"]


@contextlib.contextmanager
def tf1_imports() -> Iterator[None]:
    """In the block, imported modules are modules of TensorFlow 1.

    In their files every import of tensorflow, even one inside a function that is called later, imports TensorFlow 1's
    namespace: the same as ``import queuecompat.v1 as tf``, with ``tf.contrib``, its submodule paths and
    ``tensorflow.python``. The same holds for modules of their own tree that they import: the files below the folder (an
    entry of ``sys.path``) in which a module was found. Installed packages and Python's own modules keep TensorFlow 2,
    and so does the file that contains the block. The modules are in ``sys.modules``, as after any import.

    Only the current thread is affected, and no global switch of TensorFlow is changed. A module that was imported
    before stays as it is.

    Raises:
      AttributeError, ImportError: from the files' own code; QC511, a name of TensorFlow 1 is not available.
    """
    behaviour.keep_tensorflow_2()
    with in_tree(Imported()):
        yield


def load(module: Union[str, os.PathLike[str]]) -> types.ModuleType:
    """Imports a module with TensorFlow 1's names (see ``tf1_imports``).

    Args:
      module: a dotted name, such as ``"models.cifar10_input"``, which is found as by Python's import; or the path of a
        file that ends in ``.py`` (a string or a ``pathlib.Path``), which may be anywhere. For a path, modules in the
        same folder are found first, as if the file was run as a script, and ``sys.path`` does not change. If the file
        is in a package, the package is imported.
    Returns:
      The module, which is also in ``sys.modules``. Another call returns the same module.
    Raises:
      FileNotFoundError: there is no such file.
      ModuleNotFoundError: there is no module of that name.
      QueueCompatImportError: QC514, the program has already imported a different file under this name, or this file
        without TensorFlow 1's names.
      Whatever the module's own code raises.
    """
    module = os.fspath(module)
    behaviour.keep_tensorflow_2()
    if not module.endswith(".py"):
        with in_tree(Imported()):
            return _as_tensorflow_1(importlib.import_module(module), module)
    path = os.path.realpath(module)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {path}")
    folder, name = _package_root(path)
    present = sys.modules.get(name)
    if present is not None and not _is_of(present, path):
        raise _conflict(path, name, f"{getattr(present, '__file__', None) or 'a built-in module'}", RENAME)
    tree = OwnTree(folder, is_searched=True)
    tree.require_own(name)
    with in_tree(tree):
        return _as_tensorflow_1(importlib.import_module(name), name)


def function_at(place: str) -> Callable[..., Any]:
    """Returns the function that ``"module:function"`` names; *module* is as for ``load``.

    Raises:
      QueueCompatValueError: QC515, the string is not of this form.
      AttributeError: the module has no such function.
      Whatever ``load`` raises.
    """
    module, colon, function = place.rpartition(":")
    if not (module and function and colon):
        raise error(QueueCompatValueError, "QC515", given=f"the string {place!r}")
    found: Any = load(module)
    for name in function.split("."):
        found = getattr(found, name)
    return cast(Callable[..., Any], found)


def _package_root(path: str) -> Tuple[str, str]:
    """Returns the folder that a module of the file *path* is imported from, and its dotted name there."""
    folder, file = os.path.split(path)
    parts = [] if file == "__init__.py" else [file[: -len(".py")]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return folder, ".".join(parts)


def _as_tensorflow_1(module: types.ModuleType, name: str) -> types.ModuleType:
    if not is_user_module(module):
        present = f"it with TensorFlow 2's names ({getattr(module, '__file__', None) or 'a built-in module'})"
        instead = f"call queuecompat.load before the first 'import {name}', or import it inside tf1_imports()"
        raise _conflict(name, name, present, instead)
    return module


def _is_of(module: types.ModuleType, path: str) -> bool:
    present: Optional[str] = getattr(module, "__file__", None)
    return present is not None and os.path.realpath(present) == path


def _conflict(wanted: str, name: str, present: str, instead: str) -> Exception:
    return error(QueueCompatImportError, "QC514", wanted=wanted, name=name, present=present, instead=instead)

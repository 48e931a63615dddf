"""Runs a program as ``python script.py``, ``python -m module`` and ``python -c code`` do.

A ``Program`` knows its code and what Python would set up for it: ``sys.argv``, ``sys.path[0]`` and the module
``__main__``. Python's ``runpy`` does nearly the same, but removes ``__main__`` as soon as the program's last line has
run, while its threads and exit handlers still need it.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import os
import sys
import types
from typing import Any, Callable, Optional, Sequence

from queuecompat._importing.imports import UserModules
from queuecompat._importing.tree import Tree
from queuecompat._namespace import behaviour

__all__ = ["AbsentError", "Program", "code", "module", "script"]


class AbsentError(Exception):
    """There is no such program; *exit_code* is the one that Python would return."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@dataclasses.dataclass(frozen=True)
class Program:
    """A program to be run.

    Attributes:
      name: the value for ``sys.argv[0]``.
      folder: the value for ``sys.path[0]``; "" is the current folder.
      compile: returns the code; it may raise SyntaxError and the errors of reading a file.
      file: the value for ``__file__``; None if there is none.
      spec: the value for ``__spec__``, if the program is a module.
    """

    name: str
    folder: str
    compile: Callable[[], Any]
    file: Optional[str] = None
    spec: Optional[importlib.machinery.ModuleSpec] = None

    def set_up(self, arguments: Sequence[str]) -> types.ModuleType:
        """Creates ``__main__`` and sets everything else that the program sees of its start."""
        main = types.ModuleType("__main__")
        main.__spec__ = self.spec
        if self.file is not None:
            main.__file__ = self.file
        if self.spec is not None:
            main.__package__, main.__loader__ = self.spec.parent, self.spec.loader
        sys.modules["__main__"] = main
        sys.argv[:] = [self.name, *arguments]
        if not getattr(sys.flags, "safe_path", False):
            sys.path[0] = self.folder
        return main


def script(path: str) -> Program:
    """Returns the program of a file, or of a folder with a ``__main__.py``.

    Raises:
      AbsentError: there is no such file.
    """
    file = os.path.abspath(os.path.join(path, "__main__.py") if os.path.isdir(path) else path)
    if not os.path.exists(file):
        raise AbsentError(f"can't open file '{file}': no such file or directory", 2)
    folder = os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.realpath(path))
    return Program(path, folder, lambda: _compiled(file), file=file)


def module(name: str, folders: Sequence[str] = ()) -> Program:
    """Returns the program of a module, or of a package with a ``__main__``.

    Args:
      folders: the user's, as for ``start``. The packages that contain the module are imported here.
    Raises:
      AbsentError: there is no such module, or it has no source.
      Whatever one of those packages raises.
    """
    sys.path[0] = os.getcwd()
    behaviour.require_tensorflow_1()
    with UserModules(Tree.of_program(sys.path[0], folders)):
        spec = _found(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = _found(f"{name}.__main__")
    if spec is None or not isinstance(spec.loader, importlib.abc.InspectLoader):
        raise AbsentError(f"No module named {name}", 1)
    compiled = functools.partial(spec.loader.get_code, spec.name)
    return Program(spec.origin or name, os.getcwd(), compiled, file=spec.origin, spec=spec)


def _found(name: str) -> Optional[importlib.machinery.ModuleSpec]:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as problem:
        if problem.name is not None and f"{name}.".startswith(f"{problem.name}."):
            return None
        raise  # a package on the path imports a module that does not exist


def code(text: str) -> Program:
    """Returns the program of a string."""
    if sys.version_info >= (3, 13):
        # Since 3.13, tracebacks show the lines of such a string.
        linecache.cache["<string>"] = (len(text), None, text.splitlines(keepends=True), "<string>")
    return Program("-c", "", lambda: compile(text, "<string>", "exec"))


def _compiled(path: str) -> types.CodeType:
    # Read as bytes, so that Python detects the encoding that the file declares.
    with io.open_code(path) as file:
        return compile(file.read(), path, "exec")

"""Running a program as ``python script.py``, ``python -m module`` and ``python -c code`` do.

A ``Program`` knows its code and what Python would set up for it: ``sys.argv``, ``sys.path[0]`` and
the module ``__main__``. Python's ``runpy`` does nearly the same, but takes ``__main__`` away again as soon as
the program's last line has run, while its threads and exit handlers still need it.
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
    """There is no such program; *exit_code* is Python's own for that."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@dataclasses.dataclass(frozen=True)
class Program:
    """What is to be run.

    Attributes:
      name: what ``sys.argv[0]`` says.
      folder: what ``sys.path[0]`` says; "" is the current folder.
      compile: returns the code; SyntaxError and what reading a file may raise come from here.
      file: for ``__file__``; None where there is none.
      spec: for ``__spec__``, where the program is a module.
    """

    name: str
    folder: str
    compile: Callable[[], Any]
    file: Optional[str] = None
    spec: Optional[importlib.machinery.ModuleSpec] = None

    def set_up(self, arguments: Sequence[str]) -> types.ModuleType:
        """Makes ``__main__`` and all else that the program sees of its start."""
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
    """The program of a file, or of a folder with a ``__main__.py``.

    Raises:
      AbsentError: there is no such file.
    """
    file = os.path.abspath(os.path.join(path, "__main__.py") if os.path.isdir(path) else path)
    if not os.path.exists(file):
        raise AbsentError(f"can't open file '{file}': no such file or directory", 2)
    folder = os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.realpath(path))
    return Program(path, folder, lambda: _compiled(file), file=file)


def module(name: str, folders: Sequence[str] = ()) -> Program:
    """The program of a module, or of a package with a ``__main__``.

    Args:
      folders: the user's, as for ``start``; the packages that the module is in are imported here.
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
        raise  # one of the packages on the way imports what is not there


def code(text: str) -> Program:
    """The program of a string."""
    if sys.version_info >= (3, 13):
        # Tracebacks show the lines of a string since then.
        linecache.cache["<string>"] = (len(text), None, text.splitlines(keepends=True), "<string>")
    return Program("-c", "", lambda: compile(text, "<string>", "exec"))


def _compiled(path: str) -> types.CodeType:
    # Bytes, so that Python finds the encoding that the file declares.
    with io.open_code(path) as file:
        return compile(file.read(), path, "exec")

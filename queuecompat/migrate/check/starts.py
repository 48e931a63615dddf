"""Which files of a project a user starts, what each of them imports, and the command that runs it unchanged.

Rule 1: a file is started if its main code is under ``if __name__ == "__main__"``, or if its top-level code, directly or
        through functions of the file, calls ``main()`` or ``app.run()``, opens a session or writes records.
Rule 2: a file that no such file reaches counts as started if no file imports it and its top-level code calls a function
        of another file; except setup.py and test files.
Rule 3: if a module is imported from a folder above the started file, the command makes that folder importable.
Rule 4: in a file that Python cannot parse, such as Python 2, imports and starting calls are found line by line.
Rule 5: what is known only at run time is ignored; in doubt a file is a module and not started.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
from typing import Dict, Iterable, Iterator, List, Mapping, NamedTuple, Set, Tuple

from queuecompat.migrate.analysis.module_files import ModuleFile, ModuleFiles
from queuecompat.migrate.analysis.reexports import TopNames, top_names
from queuecompat.migrate.source.files import is_test
from queuecompat.migrate.source.main_guard import is_main_guard

__all__ = ["RUN", "UNKNOWN", "Facts", "Start", "facts", "facts_of_lines", "starts"]

RUN = "python -m queuecompat run"

_OF_PROGRAMS = {
    "InteractiveSession", "MonitoredSession", "MonitoredTrainingSession", "Session", "SingularMonitoredSession",
    "TFRecordWriter", "managed_session", "start_queue_runners",
}  # fmt: skip
# Files that call a project's functions but are not programs of it, besides its tests.
_BESIDE = {"conftest.py", "setup.py"}
# Code in these does not run where it is written.
_LATER = (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef, ast.Lambda)


class Facts(NamedTuple):
    """The facts about one file.

    Attributes:
      is_started: whether it is a program by itself.
      names: the modules that its imports name, and what its top level binds.
      called: the full names of imported functions that its top-level code calls.
      is_parsed: whether Python can parse it.
    """

    is_started: bool
    names: TopNames
    called: Tuple[str, ...] = ()
    is_parsed: bool = True


# Match in the source of any version of Python.
_IMPORT = re.compile(r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\([^)]*\)|[^\n#;(]+))", re.MULTILINE)
_MAIN = re.compile(rf"^if[ \t(]+__name__\b|^main\(|\bapp\.run\(|\b({'|'.join(sorted(_OF_PROGRAMS))})\(", re.MULTILINE)

# For a file that cannot be read.
UNKNOWN = Facts(is_started=False, names=TopNames(), is_parsed=False)


class Start(NamedTuple):
    """A file that a user starts.

    Attributes:
      file: the path as it was passed to ``check``.
      command: the command that runs it, from the folder in which ``check`` was called.
      reached: the files that it imports, directly or indirectly.
    """

    file: str
    command: str
    reached: Tuple[str, ...]


def facts(tree: ast.Module) -> Facts:
    """The facts about the file whose syntax tree is *tree*."""
    at_the_top = list(_at_the_top(tree))
    guarded = any(isinstance(node, ast.If) and is_main_guard(node.test) for node in at_the_top)
    names = top_names(tree)
    return Facts(guarded or _starts(tree, at_the_top), names, tuple(_called_imports(at_the_top, names)))


def facts_of_lines(text: str) -> Facts:
    """The facts about a file that Python cannot parse, found line by line."""
    imports: List[ast.stmt] = []
    for line in _IMPORT.findall(text):
        with contextlib.suppress(SyntaxError):
            imports += ast.parse(line.replace("\\\n", " ")).body
    return Facts(bool(_MAIN.search(text)), top_names(ast.Module(imports, [])), is_parsed=False)


def starts(files: Mapping[str, Facts]) -> List[Start]:
    """The started files among *files*, in their order; those that another started file imports come last."""
    module_files = ModuleFiles(files)
    imported = {file: module_files.imported(file, one.names.modules) for file, one in files.items()}
    found = [_start(file, imported) for file, one in files.items() if one.is_started]
    reached = {file for one in found for file in (one.file, *one.reached)}
    inner = {one.file for of_file in imported.values() for one in of_file}
    for file, one in files.items():
        is_outer = file not in inner and not one.is_started and not is_test(file)
        is_outer = is_outer and os.path.basename(file) not in _BESIDE
        if is_outer and module_files.imported(file, one.called):
            start = _start(file, imported)
            if not reached.issuperset(start.reached):
                found.append(start)
    return sorted(found, key=lambda one: any(one.file in other.reached for other in found))


def _start(file: str, imported: Mapping[str, List[ModuleFile]]) -> Start:
    reached: Dict[str, None] = {}
    folders = {os.path.dirname(os.path.abspath(file))}
    waiting = [file]
    while waiting:
        for one in imported[waiting.pop()]:
            folders.add(one.folder)
            if one.file not in reached and one.file != file:
                reached[one.file] = None
                waiting.append(one.file)
    return Start(file, _command(file, folders), tuple(reached))


def _command(file: str, folders: Set[str]) -> str:
    path = os.path.abspath(file)
    root = min((one for one in folders if _is_in(path, one)), key=len)
    if root == os.path.dirname(path):
        return f"{RUN} {shlex.quote(file)}"
    name = os.path.splitext(os.path.relpath(path, root))[0].replace(os.sep, ".")
    elsewhere = "" if root == os.getcwd() else f"PYTHONPATH={shlex.quote(os.path.relpath(root))} "
    return f"{elsewhere}{RUN} -m {shlex.quote(name)}"


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _at_the_top(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that are executed when the file is run."""
    waiting: List[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (one for one in ast.iter_child_nodes(node) if not isinstance(one, _LATER))


def _starts(tree: ast.Module, at_the_top: Iterable[ast.AST]) -> bool:
    """Whether the top-level code starts the program's main code."""
    called = set(_called(at_the_top))
    if called & {*_OF_PROGRAMS, "app.run", "main"}:
        return True
    functions = {one.name: set(_called(ast.walk(one))) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    while called:
        inner = set().union(*(functions.pop(name, set()) for name in called))
        if inner & _OF_PROGRAMS:
            return True
        called = inner & set(functions)
    return False


def _called_imports(nodes: Iterable[ast.AST], names: TopNames) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call):
            first, *rest = _names(node.func) or [""]
            if first in names.bound:
                yield ".".join([names.bound[first], *rest])


def _called(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names of called functions: plain names, ``app.run``, and methods that only a program's main code calls."""
    for node in nodes:
        if isinstance(node, ast.Call):
            *owner, name = _names(node.func) or [""]
            if not owner or name in _OF_PROGRAMS:
                yield name
            elif owner[-1] == "app":
                yield f"app.{name}"


def _names(node: ast.expr) -> List[str]:
    """The parts of ``a.b.c``; of ``f(x).b.c`` the last two."""
    found: List[str] = []
    while isinstance(node, ast.Attribute):
        found.insert(0, node.attr)
        node = node.value
    return [node.id, *found] if isinstance(node, ast.Name) else found

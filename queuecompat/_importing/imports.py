"""In the user's files, ``import tensorflow`` means TensorFlow 1's namespace.

Rule 1: Only the user's modules are affected. They share their own builtins, whose ``__import__`` handles tensorflow; a
        library's imports never pass through it.
Rule 2: The user's source is compiled by Python's own loader and not changed (except for ``old_protos``), so line
        numbers, bytecode files and ``inspect.getsource`` are as usual. Code that the user's code executes (such as
        ``exec`` of a configuration file) inherits its builtins, and so imports the same.
Rule 3: The same applies to functions that import (``import_calls``) and to worker processes (``running.processes``).
Rule 4: Under ``queuecompat run`` there is one tree of such files for the whole process. In a TensorFlow 2 program each
        TensorFlow 1 module knows its own tree, and only its own imports are looked up there, in its thread
        (``in_tree``).
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
import threading
import types
from typing import Any, Iterator, List, Mapping, Optional, Sequence

from queuecompat._importing.old_protos import code_of_old_protos
from queuecompat._importing.own_importlib import OwnImportlib
from queuecompat._importing.pytest_modules import PYTEST, with_users_modules
from queuecompat._importing.tree import Files, OwnTree
from queuecompat._namespace import behaviour
from queuecompat._namespace.older.calls_of_python import opening
from queuecompat._namespace.older.modules import put_where_gone
from queuecompat._namespace.older.names import bring_back, concerns

__all__ = [
    "UserModules",
    "answer",
    "change_finders",
    "find",
    "in_tree",
    "is_of_the_user",
    "is_tensorflow",
    "is_user_module",
    "module_of_the_user",
    "user_builtins",
]


# Where a module of the user keeps its tree. Not its loader: ``importlib.reload``, and so IPython's autoreload, sets
# one of Python's own.
_TREE = "__queuecompat_tree__"


@functools.cache
def user_builtins() -> types.ModuleType:
    """Returns the ``__builtins__`` of the user's ``__main__``; as usual in Python, other modules have its dict."""
    ours = types.ModuleType(builtins.__name__, builtins.__doc__)
    vars(ours).update(vars(builtins), __import__=_import, open=opening(open))
    builtins.__class__ = _Mirrored
    return ours


class _Mirrored(types.ModuleType):
    """The class of Python's ``builtins``: what is set there later (``mock.patch``) is also set in the user's."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name != "__import__":
            setattr(user_builtins(), name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if name != "__import__":
            delattr(user_builtins(), name)


def _import(
    name: str,
    globals: Optional[Mapping[str, Any]] = None,
    locals: Optional[Mapping[str, Any]] = None,
    fromlist: Optional[Sequence[str]] = (),
    level: int = 0,
) -> types.ModuleType:
    if not level and is_tensorflow(name):
        return answer(name, fromlist or (), is_statement=_is_statement(sys._getframe(1)))
    tree = (globals or {}).get(_TREE)
    # ``from scipy import misc`` imports ``scipy.misc``, too.
    meant = () if level else (name, *(f"{name}.{part}" for part in fromlist or ()))
    package = name.rpartition(".")[0]
    if concerns(package) and not level:
        importlib.import_module(package)  # the module *name* itself may be one of its older names
        bring_back(package)
    for one in meant:
        put_where_gone(one)
    if isinstance(tree, OwnTree):
        module = _import_into(tree, name, globals, locals, fromlist, level)
    else:
        module = builtins.__import__(name, globals, locals, fromlist or (), level)
    for one in meant:
        if concerns(one) and one in sys.modules and not is_user_module(sys.modules[one]):
            bring_back(one)
    return module


def _import_into(
    tree: OwnTree,
    name: str,
    globals: Optional[Mapping[str, Any]],
    locals: Optional[Mapping[str, Any]],
    fromlist: Optional[Sequence[str]],
    level: int,
) -> types.ModuleType:
    """Imports *name* for a module of *tree*."""
    if not level:
        tree.require_own(name)
    with in_tree(tree):
        module = builtins.__import__(name, globals, locals, fromlist or (), level)
    return _importlib_of(tree) if module is importlib else module


@functools.lru_cache(maxsize=64)
def _importlib_of(tree: OwnTree) -> types.ModuleType:
    """Returns the ``importlib`` that modules of *tree* get."""

    def module_called(name: str) -> types.ModuleType:
        if is_tensorflow(name):
            return find(name)
        tree.require_own(name)
        with in_tree(tree):
            return importlib.import_module(name)

    return OwnImportlib(module_called)


def answer(name: str, fromlist: Sequence[str], *, is_statement: bool = True) -> types.ModuleType:
    """Returns the value of ``import name`` or ``from name import fromlist``, for tensorflow and modules in it.

    Args:
      is_statement: whether missing names raise an error, as in an import statement; in a call they do not.
    Raises:
      ImportError: there is no such module, or it has no such name.
    """
    module = find(name)
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            _load(module, name, wanted, is_needed=is_statement)
    return module if fromlist else find("tensorflow")


def _is_statement(frame: types.FrameType) -> bool:
    """Whether *frame* executes an import statement, which fails without its names; calls of ``__import__`` do not."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_NAME"]


def is_tensorflow(name: str) -> bool:
    """Whether *name* is that of tensorflow or of a module in it."""
    return name == "tensorflow" or name.startswith("tensorflow.")


def is_of_the_user(frame: types.FrameType) -> bool:
    """Whether *frame* runs code of the user's, or code that such code executes."""
    return frame.f_builtins is vars(user_builtins())


def is_user_module(module: types.ModuleType) -> bool:
    """Whether *module* was imported as one of the user's."""
    return _TREE in getattr(module, "__dict__", {})


def find(name: str) -> types.ModuleType:
    """Returns the module that *name*, which is tensorflow or in it, means in the user's files.

    Raises:
      ModuleNotFoundError: there is no such module.
    """
    behaviour.turn_on_if_required()
    # Imported here, because a program that never imports TensorFlow need not wait for it.
    from queuecompat._namespace import modules

    try:
        return modules.find_with_parents(name.partition(".")[2])
    except ModuleNotFoundError as problem:
        raise problem.with_traceback(None) from None  # the user's line and the message are enough


def _load(module: types.ModuleType, name: str, wanted: str, *, is_needed: bool) -> None:
    """Loads the submodule *wanted* of *module*, for ``from name import wanted``.

    Raises:
      ImportError: there is no such submodule, and it *is_needed*; the message includes what is known about that name.
    """
    try:
        find(f"{name}.{wanted}")
    except ModuleNotFoundError as problem:
        if not is_needed:
            return
        raise ImportError(f"cannot import name '{wanted}' from '{module.__name__}': {problem}") from None


class UserModules(importlib.abc.MetaPathFinder):
    """A finder that works as Python's own, and sets the user's builtins in the modules of *files*."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        return _spec(self._files, name, path, target)

    def __enter__(self) -> UserModules:
        change_finders(add=self)
        return self

    def __exit__(self, *_: Any) -> None:
        change_finders(remove=self)


class _OfThisThread(importlib.abc.MetaPathFinder):
    """A finder that does the same for the files that the current thread imports from, and nothing in other threads."""

    def __init__(self) -> None:
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._count = 0

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        files = self._waiting()
        return _spec(files[-1], name, path, target) if files else None

    @contextlib.contextmanager
    def among(self, files: Files) -> Iterator[None]:
        self._waiting().append(files)
        self._count_uses(1)
        try:
            yield
        finally:
            self._waiting().pop()
            self._count_uses(-1)

    def _waiting(self) -> List[Files]:
        if not hasattr(self._thread, "files"):
            self._thread.files = []
        files: List[Files] = self._thread.files
        return files

    def _count_uses(self, more: int) -> None:
        """Adds *more* to the number of blocks that use this finder; Python has it as long as there is one."""
        with self._lock:
            self._count += more
            if self._count == more == 1:
                change_finders(add=self)
            elif not self._count:
                change_finders(remove=self)


_of_this_thread = _OfThisThread()
_finders_lock = threading.Lock()


def in_tree(files: Files) -> contextlib.AbstractContextManager[None]:
    """In the block, modules that this thread imports from *files* become modules of the user."""
    return _of_this_thread.among(files)


def change_finders(
    *, add: Optional[importlib.abc.MetaPathFinder] = None, remove: Optional[importlib.abc.MetaPathFinder] = None
) -> None:
    """Adds a finder just before Python's finder for paths, after those for built-in modules; or removes one.

    ``sys.meta_path`` is replaced, not edited: a thread that is iterating over the old list skips nothing.
    """
    with _finders_lock:
        finders = [one for one in sys.meta_path if one is not remove]
        if add is not None:
            finders.insert(finders.index(importlib.machinery.PathFinder), add)
        sys.meta_path = finders


def _spec(
    files: Files, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType]
) -> Optional[importlib.machinery.ModuleSpec]:
    if name == PYTEST:
        found = importlib.machinery.PathFinder.find_spec(name, path, target)
        return with_users_modules(found, files, module_of_the_user)
    spec = None
    if path is None and files.roots:
        spec = importlib.machinery.PathFinder.find_spec(name, files.roots, target)
    if spec is None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
    if spec is None or not spec.has_location or not files.has(spec.origin or ""):
        return None  # left to the finders after this one
    if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
        spec.loader = _UserLoader(spec.loader.name, spec.loader.path, files.tree_of(spec.origin or ""))
    return spec


class _UserLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, tree: Files) -> None:
        super().__init__(name, path)
        self.tree = tree

    def get_code(self, fullname: str) -> Optional[types.CodeType]:
        old = code_of_old_protos(self.get_data(self.path), self.path) if fullname.endswith("_pb2") else None
        return super().get_code(fullname) if old is None else old

    # Not exec_module, because its frame would be in every traceback from the module.
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = module_of_the_user(spec.name)
        vars(module)[_TREE] = self.tree
        return module


def module_of_the_user(name: str) -> types.ModuleType:
    """Returns a new module *name* in which ``import tensorflow`` means TensorFlow 1."""
    module = types.ModuleType(name)
    vars(module)["__builtins__"] = vars(user_builtins())
    return module

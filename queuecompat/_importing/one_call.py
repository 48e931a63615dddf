"""TensorFlow 1's names in TensorFlow's own modules, for one thread and the duration of one call.

An input function whose file imports TensorFlow 2 finds there, while ``as_dataset`` calls it:

1. everything that TensorFlow 2 has; where TensorFlow 1's function had other arguments, one function that chooses
   between the two (``kept_names``);
2. names that TensorFlow 2 removed (``tf.read_file``, ``tf.train.batch``, ``tf.contrib``), from TensorFlow 1's
   namespace;
3. in ``tf.compat.v1``, our readers and our functions of ``train``.

No attribute of TensorFlow is set. While such a call runs in any thread, TensorFlow's API modules have a different
class, which looks up names in this way. It checks the current thread, so nothing changes for other threads. Imports
inside the function (``from tensorflow.contrib import slim``) find the same names, and leave nothing in ``sys.modules``.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from queuecompat._importing.imports import answer, is_tensorflow
from queuecompat._importing.kept_names import Summaries, either
from queuecompat._namespace import modules
from queuecompat._namespace.places import Api, apis, replaced

__all__ = ["has_tensorflow_1_names", "tensorflow_1_names"]


class _Thread(threading.local):
    depth = 0


_thread = _Thread()
_lock = threading.RLock()


@contextlib.contextmanager
def tensorflow_1_names() -> Iterator[None]:
    """In the block, and in this thread, TensorFlow's modules have TensorFlow 1's names."""
    _changes.begin()
    _thread.depth += 1
    try:
        yield
    finally:
        _thread.depth -= 1
        _changes.end()


def has_tensorflow_1_names() -> bool:
    """Whether this thread is in such a block."""
    return _thread.depth > 0


class _Changes:
    """The changes to the process while at least one such block is open in any thread."""

    def __init__(self) -> None:
        self._count = 0
        self._seen = 0  # the number of modules in the process, when these were last examined
        self._classes: List[Tuple[types.ModuleType, type]] = []
        # By the module's id, since a module's class may not be hashable.
        self.apis: Dict[int, Api] = {}
        self.original_import: Callable[..., Any] = builtins.__import__

    def begin(self) -> None:
        with _lock:
            self._count += 1
            if self._count == 1:
                self.original_import = builtins.__import__
                builtins.__import__ = _import
            self.extend()

    def end(self) -> None:
        with _lock:
            self._count -= 1
            if self._count:
                return
            if builtins.__import__ is _import:  # else it was replaced in between, and must not be restored
                builtins.__import__ = self.original_import
            while self._classes:
                _set_class(*self._classes.pop())
            self.apis.clear()

    def is_new(self, before: int) -> bool:
        """Whether there may be modules that were not examined yet, after an import that began with *before* modules.

        A module may replace itself at the end of its import, after its submodules were examined. This check avoids
        needless work: TensorFlow executes hundreds of imports in one call, nearly always of modules that are loaded
        already, and a process has thousands of modules.
        """
        return not before == self._seen == len(sys.modules)

    def extend(self) -> None:
        """Changes the class of the modules that were imported since."""
        with _lock:
            self._seen = len(sys.modules)
            for module, api in apis():
                if id(module) not in self.apis and type(module).__name__ in _KINDS:
                    self.apis[id(module)] = api
                    self._classes.append((module, type(module)))
                    _set_class(module, _class_for(_kind(module), bool(replaced(api)) or _is_public(module)))


_changes = _Changes()
# The classes of modules that are changed. Lazy loaders are not among them: they turn into other modules.
_KINDS = ("module", "TFModuleWrapper")


def _kind(module: types.ModuleType) -> Any:
    return type(module)


@functools.cache
def _class_for(kind: Any, replaces: bool) -> type:
    def find_dropped(module: types.ModuleType, name: str) -> Any:
        api = _changes.apis.get(id(module))
        if not _thread.depth or api is None or name.startswith("__"):
            raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'")
        with _without_tensorflow_1_names():
            return getattr(modules.find(api.path), name)

    def find_ours(module: types.ModuleType, name: str) -> Any:
        api = _changes.apis.get(id(module)) if _thread.depth else None
        if api is None or name.startswith("_"):
            return kind.__getattribute__(module, name)
        ours = replaced(api)
        if name in ours:
            return ours[name]
        found = kind.__getattribute__(module, name)
        return found if api.version == 1 else _for_tensorflow_1(api, name, found)

    names: Dict[str, Any] = {"__getattr__": find_dropped}
    if replaces:
        names["__getattribute__"] = find_ours
    return type(kind.__name__, (kind,), names)


def _is_public(module: types.ModuleType) -> bool:
    """Whether users' code looks up names in *module*; TensorFlow's own code looks them up in its private modules."""
    return module.__name__ == "tensorflow" or module.__name__.startswith("tensorflow._api.")


def _for_tensorflow_1(api: Api, name: str, kept: Any) -> Any:
    """Returns *kept*, which TensorFlow 2 has as *name* in *api*, so that it accepts calls of TensorFlow 1, too."""
    if api.path == "" and name == "summary":
        with _without_tensorflow_1_names():
            return Summaries(kept, modules.find("summary"), _is_on)

    def old() -> Any:
        with _without_tensorflow_1_names():
            return getattr(modules.find(api.path), name)

    return either(f"{api.path}.{name}".lstrip("."), kept, old, _is_on)


def _is_on() -> bool:
    return bool(_thread.depth)


@contextlib.contextmanager
def _without_tensorflow_1_names() -> Iterator[None]:
    """In the block, this thread sees TensorFlow's modules unchanged, since the namespace itself is built from them."""
    depth, _thread.depth = _thread.depth, 0
    try:
        yield
    finally:
        _thread.depth = depth


def _set_class(module: types.ModuleType, kind: type) -> None:
    # TensorFlow's own __setattr__ of some modules is bypassed, since it would set the attribute of a second module as
    # well.
    setters = (vars(one).get("__setattr__") for one in type(module).__mro__)
    next(one for one in setters if isinstance(one, types.WrapperDescriptorType))(module, "__class__", kind)


def _import(
    name: str,
    globals: Optional[Mapping[str, Any]] = None,
    locals: Optional[Mapping[str, Any]] = None,
    fromlist: Optional[Sequence[str]] = (),
    level: int = 0,
) -> Any:
    original = _changes.original_import
    if not _thread.depth or level or not is_tensorflow(name):
        return original(name, globals, locals, fromlist or (), level)
    before = len(sys.modules)
    try:
        found = original(name, globals, locals, fromlist or (), level)
    except ModuleNotFoundError as problem:
        if not is_tensorflow(problem.name or ""):
            raise
        with _without_tensorflow_1_names():
            found = answer(name, fromlist or ())
        found = found if fromlist else sys.modules["tensorflow"]
    if _changes.is_new(before):
        _changes.extend()
    return found

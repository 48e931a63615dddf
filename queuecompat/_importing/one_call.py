"""TensorFlow 1's names in TensorFlow's own modules, for one thread and the time of one call.

An input function whose file imports TensorFlow 2 finds there, while ``as_dataset`` calls it:

1. what TensorFlow 2 has; of a function that TensorFlow 1 had with other arguments, both in one (``kept_names``);
2. what it has no more (``tf.read_file``, ``tf.train.batch``, ``tf.contrib``), as TensorFlow 1's namespace has it;
3. in ``tf.compat.v1``, our readers and our functions of ``train``.

No attribute of TensorFlow is set. While such a call goes on anywhere, TensorFlow's API modules are of a class that
looks up names so; it asks which thread it is in, and in all others nothing changes. Imports inside the function
(``from tensorflow.contrib import slim``) find the same names, and leave nothing in ``sys.modules``.
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
    """In the block and in this thread, TensorFlow's modules have TensorFlow 1's names."""
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
    """What is changed while at least one such block is open in any thread."""

    def __init__(self) -> None:
        self._count = 0
        self._seen = 0  # modules of the process, when it was last looked through them
        self._classes: List[Tuple[types.ModuleType, type]] = []
        # By the module's id, as a module may be of a kind that has no hash.
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
            if builtins.__import__ is _import:  # else it was replaced in between, and is no longer ours to restore
                builtins.__import__ = self.original_import
            while self._classes:
                _set_class(*self._classes.pop())
            self.apis.clear()

    def is_new(self, before: int) -> bool:
        """Whether there may be modules that it has not seen, after an import that began with *before* of them.

        A module may take the place of itself at the end of its import, after others in it were seen to. TensorFlow
        imports hundreds of times in a call, nearly always what is there, and a process has thousands of modules.
        """
        return not before == self._seen == len(sys.modules)

    def extend(self) -> None:
        """Sees to the modules that were imported since."""
        with _lock:
            self._seen = len(sys.modules)
            for module, api in apis():
                if id(module) not in self.apis and type(module).__name__ in _KINDS:
                    self.apis[id(module)] = api
                    self._classes.append((module, type(module)))
                    _set_class(module, _class_for(_kind(module), bool(replaced(api)) or _is_public(module)))


_changes = _Changes()
# Lazy loaders are left alone: they become other modules.
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
    """Whether users' code looks names up in *module*; TensorFlow's own code does so in its private modules."""
    return module.__name__ == "tensorflow" or module.__name__.startswith("tensorflow._api.")


def _for_tensorflow_1(api: Api, name: str, kept: Any) -> Any:
    """*kept*, which TensorFlow 2 has as *name* in *api*, as a function of TensorFlow 1 may call it."""
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
    """TensorFlow's modules as they are, in this thread: the namespace is made of them."""
    depth, _thread.depth = _thread.depth, 0
    try:
        yield
    finally:
        _thread.depth = depth


def _set_class(module: types.ModuleType, kind: type) -> None:
    # Not TensorFlow's own __setattr__ of some modules, which sets the attribute of a second module, too.
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

"""``install()``: queuecompat's functions in TensorFlow's own places.

For notebooks, and for libraries that import TensorFlow themselves. Programs and their modules do better
with ``import queuecompat.v1 as tf`` or ``python -m queuecompat run``, which change nothing for others.
"""

from __future__ import annotations

import importlib
import threading
import types
from typing import Any, Iterator, List, Tuple

import tensorflow as tf

import queuecompat.contrib
from queuecompat import readers, train

__all__ = ["Installation", "install", "uninstall"]

_ABSENT = object()
_lock = threading.Lock()
_installations: List[Installation] = []


class Installation:
    """What ``install`` gives; as a context manager it uninstalls at the end of the block."""

    def __init__(self) -> None:
        self._before: List[Tuple[types.ModuleType, str, Any]] = []

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *_: Any) -> None:
        uninstall()

    def __repr__(self) -> str:
        if self not in _installations:
            return "<queuecompat installation: over>"
        state = f"{len(_installations[0]._before)} names of TensorFlow are queuecompat's"
        return f"<queuecompat installation: {state}>"

    def _put(self) -> None:
        for module, name, value in _places():
            self._before.append((module, name, vars(module).get(name, _ABSENT)))
            setattr(module, name, value)

    def _restore(self) -> None:
        while self._before:
            module, name, value = self._before.pop()
            if value is _ABSENT:
                delattr(module, name)
            else:
                setattr(module, name, value)


def install() -> Installation:
    """Puts queuecompat's functions where code that imports TensorFlow looks for them.

    - ``tf.compat.v1.train``'s input functions, queue runners and coordinators, and ``tf.compat.v1``'s readers
      are ours;
    - ``tf.train`` and ``tf`` have those of them that TensorFlow 2 dropped;
    - ``tf.contrib`` and ``tf.compat.v1.contrib`` are ``queuecompat.contrib``.

    Nothing else changes: eager execution stays on or off as it was. Names that somebody imported before
    (``from tensorflow.compat.v1.train import batch``) stay TensorFlow's.

    Calls may be nested: the outermost ``uninstall`` restores everything.

    Returns:
      An ``Installation``, for ``with queuecompat.install():``.
    """
    with _lock:
        installation = Installation()
        if not _installations:
            installation._put()
        _installations.append(installation)
        return installation


def uninstall() -> None:
    """Takes back the last ``install``: every name is again what it was before, or gone where there was none.

    Raises:
      RuntimeError: nothing is installed.
    """
    with _lock:
        if not _installations:
            raise RuntimeError("queuecompat.uninstall() without an install() before it")
        _installations.pop()._restore()


def _places() -> Iterator[Tuple[types.ModuleType, str, Any]]:
    """Each name that is to be ours: the module that has it, and what is put there."""
    compat_v1 = _compat_v1()
    for names, ours, olds, new in (
        (train.__all__, train, [tf.compat.v1.train], tf.train),
        (readers.__all__, readers, compat_v1, tf),
    ):
        for name in names:
            for old in olds:
                yield old, name, getattr(ours, name)
            if not hasattr(new, name):
                yield new, name, getattr(ours, name)
    for module in (tf, *compat_v1):
        if not hasattr(module, "contrib"):
            yield module, "contrib", queuecompat.contrib


def _compat_v1() -> List[types.ModuleType]:
    """``tf.compat.v1``, in each form in which a program may have it.

    Newer TensorFlows make a second module at the first ``import tensorflow.compat.v1``, which takes the first one's
    place as an attribute. It is made here, so that none comes after an installation and is not ours; a library may
    have taken the first one already.
    """
    before = tf.compat.v1
    after = importlib.import_module("tensorflow.compat.v1")
    return [after] if after is before else [before, after]

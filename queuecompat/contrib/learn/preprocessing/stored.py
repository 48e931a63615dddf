"""Reads and writes files of vocabularies as TensorFlow 1 wrote them: pickles, restricted to what a vocabulary needs.

Rule: a file can refer only to the names in ``_KNOWN``, to those that the caller of ``read`` passes, and to a function
      from the program's own files. The function becomes the tokenizer, and is not called while the file is read.
      Anything else is refused, and never imported or called.
"""

from __future__ import annotations

import collections
import copyreg
import io
import pickle
import sys
import types
from typing import Any, Dict, NamedTuple, Tuple

from queuecompat.installed_files import is_installed

__all__ = ["read", "written"]

# From the last part of a module's name, and a name in that module, to the object.
_KNOWN: Dict[Tuple[str, str], Any] = {
    ("__builtin__", "int"): int,
    ("__builtin__", "object"): object,
    ("builtins", "int"): int,
    ("builtins", "object"): object,
    ("collections", "defaultdict"): collections.defaultdict,
    ("copy_reg", "_reconstructor"): copyreg._reconstructor,  # type: ignore[attr-defined]
    ("copyreg", "_reconstructor"): copyreg._reconstructor,  # type: ignore[attr-defined]
}


class _Named(NamedTuple):
    """The name of a function to which a file refers, in the function's place. It cannot be called."""

    module: str
    name: str


class _Reader(pickle.Unpickler):
    def __init__(self, data: bytes, own: Dict[Tuple[str, str], Any]) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")  # Python 2 wrote words as bytes
        self._known = {**_KNOWN, **own}

    def find_class(self, module: str, name: str) -> Any:
        known = self._known.get((module.rpartition(".")[2], name))
        return _Named(module, name) if known is None else known


def written(processor: Any, filename: str) -> None:
    """Writes *processor* to the file *filename*."""
    import tensorflow as tf

    with tf.io.gfile.GFile(filename, "wb") as file:
        file.write(pickle.dumps(processor, protocol=2))


def read(filename: str, own: Dict[Tuple[str, str], Any], kinds: Tuple[type, ...]) -> Any:
    """Returns the processor in the file *filename*.

    Args:
      own: further objects to which the file may refer, with keys as in ``_KNOWN``.
      kinds: the classes of which the processor may be an instance.
    Raises:
      tf.errors.NotFoundError: there is no such file.
      pickle.UnpicklingError: the file does not hold such a processor, or its tokenizer is not a function of the
        program.
    """
    import tensorflow as tf

    with tf.io.gfile.GFile(filename, "rb") as file:
        data = file.read()
    try:
        found = _Reader(data, own).load()
    except Exception as problem:
        raise pickle.UnpicklingError(
            f"{filename!r} is not a file that VocabularyProcessor.save wrote: {problem}"
        ) from problem
    if not isinstance(found, kinds):
        kind = type(found).__name__
        raise pickle.UnpicklingError(
            f"{filename!r} is not a file that VocabularyProcessor.save wrote: it contains a {kind}"
        )
    tokenizer = getattr(found, "_tokenizer", None)
    if isinstance(tokenizer, _Named):
        vars(found)["_tokenizer"] = _function(tokenizer, filename)
    return found


def _function(named: _Named, filename: str) -> Any:
    function = getattr(sys.modules.get(named.module), named.name, None)
    is_own = isinstance(function, types.FunctionType) and not is_installed(function.__code__.co_filename)
    if not is_own:
        raise pickle.UnpicklingError(
            f"the tokenizer of {filename!r} is '{named.module}.{named.name}', which is not a function of this program: "
            f"define or import it before restore()"
        )
    return function

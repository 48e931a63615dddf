"""``tf.estimator`` for versions of TensorFlow without it, from the package tensorflow-estimator.

TensorFlow 2.16 dropped that package. Its last version, 2.15, is pure Python. Later versions of TensorFlow lack some of
what it imports: modules for embeddings on TPUs, for clusters on which a ``tf.distribute`` strategy trains, and for
making its list of public names.

Rule 1: stand-ins for these modules exist only while the package is being imported, by a program or by a library.
Rule 2: whatever would use a stand-in raises an error that says so, before anything is trained.
Rule 3: a TensorFlow that has estimators, up to 2.15, is not changed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from queuecompat.errors import missing, no_attribute
from queuecompat.reference import keras_2

__all__ = ["estimator_named", "estimator_names", "offer"]

_PACKAGE = "tensorflow_estimator"


def estimator_named(name: str) -> Any:
    """``tf.estimator.<name>``.

    Raises:
      AttributeError: QC511, the package is not installed, has no such name, or needs Keras 2, which is not installed.
    """
    package = _package()
    asked = f"tf.estimator.{name}"
    if package is None:
        why = "TensorFlow 2.16 and later do not contain estimators; they are a package of their own"
        raise no_attribute(missing(asked, why, "pip install tensorflow-estimator"))
    if not hasattr(package, name):
        raise AttributeError(missing(asked, f"{_PACKAGE} {_version()} has no such name"))
    if name.startswith(keras_2.ESTIMATORS) and not _has_keras_2():
        why = "its model is made of Keras 2, which TensorFlow 2.16 and later do not contain"
        raise no_attribute(missing(asked, why, "pip install tf_keras; queuecompat.v1 then uses it by itself"))
    return getattr(package, name)


def estimator_names() -> List[str]:
    """The names in ``tf.estimator``, apart from ours."""
    return [] if _package() is None else [name for name in dir(_package()) if not name.startswith("_")]


def offer() -> None:
    """From now on, ``import tensorflow_estimator`` succeeds."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


@functools.cache
def _package() -> Any:
    is_offered = _FINDER in sys.meta_path
    offer()
    try:
        # The package's top level is TensorFlow 1's ``tf.estimator``.
        return importlib.import_module(_PACKAGE).estimator
    except ModuleNotFoundError as problem:
        if problem.name != _PACKAGE:
            raise
        return None
    finally:
        if not is_offered:
            sys.meta_path.remove(_FINDER)


def _has_keras_2() -> bool:
    return hasattr(importlib.import_module("tensorflow").compat.v1.keras.layers, "DenseFeatures")


def _version() -> str:
    return str(importlib.import_module("importlib.metadata").version("tensorflow-estimator"))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name != _PACKAGE or _has_estimators():
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path, target)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader)
        return found


_FINDER = _Finder()


class _Loader(importlib.abc.Loader):
    def __init__(self, real: Any) -> None:
        self._real = real

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[types.ModuleType]:
        made: Optional[types.ModuleType] = self._real.create_module(spec)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        with _stand_ins():
            self._real.exec_module(module)


def _has_estimators() -> bool:
    version = importlib.import_module("tensorflow").__version__
    return tuple(map(int, version.split(".")[:2])) < (2, 16)


@contextlib.contextmanager
def _stand_ins() -> Iterator[None]:
    """Provides the modules that the package imports and that TensorFlow no longer has."""
    there = {name: make(name) for name, make in _MAKE.items()}
    sys.modules.update(there)
    try:
        yield
    finally:
        for name in there:
            del sys.modules[name]


def _distributed(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.init_run_config = _init_run_config  # type: ignore[attr-defined]
    module.should_run_distribute_coordinator = lambda config: False  # type: ignore[attr-defined]
    return module


def _init_run_config(config: Any, tf_config: Dict[str, Any]) -> None:
    """Sets up a RunConfig with a ``tf.distribute`` strategy.

    *tf_config* describes the cluster, from the environment.
    """
    if tf_config.get("cluster") and "master" not in tf_config["cluster"]:
        raise ValueError(
            missing(
                "a RunConfig with a strategy on several machines",
                "TensorFlow 2.16 removed what estimators did that with",
                "leave train_distribute out: TF_CONFIG alone trains with parameter servers; or pip install"
                ' "tensorflow<2.16"',
            )
        )
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def _of_tpus(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    # The package looks up names when it is imported, and only calls them when there is a TPU.
    vars(module)["__getattr__"] = lambda attribute: type(attribute, (_OfTPUs,), {})
    return module


class _OfTPUs:
    def __init__(self, *_: Any, **__: Any) -> None:
        why = "TensorFlow 2.16 removed what estimators did with it"
        raise NotImplementedError(missing(f"{type(self).__name__}, of TPUs,", why, 'pip install "tensorflow<2.16"'))


def _exporting(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.estimator_export = _Unlisted  # type: ignore[attr-defined]
    return module


class _Unlisted:
    """A decorator that does nothing: the list of public names is not needed when the package runs."""

    def __init__(self, *_: str, **__: Any) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        return function

    def export_constant(self, module: str, name: str) -> None:
        pass


_MAKE: Dict[str, Callable[[str], types.ModuleType]] = {
    "tensorflow.python.distribute.estimator_training": _distributed,
    "tensorflow.python.tpu.session_support": _of_tpus,
    "tensorflow.python.tpu.tpu_embedding": _of_tpus,
    "tensorflow.python.tpu.tpu_embedding_gradient": _of_tpus,
    f"{_PACKAGE}.python.estimator.estimator_export": _exporting,
}

"""Support for modules of ``tf.contrib`` whose names still exist elsewhere in TensorFlow: looked up there when first
used."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, List, Mapping, Tuple

import tensorflow as tf

from queuecompat._lazy import absence, never_there
from queuecompat.errors import missing, no_attribute

__all__ = ["aliases", "cell_class", "without_keras_2"]

_WITH_KERAS = (
    "pip install tf_keras; queuecompat.v1 then uses it by itself, other programs set TF_USE_LEGACY_KERAS=1 before "
    "TensorFlow is imported"
)


def without_keras_2(asked: str) -> AttributeError:
    """Returns the error for *asked*, such as "tf.contrib.rnn.GRUCell", where Keras 2 is missing."""
    return no_attribute(missing(asked, "it needs Keras 2, which is not there", _WITH_KERAS))


def cell_class(name: str, package: str) -> Any:
    """Returns the class *name* of ``tf.nn.rnn_cell``, from which cells of *package* are derived, such as "contrib.rnn".

    Without Keras 2, returns a class of which no object can be made.
    """

    class Missing:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            raise without_keras_2(f"tf.{package}.{type(self).__name__}")

    return getattr(tf.compat.v1.nn.rnn_cell, name, Missing)


def aliases(
    module: str, places: Mapping[str, str], absent: Callable[[str], str] = never_there
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Returns ``__getattr__`` and ``__dir__`` for *module*.

    Args:
      places: from each public name to its path in ``tensorflow``, such as "compat.v1.nn.static_rnn", or in a module of
        queuecompat, such as "queuecompat.estimator:add_metrics".
      absent: returns the reason why any other name is missing, if the name has no row in ``queuecompat.api``.

    Each name of TensorFlow 1 that *module* does not have needs a row in ``queuecompat.api``; otherwise ``check`` takes
    it for a name that exists.
    """

    def look_up(name: str) -> Any:
        if name not in places:
            why = f"{module} has no {name!r}: {absent(name)}"
            is_of_python = name.startswith("__")  # Python itself looks these up, to find out whether they exist
            raise AttributeError(why) if is_of_python else absence(f"tf.{module.partition('.')[2]}.{name}", why)
        try:
            module_of_ours, _, path = places[name].rpartition(":")
            start = importlib.import_module(module_of_ours) if module_of_ours else tf
            value = functools.reduce(getattr, path.split("."), start)
        except (AttributeError, ImportError) as problem:
            # With Keras 3, TensorFlow still lists the names of Keras 2's layers, but using them is an error.
            asked = f"tf.{module.partition('.')[2]}.{name}"
            raise without_keras_2(asked) from problem
        setattr(sys.modules[module], name, value)
        return value

    own = [name for name in vars(sys.modules[module]).get("__all__", ()) if name not in places]
    return look_up, lambda: sorted([*places, *own])

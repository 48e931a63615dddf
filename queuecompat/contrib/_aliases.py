"""Modules of ``tf.contrib`` whose names still exist elsewhere in TensorFlow: looked up there at the first use."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, List, Mapping, Tuple

import tensorflow as tf

from queuecompat._lazy import absence, never_there
from queuecompat.errors import missing, no_attribute

__all__ = ["aliases"]

_WITH_KERAS = (
    "pip install tf_keras; queuecompat.v1 then uses it by itself, other programs set TF_USE_LEGACY_KERAS=1 before "
    "TensorFlow is imported"
)


def aliases(
    module: str, places: Mapping[str, str], absent: Callable[[str], str] = never_there
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of *module*.

    Args:
      places: from each public name to its path below ``tensorflow``, such as "compat.v1.nn.static_rnn", or below a
        module of ours, as "queuecompat.estimator:add_metrics".
      absent: from any other name that no row of ``queuecompat.api`` is about to the reason why it is missing.

    Each name of TensorFlow 1 that is not there needs a row of ``queuecompat.api``: without one, ``check`` takes it for
    one that is.
    """

    def look_up(name: str) -> Any:
        if name not in places:
            why = f"{module} has no {name!r}: {absent(name)}"
            is_of_python = name.startswith("__")  # Python itself asks for these, to see whether they are there
            raise AttributeError(why) if is_of_python else absence(f"tf.{module.partition('.')[2]}.{name}", why)
        try:
            module_of_ours, _, path = places[name].rpartition(":")
            start = importlib.import_module(module_of_ours) if module_of_ours else tf
            value = functools.reduce(getattr, path.split("."), start)
        except (AttributeError, ImportError) as problem:
            # TensorFlow with Keras 3 has the names of Keras 2's layers, but using them is an error.
            asked = f"tf.{module.partition('.')[2]}.{name}"
            raise no_attribute(missing(asked, "it needs Keras 2, which is not there", _WITH_KERAS)) from problem
        setattr(sys.modules[module], name, value)
        return value

    own = [name for name in vars(sys.modules[module]).get("__all__", ()) if name not in places]
    return look_up, lambda: sorted([*places, *own])

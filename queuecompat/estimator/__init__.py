"""``tf.estimator``, which TensorFlow 2.16 and later do not have: compiled input functions, and all other names.

This is ``tf.estimator`` of ``queuecompat.v1``. The input functions and the modes are ours. Estimators themselves are in
the package tensorflow-estimator, which is loaded at the first use of one of its names.
"""

from __future__ import annotations

import importlib
from typing import Any, List

from queuecompat._lazy import lazily

__all__ = ["ModeKeys", "inputs"]

_PLACES = {"ModeKeys": "queuecompat.estimator.mode_keys:ModeKeys", "inputs": "queuecompat.estimator.inputs"}
_of_ours, _ = lazily(__name__, _PLACES, absent=lambda name: f"module '{__name__}' has no attribute '{name}'")


def __getattr__(name: str) -> Any:
    if name in _PLACES or name.startswith("_"):
        return _of_ours(name)
    return _package().estimator_named(name)


def __dir__() -> List[str]:
    return sorted({*_PLACES, *_package().estimator_names()})


def _package() -> Any:
    return importlib.import_module("queuecompat._native.estimators")

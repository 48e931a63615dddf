"""``tf.contrib.losses``: losses with predictions first and labels second, and the collection of them.

They are in the package tf-slim; if it is installed, they are available here.
"""

from __future__ import annotations

from typing import Any, List

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers

_OF_TF_SLIM = frozenset(
    {
        "absolute_difference",
        "add_loss",
        "compute_weighted_loss",
        "cosine_distance",
        "get_losses",
        "get_regularization_losses",
        "get_total_loss",
        "hinge_loss",
        "log_loss",
        "mean_pairwise_squared_error",
        "mean_squared_error",
        "metric_learning",
        "sigmoid_cross_entropy",
        "softmax_cross_entropy",
        "sparse_softmax_cross_entropy",
    }
)

__all__: List[str] = []


def _absent(name: str) -> str:
    if name in _OF_TF_SLIM:
        return "it is in the package tf-slim (pip install tf-slim), which is not installed"
    return "TF 1.15 had none of this name"


_own, _ = lazily(__name__, {}, _absent)


def __getattr__(name: str) -> Any:
    if name in _OF_TF_SLIM and _layers.is_installed():
        return getattr(_layers.load(f"{_layers.PACKAGE}.losses"), name)
    return _own(name)


def __dir__() -> List[str]:
    return sorted(_OF_TF_SLIM) if _layers.is_installed() else []

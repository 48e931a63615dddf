"""``tf.contrib.losses``: losses with predictions first and labels second, and functions for the collection of losses.

They are in the package tf-slim; if it is installed, they are available here.
"""

from __future__ import annotations

from typing import List

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers

_OF_TF_SLIM = dict.fromkeys(
    (
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
    ),
    "losses",
)

__all__: List[str] = []


_own, _own_names = lazily(__name__, {}, _layers.missing_without(_OF_TF_SLIM))

__getattr__, __dir__ = _layers.beside(_own, _own_names, _OF_TF_SLIM)

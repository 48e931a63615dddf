"""``tf.contrib.image``: rotation, translation, projective transforms and warps, with TF1's names and numbers.

::

    from queuecompat.contrib import image as contrib_image
    turned = contrib_image.rotate(images, angles, interpolation="BILINEAR")

The functions are those of ``queuecompat.image``; they work in graphs, in functions of datasets and eagerly.
"""

from __future__ import annotations

from typing import Any, List

from queuecompat._lazy import absence
from queuecompat.image.components import bipartite_match, connected_components
from queuecompat.image.geometry import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from queuecompat.image.warping import dense_image_warp, interpolate_spline, sparse_image_warp

__all__ = [
    "angles_to_projective_transforms",
    "bipartite_match",
    "compose_transforms",
    "connected_components",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "interpolate_spline",
    "matrices_to_flat_transforms",
    "rotate",
    "sparse_image_warp",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]


def __getattr__(name: str) -> Any:
    raise absence(f"tf.contrib.image.{name}", "TensorFlow 1.15 had no such name")


def __dir__() -> List[str]:
    return __all__

"""``tf.contrib.cluster_resolver``, which is in ``tf.distribute``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "ClusterResolver", "GCEClusterResolver", "KubernetesClusterResolver", "SimpleClusterResolver",
    "SlurmClusterResolver", "TFConfigClusterResolver", "TPUClusterResolver", "UnionClusterResolver",
)  # fmt: skip
_PLACES = {name: f"distribute.cluster_resolver.{name.replace('UnionCluster', 'Union')}" for name in _NAMES}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

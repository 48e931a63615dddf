"""``tf.contrib.tpu``: its estimator, which also trains on other devices, and the names that ``tf.tpu`` still has."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_NAMES = (
    "CrossShardOptimizer", "DeviceAssignment", "InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator",
    "TPUEstimatorSpec", "Topology", "batch_parallel", "bfloat16_scope", "core", "cross_replica_sum",
    "initialize_system", "outside_compilation", "replicate", "rewrite", "shard", "shutdown_system",
)  # fmt: skip
_OF_ESTIMATORS = ("InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec")
_PLACES = {
    **{name: f"compat.v1.tpu.{name}" for name in _NAMES},
    **{name: f"queuecompat.estimator:tpu.{name}" for name in _OF_ESTIMATORS},
    **{name: f"tpu.experimental.{name}" for name in ("DeviceAssignment", "Topology")},
}

__all__ = list(_NAMES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

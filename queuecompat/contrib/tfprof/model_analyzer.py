"""``tf.contrib.tfprof.model_analyzer``: ``tf.profiler`` under its first names, and the three sets of options."""

from __future__ import annotations

from typing import Any, Dict, Optional

import tensorflow as tf

from queuecompat.contrib._aliases import aliases

_PLACES = {"Profiler": "compat.v1.profiler.Profiler"}

__all__ = [
    *_PLACES,
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "advise",
    "print_model_analysis",
]

__getattr__, __dir__ = aliases(__name__, _PLACES)

_Builder = tf.compat.v1.profiler.ProfileOptionBuilder

TRAINABLE_VARS_PARAMS_STAT_OPTIONS: Dict[str, Any] = _Builder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS: Dict[str, Any] = _Builder.float_operation()
PRINT_ALL_TIMING_MEMORY: Dict[str, Any] = (
    _Builder(_Builder.time_and_memory(min_micros=1, min_bytes=1)).order_by("name").select(["micros", "bytes"]).build()
)


def print_model_analysis(
    graph: tf.Graph,
    run_meta: Optional[tf.compat.v1.RunMetadata] = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = 0,
) -> Any:
    """Prints and returns the part of *graph*'s profile that *tfprof_options* select: see ``tf.profiler.profile``.

    Args:
      tfprof_options: a dict such as ``FLOAT_OPS_OPTIONS``; 0: the defaults of ``tf.profiler.profile``.
    """
    return tf.compat.v1.profiler.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def advise(
    graph: tf.Graph, run_meta: Optional[tf.compat.v1.RunMetadata] = None, tfprof_options: Any = 0
) -> tf.compat.v1.profiler.AdviceProto:
    """Checks *graph* for expensive ops and similar problems, as ``tf.profiler.advise`` does.

    Args:
      tfprof_options: dict from the names of checks to their options; 0: all checks.
    """
    return tf.compat.v1.profiler.advise(graph, run_meta, tfprof_options)

"""``tf.contrib.tfprof.tfprof_logger``, whose function is in ``tf.profiler``."""

from __future__ import annotations

from queuecompat.contrib._aliases import aliases

_PLACES = {"write_op_log": "compat.v1.profiler.write_op_log"}

__all__ = list(_PLACES)

__getattr__, __dir__ = aliases(__name__, _PLACES)

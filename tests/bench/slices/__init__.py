"""Twelve pipelines in the style of public repositories of TensorFlow 1, to measure the effect of each one's own ops.

The workloads beside this folder measure queuecompat at its best; these are typical programs. Each is ordinary TF1 code,
``tf.train.batch`` or ``shuffle_batch`` of the result of ``element`` for a record, and the same function mapped over a
dataset. ``python -m tests.bench.slices`` prints, for each, the time of queuecompat relative to TensorFlow's own queues
and to tf.data, how many of its ops run once per batch, and what prevents it for the others.

- ``made``: a workload made of a source and a function of its elements.
- ``sources``: where elements come from, as a queue and as a dataset.
- ``files``: the data.
- ``images``, ``features``, ``sequences``: the pipelines.
"""

from __future__ import annotations

from ..workload import Workload
from .features import FEATURES
from .images import IMAGES
from .sequences import SEQUENCES

__all__ = ["SLICES"]

SLICES: dict[str, Workload] = {**IMAGES, **FEATURES, **SEQUENCES}

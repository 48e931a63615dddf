"""Twelve pipelines in the style of public repositories of TensorFlow 1: what each one's own ops make of speed.

The workloads beside this folder measure queuecompat at its best; these are what people have. Each is ordinary TF1 code,
``tf.train.batch`` or ``shuffle_batch`` of what ``element`` makes of a record, and the same function mapped over a
dataset. ``python -m tests.bench.slices`` prints for each how long queuecompat takes against TensorFlow's own queues and
against tf.data, how many of its ops run once per batch, and what holds back the others.

- ``made``: a workload of a source and of what is made of an element.
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

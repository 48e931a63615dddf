"""A workload: one input pipeline, written two or three times, and the data that it reads.

Rule 1: ``queues`` is TensorFlow 1 code and takes its namespace, so that `ours` and `native` run literally the same
        function.
Rule 2: all of them deliver the same examples: same structure, shapes and dtypes, every example once per epoch, the last
        partial batch dropped. test_bench.py checks this.
Rule 3: no module with a workload imports TensorFlow, because the process that only reports does not need it.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

__all__ = ["Workload"]


@dataclasses.dataclass(frozen=True)
class Workload:
    """One pipeline in two or three spellings.

    Attributes:
      summary: what it does, for the head of its table.
      batch_size: examples in a batch.
      count: examples in an epoch of a full run.
      quick_count: the same with ``--quick``.
      load: ``load(data_dir, count)`` makes or finds the data.
      queues: ``queues(tf, data, num_threads=, num_epochs=)`` returns the batch, a list of tensors.
      tf_data: ``tf_data(tf, data, num_epochs)`` returns the dataset that TensorFlow's own guides
        would lead to.
      best_tf_data: the same, tuned by hand for speed by someone who knows how; None: there is no such version.
    """

    summary: str
    batch_size: int
    count: int
    quick_count: int
    load: Callable[[pathlib.Path, int], Any]
    queues: Callable[..., Any]
    tf_data: Callable[..., Any]
    best_tf_data: Callable[..., Any] | None = None

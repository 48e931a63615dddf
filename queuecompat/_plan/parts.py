"""Which part of the data this process has to read, as its environment says (``options(shard="auto")``).

Looked at in this order, and the first that says something decides:

1. the cluster of the ``tf.distribute`` strategy in whose scope the pipeline is built;
2. ``TF_CONFIG``: the chief (or master) has the first part, and the workers the others in their order; an evaluator
   reads all data, and so does a process without a task;
3. Horovod's ``HOROVOD_RANK`` and ``HOROVOD_SIZE``, or those of the MPI that started it.

Where nothing says anything there is one process, which reads all.
"""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Tuple, Union

import tensorflow as tf

__all__ = ["Shard", "part_of"]

Shard = Union[None, str, Tuple[int, int]]

_RANKS = (("HOROVOD_RANK", "HOROVOD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
# The jobs whose tasks read parts of the data, in the order of their parts.
_READING = ("chief", "master", "worker")


def part_of(shard: Shard) -> Optional[Tuple[int, int]]:
    """The number of the part, and how many there are; None: all data, and nothing was asked for."""
    if shard is None or isinstance(shard, tuple):
        return shard
    return _of_strategy() or _of_tf_config() or _of_ranks() or (0, 1)


def _of_strategy() -> Optional[Tuple[int, int]]:
    resolver = getattr(tf.distribute.get_strategy(), "cluster_resolver", None)
    if resolver is None:
        return None
    return _of_task(resolver.cluster_spec().as_dict(), resolver.task_type, resolver.task_id)


def _of_tf_config() -> Optional[Tuple[int, int]]:
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    task = config.get("task", {})
    return _of_task(config.get("cluster", {}), task.get("type"), task.get("index"))


def _of_task(cluster: Mapping[str, Any], job: Optional[str], number: Optional[int]) -> Optional[Tuple[int, int]]:
    tasks = [(name, place) for name in _READING for place in range(len(cluster.get(name, ())))]
    if not tasks or job is None:
        return None
    task = (job, int(number or 0))
    return (tasks.index(task), len(tasks)) if task in tasks else (0, 1)


def _of_ranks() -> Optional[Tuple[int, int]]:
    for rank, size in _RANKS:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None

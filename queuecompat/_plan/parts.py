"""Finds the shard of the data that this process has to read in its environment (``options(shard="auto")``).

The first of these that is present decides:

1. the cluster of the ``tf.distribute`` strategy in whose scope the pipeline is built;
2. ``TF_CONFIG``: the chief (or master) has the first part, and the workers have the others, in order; an evaluator
   reads all data;
3. Horovod's ``HOROVOD_RANK`` and ``HOROVOD_SIZE``, or the rank and size of Open MPI.

Where none is present, this is the only process and reads all data. An inconsistent environment is an error: a
process that reads all data beside others would make the training see it twice.
"""

from __future__ import annotations

import json
import os
from typing import Any, List, Mapping, NoReturn, Optional, Tuple, Union

import tensorflow as tf

from queuecompat.errors import QueueCompatValueError, error

__all__ = ["Shard", "part_of"]

Shard = Union[None, str, Tuple[int, int]]

_RANKS = (("HOROVOD_RANK", "HOROVOD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
# The jobs whose tasks read shards of the data, in the order of the shards.
_READING = ("chief", "master", "worker")


def part_of(shard: Shard) -> Optional[Tuple[int, int]]:
    """Returns the number of this process's shard and how many shards there are; None: *shard* is None.

    Args:
      shard: the option ``shard``.
    Raises:
      QueueCompatValueError: QC532, the environment is inconsistent.
    """
    if shard is None or isinstance(shard, tuple):
        return shard
    return _of_strategy() or _of_tf_config() or _of_ranks() or (0, 1)


def _of_strategy() -> Optional[Tuple[int, int]]:
    resolver = getattr(tf.distribute.get_strategy(), "cluster_resolver", None)
    if resolver is None:
        return None
    cluster = resolver.cluster_spec().as_dict()
    return _of_task("the tf.distribute strategy", cluster, resolver.task_type, resolver.task_id)


def _of_tf_config() -> Optional[Tuple[int, int]]:
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        config = json.loads(text)
        cluster, task = config.get("cluster") or {}, config.get("task") or {}
        return _of_task("TF_CONFIG", cluster, task.get("type"), task.get("index"))
    except (AttributeError, TypeError, json.JSONDecodeError):
        _refuse(f"TF_CONFIG is not a JSON object with the lists of a cluster and a task: {text!r}")


def _of_task(where: str, cluster: Mapping[str, Any], job: Optional[str], number: Any) -> Optional[Tuple[int, int]]:
    tasks = [(name, place) for name in _READING for place in _places(cluster.get(name))]
    if not tasks or job is None:
        return None
    if job not in _READING:
        return 0, 1
    task = (job, _whole(number or 0))
    if task not in tasks:
        known = ", ".join(f"{name} {place}" for name, place in tasks)
        _refuse(f"{where} says that this process is {job} {number}, but its cluster has {known}")
    return tasks.index(task), len(tasks)


def _places(addresses: Any) -> List[int]:
    """Returns the numbers of the tasks of a job, given their *addresses*: a list, a dict by number, or None."""
    if not isinstance(addresses, (dict, list, tuple, type(None))):
        raise TypeError
    return sorted(map(int, addresses)) if isinstance(addresses, dict) else [*range(len(addresses or ()))]


def _of_ranks() -> Optional[Tuple[int, int]]:
    for names in _RANKS:
        if all(name in os.environ for name in names):
            number, count = (_whole(os.environ[name]) for name in names)
            if number is None or count is None or not 0 <= number < count:
                _refuse(" and ".join(f"{name} is {os.environ[name]!r}" for name in names))
            return number, count
    return None


def _whole(given: Any) -> Optional[int]:
    """Returns *given* as an integer; None: it is not an integer, nor a string of one."""
    try:
        return int(given)
    except (TypeError, ValueError):
        return None


def _refuse(why: str) -> NoReturn:
    raise error(QueueCompatValueError, "QC532", why=why)

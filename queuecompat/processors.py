"""The number of processors that this process may use; everything that chooses its number of threads asks this module.

It is the smallest of three numbers: the processors of the machine; those that this process may run on (``taskset``, or
the job of a batch system); and the processor time that its control groups allow (``docker run --cpus``, the limit of a
container in Kubernetes). More threads than that are not faster: they take turns, and if a group has used up its time,
all its threads stop until the next period.
"""

from __future__ import annotations

import math
import os
import pathlib
from typing import Iterator, Tuple

__all__ = ["of_control_groups", "usable"]

_GROUPS = pathlib.Path("/sys/fs/cgroup")
_MINE = pathlib.Path("/proc/self/cgroup")


def usable() -> int:
    """Returns how many processors this process may use, at least 1; computed at each call, as limits change."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(allowed, of_control_groups())))


def of_control_groups(groups: pathlib.Path = _GROUPS, mine: pathlib.Path = _MINE) -> float:
    """Returns how many processors' time the control groups of this process may use together; infinity without a limit.

    Args:
      groups: the folder of the groups, of version 1 or 2.
      mine: the file with the groups of this process, as lines ``number:controllers:/path``.
    """
    try:
        lines = mine.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux, or not readable
        return math.inf
    limits = (limit for line in lines for folder in _folders(groups, line) for limit in _limits(folder))
    return min(limits, default=math.inf)


def _folders(groups: pathlib.Path, line: str) -> Iterator[pathlib.Path]:
    """Yields the folder of the group in *line*, and of each group around it: a limit holds for all groups below.

    A container sees its own group as the outermost one. The path may be the one outside of the container, which does
    not exist here.
    """
    _, controllers, path = line.split(":", 2)
    if controllers and "cpu" not in controllers.split(","):
        return
    top = groups / "cpu" if controllers else groups
    below = pathlib.PurePosixPath(path.lstrip("/"))
    for folder in (below, *below.parents):
        if ".." not in folder.parts:
            yield top / folder


def _limits(folder: pathlib.Path) -> Iterator[float]:
    """Yields the limit of the group in *folder*, in processors, if it has one."""
    for quota, period in (_of_version_2(folder), _of_version_1(folder)):
        if quota.isdigit() and period.isdigit() and int(period):  # "max" and "-1" mean no limit
            yield int(quota) / int(period)


def _of_version_2(folder: pathlib.Path) -> Tuple[str, str]:
    quota, _, period = _text(folder / "cpu.max").partition(" ")
    return quota, period


def _of_version_1(folder: pathlib.Path) -> Tuple[str, str]:
    return _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")


def _text(path: pathlib.Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:  # no such group, or the file belongs to the other version
        return ""

"""How many processors may be used, by CPU affinity and control groups of both versions; pipelines use that number."""

from __future__ import annotations

import math
import os
import pathlib
import subprocess
import sys
from typing import Dict

import pytest

from queuecompat import processors
from queuecompat._passes.parallelise import CALLS_PER_PROCESSOR


def limited(folder: pathlib.Path, groups: str, files: Dict[str, str]) -> float:
    """What is read off these *groups* of a process, where *files* are all that there is."""
    for name, text in files.items():
        path = folder / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "mine").write_text(groups)
    return processors.of_control_groups(folder / "groups", folder / "mine")


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        # Version 2: a container's own group is the outermost one that it sees.
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("0::/\n", {}, math.inf),
        # The least of a group and those that it is in.
        ("0::/jobs/mine\n", {"jobs/mine/cpu.max": "max 100000\n", "jobs/cpu.max": "400000 100000\n"}, 4),
        ("0::/jobs/mine\n", {"jobs/mine/cpu.max": "200000 100000\n", "jobs/cpu.max": "400000 100000\n"}, 2),
        # The path is that of the machine, of which the container sees nothing.
        ("0::/kubepods/pod1/me\n", {"cpu.max": "300000 100000\n"}, 3),
        ("0::/../other\n", {"cpu.max": "300000 100000\n"}, 3),
        # Version 1: a hierarchy for each controller.
        (
            "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n",
            {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "100000\n"},
            2.5,
        ),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, math.inf),
        ("4:cpuset:/\n", {"cpu/cpu.cfs_quota_us": "1000\n", "cpu/cpu.cfs_period_us": "1000\n"}, math.inf),
        # A name may have colons.
        ("1:name=systemd:/a:b\n0::/a:b\n", {"a:b/cpu.max": "100000 50000\n"}, 2),
    ],
)
def test_the_limit_of_control_groups(tmp_path: pathlib.Path, groups: str, files: Dict[str, str], limit: float) -> None:
    assert limited(tmp_path, groups, files) == limit


def test_without_control_groups_there_is_no_limit(tmp_path: pathlib.Path) -> None:
    assert processors.of_control_groups(tmp_path, tmp_path / "absent") == math.inf


@pytest.mark.parametrize(("limit", "usable"), [(0.2, 1), (1.0, 1), (1.5, 2), (3.0, 3), (16.0, 4), (math.inf, 4)])
def test_the_least_number_counts_and_a_part_of_a_processor_is_one(
    monkeypatch: pytest.MonkeyPatch, limit: float, usable: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(processors, "of_control_groups", lambda: limit)
    assert processors.usable() == usable


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call here")
def test_a_pipeline_has_calls_for_the_processors_that_it_may_use() -> None:
    """Not for those that the machine has: a batch system gives a job two of 64."""
    program = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "import tensorflow as tf, queuecompat\n"
        "from queuecompat import train\n"
        "def images():\n"
        "    name = train.string_input_producer(['a', 'b']).dequeue()\n"
        "    image = tf.image.resize(tf.io.decode_png(tf.io.read_file(name), channels=3), [64, 64])\n"
        "    return train.batch([image], 3, capacity=1000)\n"
        "print(queuecompat.explain(queuecompat.as_dataset(images), code=True))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"num_parallel_calls={CALLS_PER_PROCESSOR}" in done.stdout, done.stdout

"""The share of the machine that other programs use is distinguished from that of this process."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
from typing import Iterator

import pytest

from tests.bench import neighbours
from tests.bench.neighbours import Ticks

SPINS = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
WAITS = "print(flush=True)\ninput()"
# What it waits for is a process of its group.
LETS_SPIN = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {SPINS!r}])"


def test_the_share_is_what_is_busy_without_ones_own() -> None:
    before, after = Ticks(total=1000, busy=400, own=100), Ticks(total=1200, busy=550, own=170)
    assert after.others_since(before) == pytest.approx(0.4)
    assert before.others_since(before) == 0
    assert Ticks(1200, 450, 170).others_since(before) == 0  # counts of one's own may be ahead


@contextlib.contextmanager
def group(program: str) -> Iterator[int]:
    """The number of a group of processes in which *program* has come to its line of output."""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate(b"\n")


@pytest.mark.skipif(not pathlib.Path("/proc/stat").exists(), reason="there are no such counts")
def test_worker_processes_count_as_ones_own_and_other_groups_do_not() -> None:
    # Not of the group of this process, which may be that of other tests, too.
    before = Ticks.now()
    with group(LETS_SPIN) as spinning, group(WAITS) as waiting:
        assert neighbours.of_group(spinning) >= 25
        assert neighbours.of_group(waiting) < 25
        now = Ticks.now()
    assert now.busy - before.busy >= 25
    assert now.own > 0

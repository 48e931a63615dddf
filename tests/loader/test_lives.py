"""Nothing stays of a loader's life. ``python -m tests.bench.loader.lives`` lives 10,000 of each kind.

``QUEUECOMPAT_LIVES`` is the share of those that are lived here besides: each kind in a new process, as ``tox -e long``
does it with 0.1.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.bench.loader.lives import LIVES, grown, lived

MEMORY = 2048  # KiB that may stay of 25 lives; a batch that stayed each time would be 6 MB with what it holds on to


@pytest.mark.parametrize("name", [name for name in LIVES if "processes" not in name])
def test_fifty_lives_leave_nothing(name: str) -> None:
    live, memory = LIVES[name][0](), []
    for _ in range(3):
        found = grown(lived(live, 50))
        assert (found["descriptors"], found["shared"]) == (0, 0)
        assert found["threads"] <= 0
        memory.append(found["memory"])
        if memory[-1] < MEMORY:
            return
    # What an allocator keeps, and what other tests of the process left to do, comes once: a leak grows each time.
    pytest.fail(f"{memory} KiB stay, of 25 lives each time")


def test_processes_that_are_kept_leave_nothing_of_thirty_loops() -> None:
    live = LIVES["processes, kept"][0]()
    try:
        found = grown(lived(live, 30))
    finally:
        live._loader[0].close()  # type: ignore[attr-defined]
    assert (found["descriptors"], found["shared"], found["threads"]) == (0, 0, 0)


def test_processes_of_several_lives_leave_nothing() -> None:
    found = grown(lived(LIVES["processes"][0](), 2))
    assert (found["descriptors"], found["shared"]) == (0, 0) and found["threads"] <= 0


@pytest.mark.skipif("QUEUECOMPAT_LIVES" not in os.environ, reason="takes minutes: QUEUECOMPAT_LIVES=0.1")
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("name", LIVES)
def test_thousands_of_lives_leave_nothing(name: str) -> None:
    root = pathlib.Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.bench.loader.lives", "--lives", name]
    command += ["--share", os.environ["QUEUECOMPAT_LIVES"]]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr

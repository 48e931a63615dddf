"""The share of the machine that other programs have is told from one's own."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import time

import pytest

from tests.bench.neighbours import Ticks


def test_the_share_is_what_is_busy_without_ones_own() -> None:
    before, after = Ticks(total=1000, busy=400, own=100), Ticks(total=1200, busy=550, own=170)
    assert after.others_since(before) == pytest.approx(0.4)
    assert before.others_since(before) == 0
    assert Ticks(1200, 450, 170).others_since(before) == 0  # counts of one's own may be ahead


@pytest.mark.skipif(not pathlib.Path("/proc/stat").exists(), reason="there are no such counts")
def test_worker_processes_count_as_ones_own_and_other_groups_do_not() -> None:
    spins = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"

    def own_while_running(**kinds: bool) -> int:
        before = Ticks.now()
        with subprocess.Popen(
            [sys.executable, "-c", spins], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **kinds
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            ticks = Ticks.now()
            process.communicate(b"\n")
        assert ticks.busy - before.busy >= 25
        return ticks.own - before.own

    since = time.process_time()
    assert own_while_running() >= 25
    assert own_while_running(start_new_session=True) < 25 + 100 * (time.process_time() - since)

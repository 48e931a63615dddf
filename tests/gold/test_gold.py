"""Every gold case, run through queuecompat.v1, returns what TF 1.15.5 returned, to the last bit.

Legitimate differences on TF 2.x are lines of known_differences.csv. A line that no longer holds fails here, too, so
that the list stays true.

The cases run in separate processes, one per processor: importing queuecompat.v1 turns off TF2 behaviour for the whole
process, which must not affect other tests, and a crash of native queues must not end the test run. Whether a case is
compiled or native does not matter here, only its results.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Dict, List

import numpy as np
import pytest
from cases import CASES
from compare import RECORDED, differences, known_differences, load

HERE = pathlib.Path(__file__).parent
KNOWN = known_differences()

# The first test waits for the processes that run all cases; each of those has its own deadline.
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of what queuecompat.v1 gives, for the cases of the selected tests."""
    folder = tmp_path_factory.mktemp("given")
    selected = [
        item.callspec.params["case"]
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec")
    ]
    # Few enough to leave each of them a processor: some cases watch how threads take turns.
    count = min(4, os.cpu_count() or 1)
    shares = [selected[number::count] for number in range(count)]
    for worker in [_start(share, folder, number) for number, share in enumerate(shares) if share]:
        worker.wait()
    return folder


def _start(cases: List[str], folder: pathlib.Path, number: int) -> subprocess.Popen:
    command = [sys.executable, str(HERE / "record.py"), "--namespace", "queuecompat.v1", "--into", str(folder)]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    with open(folder / f"{number}.log", "w") as log:
        return subprocess.Popen(command + cases, env=environment, stdout=log, stderr=log)


def _result(given: pathlib.Path, case: str) -> Dict[str, np.ndarray]:
    traceback = given / f"{case}.txt"
    if traceback.exists():
        pytest.fail(traceback.read_text(), pytrace=False)
    if not (given / f"{case}.npz").exists():
        logs = "\n".join(log.read_text()[-3000:] for log in sorted(given.glob("*.log")))
        pytest.fail("a process ended before this case:\n" + logs, pytrace=False)
    return load(case, str(given))


@pytest.mark.parametrize("case", list(CASES))
def test_a_case_has_the_results_of_tf1(case: str, given: pathlib.Path) -> None:
    known = KNOWN.get(case, {})
    lines = differences(load(case), _result(given, case))
    unexpected = [line for line in lines if line.split(": ")[0] not in known]
    assert not unexpected, "\n".join(["differs from TF 1.15.5:", *unexpected])
    healed = set(known) - {line.split(": ")[0] for line in lines}
    assert not healed, f"no longer differs, take it out of known_differences.csv: {healed}"


def test_every_case_is_recorded_and_every_recording_has_its_case() -> None:
    assert {os.path.splitext(name)[0] for name in os.listdir(RECORDED)} == set(CASES)


def test_every_known_difference_names_a_recorded_array_and_a_difference() -> None:
    for case, ids in KNOWN.items():
        assert set(ids) <= set(load(case)), case
        assert all(one.strip() for one in ids.values()), case

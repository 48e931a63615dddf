"""Programs on TensorFlow's own queues, as ``run --compare`` starts them to compare with."""

from __future__ import annotations

import json
import pathlib

import pytest

from queuecompat.running.step_log import Log
from tests.forking import Server
from tests.scripts.catalogue import PROGRAMS
from tests.scripts.comparing import differences


@pytest.mark.parametrize("name", ["buckets", "cifar10_binary", "inception_values_queue", "monitored", "slim_clones"])
def test_a_program_sees_what_it_saw_under_tf1_with_nothing_compiled(
    name: str, data_dir: str, tmp_path: pathlib.Path, server: Server
) -> None:
    program, log = PROGRAMS[name], tmp_path / "steps"
    log.touch()
    options = ["run", "--own-queues", f"--record-steps=100000:{log}"]
    ran = server.run(program.command(data_dir, str(tmp_path)), str(tmp_path), launcher=options)
    assert ran.exit_code == 0, ran.out[-3000:] + ran.err[-6000:]
    given = json.loads((tmp_path / "summary.json").read_text())
    assert not differences(json.loads(pathlib.Path(program.record).read_text()), given)
    written = Log.of(log.read_text())
    assert (written.compiled, bool(written.native), bool(written.steps)) == (0, True, True)

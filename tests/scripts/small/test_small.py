"""Small programs, as people wrote them, print under ``queuecompat run`` what they printed under TF 1.15.5.

Each is about one habit: a way to stop, to read, to look at a queue. record.py recorded what they print, and the
elements of their input functions, which ``as_dataset`` has to give in eager mode.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, List

import pytest

from tests.forking import Ran, Server
from tests.scripts.small.catalogue import PROGRAMS, RECORDED, Program
from tests.scripts.small.running import elements_of, error_of, run_program


def _to_be_run() -> List[Any]:
    return [pytest.param(program, id=program.name) for program in PROGRAMS.values()]


def _with_inputs() -> List[Any]:
    return [pytest.param(program, id=program.name) for program in PROGRAMS.values() if program.inputs]


def _recorded(program: Program) -> Dict[str, Any]:
    return json.loads(pathlib.Path(program.record).read_text())


@pytest.mark.parametrize("program", _to_be_run())
def test_a_program_prints_what_it_printed_under_tf1(
    program: Program, server: Server, data_dir: str, tmp_path: pathlib.Path
) -> None:
    ran = run_program(server, program, data_dir, str(tmp_path), queuecompat=True)
    recorded = _recorded(program)
    assert ran.out.splitlines() == recorded["printed"], ran.err[-6000:]
    assert (ran.exit_code, error_of(ran)) == (recorded["exit_code"], recorded["error"]), ran.err[-6000:]


@pytest.mark.parametrize("program", _with_inputs())
def test_an_input_function_as_a_dataset_has_the_elements_of_tf1(
    program: Program, server: Server, data_dir: str, tmp_path: pathlib.Path
) -> None:
    assert elements_of(server, program, data_dir, str(tmp_path)) == _recorded(program)["elements"]


def test_every_program_is_recorded_and_every_recording_has_its_program() -> None:
    files = os.listdir(os.path.dirname(next(iter(PROGRAMS.values())).path))
    assert {os.path.splitext(name)[0] for name in files if name.endswith(".py")} == set(PROGRAMS)
    assert {os.path.splitext(name)[0] for name in os.listdir(RECORDED)} == set(PROGRAMS)


def test_a_program_that_hangs_ends_with_its_stacks_and_does_not_stop_the_next(
    server: Server, tmp_path: pathlib.Path
) -> None:
    program = tmp_path / "hangs.py"
    program.write_text("import threading\n\ndef wait():\n    threading.Event().wait()\n\nwait()\n")
    hung = server.run([str(program)], str(tmp_path), launcher=["run"], deadline=1)
    assert hung.exit_code == 1
    assert f'File "{program}", line 4 in wait' in hung.err
    program.write_text("print('here')\n")
    assert server.run([str(program)], str(tmp_path), launcher=["run"]) == Ran(0, "here\n", "")


def test_a_program_finds_nothing_of_the_one_before(server: Server, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "leaves_traces.py"
    program.write_text(
        "import signal\nimport sys\nimport tensorflow as tf\n"
        "tf.app.flags.DEFINE_string('flag', '', '')\n"
        "print(len(tf.get_default_graph().get_operations()), hasattr(tf.train, 'mark'))\n"
        "print(signal.getsignal(signal.SIGTERM))\n"
        "tf.constant(1), setattr(tf.train, 'mark', 1), signal.signal(signal.SIGTERM, print)\n"
        "sys.exit(3)\n"
    )
    first, second = (server.run([str(program)], str(tmp_path), launcher=["run"]) for _ in range(2))
    assert first == second
    assert first.exit_code == 3
    assert first.out.startswith("0 False")

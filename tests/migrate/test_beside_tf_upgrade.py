"""The script of the guide's table, with two programs and two input functions."""

from __future__ import annotations

import pathlib

from tests.forking import Server
from tests.migrate.beside_tf_upgrade import functions, input_calls, programs
from tests.migrate.program_entries import copied

TWO = [("lines", "show.py"), ("linear", "train.py")]


def test_programs_after_each_tool_are_run_and_compared(server: Server, tmp_path: pathlib.Path) -> None:
    assert programs(server, TWO, "tf_upgrade_v2", tmp_path) == {"raises": 2}
    assert programs(server, TWO, "as-dataset", tmp_path) == {"same": 2}


def test_input_functions_after_each_tool_are_called_in_an_eager_program(server: Server, tmp_path: pathlib.Path) -> None:
    names = ["key_of_lines", "vae_rows"]
    assert functions(server, names, "tf_upgrade_v2", tmp_path) == {"raises": 2}
    assert functions(server, names, "as-dataset", tmp_path) == {"same": 1, "left": 1}


def test_the_places_that_both_tools_mention_are_counted(server: Server, tmp_path: pathlib.Path) -> None:
    found, mentioned = input_calls(server, copied("linear", tmp_path / "linear"))
    assert found == 4 and mentioned == 0

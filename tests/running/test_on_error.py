"""``run --on-error skip``: the records that fail are left out of an unchanged program, and listed at its end."""

from __future__ import annotations

import pathlib

from tests.forking import Server
from tests.pipelines.bad_data import write_examples
from tests.running.printing_examples import run


def test_bad_records_are_left_out_and_listed_at_the_end(tmp_path: pathlib.Path, server: Server) -> None:
    path = write_examples(tmp_path / "a", range(10), [3])
    ran = run(server, tmp_path, path, options=["--on-error", "skip"])
    assert ran.out.split("\n")[:3] == ["[0, 1, 2]", "[4, 5, 6]", "[7, 8, 9]"], ran.err[-3000:]
    assert "skipped by 'batch', made at " in ran.err
    assert f"{path}:90: Could not parse example input" in ran.err


def test_that_nothing_was_skipped_is_printed_at_the_end_too(tmp_path: pathlib.Path, server: Server) -> None:
    path = write_examples(tmp_path / "a", range(3))
    ran = run(server, tmp_path, path, options=["--on-error=skip"])
    assert ": nothing" in ran.err


def test_what_the_report_has_listed_is_not_listed_again(tmp_path: pathlib.Path, server: Server) -> None:
    path = write_examples(tmp_path / "a", range(10), [3])
    ran = run(server, tmp_path, path, options=["--on-error", "skip", "--report"])
    assert ran.err.count("Could not parse example input") == 1


def test_more_errors_than_allowed_end_the_program(tmp_path: pathlib.Path, server: Server) -> None:
    path = write_examples(tmp_path / "a", range(10), [3, 4])
    ran = run(server, tmp_path, path, options=["--on-error", "skip", "--max-errors", "1"])
    assert ran.exit_code != 0
    assert "QC330 more than max_errors=1 elements of 'batch' failed" in ran.err


def test_a_number_of_errors_without_skipping_is_refused(tmp_path: pathlib.Path, server: Server) -> None:
    ran = run(server, tmp_path, options=["--max-errors", "1"])
    assert ran.exit_code == 2
    assert "--max-errors needs --on-error skip" in ran.err

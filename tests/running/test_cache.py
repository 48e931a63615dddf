"""``run --cache``: what is made of files is kept in a folder, and serves the next run of an unchanged program."""

from __future__ import annotations

import os
import pathlib

from tests.forking import Server
from tests.pipelines.bad_data import write_examples
from tests.running.printing_examples import run

OUTPUT = ["[0, 1, 2]", "[0, 1, 2]"]


def test_the_second_run_reads_what_the_first_has_kept(tmp_path: pathlib.Path, server: Server) -> None:
    path, folder = write_examples(tmp_path / "a", range(3)), str(tmp_path / "cache")
    before = os.stat(path)
    assert (
        run(server, tmp_path, path, epochs=2, options=["--cache", folder, "--cache-bytes", "9999"]).out.split("\n")[:2]
        == OUTPUT
    )
    write_examples(tmp_path / "a", range(3, 6))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # it looks as it did: the cache has to answer
    ran = run(server, tmp_path, path, epochs=2, options=["--cache", folder])
    assert ran.out.split("\n")[:2] == OUTPUT, ran.err[-3000:]


def test_a_budget_without_a_cache_is_refused(tmp_path: pathlib.Path, server: Server) -> None:
    ran = run(server, tmp_path, epochs=2, options=["--cache-bytes", "1"])
    assert ran.exit_code == 2
    assert "--cache-bytes needs --cache, and a positive number" in ran.err

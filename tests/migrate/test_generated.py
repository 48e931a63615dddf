"""Programs that a generator makes by seed print, run and rewritten, what plain Python says that they print.

QUEUECOMPAT_RUNNABLE_PROGRAMS is the number of programs, QUEUECOMPAT_RUNNABLE_FIRST the seed of the first one; all are
checked and rewritten, and every QUEUECOMPAT_RUNNABLE_SHARE-th runs.
"""

from __future__ import annotations

import ast
import json
import os
import pathlib
import subprocess
import sys
from typing import Dict, List

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.runnable import Runnable, runnable_program, write_files
from tests.migrate.sources import codes, migrated_as_program
from tests.migrate.test_tf_data_values import ENVIRONMENT

PROGRAMS = int(os.environ.get("QUEUECOMPAT_RUNNABLE_PROGRAMS", "12"))
FIRST = int(os.environ.get("QUEUECOMPAT_RUNNABLE_FIRST", "0"))
SHARE = int(os.environ.get("QUEUECOMPAT_RUNNABLE_SHARE", "3"))
DRIVER = str(pathlib.Path(__file__).with_name("running_several.py"))


@pytest.fixture(scope="module")
def programs() -> Dict[int, Runnable]:
    return {seed: runnable_program(seed) for seed in range(FIRST, FIRST + PROGRAMS)}


@pytest.fixture(scope="module")
def rewritten(programs: Dict[int, Runnable]) -> Dict[str, Dict[int, str]]:
    """By target; ``migrated_as_program`` tries each a second time."""
    return {to: {seed: migrated_as_program(one.text, to) for seed, one in programs.items()} for to in TARGETS}


def ran(texts: Dict[str, str], folder: pathlib.Path, *command: str) -> Dict[str, List[str]]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command, DRIVER],
        cwd=folder, env=ENVIRONMENT, input=json.dumps(texts), capture_output=True, text=True, check=False,
        timeout=60 + len(texts),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


def test_generated_programs_are_checked_and_rewritten_to_programs(
    programs: Dict[int, Runnable], rewritten: Dict[str, Dict[int, str]]
) -> None:
    for one in programs.values():
        assert codes(one.text)
    for texts in rewritten.values():
        for text in texts.values():
            ast.parse(text)


@pytest.fixture(scope="module")
def lines(
    programs: Dict[int, Runnable], rewritten: Dict[str, Dict[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> Dict[str, Dict[int, List[str]]]:
    """What programs print, by the way and the seed: all that have a session in one process, all others in another."""
    folder = tmp_path_factory.mktemp("programs")
    write_files(folder)
    ways = {"run": {seed: one.text for seed, one in programs.items()}, **rewritten}
    texts = {f"{way} {seed}": texts[seed] for way, texts in ways.items() for seed in list(programs)[::SHARE]}
    with_session = {name: text for name, text in texts.items() if keeps_session(text)}
    without = {name: text for name, text in texts.items() if name not in with_session}
    found = {**ran(with_session, folder, "-m", "queuecompat", "run"), **ran(without, folder)}
    return {way: {seed: found[f"{way} {seed}"] for seed in list(programs)[::SHARE]} for way in ways}


@pytest.mark.parametrize("way", ["run", *TARGETS])
def test_generated_programs_print_what_plain_python_says(
    way: str, programs: Dict[int, Runnable], lines: Dict[str, Dict[int, List[str]]]
) -> None:
    assert lines[way] == {seed: programs[seed].lines for seed in lines[way]}


def test_most_generated_programs_lose_their_session(rewritten: Dict[str, Dict[int, str]]) -> None:
    for to in ("as-dataset", "tf-data"):
        assert sum(not keeps_session(text) for text in rewritten[to].values()) > PROGRAMS // 3


def keeps_session(text: str) -> bool:
    code = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return any("ession(" in line for line in code)

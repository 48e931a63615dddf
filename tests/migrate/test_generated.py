"""Programs that a generator makes by seed print, run and rewritten, what plain Python says that they print.

QUEUECOMPAT_RUNNABLE_PROGRAMS is the number of programs of one file, and that of programs of several files;
QUEUECOMPAT_RUNNABLE_FIRST the seed of the first one; all are checked and rewritten, and every
QUEUECOMPAT_RUNNABLE_SHARE-th runs.
"""

from __future__ import annotations

import ast
import json
import os
import pathlib
import subprocess
import sys
from typing import Dict, List, Sequence, Union

import pytest

from queuecompat.migrate.rewrite.targets import TARGETS
from tests.migrate.generated_projects import keeps_session, printed, problems, starts, write_project
from tests.migrate.runnable import Runnable, runnable_program, write_files
from tests.migrate.runnable_layouts import Project, runnable_project
from tests.migrate.sources import codes, migrated_as_program
from tests.migrate.test_tf_data_values import ENVIRONMENT

PROGRAMS = int(os.environ.get("QUEUECOMPAT_RUNNABLE_PROGRAMS", "12"))
FIRST = int(os.environ.get("QUEUECOMPAT_RUNNABLE_FIRST", "0"))
SHARE = int(os.environ.get("QUEUECOMPAT_RUNNABLE_SHARE", "3"))
# ``v1`` changes imports alone.
TO_DATASETS = ("as-dataset", "tf-data")
DRIVER = str(pathlib.Path(__file__).with_name("running_several.py"))


@pytest.fixture(scope="module")
def programs() -> Dict[int, Runnable]:
    return {seed: runnable_program(seed) for seed in range(FIRST, FIRST + PROGRAMS)}


@pytest.fixture(scope="module")
def rewritten(programs: Dict[int, Runnable]) -> Dict[str, Dict[int, str]]:
    """By target; ``migrated_as_program`` tries each a second time."""
    return {to: {seed: migrated_as_program(one.text, to) for seed, one in programs.items()} for to in TARGETS}


@pytest.fixture(scope="module")
def projects() -> Dict[int, Project]:
    return {seed: runnable_project(seed) for seed in range(FIRST, FIRST + PROGRAMS)}


@pytest.fixture(scope="module")
def folders(projects: Dict[int, Project], tmp_path_factory: pytest.TempPathFactory) -> Dict[str, pathlib.Path]:
    """The folders of projects, for each target; ``wrong`` rewrites them."""
    found = {f"{to} {seed}": tmp_path_factory.mktemp("project") for to in TO_DATASETS for seed in projects}
    for name, folder in found.items():
        write_project(folder, projects[int(name.split()[1])])
    return found


@pytest.fixture(scope="module")
def wrong(folders: Dict[str, pathlib.Path]) -> List[str]:
    return [problem for name, folder in folders.items() for problem in problems(folder, name.split()[0])]


def ran(texts: Dict[str, Union[str, Sequence[str]]], folder: pathlib.Path, *command: str) -> Dict[str, List[str]]:
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


def test_each_rewrite_of_a_project_is_finished_and_says_what_it_leaves(wrong: List[str]) -> None:
    assert not wrong


@pytest.fixture(scope="module")
def lines(
    programs: Dict[int, Runnable],
    rewritten: Dict[str, Dict[int, str]],
    projects: Dict[int, Project],
    folders: Dict[str, pathlib.Path],
    wrong: List[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Dict[str, List[str]]:
    """What programs print, by the way and the seed: all that have a session in one process, all others in another."""
    folder = tmp_path_factory.mktemp("programs")
    write_files(folder)
    ways = {"run": {seed: one.text for seed, one in programs.items()}, **rewritten}
    texts = {f"{way} {seed}": texts[seed] for way, texts in ways.items() for seed in list(programs)[::SHARE]}
    with_session = {name: text for name, text in texts.items() if keeps_session(text)}
    without = {name: text for name, text in texts.items() if name not in with_session}
    for name in [f"{to} {seed}" for to in TO_DATASETS for seed in list(projects)[::SHARE]]:
        for start, has_session in starts(folders[name], projects[int(name.split()[1])]):
            (with_session if has_session else without)[f"{name} {start}"] = [str(folders[name]), start]
    return {**ran(with_session, folder, "-m", "queuecompat", "run"), **ran(without, folder)}


@pytest.mark.parametrize("way", ["run", *TARGETS])
def test_generated_programs_print_what_plain_python_says(
    way: str, programs: Dict[int, Runnable], lines: Dict[str, List[str]]
) -> None:
    for seed in list(programs)[::SHARE]:
        assert lines[f"{way} {seed}"] == programs[seed].lines, seed


@pytest.mark.parametrize("to", TO_DATASETS)
def test_generated_projects_print_what_plain_python_says(
    to: str, projects: Dict[int, Project], lines: Dict[str, List[str]]
) -> None:
    for seed in list(projects)[::SHARE]:
        assert printed(lines, f"{to} {seed}", projects[seed]) == projects[seed].lines, seed


def test_many_generated_programs_lose_their_session(rewritten: Dict[str, Dict[int, str]]) -> None:
    texts = [text for to in TO_DATASETS for text in rewritten[to].values()]
    assert sum(not keeps_session(text) for text in texts) > len(texts) // 8

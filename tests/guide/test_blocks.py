"""Every code block of the guide does what the page says."""

from __future__ import annotations

import concurrent.futures
import doctest
import functools
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Dict, List, Set, Tuple

import pytest

from tests.guide.blocks import GUIDE, PAGES, ROOT, Block, blocks_of, commands

PLAYER = pathlib.Path(__file__).with_name("player.py")
BLOCKS: List[Block] = [
    block for page in PAGES for block in blocks_of(page.relative_to(GUIDE).as_posix(), page.read_text(encoding="utf-8"))
]
PYTHON = [block for block in BLOCKS if block.language == "python"]
SHELL = [block for block in BLOCKS if commands(block)]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}

Played = Dict[str, Any]


def play_all(mode: str, folder: pathlib.Path, pages: Set[str]) -> Dict[str, Played]:
    """Plays those blocks of a mode in one process. Also has what that process said, by the mode, should it die."""
    sent = [
        {
            "page": block.page,
            "place": block.place,
            "code": block.code,
            "mode": mode,
            "before": block.marks.get("before", ""),
            "fresh": "fresh" in block.marks,
        }
        for block in PYTHON
        if block.mode == mode and block.page in pages and not block.missing
    ]
    if not sent:
        return {}
    done = subprocess.run(
        [sys.executable, str(PLAYER), str(folder)],
        input=json.dumps(sent),
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        cwd=folder,
        timeout=280,
        check=False,
    )
    results = {one["place"]: one for one in map(json.loads, done.stdout.splitlines())}
    return {**results, mode: {"words": done.stderr[-5000:]}}


def selected_pages(request: pytest.FixtureRequest) -> Set[str]:
    """Those of this run's tests: ``tox -e peers`` asks for one."""
    marks = [getattr(item, "callspec", None) for item in request.session.items]
    given = [value for mark in marks if mark is not None for value in mark.params.values()]
    return {block.page for block in given if isinstance(block, Block)}


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Played]:
    """What came of every Python block, by its place; and the words of a process that died."""
    folders = {mode: tmp_path_factory.mktemp(mode) for mode in ("eager", "v1")}
    play = functools.partial(play_all, pages=selected_pages(request))
    with concurrent.futures.ThreadPoolExecutor() as both:
        lists = list(both.map(play, folders, folders.values()))
    return {place: one for results in lists for place, one in results.items()}


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.place)
def test_a_block_runs_or_fails_as_the_page_says(block: Block, played: Dict[str, Played]) -> None:
    if block.missing:
        pytest.skip(f"{block.missing} is not installed; tox -e peers has it")
    result = played.get(block.place)
    assert result is not None, played[block.mode]["words"]
    expected = block.marks.get("fails")
    if expected is None:
        assert result["error"] is None, result["trace"]
    else:
        assert result["error"] is not None, f"it does not fail; expected {expected}"
        assert expected in result["error"]
    if "warns" in block.marks:
        assert any(block.marks["warns"] in text for text in result["warned"]), result["warned"]


def output_blocks() -> List[Tuple[Block, Block]]:
    """Each block that shows an output, after the block it is the output of."""
    pairs = []
    for page in {block.page for block in BLOCKS}:
        there = [block for block in BLOCKS if block.page == page]
        pairs += [(before, block) for before, block in zip(there, there[1:]) if "prints" in block.marks]
    return sorted(pairs, key=lambda pair: pair[1].place)


def matches(expected: str, printed: str) -> bool:
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


PRINTED = [(code, shown) for code, shown in output_blocks() if code.language == "python"]


@pytest.mark.parametrize(("code", "shown"), PRINTED, ids=[shown.place for _, shown in PRINTED])
def test_an_output_is_what_the_block_before_it_prints(code: Block, shown: Block, played: Dict[str, Played]) -> None:
    printed = played[code.place]["printed"]
    assert matches(shown.code, printed), printed


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.place)
def test_a_command_runs_or_fails_as_the_page_says(block: Block, tmp_path: pathlib.Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {**ENVIRONMENT, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    for command in commands(block):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200, check=False
        )
        said = done.stdout + done.stderr
        if "fails" in block.marks:
            assert done.returncode != 0
            assert block.marks["fails"] in said
        else:
            assert done.returncode == 0, said[-5000:]
        for before, shown in output_blocks():
            if before is block:
                assert matches(shown.code, done.stdout), done.stdout


def test_pages_outside_of_the_names_have_code_that_runs() -> None:
    without = {page.relative_to(GUIDE).as_posix() for page in PAGES} - {block.page for block in BLOCKS if block.is_run}
    # tests/examples/test_project.py runs the commands of one, in their order; a table of figures has no code.
    tables = {"names.md", "coverage.md", "differences.md", "tried.md", "steps/what_migrate_does.md"}
    assert without <= {*tables, "steps/project.md"}


@pytest.mark.parametrize("page", ["eager_programs.md", "image_lists.md"])
def test_a_page_to_copy_from_shows_how_the_files_of_its_examples_are_made(page: str) -> None:
    """Hidden blocks used to make them, and what a reader copied stopped at a file that is not there."""
    hidden = [block.place for block in BLOCKS if block.page == page and "before" in block.marks]
    assert hidden == []

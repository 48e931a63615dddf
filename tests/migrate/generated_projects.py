"""Writes and rewrites the projects of ``runnable_layouts``, and tells what is wrong with what was rewritten."""

from __future__ import annotations

import pathlib
from typing import Dict, Iterator, List, Tuple

from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.runnable import write_files
from tests.migrate.runnable_layouts import Project
from tests.migrate.silence import reported, silence

__all__ = ["keeps_session", "printed", "problems", "starts", "write_project"]

_REASONS = {"QC714", "QC715", "QC743", "QC744"}


def keeps_session(text: str) -> bool:
    code = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return any("ession(" in line for line in code)


def write_project(folder: pathlib.Path, project: Project) -> None:
    for name, text in project.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write_files(folder)


def problems(folder: pathlib.Path, to: str) -> Iterator[str]:
    """Rewrites the project in *folder*; yields what is wrong with the result."""
    done = list(migrate([str(folder)], to))
    for one in done:
        one.path.write_bytes(one.new)
        old, new = one.old.decode(), one.new.decode()
        if reported(old):
            said = silence(old, new, one.left, is_comment=one.is_comment, to=to)
            yield from [f"{one.path}: {said}"] if said else []
    codes = {found.code for one in done for found in one.left}
    if any(keeps_session(one.new.decode()) for one in done) and codes.isdisjoint(_REASONS):
        yield f"{folder}: no reason for the session that is kept"
    yield from (f"{one.path}: changes again" for one in migrate([str(folder)], to) if one.old != one.new)


def starts(folder: pathlib.Path, project: Project) -> Iterator[Tuple[str, bool]]:
    """The programs of a project, and whether each has a session."""
    sources = {str(path.relative_to(folder)): parsed(str(path), path.read_text()) for path in folder.rglob("*.py")}
    program = Program(list(sources.values()))
    for start in project.starts:
        main = sources[start if start.endswith(".py") else start.replace(".", "/") + ".py"]
        yield start, any(keeps_session(one.text) for one in (main, *program.reached(main)))


def printed(lines: Dict[str, List[str]], name: str, project: Project) -> List[str]:
    """What all programs of the project *name* printed, of the *lines* of each."""
    return [line for start in project.starts for line in lines[f"{name} {start}"]]

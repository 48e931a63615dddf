"""The two commands, as ``queuecompat.cli`` calls them: they take arguments, print text and return the exit code."""

from __future__ import annotations

import sys
from typing import Iterator, Optional, Sequence

from queuecompat.migrate.check import checking
from queuecompat.migrate.check.formats import FORMATS, line
from queuecompat.migrate.findings import UNREAD, Finding, finding
from queuecompat.migrate.rewrite import migrating
from queuecompat.migrate.rewrite.migrating import Migrated
from queuecompat.migrate.source import writing
from queuecompat.plurals import counted
from queuecompat.printing import until_closed

__all__ = ["check", "migrate"]

_REFUSED = ("QC743", "QC744", "QC745")
# Findings that report a result; they are not counted among the places left unchanged.
_RESULTS = ("QC714", "QC747")
# How many files the summary names at most.
_NAMED = 3


def check(paths: Sequence[str], output_format: str, codes: Sequence[str] = ("QC",)) -> int:
    """Prints the findings in *paths* whose code begins with one of *codes*; returns the exit code."""
    checked = checking.check(paths).selected(codes)
    text = FORMATS[output_format](checked)
    with until_closed():
        print(text)
    if not (checked.read or checked.unread or checked.links):
        _report_no_files(paths)
    return checked.exit_code


def migrate(paths: Sequence[str], to: str, *, writes: bool) -> int:
    """Prints the diff of each file, or writes the files; reports what was left unchanged; returns the exit code."""
    done = list(migrating.migrate(paths, to))
    if not done:
        _report_no_files(paths)
    unwritten = _written(done) if writes else None
    for one in done:
        if one.old != one.new and not writes:
            with until_closed():
                _show(one)
        for found in (*one.unread, *one.left, *one.links):
            print(line(found), file=sys.stderr)
    if unwritten is not None:
        print(line(unwritten), f"none of the {len(done)} files was changed", sep="\n", file=sys.stderr)
        return UNREAD
    print(_summary(done, writes), file=sys.stderr)
    return migrating.exit_code(done)


def _report_no_files(paths: Sequence[str]) -> None:
    print(f"there are no *.py or *.ipynb files in {', '.join(map(repr, paths))}", file=sys.stderr)


def _written(done: Sequence[Migrated]) -> Optional[Finding]:
    """Writes all changed files; on an error writes none of them and returns the finding that describes it."""
    path = done[0].path if done else None
    try:
        with writing.Staging() as staging:
            for one in done:
                if one.old != one.new:
                    path = one.path
                    staging.add(path, one.new)
            staging.commit()
    except OSError as problem:
        return finding("QC735", str(path), 1, 1, problem=problem.strerror or problem)
    return None


def _summary(done: Sequence[Migrated], writes: bool) -> str:
    """Summarises the rewrite: one line of counts, and one more for each further fact, indented."""
    changed = sum(one.old != one.new and not one.is_comment for one in done)
    files = counted(sum(1 - len(one.links) for one in done), "file")
    left = sum(len(one.unread) + sum(found.code not in _RESULTS for found in one.left) for one in done)
    verb = "changed" if writes else "would change"
    lines = [f"{changed} of {files} {verb}; {counted(left, 'place')} left unchanged", *_further(done, writes)]
    if changed and not writes:
        lines.append("add --write to change them")
    return "\n  ".join(lines)


def _further(done: Sequence[Migrated], writes: bool) -> Iterator[str]:
    """The facts of the summary after the counts."""
    links = sum(len(one.links) for one in done)
    if links:
        yield f"{counted(links, 'symbolic link')} not followed"
    commented = sum(one.is_comment for one in done)
    if commented:
        yield f"{counted(commented, 'file')} {'got' if writes else 'would get'} a comment that says why"
    staying = [found for one in done for found in one.left if found.code == "QC714"]
    kept = len({(found.file, found.line, found.column) for found in staying})  # one place may have several
    if kept:
        stay = (
            "session is kept: plain 'python' runs its program"
            if kept == 1
            else "sessions are kept: plain 'python' runs their programs"
        )
        yield f"{kept} {stay}"
    others = [str(one.path) for one in done if one.stays_tf1]
    if others:
        need = "still needs TensorFlow 1" if len(others) == 1 else "still need TensorFlow 1"
        named = ", ".join([*others[:_NAMED], *(["..."] if len(others) > _NAMED else [])])
        yield f"{counted(len(others), 'file')} without input pipelines {need} (use --to v1): {named}"
    yield from _how_they_run([one for one in done if any(found.code in _REFUSED for found in one.left)])


def _how_they_run(refused: Sequence[Migrated]) -> Iterator[str]:
    """How to start the programs of *refused* files; those that an earlier target has rewritten need no command."""
    files = [one for one in refused if one.path.suffix != ".ipynb"]
    alone = [one for one in files if one.runs_alone]
    if files:
        command = "queuecompat run FILE" if len(alone) < len(files) else "python FILE"
        if 0 < len(alone) < len(files):
            command = f"python FILE where it imports queuecompat, else {command}"
        yield f"programs with these files run as before: {command}"
    if any(one.path.suffix == ".ipynb" and not one.runs_alone for one in refused):
        yield "these notebooks run as before: %load_ext queuecompat, then %%queuecompat in each TensorFlow 1 cell"


def _show(one: Migrated) -> None:
    # The encoding may be any: the diff is for reading, and for patch where the file is UTF-8.
    old, new = (content.decode("utf-8", "surrogateescape") for content in (one.old, one.new))
    sys.stdout.flush()
    sys.stdout.buffer.write(writing.diff(one.path, old, new).encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()

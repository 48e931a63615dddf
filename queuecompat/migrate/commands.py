"""The two commands, as ``queuecompat.cli`` calls them: arguments in, text out, exit code back."""

from __future__ import annotations

import sys
from typing import List, Sequence

from queuecompat.migrate.check import checking
from queuecompat.migrate.check.formats import FORMATS, line
from queuecompat.migrate.rewrite import migrating
from queuecompat.migrate.rewrite.migrating import Migrated
from queuecompat.migrate.source import writing

__all__ = ["check", "migrate"]


def check(paths: Sequence[str], output_format: str) -> int:
    """Prints what is found in *paths*; gives the exit code."""
    checked = checking.check(paths)
    print(FORMATS[output_format](checked))
    return checked.exit_code


def migrate(paths: Sequence[str], to: str, *, writes: bool) -> int:
    """Prints the diff of each file to standard output, or writes it; says what was left; gives the exit code."""
    done: List[Migrated] = []
    for one in migrating.migrate(paths, to):
        done.append(one)
        if one.old != one.new:
            _deliver(one, writes)
        for found in (*one.unread, *one.left):
            print(line(found), file=sys.stderr)
    changed = sum(one.old != one.new for one in done)
    left = sum(len(one.left) + len(one.unread) for one in done)
    verb = "changed" if writes else "would change"
    print(f"{changed} of {len(done)} files {verb}; {left} places left unchanged", file=sys.stderr)
    return migrating.exit_code(done)


def _deliver(one: Migrated, writes: bool) -> None:
    if writes:
        writing.write(one.path, one.new)
    else:
        # Of any encoding: a diff is for reading, and for patch where the file is UTF-8.
        old, new = (content.decode("utf-8", "surrogateescape") for content in (one.old, one.new))
        sys.stdout.flush()
        sys.stdout.buffer.write(writing.diff(one.path, old, new).encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

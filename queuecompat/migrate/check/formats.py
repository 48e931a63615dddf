"""The output formats of ``check``: text for people, JSON for programs, and SARIF 2.1.0 for code hosts."""

from __future__ import annotations

import itertools
import json
import pathlib
import shlex
import urllib.parse
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from queuecompat import __version__
from queuecompat.codes import CODES
from queuecompat.errors import EXPLAIN
from queuecompat.migrate.check.checking import Checked
from queuecompat.migrate.check.starts import RUN, Start
from queuecompat.migrate.findings import Finding
from queuecompat.plurals import counted

__all__ = ["FORMATS", "line", "summary"]

# Codes of names at which a program fails on TensorFlow 2; the other codes are about behaviour.
_NAMES_OF_TENSORFLOW = {code for code in CODES if code.startswith("QC70")} | {"QC713"}
# Also the names at which it fails on current Python and NumPy, even if it is a TensorFlow 2 program.
_NAMES = _NAMES_OF_TENSORFLOW | {"QC716"}
_UNREAD = {code for code in CODES if code.startswith("QC73")}
# Codes of files that are not valid Python 3.
_NO_PYTHON = {"QC731", "QC732"}
_SHOWN_COMMANDS = 5
# The findings of each file.
_Groups = Mapping[str, Sequence[Finding]]
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(checked: Checked) -> str:
    """The report: what runs unchanged; each file's first step and findings; what each code means; a summary."""
    return "\n".join([*_head(checked), *_files(checked), *_codes(checked), summary(checked)])


def _head(checked: Checked) -> Iterator[str]:
    """How many files run unchanged, and the commands for them; empty if none does, or if that is unknown."""
    if checked.is_part:
        return
    groups = _groups(checked)
    stopped = {one.file: found for one in checked.starts if (found := _stop(one, groups)) is not None}
    for file, found in itertools.islice(stopped.items(), _SHOWN_COMMANDS):
        yield f"{file} does not run: {'it' if found.file == file else found.file} {_refused(found)}"
    if len(stopped) > _SHOWN_COMMANDS:
        yield f"  and {len(stopped) - _SHOWN_COMMANDS} more"
    runnable = sum(
        runs_unchanged(found) for file, found in groups.items() if not _stopped(file, checked.starts, groups)
    )
    if not runnable:
        yield from [""] if stopped else ()
        return
    commands = _commands(checked, groups)
    says = f"{runnable} of {counted(len(groups), 'file')} run{'s' if runnable == 1 else ''} unchanged"
    if len(commands) == 1:
        yield f"{says}: {commands[0]}"
    else:
        yield f"{says}; start one of:" if commands else f"{says}: {RUN} FILE"
        yield from (f"  {command}" for command in commands[:_SHOWN_COMMANDS])
        if len(commands) > _SHOWN_COMMANDS:
            yield f"  and {len(commands) - _SHOWN_COMMANDS} more"
    for package, (name, file) in checked.packages.items():
        yield f"  needs the package {package}: pip install {package}  ({name}, in {file})"
    yield ""


def _commands(checked: Checked, groups: _Groups) -> List[str]:
    """The commands for programs that have findings and run unchanged."""
    if checked.starts:
        runnable = [one for one in checked.starts if any(file in groups for file in (one.file, *one.reached))]
        return [one.command for one in runnable if not _in_the_way(one, groups)]
    files = [file for file, found in groups.items() if runs_unchanged(found)]
    return [f"{RUN} {shlex.quote(files[0])}"] if len(files) == 1 else []


def _files(checked: Checked) -> Iterator[str]:
    groups = _groups(checked)
    for file, found in groups.items():
        first = "" if checked.is_part else first_step(found, checked.starts, groups)
        if first:
            yield f"{file}: {first}"
        yield from map(line, found)


def first_step(found: Sequence[Finding], starts: Sequence[Start] = (), groups: Optional[_Groups] = None) -> str:
    """What to do first about a file with the findings *found*; "" if each finding says that itself.

    Args:
      starts: the files that a user starts.
      groups: the findings of all files.
    """
    removed = [one for one in found if one.code in _NAMES and not one.entry_points]
    if removed:
        return f"{counted(len(removed), 'place')} to change by hand first, such as line {removed[0].line}"
    file = found[0].file
    stop = _stopped(file, starts, groups or {})
    if stop is not None and runs_unchanged(found):
        return f"does not run: {stop.file} {_refused(stop)}"
    if runs_unchanged(found):
        return _unchanged(file, starts, groups or {})
    if any("--to v1" in one.entry_points and one.code != "QC716" for one in found):
        return f"one import to change: python -m queuecompat migrate --to v1 {shlex.quote(file)}"
    return ""


def _unchanged(file: str, starts: Sequence[Start], groups: _Groups) -> str:
    """How to run a file that may stay unchanged."""
    for one in starts:
        if one.file == file:
            others = _in_the_way(one, groups)
            change = f" after a change of {others[0]}" if others else ""
            return f"runs unchanged{change}: {one.command}"
    users = [one.file for one in starts if file in one.reached and _stop(one, groups) is None]
    if users:
        return f"runs unchanged, imported by {users[0]}"
    return f"runs unchanged: {RUN} {shlex.quote(file)}"


def _stop(start: Start, groups: _Groups) -> Optional[Finding]:
    """The first finding that Python cannot parse some file of the program; None if it parses all."""
    found = (one for file in (start.file, *start.reached) for one in groups.get(file, ()))
    return next((one for one in found if one.code in _NO_PYTHON), None)


def _stopped(file: str, starts: Sequence[Start], groups: _Groups) -> Optional[Finding]:
    """Why none of the programs that include *file* can run; None if one may, or if no program includes it."""
    stops = [_stop(one, groups) for one in starts if file in (one.file, *one.reached)]
    return stops[0] if stops and None not in stops else None


def _refused(found: Finding) -> str:
    return f"is {'Python 2' if found.code == 'QC732' else 'not valid Python'} (line {found.line})"


def _in_the_way(start: Start, groups: _Groups) -> List[str]:
    """The files of a program that prevent it from running unchanged."""
    return [file for file in (start.file, *start.reached) if any(map(_has_to_change, groups.get(file, ())))]


def _has_to_change(one: Finding) -> bool:
    return one.code in _NAMES | _UNREAD and "queuecompat run" not in one.entry_points


def runs_unchanged(found: Sequence[Finding]) -> bool:
    """Whether the file with the findings *found* runs unchanged under ``run``, and needs it."""
    is_program = not found[0].file.endswith(".ipynb")
    needs_run = is_program and any(one.code in _NAMES_OF_TENSORFLOW for one in found)
    return needs_run and not any(map(_has_to_change, found))


def _groups(checked: Checked) -> _Groups:
    return {file: list(found) for file, found in itertools.groupby(checked.everything, lambda one: one.file)}


def line(one: Finding) -> str:
    """One finding as a line: position, code, what was found, and what to write instead."""
    where = f" ({one.where})" if one.where else ""
    instead = f"; instead: {one.instead}" if one.instead else ""
    return f"{one.file}:{one.line}:{one.column}: {one.code} {one.what}{where}{instead}"


def _codes(checked: Checked) -> Iterator[str]:
    codes = sorted({one.code for one in checked.everything})
    if codes:
        yield ""
    for code in codes:
        yield f"{code}  {CODES[code].effect}"
        entry_points = max((one.entry_points for one in checked.findings if one.code == code), key=len, default="")
        if entry_points:
            yield f"       without changes by hand:  {entry_points}"
        yield f"       see:       {EXPLAIN} {code}"


def summary(checked: Checked) -> str:
    """The result in one line."""
    files = len({one.file for one in checked.findings})
    parts = [f"{counted(checked.read, 'file')} read"]
    findings = counted(len(checked.findings), "finding")
    parts += [f"{findings} in {counted(files, 'file')}"] if files else ["nothing found"]
    parts += [f"{len(checked.unread)} could not be read"] if checked.unread else []
    parts += [f"{counted(len(checked.links), 'symbolic link')} not followed"] if checked.links else []
    return ", ".join(parts)


def as_json(checked: Checked) -> str:
    """A JSON list of objects: ``file``, ``line``, ``column``, ``code`` and ``message``; lines and columns from 1."""
    return json.dumps([_object(one) for one in checked.everything], indent=2)


def _object(one: Finding) -> Dict[str, Any]:
    return {
        "file": one.file,
        "line": one.line,
        "column": one.column,
        "code": one.code,
        "message": one.message,
    }


def sarif(checked: Checked) -> str:
    """The result as a SARIF log of one run; files that could not be read are notifications of the tool."""
    codes = sorted({one.code for one in checked.everything})
    run = {
        "tool": {
            "driver": {
                "name": "queuecompat check",
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not checked.unread,
                "toolExecutionNotifications": [
                    *(_notification(one, "error") for one in checked.unread),
                    *(_notification(one, "note") for one in checked.links),
                ],
            }
        ],
        "results": [_result(one, codes) for one in checked.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> Dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": CODES[code].effect},
        "help": {"text": f"{EXPLAIN} {code}"},
        "defaultConfiguration": {"level": "warning"},
    }


def _result(one: Finding, codes: List[str]) -> Dict[str, Any]:
    return {
        "ruleId": one.code,
        "ruleIndex": codes.index(one.code),
        "level": "warning",
        "message": {"text": one.message},
        "locations": [_location(one)],
    }


def _notification(one: Finding, level: str) -> Dict[str, Any]:
    return {
        "level": level,
        "message": {"text": one.message},
        "locations": [_location(one)],
        "associatedRule": {"id": one.code},
    }


def _location(one: Finding) -> Dict[str, Any]:
    path = pathlib.Path(one.file)
    uri = path.as_uri() if path.is_absolute() else urllib.parse.quote(path.as_posix())
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": one.line, "startColumn": one.column},
        }
    }


FORMATS = {"json": as_json, "sarif": sarif, "text": text}

"""What ``check`` prints: for people, for programs (JSON), and for code hosts (SARIF 2.1.0)."""

from __future__ import annotations

import itertools
import json
import pathlib
import shlex
import urllib.parse
from typing import Any, Dict, Iterator, List, Sequence

from queuecompat import __version__
from queuecompat.codes import CODES
from queuecompat.errors import EXPLAIN
from queuecompat.migrate.check.checking import Checked
from queuecompat.migrate.findings import Finding

__all__ = ["FORMATS", "line", "summary"]

# Codes of names that a program fails at on TensorFlow 2, and with its NumPy; others are about what it does.
_NAMES = {code for code in CODES if code.startswith("QC70")} | {"QC713", "QC716"}
_UNREAD = {code for code in CODES if code.startswith("QC73")}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(checked: Checked) -> str:
    """File by file what to do first, and one line a finding; what each code means, once; and a line that sums up."""
    return "\n".join([*_files(checked), *_codes(checked), summary(checked)])


def _files(checked: Checked) -> Iterator[str]:
    for file, group in itertools.groupby(checked.everything, lambda one: one.file):
        found = list(group)
        first = first_step(found)
        if first:
            yield f"{file}: {first}"
        yield from map(line, found)


def first_step(found: Sequence[Finding]) -> str:
    """What to do first about one file with the findings *found*; "" where each says it for itself."""
    removed = [one for one in found if one.code in _NAMES and not one.entry_points]
    if removed:
        return f"{_count(len(removed), 'place')} to change by hand first, such as line {removed[0].line}"
    file = shlex.quote(found[0].file)
    if runs_unchanged(found):
        return f"runs unchanged: python -m queuecompat run {file}"
    if any("--to v1" in one.entry_points for one in found):
        return f"one import to change: python -m queuecompat migrate --to v1 {file}"
    return ""


def runs_unchanged(found: Sequence[Finding]) -> bool:
    """Whether ``run`` takes the file with the findings *found* as it is, and has to."""
    ways = [one.entry_points for one in found if one.code in _NAMES or one.code in _UNREAD]
    return bool(ways) and all("queuecompat run" in way for way in ways) and not found[0].file.endswith(".ipynb")


def line(one: Finding) -> str:
    """One finding: where, the code, what, and what instead."""
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
    """What came out, in one line."""
    files = len({one.file for one in checked.findings})
    parts = [f"{_count(checked.read, 'file')} read"]
    parts += [f"{_count(len(checked.findings), 'finding')} in {_count(files, 'file')}"] if files else ["nothing found"]
    parts += [f"{len(checked.unread)} could not be read"] if checked.unread else []
    parts += [f"{_count(len(checked.links), 'symbolic link')} not followed"] if checked.links else []
    runnable = _runnable(checked)
    hint = f"; {runnable} of {files} run unchanged: python -m queuecompat run FILE" if runnable else ""
    return ", ".join(parts) + hint


def _runnable(checked: Checked) -> int:
    """How many of the files with findings run unchanged."""
    groups = itertools.groupby(checked.everything, lambda one: one.file)
    return sum(runs_unchanged(list(group)) for _, group in groups)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def as_json(checked: Checked) -> str:
    """A list of objects with ``file``, ``line``, ``column``, ``code`` and ``message``; lines and columns from 1."""
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
    """The same as a SARIF log of one run; what could not be read is a notification of the tool."""
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

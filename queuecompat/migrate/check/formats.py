"""What ``check`` prints: for people, for programs (JSON), and for code hosts (SARIF 2.1.0)."""

from __future__ import annotations

import json
import pathlib
import urllib.parse
from typing import Any, Dict, Iterator, List

from queuecompat import __version__
from queuecompat.codes import CODES
from queuecompat.migrate.check.checking import Checked
from queuecompat.migrate.findings import GUIDE, Finding

__all__ = ["FORMATS", "line", "summary"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(checked: Checked) -> str:
    """One line a finding; the effect of each code, the ways in and the page, once; and a line that sums up."""
    return "\n".join([*map(line, sorted([*checked.findings, *checked.unread])), *_codes(checked), summary(checked)])


def line(one: Finding) -> str:
    """One finding: where, the code, what, and what instead."""
    where = f" ({one.where})" if one.where else ""
    instead = f"; instead: {one.instead}" if one.instead else ""
    return f"{one.file}:{one.line}:{one.column}: {one.code} {one.what}{where}{instead}"


def _codes(checked: Checked) -> Iterator[str]:
    codes = sorted({one.code for one in (*checked.findings, *checked.unread)})
    if codes:
        yield ""
    for code in codes:
        yield f"{code}  {CODES[code].effect}"
        entry_points = max((one.entry_points for one in checked.findings if one.code == code), key=len, default="")
        if entry_points:
            yield f"       works unchanged with:  {entry_points}"
        yield f"       see:       {GUIDE}{code.lower()}"


def summary(checked: Checked) -> str:
    """What came out, in one line."""
    files = len({one.file for one in checked.findings})
    parts = [f"{_count(checked.read, 'file')} read"]
    parts += [f"{_count(len(checked.findings), 'finding')} in {_count(files, 'file')}"] if files else ["nothing found"]
    parts += [f"{len(checked.unread)} could not be read"] if checked.unread else []
    return ", ".join(parts)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def as_json(checked: Checked) -> str:
    """A list of objects with ``file``, ``line``, ``column``, ``code`` and ``message``; lines and columns from 1."""
    return json.dumps([_object(one) for one in sorted([*checked.findings, *checked.unread])], indent=2)


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
    codes = sorted({one.code for one in (*checked.findings, *checked.unread)})
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
                "toolExecutionNotifications": [_notification(one) for one in checked.unread],
            }
        ],
        "results": [_result(one, codes) for one in checked.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> Dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": CODES[code].effect},
        "help": {"text": f"{GUIDE}{code.lower()}"},
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


def _notification(one: Finding) -> Dict[str, Any]:
    return {
        "level": "error",
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

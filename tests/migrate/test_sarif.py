"""``check --format sarif`` keeps the rules of SARIF 2.1.0 that code hosts insist on."""

from __future__ import annotations

import json
import pathlib
import urllib.parse
from typing import Any, Dict, Iterator, List

import pytest

from queuecompat import cli

OLD = "import tensorflow as tf\n\nfiles = tf.train.string_input_producer(['a'])\nbatch = tf.train.batch([files], 2)\n"
NOTEBOOK = {
    "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": OLD}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
FILES = {
    "a.py": OLD,
    "python2.py": "print 'x'\n",
    "sub folder/ü#1%.py": OLD,
    "sub folder/a:b.py": OLD,
    "notes.ipynb": json.dumps(NOTEBOOK),
    "fine.py": "import os\n",
}


@pytest.fixture
def tree(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def log(capsys: pytest.CaptureFixture, *paths: str) -> Dict[str, Any]:
    with pytest.raises(SystemExit):
        cli.main(["check", *paths, "--format", "sarif"])
    return json.loads(capsys.readouterr().out)


def broken_rules(one: Dict[str, Any]) -> Iterator[str]:
    """What in a log is not as the standard has it."""
    if one.get("version") != "2.1.0" or not set(one) <= {"$schema", "version", "runs"}:
        yield "the log"
    for run in one["runs"]:
        driver = run["tool"]["driver"]
        ids = [rule["id"] for rule in driver["rules"]]
        if not driver["name"] or len(set(ids)) != len(ids):
            yield "the driver"
        if run["columnKind"] not in ("utf16CodeUnits", "unicodeCodePoints"):
            yield "columnKind"
        for rule in driver["rules"]:
            yield from _broken_texts(rule["shortDescription"], rule["help"])
            yield from _broken_levels(rule["defaultConfiguration"])
        for result in run["results"]:
            if ids[result["ruleIndex"]] != result["ruleId"]:
                yield "ruleIndex"
            yield from _broken_places(result)
        for invocation in run["invocations"]:
            if not isinstance(invocation["executionSuccessful"], bool):
                yield "executionSuccessful"
            for notification in invocation["toolExecutionNotifications"]:
                if notification["associatedRule"]["id"] not in ids:
                    yield "associatedRule"
                yield from _broken_places(notification)


def _broken_places(result: Dict[str, Any]) -> Iterator[str]:
    yield from _broken_texts(result["message"])
    yield from _broken_levels(result)
    for location in result["locations"]:
        place = location["physicalLocation"]
        uri, region = place["artifactLocation"]["uri"], place["region"]
        parts = urllib.parse.urlsplit(uri)
        if "\\" in uri or not uri.isascii() or " " in uri or parts.fragment or parts.query or parts.scheme not in FROM:
            yield f"the uri {uri}"
        if not all(isinstance(region[part], int) and region[part] >= 1 for part in ("startLine", "startColumn")):
            yield f"the region {region}"


# A path is relative to where the command ran; or it is absolute, and a URI with a scheme.
FROM = ("", "file")


def _broken_levels(one: Dict[str, Any]) -> List[str]:
    return [] if one["level"] in ("none", "note", "warning", "error") else [f"the level {one['level']}"]


def _broken_texts(*messages: Dict[str, Any]) -> List[str]:
    return ["a message without text" for one in messages if not one["text"]]


def test_a_log_breaks_no_rule_of_the_standard(tree: pathlib.Path, capsys: Any) -> None:
    for paths in (["."], [str(tree)], ["a.py"], ["python2.py"], ["fine.py"], ["nowhere.py"], ["./sub folder/../a.py"]):
        assert list(broken_rules(log(capsys, *paths))) == []


def test_its_places_are_the_files(tree: pathlib.Path, capsys: Any) -> None:
    for paths, base in ((["."], ""), ([str(tree)], tree.as_uri() + "/")):
        [run] = log(capsys, *paths)["runs"]
        uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
        assert all(uri.startswith(base) for uri in uris)
        found = {urllib.parse.unquote(uri[len(base) :]) for uri in uris}
        assert found == set(FILES) - {"python2.py", "fine.py"}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["version"], "2.0.0"),
        (["runs", 0, "columnKind"], "bytes"),
        (["runs", 0, "results", 0, "level"], "fatal"),
        (["runs", 0, "results", 0, "message", "text"], ""),
        (["runs", 0, "results", 0, "ruleId"], "QC999"),
        (["runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"], 0),
        (["runs", 0, "results", 0, "locations", 0, "physicalLocation", "artifactLocation", "uri"], "a\\b.py"),
    ],
)
def test_a_broken_rule_is_seen(tree: pathlib.Path, capsys: Any, place: List[Any], value: Any) -> None:
    one = log(capsys, ".")
    *path, last = place
    inside: Any = one
    for step in path:
        inside = inside[step]
    inside[last] = value
    assert list(broken_rules(one))

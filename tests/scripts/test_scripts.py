"""``python -m queuecompat run`` makes of an unchanged TF1 program what TF 1.15.5 made of it.

The programs are written as such programs were from 2015 to 2018: they ``import tensorflow``, know
nothing of queuecompat, and say in a summary what they saw. record.py recorded it.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import pathlib
import re
from typing import Iterator

import pytest
import tensorflow as tf

from tests.forking import Server
from tests.scripts import by_hand
from tests.scripts.catalogue import PROGRAMS, RECORDED
from tests.scripts.comparing import TOLERANCE, differences

SOURCES = pathlib.Path(__file__).parent / "programs"
SMALL = SOURCES.parent / "small" / "programs"
# Modules that programs import from their own folder, as such programs did.
HELPERS = {"flowers", "reader"}


def _has_legacy_keras() -> bool:
    """Whether ``tf.layers`` can work: Keras 2 came with TensorFlow up to 2.15, and is ``tf_keras`` since."""
    major, minor = tf.__version__.split(".")[:2]
    return (int(major), int(minor)) < (2, 16) or importlib.util.find_spec("tf_keras") is not None


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_sees_what_it_saw_under_tf1(name: str, data_dir: str, tmp_path: pathlib.Path, server: Server) -> None:
    program = PROGRAMS[name]
    if program.needs_legacy_keras and not _has_legacy_keras():
        pytest.skip("tf.layers and tf.nn.rnn_cell need tf_keras on this TensorFlow")
    launcher = ["run", "--strict"] if program.compiles else ["run"]
    ran = server.run(program.command(data_dir, str(tmp_path)), str(tmp_path), launcher=launcher)
    assert ran.exit_code == 0, ran.out[-3000:] + ran.err[-6000:]
    given = json.loads((tmp_path / "summary.json").read_text())
    lines = differences(json.loads(pathlib.Path(program.record).read_text()), given)
    assert not lines, "\n".join(["differs from TF 1.15.5:", *lines])


def test_every_program_is_recorded_and_every_recording_has_its_program() -> None:
    assert {path.stem for path in SOURCES.glob("*.py")} - HELPERS == set(PROGRAMS)
    assert {os.path.splitext(name)[0] for name in os.listdir(RECORDED)} == set(PROGRAMS)


@pytest.mark.parametrize("name", list(by_hand.SUMMARIES))
def test_a_summary_made_by_hand_is_what_is_recorded(name: str) -> None:
    assert differences(json.loads(pathlib.Path(PROGRAMS[name].record).read_text()), by_hand.SUMMARIES[name]()) == []


def _imported(path: pathlib.Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(
    "path", [*sorted(SOURCES.glob("*.py")), *sorted(SMALL.glob("*.py"))], ids=lambda path: path.stem
)
def test_a_program_knows_nothing_of_queuecompat_or_of_later_tensorflow(path: pathlib.Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"queuecompat|compat\.v1|tf\.data\b|tf\.function", source)


def test_the_programs_import_tensorflow_in_every_way_that_was_usual() -> None:
    imported = {name for path in SOURCES.glob("*.py") for name in _imported(path)}
    assert {
        "flowers",
        "reader.ImageReader",
        "tensorflow",
        "tensorflow.contrib.slim",
        "tensorflow.python.ops.data_flow_ops",
        "tensorflow.python.platform.gfile",
    } <= imported


def test_whole_numbers_texts_and_lengths_have_to_be_equal() -> None:
    recorded = {"labels": [1, 2], "dtype": "int32", "done": True, "loss": 1.0}
    assert differences(recorded, dict(recorded)) == []
    assert differences(recorded, dict(recorded, labels=[1, 3])) == ["summary['labels'][1]: recorded 2, given 3"]
    assert len(differences(recorded, dict(recorded, labels=[1, 2, 3]))) == 1
    assert len(differences(recorded, dict(recorded, done=1))) == 1
    assert differences(recorded, {"labels": [1, 2], "dtype": "int32", "done": True, "more": 0}) == [
        "summary['loss']: only recorded",
        "summary['more']: only given",
    ]


def test_floating_point_numbers_may_differ_in_their_last_digits() -> None:
    assert differences([1.0], [1.0 + TOLERANCE / 2]) == []
    assert len(differences([1.0], [1.0 + TOLERANCE * 2])) == 1
    assert len(differences([1.0], [float("nan")])) == 1

"""Programs of several files: what ran under ``queuecompat run`` before a rewrite runs after it, and prints the same.

A program that was rewritten runs by itself, also where its session stays; one that was left runs under
``queuecompat run``, as the summary says.
"""

from __future__ import annotations

import os
import pathlib
import shutil
from typing import Dict, List, Set, Tuple

import pytest

from queuecompat import cli
from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from tests.forking import Server

PROGRAMS = pathlib.Path(__file__).parent / "programs"
ALL = ("as-dataset", "tf-data", "v1")
# Of each program: the files that are started.
MAINS: Dict[str, Tuple[str, ...]] = {
    "classes": ("train.py",),
    "dropout": ("train.py",),
    "fed": ("train.py", "serve.py"),
    "lines": ("show.py",),
    "monitored": ("small_train.py", "small_eval.py"),
    "numbers": ("train.py", "evaluate.py"),
    "rates": ("train.py",),
    "served": ("worker.py",),
    "settings": ("train.py",),
    "several_sessions": ("main.py",),
    "shared_helper": ("evaluate.py", "keras_script.py"),
    "started": ("train.py",),
    "supervised": ("train.py",),
    "towers": ("train.py",),
    "trainer_class": ("gan.py",),
    "tutorial": ("tutorial_train.py", "tutorial_eval.py"),
    "wrapped": ("show.py",),
}
OF_TENSORFLOW_2 = {"helper.py", "keras_script.py"}
# The files that a target changes, apart from comments; all others stay as they are.
CHANGED: Dict[Tuple[str, str], Set[str]] = {
    ("classes", "as-dataset"): {"train.py"},
    ("classes", "tf-data"): set(),
    ("fed", "as-dataset"): {"reader.py", "serve.py", "train.py"},
    ("fed", "tf-data"): {"reader.py", "serve.py", "train.py"},
    ("lines", "as-dataset"): {"line_input.py", "show.py"},
    ("lines", "tf-data"): {"line_input.py", "show.py"},
    ("numbers", "as-dataset"): {"reader.py", "train.py", "evaluate.py"},
    ("numbers", "tf-data"): {"reader.py", "train.py", "evaluate.py"},
    ("rates", "as-dataset"): {"train.py"},
    ("rates", "tf-data"): {"train.py"},
    ("settings", "as-dataset"): {"reader.py", "settings.py", "train.py"},
    ("settings", "tf-data"): {"reader.py", "settings.py", "train.py"},
    ("shared_helper", "as-dataset"): {"evaluate.py", "reader.py"},
    ("shared_helper", "tf-data"): {"evaluate.py", "reader.py"},
    ("started", "as-dataset"): {"graph_mode.py", "reader.py", "train.py"},
    ("started", "tf-data"): {"graph_mode.py", "reader.py", "train.py"},
    ("tutorial", "as-dataset"): {"tutorial.py", "tutorial_input.py", "tutorial_eval.py", "tutorial_train.py"},
    ("tutorial", "tf-data"): {"tutorial.py", "tutorial_input.py", "tutorial_eval.py", "tutorial_train.py"},
    ("wrapped", "as-dataset"): {"pairs.py", "reader.py", "show.py"},
    ("wrapped", "tf-data"): {"pairs.py", "reader.py", "show.py"},
    ("dropout", "as-dataset"): {"train.py"},
    ("dropout", "tf-data"): {"train.py"},
    ("monitored", "as-dataset"): {"small.py", "small_eval.py", "small_input.py", "small_train.py"},
    ("monitored", "tf-data"): {"small.py", "small_eval.py", "small_input.py", "small_train.py"},
    ("served", "as-dataset"): {"reader.py", "worker.py"},
    ("served", "tf-data"): set(),
    ("several_sessions", "as-dataset"): {"main.py"},
    ("several_sessions", "tf-data"): set(),
    ("supervised", "as-dataset"): {"data.py", "train.py"},
    ("supervised", "tf-data"): {"data.py", "train.py"},
    ("towers", "as-dataset"): {"train.py"},
    ("towers", "tf-data"): {"train.py"},
    ("trainer_class", "as-dataset"): {"gan.py", "loader.py"},
    ("trainer_class", "tf-data"): set(),
}


EVERY = os.environ.get("QUEUECOMPAT_ALL_PROGRAMS")
TF1 = [(name, main) for name, mains in MAINS.items() for main in mains if main not in OF_TENSORFLOW_2]
# Those that a target leaves are what they were, but for comments. The others that are left out here take too long.
BEFORE = [pair for pair in TF1 if EVERY or pair[0] in ("fed", "tutorial")]
AFTER = [
    *((name, main, to) for name, main in TF1 for to in ALL[:2] if CHANGED[name, to]),
    *((name, main, "v1") for name, main in TF1 if EVERY or name in ("shared_helper", "tutorial")),
    ("shared_helper", "keras_script.py", "v1"),
    ("shared_helper", "keras_script.py", "as-dataset"),
]


def copied(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The program in a folder of its own, with the files that it reads."""
    shutil.copytree(PROGRAMS / name, folder)
    (folder / "lines.txt").write_text("1\n2\n3\n4\n")
    for number in range(2):
        rows = ([label, *(17 * label + pixel for pixel in range(4))] for label in range(3))
        (folder / f"pictures_{number}.bin").write_bytes(bytes(byte for row in rows for byte in row))
    return folder


def printed(server: Server, folder: pathlib.Path, main: str, launcher: Tuple[str, ...] = ()) -> str:
    ran = server.run([str(folder / main)], str(folder), launcher=launcher)
    assert ran.exit_code == 0, ran.err[-3000:]
    return ran.out


def rewritten(folder: pathlib.Path, to: str) -> List[Migrated]:
    """Each file, which is written."""
    done = list(migrate([str(folder)], to))
    for one in done:
        one.path.write_bytes(one.new)
    return done


def recorded(name: str, main: str) -> str:
    """What TensorFlow 1.15.5 prints; of a program of TensorFlow 2, what that prints."""
    return (PROGRAMS / name / f"{main[:-3]}.txt").read_text()


@pytest.mark.parametrize(("name", "main"), BEFORE)
def test_a_program_prints_under_queuecompat_run_what_it_printed_on_tensorflow_1(
    name: str, main: str, server: Server, tmp_path: pathlib.Path
) -> None:
    assert printed(server, copied(name, tmp_path / name), main, ("run",)) == recorded(name, main)


@pytest.mark.parametrize(("name", "main", "to"), AFTER)
def test_a_rewritten_program_prints_by_itself_what_it_printed_on_tensorflow_1(
    name: str, main: str, to: str, server: Server, tmp_path: pathlib.Path
) -> None:
    folder = copied(name, tmp_path / name)
    assert all(found.code == "QC714" for one in rewritten(folder, to) for found in one.left)
    assert printed(server, folder, main) == recorded(name, main)


@pytest.mark.parametrize(("name", "to"), sorted(CHANGED))
def test_files_that_belong_together_are_rewritten_together_or_not_at_all(
    name: str, to: str, tmp_path: pathlib.Path
) -> None:
    done = rewritten(copied(name, tmp_path / name), to)
    assert {one.path.name for one in done if one.old != one.new and not one.is_comment} == CHANGED[name, to]
    for one in done:
        comments = [line for line in one.new.splitlines() if line.lstrip().startswith(b"# queuecompat: QC74")]
        assert len(comments) == (1 if one.is_comment else 0)
        assert len(comments) == len([found for found in one.left if found.code != "QC714"])
        if one.is_comment:
            assert [line for line in one.new.splitlines() if line not in comments] == one.old.splitlines()


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("name", sorted(MAINS))
def test_a_second_rewrite_of_a_program_changes_nothing(name: str, to: str, tmp_path: pathlib.Path) -> None:
    folder = copied(name, tmp_path / name)
    rewritten(folder, to)
    assert [one.path.name for one in rewritten(folder, to) if one.old != one.new] == []


@pytest.mark.parametrize("to", ALL)
def test_files_of_tensorflow_2_stay_byte_for_byte_beside_those_of_tensorflow_1(to: str, tmp_path: pathlib.Path) -> None:
    done = {one.path.name: one for one in rewritten(copied("shared_helper", tmp_path / "program"), to)}
    assert all(done[name].old == done[name].new and not done[name].left for name in OF_TENSORFLOW_2)


def test_a_helper_that_a_file_of_tensorflow_1_passes_tensors_to_goes_with_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "ops.py").write_text("import tensorflow as tf\n\n\ndef double(x):\n    return tf.add(x, x)\n")
    main = "import tensorflow as tf\nimport ops\n\nx = tf.placeholder(tf.float32)\ny = ops.double(x)\n"
    (tmp_path / "train.py").write_text(main)
    assert [one.path.name for one in rewritten(tmp_path, "v1") if one.old != one.new] == ["ops.py", "train.py"]


def test_what_keeps_a_session_is_named_with_its_file(tmp_path: pathlib.Path) -> None:
    done = {one.path.name: one for one in rewritten(kept(tmp_path / "fed"), "as-dataset")}
    assert done["reader.py"].left == []
    [found] = done["train.py"].left
    reason = "'tf.placeholder_with_default' belongs to a graph"
    assert found.line == 7 and f"together with 'serve.py', and there {reason}" in found.what
    [found] = done["serve.py"].left
    assert found.line == 6 and found.code == "QC714"


def kept(folder: pathlib.Path) -> pathlib.Path:
    """A program whose sessions stay: its placeholder has a value of its own."""
    copied("fed", folder)
    text = (folder / "serve.py").read_text().replace("placeholder(tf.float32", "placeholder_with_default(1.0")
    (folder / "serve.py").write_text(text)
    return folder


def left_alone(folder: pathlib.Path) -> pathlib.Path:
    """A program of which nothing can be rewritten: its pipeline and its session are in one block."""
    text = (PROGRAMS / "fed" / "serve.py").read_text().replace("import reader\n", "").replace("float32", "int32")
    pipeline = (
        "row = tf.train.slice_input_producer([[[1.0], [2.0]]], shuffle=False)[0]\nrows = tf.train.batch([row], 2)\n"
    )
    folder.mkdir()
    (folder / "serve.py").write_text(text.replace("rows, names = reader.batches(2, 1)\n", pipeline))
    return folder


def test_the_summary_counts_rewritten_and_commented_files_apart(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["migrate", "--to", "as-dataset", "--write", str(left_alone(tmp_path / "alone"))])
    *_, last = capsys.readouterr().err.splitlines()
    assert last == (
        "0 of 1 files changed; 1 places left unchanged; 1 files got a comment that says why; "
        "programs of these files run as before: queuecompat run FILE"
    )


def test_the_summary_says_how_many_files_keep_their_session(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture
) -> None:
    folder = kept(tmp_path / "fed")
    with pytest.raises(SystemExit) as ended:
        cli.main(["migrate", "--to", "as-dataset", "--write", str(folder)])
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "3 of 3 files changed; 0 places left unchanged; 2 sessions stay: their programs run by themselves"
    assert ended.value.code == 1

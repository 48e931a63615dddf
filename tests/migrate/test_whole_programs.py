"""Programs of several files: what ran under ``queuecompat run`` before a rewrite runs after it, and prints the same.

A program that was rewritten runs by itself, also where its session stays; one that was left runs under
``queuecompat run``, as the summary says.
"""

from __future__ import annotations

import functools
import os
import pathlib
import tempfile
from typing import Dict, List, Set, Tuple

import pytest

from queuecompat import cli
from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from tests.forking import Server
from tests.migrate.program_entries import MAINS, OF_TENSORFLOW_2, PROGRAMS, TF1, copied, recorded
from tests.migrate.silence import reported, silence

ALL = ("as-dataset", "tf-data", "v1")
# Whose sessions --to as-dataset leaves; all other programs become eager ones.
SESSIONS_STAY = {
    ("captions", "captions.py"),
    ("segmentation", "train.py"),
    ("monitored", "small_train.py"),
    ("served", "worker.py"),
    ("supervised", "train.py"),
    ("towers", "train.py"),
    ("trainer_class", "gan.py"),
    ("dcgan", "main.py"),
    ("denoising", "train.py"),
    ("distributed", "replica.py"),
    ("evaluated", "main.py"),
    ("ptb", "lm.py"),
    ("vae", "vae.py"),
    ("youtube8m", "train.py"),
}
# The programs of which a target changes nothing but for comments; of all others it changes every file.
LEFT: Dict[str, Set[str]] = {
    "as-dataset": {
        "evaluated",
    },
    "tf-data": {
        "deeplab",
        "evaluated",
        "ptb",
        "served",
        "text_classifier",
        "youtube8m",
    },
}
# Files without anything of TensorFlow 1, which stay as they are.
PLAIN = {("shared_helper", name) for name in OF_TENSORFLOW_2}

EVERY = os.environ.get("QUEUECOMPAT_ALL_PROGRAMS")
# Of these the plain test run takes every third.
MORE = (
    "cats_dogs", "checkpoints", "dcgan", "deeplab", "denoising", "distributed", "evaluated", "facenet",
    "finetune", "global_steps", "linear", "predictions", "ptb", "recommender", "segnet", "show_batches",
    "siamese", "speech", "statistics", "stop_on_exception", "style_transfer", "superres", "text_classifier",
    "train_and_test", "vae", "wavenet", "word2vec", "youtube8m",
)  # fmt: skip
OFTEN = sorted(set(MAINS) - (set() if EVERY else set(MORE) - set(MORE[::3])))
# Those that a target leaves are what they were, but for comments. The others that are left out here take too long.
BEFORE = [pair for pair in TF1 if EVERY or pair[0] in ("fed", "tutorial")]
AFTER = [
    *((name, main, to) for name, main in TF1 for to in ALL[:2] if name in OFTEN and name not in LEFT[to]),
    *((name, main, "v1") for name, main in TF1 if EVERY or name in ("shared_helper", "tutorial")),
    ("shared_helper", "keras_script.py", "v1"),
    ("shared_helper", "keras_script.py", "as-dataset"),
]


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


@pytest.mark.parametrize(("name", "main"), BEFORE)
def test_a_program_prints_under_queuecompat_run_what_it_printed_on_tensorflow_1(
    name: str, main: str, server: Server, tmp_path: pathlib.Path
) -> None:
    assert printed(server, copied(name, tmp_path / name), main, ("run",)) == recorded(name, main)


@functools.cache
def done_of(name: str, to: str) -> List[Migrated]:
    """What a target makes of a program: for all tests together, for it is the most of their time."""
    with tempfile.TemporaryDirectory() as folder:
        return list(migrate([str(copied(name, pathlib.Path(folder) / name))], to))


def written(name: str, to: str, folder: pathlib.Path) -> pathlib.Path:
    """The program after a target, in a folder of its own."""
    copied(name, folder)
    for one in done_of(name, to):
        (folder / one.path.name).write_bytes(one.new)
    return folder


@pytest.mark.parametrize(("name", "main", "to"), AFTER)
def test_a_rewritten_program_prints_by_itself_what_it_printed_on_tensorflow_1(
    name: str, main: str, to: str, server: Server, tmp_path: pathlib.Path
) -> None:
    folder = written(name, to, tmp_path / name)
    assert all(found.code == "QC714" for one in done_of(name, to) for found in one.left)
    assert printed(server, folder, main) == recorded(name, main)


@pytest.mark.parametrize("to", ALL[:2])
@pytest.mark.parametrize("name", OFTEN)
def test_files_that_belong_together_are_rewritten_together_or_not_at_all(name: str, to: str) -> None:
    done = done_of(name, to)
    changed = {one.path.name for one in done if one.old != one.new and not one.is_comment}
    others = {one.path.name for one in done if (name, one.path.name) not in PLAIN}
    assert changed == (set() if name in LEFT[to] else others)
    for one in done:
        comments = [line for line in one.new.splitlines() if line.lstrip().startswith(b"# queuecompat: QC74")]
        assert len(comments) == (1 if one.is_comment else 0)
        reasons = sum(1 + line.count(b"; and ") for line in comments)
        assert reasons == len([found for found in one.left if found.code != "QC714"])
        if one.is_comment:
            assert [line for line in one.new.splitlines() if line not in comments] == one.old.splitlines()


def test_three_fifths_of_the_programs_and_more_become_eager_ones() -> None:
    assert len(TF1) >= 60
    assert len(TF1) - len(SESSIONS_STAY) >= 0.6 * len(TF1)


@pytest.mark.parametrize("name", OFTEN)
def test_a_program_becomes_an_eager_one_or_its_session_stays(name: str) -> None:
    stay = {(name, one.path.name) for one in done_of(name, "as-dataset") if one.path.name in MAINS[name] and one.left}
    assert stay == {one for one in SESSIONS_STAY if one[0] == name}


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("name", OFTEN)
def test_a_second_rewrite_of_a_program_changes_nothing(name: str, to: str, tmp_path: pathlib.Path) -> None:
    again = migrate([str(written(name, to, tmp_path / name))], to)
    assert [one.path.name for one in again if one.old != one.new] == []


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("name", OFTEN)
def test_no_file_of_a_program_is_left_without_a_reason(name: str, to: str) -> None:
    for one in done_of(name, to):
        old, new = one.old.decode(), one.new.decode()
        if reported(old):
            assert silence(old, new, one.left, is_comment=one.is_comment, to=to) == "", one.path.name


@pytest.mark.parametrize("to", ALL)
def test_files_of_tensorflow_2_stay_byte_for_byte_beside_those_of_tensorflow_1(to: str, tmp_path: pathlib.Path) -> None:
    done = {one.path.name: one for one in rewritten(copied("shared_helper", tmp_path / "program"), to)}
    assert all(done[name].old == done[name].new and not done[name].left for name in OF_TENSORFLOW_2)


@pytest.mark.parametrize(
    "passed", ["x = tf.placeholder(tf.float32)\ny = ops.double(x)\n", "with tf.Session() as x:\n    ops.double(x)\n"]
)
def test_a_helper_that_a_file_of_tensorflow_1_passes_tensors_to_goes_with_it(
    tmp_path: pathlib.Path, passed: str
) -> None:
    (tmp_path / "ops.py").write_text("import tensorflow as tf\n\n\ndef double(x):\n    return tf.add(x, x)\n")
    main = f"import tensorflow as tf\nimport ops\n\n{passed}"
    (tmp_path / "train.py").write_text(main)
    assert [one.path.name for one in rewritten(tmp_path, "v1") if one.old != one.new] == ["ops.py", "train.py"]


def test_what_keeps_a_session_is_named_with_its_file(tmp_path: pathlib.Path) -> None:
    done = {one.path.name: one for one in rewritten(kept(tmp_path / "fed"), "tf-data")}
    assert done["reader.py"].left == []
    [found] = done["train.py"].left
    reason = "'tf.placeholder_with_default' belongs to a graph"
    assert found.line == 7 and f"together with 'serve.py', where {reason}" in found.what
    [found] = done["serve.py"].left
    assert found.line == 6 and found.code == "QC714"


def kept(folder: pathlib.Path) -> pathlib.Path:
    """A program whose sessions stay: its placeholder has a value of its own."""
    copied("fed", folder)
    text = (folder / "serve.py").read_text().replace("placeholder(tf.float32", "placeholder_with_default(1.0")
    (folder / "serve.py").write_text(text)
    return folder


def left_alone(folder: pathlib.Path) -> pathlib.Path:
    """A program of which nothing can be rewritten: its pipeline and session are in one block, which uses a record."""
    text = (PROGRAMS / "fed" / "serve.py").read_text().replace("import reader\n", "").replace("float32", "int32")
    pipeline = (
        "row = tf.train.slice_input_producer([[[1.0], [2.0]]], shuffle=False)[0]\nrows = tf.train.batch([row], 2)\n"
        "print(row.dtype.name)\n"
    )
    folder.mkdir()
    (folder / "serve.py").write_text(text.replace("rows, names = reader.batches(2, 1)\n", pipeline))
    return folder


def test_the_summary_counts_rewritten_and_commented_files_apart(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["migrate", "--to", "as-dataset", "--write", str(left_alone(tmp_path / "alone"))])
    assert capsys.readouterr().err.splitlines()[-3:] == [
        "0 of 1 file changed; 1 place left unchanged",
        "  1 file got a comment that says why",
        "  programs with these files run as before: queuecompat run FILE",
    ]


DECORATED = (
    "import queuecompat\nimport tensorflow.compat.v1 as tf\n\n\n"
    "@queuecompat.input_pipeline\n"
    "def inputs():\n"
    "    row = tf.train.input_producer([[1, 2], [3, 4]], shuffle=False).dequeue()\n"
    "    return tf.train.batch([unknown(row)], 2)\n\n\n"
    "def unknown(row):\n"
    "    return eval('row * 2')\n\n\n"
    "for batch in inputs().take(1):\n"
    "    print(batch.numpy().sum())\n"
)


def test_the_summary_says_how_programs_run_that_an_earlier_target_has_rewritten(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture, server: Server
) -> None:
    """It said 'queuecompat run FILE', which fails: the program is an eager one."""
    (tmp_path / "eager.py").write_text(DECORATED)
    for more, command in (
        ("", "python FILE"),
        ("other.py", "python FILE where it imports queuecompat, else queuecompat run FILE"),
    ):
        if more:
            left_alone(tmp_path / "alone")
        with pytest.raises(SystemExit):
            cli.main(["migrate", "--to", "tf-data", "--write", str(tmp_path)])
        *_, last = capsys.readouterr().err.splitlines()
        assert last == f"  programs with these files run as before: {command}"
    assert server.run([str(tmp_path / "eager.py")], str(tmp_path)).out == "20\n"


def test_the_summary_says_how_many_files_keep_their_session(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture
) -> None:
    folder = kept(tmp_path / "fed")
    with pytest.raises(SystemExit) as ended:
        cli.main(["migrate", "--to", "as-dataset", "--write", str(folder)])
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "3 of 3 files changed; 0 places left unchanged",
        "  1 session is kept: plain 'python' runs its program",
    ]
    assert ended.value.code == 1


TWO_REASONS = (
    "import tensorflow as tf\nimport absent\n\n\n"
    "def inputs():\n"
    "    return tf.train.batch(tf.train.slice_input_producer([[[1.0], [2.0]]], shuffle=False), 2)\n\n\n"
    "rows = inputs()\n"
    "net = absent.net(tf.layers.batch_normalization(rows, training=True))\n"
    "with tf.Session() as sess:\n"
    "    sess.run(tf.global_variables_initializer())\n"
    "    tf.train.start_queue_runners(sess)\n"
    "    for _ in range(3):\n"
    "        print(sess.run(net))\n"
)


def test_a_session_that_stays_for_two_reasons_is_counted_once(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "one.py").write_text(TWO_REASONS)
    with pytest.raises(SystemExit):
        cli.main(["migrate", "--to", "as-dataset", str(tmp_path)])
    *lines, kept_line, last = capsys.readouterr().err.splitlines()
    assert sum(" QC714 " in line for line in lines) == 2
    assert kept_line == "  1 session is kept: plain 'python' runs its program"
    assert last == "  add --write to change them"

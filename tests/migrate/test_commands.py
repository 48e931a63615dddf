"""``check`` and ``migrate`` as their users call them: paths in, text and exit codes out, files kept."""

from __future__ import annotations

import io
import json
import os
import pathlib
import socket
import subprocess
import sys
from typing import Any, List, Tuple

import pytest

import queuecompat
from queuecompat import cli
from queuecompat.migrate.source import progress, writing

OLD = "import tensorflow as tf\n\nfiles = tf.train.string_input_producer(['a'])\n"
NEW = OLD.replace("import tensorflow", "import queuecompat.v1")


def run(capsys: pytest.CaptureFixture, *arguments: str) -> Tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def tree(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.py", "a.py", ".hidden/c.py", "venv/d.py", "node_modules/e.py", "package/f.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(OLD)
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    return tmp_path


def test_a_folder_is_walked_in_order_without_what_is_not_the_users(tree: pathlib.Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "check", ".", "a.py", "--format", "json")
    assert code == 1
    assert [one["file"] for one in json.loads(out)] == ["a.py", "b.py", "package/f.py"]


def test_a_file_is_read_whatever_its_name(tree: pathlib.Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "check", "notes.txt")
    assert code == 1
    head, empty, first, second, *_, last = out.splitlines()
    assert (head, empty) == ("1 of 1 file runs unchanged: python -m queuecompat run notes.txt", "")
    assert first == "notes.txt: runs unchanged: python -m queuecompat run notes.txt"
    assert second.startswith("notes.txt:3:9: QC701 'tf.train.string_input_producer' builds a queue pipeline; instead: ")
    assert last == "1 file read, 1 finding in 1 file"


def test_what_was_built_and_environments_are_left_out(tree: pathlib.Path, capsys: Any) -> None:
    for name in ("build/lib/g.py", "dist/h.py", "package/build/i.py", "conda/j.py", "old/k.py", "x.egg-info/l.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(OLD)
    (tree / "setup.py").write_text("")
    (tree / "conda" / "conda-meta").mkdir()
    (tree / "old" / "bin").mkdir()
    (tree / "old" / "bin" / "activate_this.py").touch()
    _, out, _ = run(capsys, "check", ".", "--format", "json")
    # A package of the project may be called 'build'.
    assert [one["file"] for one in json.loads(out)] == ["a.py", "b.py", "package/build/i.py", "package/f.py"]


def test_each_file_begins_with_what_to_do_first(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "b.py").write_text("import tensorflow as tf\n\ntf.contrib.cudnn_rnn.CudnnLSTM(1)\n" + OLD)
    (tree / "my file.py").write_text("import tensorflow as tf\n\ntf.app.run()\n")
    (tree / "c.py").write_text("import os\n")
    (tree / "d.py").write_text("print 'x'\n")
    _, out, _ = run(capsys, "check", "b.py", "my file.py", "c.py", "d.py")
    heads = [line for line in out.splitlines() if ".py: " in line]
    assert heads == [
        "b.py: 1 place to change by hand first, such as line 3",
        "my file.py: runs unchanged: python -m queuecompat run 'my file.py'",
    ]
    assert out.splitlines()[0] == "1 of 3 files runs unchanged: python -m queuecompat run 'my file.py'"
    assert out.splitlines()[-1].endswith("1 could not be read")
    assert "works unchanged with" not in out  # of 'migrate', which changes a file


def test_no_command_is_printed_for_a_notebook(tree: pathlib.Path, capsys: Any) -> None:
    cell = {"cell_type": "code", "source": OLD.splitlines(True), "metadata": {}, "outputs": [], "execution_count": None}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    (tree / "book.ipynb").write_text(json.dumps(book, indent=1))
    _, out, _ = run(capsys, "check", "book.ipynb")
    assert out.splitlines()[0] == "book.ipynb: one import to change: python -m queuecompat migrate --to v1 book.ipynb"
    assert "run unchanged" not in out


def test_only_the_selected_codes_are_found(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").write_text(OLD + "tf.app.run()\n")
    (tree / "b.py").write_text("print 'x'\n")

    def found(*options: str) -> Tuple[int, List[str]]:
        code, out, _ = run(capsys, "check", "a.py", "--format", "json", *options)
        return code, [one["code"] for one in json.loads(out)]

    assert found() == (1, ["QC701", "QC713"])
    assert found("--select", "QC713") == (1, ["QC713"])
    assert found("--select", "qc70,QC713") == found("--select=QC70", "--select=QC713") == (1, ["QC701", "QC713"])
    assert found("--select", "QC72") == (0, [])
    # What runs as it is depends on the findings that are left out.
    assert "unchanged" in run(capsys, "check", "a.py")[1].splitlines()[0]
    assert run(capsys, "check", "a.py", "--select", "QC701")[1].startswith("a.py:")
    # What could not be read was not searched.
    assert run(capsys, "check", "b.py", "--select", "QC72")[0] == 2
    code, _, err = run(capsys, "check", "a.py", "--select", "QC7O1")
    assert code == 2 and "no code begins with 'QC7O1'; python -m queuecompat explain lists them" in err


def test_the_hook_for_pre_commit_is_the_command() -> None:
    hooks = pathlib.Path(queuecompat.__file__).parents[1].joinpath(".pre-commit-hooks.yaml").read_text()
    assert "entry: python -m queuecompat check\n" in hooks and "types_or: [python, jupyter]" in hooks


def test_nothing_found_is_exit_code_0(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").write_text("import os\n")
    assert run(capsys, "check", "a.py") == (0, "1 file read, nothing found\n", "")
    assert run(capsys, "check", "a.py", "--format", "json")[:2] == (0, "[]\n")


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"print 'x'\n", "QC732", "a print statement"),
        (b"def f(:\n", "QC731", "not valid Python"),
        (b"x = '\xff'\n", "QC733", "cannot be read"),
        (b"# coding: klingon\n", "QC733", "klingon"),
        (b"x = '\0'\n", "QC731", "not valid Python"),
    ],
)
def test_what_cannot_be_read_is_reported_and_kept(
    tree: pathlib.Path, capsys: Any, content: bytes, code: str, says: str
) -> None:
    (tree / "a.py").write_bytes(content)
    exit_code, out, _ = run(capsys, "check", "a.py", "b.py", "--format", "json")
    first, second = json.loads(out)
    assert exit_code == 2
    assert first["code"] == code and says in first["message"]
    assert second["code"] == "QC701"
    exit_code, _, err = run(capsys, "migrate", "--to", "v1", "--write", "a.py", "b.py")
    assert exit_code == 2 and f"{code} " in err
    assert (tree / "a.py").read_bytes() == content
    assert (tree / "b.py").read_text() == NEW


@pytest.mark.parametrize(
    "old",
    [
        "try:\n    import six\nexcept (ImportError, ValueError) :\n    six = None\n" + OLD,
        "\f# Ours.\n" + OLD,
        OLD + "\n\fclass A:\n    pass\n",
    ],
)
def test_a_file_with_spaces_that_the_parser_loses_is_rewritten_like_the_others(
    tree: pathlib.Path, capsys: Any, old: str
) -> None:
    """It ended the command with a traceback, and no file was written."""
    (tree / "a.py").write_text(old)
    exit_code, _, err = run(capsys, "migrate", "--to", "v1", "--write", "a.py", "b.py")
    assert exit_code == 0 and err == "2 of 2 files changed; 0 places left unchanged\n"
    assert (tree / "a.py").read_text() == old.replace(OLD, NEW)
    assert (tree / "b.py").read_text() == NEW


def test_python_2_gets_the_converter_to_run_first(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").write_text("print 'x'\n")
    _, _, err = run(capsys, "migrate", "--to", "v1", "a.py")
    assert "python -m fissix --write a.py" in err


def test_a_path_that_does_not_exist_is_reported(tree: pathlib.Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "check", "absent.py")
    assert code == 2
    assert "absent.py:1:1: QC733" in out and "No such file" in out


def test_the_objects_of_json_have_the_promised_keys(tree: pathlib.Path, capsys: Any) -> None:
    _, out, _ = run(capsys, "check", "a.py", "--format", "json")
    [one] = json.loads(out)
    message = one.pop("message")
    assert one == {"file": "a.py", "line": 3, "column": 9, "code": "QC701"}
    assert "builds a queue pipeline; TensorFlow 2" in message
    assert "queuecompat migrate --to v1" in message and "tf.data.Dataset" in message


def test_sarif_is_what_code_hosts_take(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "b.py").write_text("print 'x'\n")
    code, out, _ = run(capsys, "check", "a.py", "b.py", "--format", "sarif")
    log = json.loads(out)
    assert code == 2
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    [one] = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    [result] = one["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "QC701"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.py"}
    assert place["region"] == {"startLine": 3, "startColumn": 9}
    [invocation] = one["invocations"]
    assert not invocation["executionSuccessful"]
    [notification] = invocation["toolExecutionNotifications"]
    assert notification["associatedRule"]["id"] in {rule["id"] for rule in rules}


def test_a_diff_is_printed_and_nothing_written(tree: pathlib.Path, capsys: Any) -> None:
    code, out, err = run(capsys, "migrate", "a.py", "--to", "v1")
    assert code == 0
    assert out == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-import tensorflow as tf\n+import queuecompat.v1 as tf\n \n"
        " files = tf.train.string_input_producer(['a'])\n"
    )
    assert err == "1 of 1 file would change; 0 places left unchanged\n  add --write to change them\n"
    assert (tree / "a.py").read_text() == OLD


@pytest.mark.parametrize("command", [["check"], ["migrate", "--to", "v1"]])
def test_a_folder_without_programs_is_named(command: List[str], tmp_path: pathlib.Path, capsys: Any) -> None:
    """A wrong folder was "0 files read, nothing found" and "0 of 0 files would change"."""
    (tmp_path / "data.csv").write_text("1,2")
    code, _, err = run(capsys, *command, str(tmp_path))
    assert code == 0
    assert err.startswith(f"there are no *.py or *.ipynb files in '{tmp_path}'\n")


@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_what_has_no_pipeline_and_needs_tensorflow_1_is_named(tmp_path: pathlib.Path, capsys: Any, target: str) -> None:
    """A script that writes the records was left without a word, and failed on TensorFlow 2."""
    pipeline = "def numbers():\n    return tf.train.batch([tf.train.range_input_producer(9).dequeue()], 3)\n"
    sources = {
        "inputs.py": f"import tensorflow as tf\n\n\n{pipeline}",
        "convert.py": "import tensorflow as tf\n\nwriter = tf.python_io.TFRecordWriter('a')\n",
        "model.py": "import tensorflow as tf\n\nmodel = tf.keras.Sequential()\n",
        "done.py": "import tensorflow.compat.v1 as tf\n\nwriter = tf.python_io.TFRecordWriter('b')\n",
        "swapped.py": "import queuecompat.v1 as tf\n\nwriter = tf.python_io.TFRecordWriter('c')\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    for _ in "once", "again":
        err = run(capsys, "migrate", "--to", target, "--write", str(tmp_path))[2]
        named = f"\n  1 file without input pipelines still needs TensorFlow 1 (use --to v1): {tmp_path}/convert.py\n"
        assert err.endswith(named)
    err = run(capsys, "migrate", "--to", "v1", "--write", str(tmp_path))[2]
    assert "still" not in err and "queuecompat.v1" in (tmp_path / "convert.py").read_text()


def test_the_diff_is_a_patch(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").write_text(OLD + "x = 1  # no newline at the end")
    _, out, _ = run(capsys, "migrate", "--to", "v1", "a.py", "b.py")
    subprocess.run(["git", "apply", "-p1", "-"], input=out, text=True, cwd=tree, check=True)
    assert (tree / "a.py").read_text() == NEW + "x = 1  # no newline at the end"
    assert (tree / "b.py").read_text() == NEW


@pytest.mark.parametrize(
    ("arguments", "exit_code", "says"),
    [
        ("check .", 1, ""),
        ("check --format=json .", 1, ""),
        ("migrate --to v1 .", 0, "3 of 3 files would change; 0 places left unchanged\n  add --write to change them\n"),
        ("explain", 0, ""),
        ("explain QC301", 0, ""),
    ],
)
def test_a_pipe_whose_reader_is_gone_ends_a_command_quietly(
    tree: pathlib.Path, arguments: str, exit_code: int, says: str
) -> None:
    """``check . | head -3`` used to end in a BrokenPipeError."""
    reading, writing_end = os.pipe()
    os.close(reading)
    root = str(pathlib.Path(queuecompat.__file__).parents[1])
    with open(writing_end, "wb") as pipe:
        ran = subprocess.run(
            [sys.executable, "-m", "queuecompat", *arguments.split()],
            cwd=tree,
            env=dict(os.environ, PYTHONPATH=root),
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ran.returncode, ran.stderr) == (exit_code, says)


def test_writing_twice_changes_nothing_more(tree: pathlib.Path, capsys: Any) -> None:
    assert run(capsys, "migrate", "--to", "v1", ".", "--write")[0] == 0
    assert (tree / "package" / "f.py").read_text() == NEW
    assert (tree / "venv" / "d.py").read_text() == OLD
    assert run(capsys, "migrate", "--to", "v1", ".", "--write")[2].startswith("0 of 3 files changed")


@pytest.mark.parametrize(
    "content",
    [
        OLD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + OLD.encode(),
        b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + OLD.encode(),
        OLD.encode().rstrip(b"\n"),
        b"\n\n\x0c\n" + OLD.encode() + b"\n\n\n   \n",
        b"if x:\n\tpass\r\nelse :\n        pass\n" + OLD.encode(),
    ],
)
def test_line_ends_encodings_and_marks_stay(tree: pathlib.Path, capsys: Any, content: bytes) -> None:
    (tree / "a.py").write_bytes(content)
    run(capsys, "migrate", "--to", "v1", "a.py", "--write")
    assert (tree / "a.py").read_bytes() == content.replace(b"import tensorflow", b"import queuecompat.v1")


def test_the_mode_stays_and_links_stay_links(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").chmod(0o750)
    (tree / "link.py").symlink_to("a.py")
    run(capsys, "migrate", "--to", "v1", "link.py", "--write")
    assert (tree / "link.py").is_symlink()
    assert (tree / "a.py").read_text() == NEW
    assert (tree / "a.py").stat().st_mode & 0o777 == 0o750
    assert not [name for name in os.listdir(tree) if name.startswith(".a.py")]


def test_a_failure_while_writing_leaves_the_old_file(tree: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(writing.os, "replace", fail)
    before = sorted(os.listdir(tree))
    with pytest.raises(OSError, match="disk full"), writing.Staging() as staging:
        staging.add(tree / "a.py", b"")
        staging.commit()
    assert (tree / "a.py").read_text() == OLD
    assert sorted(os.listdir(tree)) == before


def test_on_a_full_disk_no_file_changes_and_no_temporary_one_stays(tree: pathlib.Path) -> None:
    (tree / "b.py").write_text(OLD + "# " + "x" * 9000 + "\n")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    # In a process of its own, whose files may have 8 kB: what is over that fails as on a full disk.
    code = (
        "import resource, signal, sys\nfrom queuecompat import cli\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\ncli.main(sys.argv[1:])\n"
    )
    root = str(pathlib.Path(queuecompat.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-c", code, "migrate", "--to", "v1", ".", "--write"],
        cwd=tree,
        env=dict(os.environ, PYTHONPATH=root, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 2
    first, last = ran.stderr.splitlines()
    assert first.startswith("b.py:1:1: QC735 this cannot be written: File too large; instead: make room")
    assert last == "none of the 3 files was changed"
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


def test_new_contents_are_on_the_disk_before_they_take_a_place(
    tree: pathlib.Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: List[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(writing.os, "fsync", lambda file: (done.append("fsync"), fsync(file)))
    monkeypatch.setattr(writing.os, "replace", lambda *names: (done.append("replace"), replace(*names)))
    run(capsys, "migrate", "--to", "v1", "a.py", "b.py", "--write")
    assert done == ["fsync", "fsync", "replace", "replace"]
    assert (tree / "a.py").read_text() == (tree / "b.py").read_text() == NEW


@pytest.mark.parametrize("command", [["check"], ["migrate", "--to", "v1", "--write"]], ids=["check", "migrate"])
def test_links_that_lead_out_of_the_folder_are_named_and_not_followed(
    tree: pathlib.Path, capsys: Any, tmp_path_factory: pytest.TempPathFactory, command: List[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "g.py").write_text(OLD)
    (tree / "file.py").symlink_to(outside / "g.py")
    (tree / "folder").symlink_to(outside)
    (tree / "inside").symlink_to(tree / "package")
    (tree / "same.py").symlink_to("a.py")
    code, out, err = run(capsys, *command, ".")
    said = [line for line in (out + err).splitlines() if "QC734" in line and ":1:1:" in line]
    assert [line.partition(":")[0] for line in said] == ["file.py", "folder"]
    assert f"leads out of the given folders, to '{outside / 'g.py'}'" in said[0]
    assert "2 symbolic links not followed" in (out + err)
    assert (outside / "g.py").read_text() == OLD
    assert code == (1 if command == ["check"] else 0)
    if command != ["check"]:
        assert (tree / "a.py").read_text() == NEW and (tree / "same.py").is_symlink()


def test_a_link_to_what_is_given_too_is_no_link_out(
    tree: pathlib.Path, capsys: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "g.py").write_text(OLD)
    (tree / "file.py").symlink_to(outside / "g.py")
    (tree / "folder").symlink_to(outside)
    _, _, err = run(capsys, "migrate", "--to", "v1", "--write", ".", str(outside))
    assert "QC734" not in err and (outside / "g.py").read_text() == NEW
    # Given itself, a link is followed.
    (outside / "g.py").write_text(OLD)
    _, _, err = run(capsys, "migrate", "--to", "v1", "--write", "file.py")
    assert "QC734" not in err and (outside / "g.py").read_text() == NEW and (tree / "file.py").is_symlink()


def test_links_that_were_not_followed_are_notes_of_sarif_and_no_failure(
    tree: pathlib.Path, capsys: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tree / "file.py").symlink_to(tmp_path_factory.mktemp("outside"))
    _, out, _ = run(capsys, "check", ".", "--format", "sarif")
    [invocation] = json.loads(out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"]
    assert [one["level"] for one in invocation["toolExecutionNotifications"]] == ["note"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("command", [["check"], ["migrate", "--to", "v1"]], ids=["check", "migrate"])
def test_pipes_sockets_and_devices_are_named_and_not_read(tree: pathlib.Path, capsys: Any, command: List[str]) -> None:
    os.mkfifo(tree / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")  # relative: its path may have no more than 107 bytes
        code, out, err = run(capsys, *command, ".", "/dev/zero", "pipe.py")
    said = [line for line in (out + err).splitlines() if "QC733" in line and ":1:1:" in line]
    assert code == 2 and len(said) == 3
    for name, kind in (("pipe.py", "a named pipe"), ("socket.py", "a socket"), ("/dev/zero", "a device")):
        assert any(line.startswith(f"{name}:1:1: QC733 this cannot be read: it is {kind};") for line in said)


def test_what_is_left_is_exit_code_1(tree: pathlib.Path, capsys: Any) -> None:
    (tree / "a.py").write_text("import importlib\nimportlib.import_module('tensorflow')\n")
    code, out, err = run(capsys, "migrate", "--to", "v1", "a.py")
    assert (code, out) == (1, "")
    assert "a.py:2:1: QC742" in err and "1 place left" in err


def _modules_after(arguments: List[str], folder: pathlib.Path) -> str:
    code = (
        "import sys\nfrom queuecompat import cli\ntry:\n    cli.main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('tensorflow', 'numpy', 'spy', 'libcst') if m in sys.modules])"
    )
    root = str(pathlib.Path(queuecompat.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=root),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()[-1]


def test_no_tensorflow_is_loaded_and_nothing_of_the_users_is_run(tree: pathlib.Path) -> None:
    (tree / "spy.py").write_text("open('ran', 'w')\n")
    (tree / "a.py").write_text("import spy\nfrom spy import *\nopen('ran', 'w')\n" + OLD)
    assert _modules_after(["check", "."], tree) == "['libcst']"
    assert _modules_after(["migrate", "--to", "v1", ".", "--write"], tree) == "['libcst']"
    assert not (tree / "ran").exists()


def test_running_a_program_loads_no_parser(tree: pathlib.Path) -> None:
    (tree / "a.py").write_text("import sys\nprint(sorted({'libcst', 'queuecompat.migrate'} & set(sys.modules)))\n")
    root = str(pathlib.Path(queuecompat.__file__).parents[1])
    command = [sys.executable, "-m", "queuecompat", "run", "a.py"]
    ran = subprocess.run(command, cwd=tree, env=dict(os.environ, PYTHONPATH=root), capture_output=True, check=True)
    assert ran.stdout == b"[]\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", [["check"], ["migrate", "--to", "v1"]], ids=["check", "migrate"])
def test_on_a_terminal_a_bar_counts_the_files_and_goes(tree: Any, monkeypatch: Any, command: List[str]) -> None:
    shown = _Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "DELAY", 0)
    with pytest.raises(SystemExit):
        cli.main([*command, "."])
    assert "reading:" in shown.getvalue() and "0/3" in shown.getvalue()
    assert "reading:" not in shown.getvalue().rpartition("\r")[2]


def test_a_command_that_is_soon_over_shows_no_bar(tree: Any, monkeypatch: Any) -> None:
    shown = _Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    with pytest.raises(SystemExit):
        cli.main(["check", "."])
    assert not shown.getvalue().strip()

"""The command line around the commands: help, mistyped words, explanations, completion. No TensorFlow."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tarfile
from typing import Any, Dict, List

import pytest

from queuecompat import cli
from queuecompat.codes import CODES
from queuecompat.reference import pages

ROOT = pathlib.Path(__file__).parents[2]


def printed(capsys: Any, *arguments: str) -> str:
    cli.main(list(arguments))
    return str(capsys.readouterr().out)


def refused(capsys: Any, *arguments: str) -> str:
    """The last line of what is said of *arguments*, which are wrong."""
    with pytest.raises(SystemExit) as raised:
        cli.main(list(arguments))
    assert raised.value.code == 2
    return str(capsys.readouterr().err.splitlines()[-1])


@pytest.mark.parametrize("command", [["run", "train.py"], ["serve", "--dispatcher"]], ids=["run", "serve"])
def test_a_command_that_needs_tensorflow_says_so_in_one_line(
    command: List[str], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was the traceback of an import of this package."""
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as raised:
        cli.main(command)
    assert raised.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("has no TensorFlow, which this command needs: python -m pip install tensorflow")


def test_a_code_is_explained_by_its_section_of_the_guide(capsys: Any) -> None:
    text = printed(capsys, "explain", "QC301")
    assert text.startswith("QC301: '<stage>' was run before its pipeline was started\n")
    assert "start_queue_runners" in text
    assert "QC302" not in text and "<!--" not in text


@pytest.mark.parametrize("word", ["qc301", "301"])
def test_a_code_may_be_written_in_short(capsys: Any, word: str) -> None:
    assert printed(capsys, "explain", word) == printed(capsys, "explain", "QC301")


def test_every_code_has_a_section() -> None:
    sections = pages.sections()
    assert sections.keys() == CODES.keys()
    assert all(sections.values())


def test_explain_without_an_argument_lists_all_codes(capsys: Any) -> None:
    text = printed(capsys, "explain")
    assert re.findall(r"^  (QC\d{3})  ", text, re.MULTILINE) == sorted(CODES)
    assert text.startswith("calls in the wrong place")
    assert text.endswith("\nFor details: python -m queuecompat explain CODE\n")


@pytest.mark.parametrize("word", ["tf.train.shuffle_batch", "train.shuffle_batch"])
def test_a_name_is_explained_by_how_it_is_supported(capsys: Any, word: str) -> None:
    text = printed(capsys, "explain", word)
    assert text.startswith("tf.train.shuffle_batch: ")
    assert "queuecompat run" in text and ".shuffle(capacity)" in text


@pytest.mark.parametrize("word", ["tf.estimator.Estimator", "estimator"])
def test_a_name_of_old_versions_is_explained_by_the_last_of_them(capsys: Any, word: str) -> None:
    """It was said that nothing is known of it, and that it is TensorFlow's own."""
    text = printed(capsys, "explain", word)
    assert "TensorFlow's own, up to TensorFlow 2.15; later the package tensorflow-estimator" in text
    assert "queuecompat run" in text


def test_mistyped_words_get_a_suggestion(capsys: Any) -> None:
    assert refused(capsys, "explian", "QC301").endswith("; did you mean explain?")
    assert refused(capsys, "check", "--fromat=text", ".").endswith("; did you mean --format?")
    assert refused(capsys, "migrate", "--to", "v11", ".").endswith("; did you mean v1?")
    assert "; did you mean QC" in refused(capsys, "explain", "QC30")
    assert refused(capsys, "explain", "tf.Session").endswith("are TensorFlow's own in queuecompat.v1")
    assert refused(capsys, "explain", "tf.train.shufle_batch").endswith("; did you mean tf.train.shuffle_batch?")
    assert refused(capsys, "explain", "shuffle_batch").endswith("; did you mean tf.train.shuffle_batch?")
    assert refused(capsys, "explain", "shufle_batch").endswith("; did you mean tf.train.shuffle_batch?")
    assert "did you mean" not in refused(capsys, "zzz")


def test_what_replaces_a_common_name_of_contrib_is_a_name(capsys: Any) -> None:
    """It was "tf.keras.layers", and "tf itself"."""
    assert "tf.keras.initializers.GlorotUniform" in printed(capsys, "explain", "tf.contrib.layers.xavier_initializer")
    step = printed(capsys, "explain", "tf.contrib.framework.get_or_create_global_step")
    assert "tf.compat.v1.train.get_or_create_global_step" in step


@pytest.mark.parametrize("word", ["QC999", "999"])
def test_an_unknown_code_is_answered_with_the_command_that_lists_all(capsys: Any, word: str) -> None:
    """It was said that every other name is TensorFlow's own."""
    assert refused(capsys, "explain", word).endswith("explain lists the codes")


def test_a_tree_that_is_not_a_folder_is_refused(capsys: Any, tmp_path: pathlib.Path) -> None:
    """A mistyped folder was a tree without files, so that its programs had TensorFlow 2's names."""
    assert refused(capsys, "run", "--tree", str(tmp_path / "nope"), "x.py").endswith(
        "nope' is not a folder or a Python file"
    )
    (tmp_path / "data.txt").touch()
    assert refused(capsys, "run", "--tree", str(tmp_path / "data.txt"), "x.py").endswith("or a Python file")


def test_a_file_is_refused_as_a_cache(capsys: Any) -> None:
    """The program was taken for it, and its first argument for the program."""
    text = refused(capsys, "run", "--cache", __file__, "train")
    assert text.endswith("test_cli.py' is a file; write --cache ram, or --cache and a folder")


def test_migrate_does_not_guess_its_target(capsys: Any) -> None:
    assert refused(capsys, "migrate", ".").endswith("the following arguments are required: --to")


@pytest.mark.parametrize("command", ["check", "explain", "migrate", "run"])
def test_the_help_of_each_command_has_examples(capsys: Any, command: str) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert f"examples:\n  python -m queuecompat {command} " in capsys.readouterr().out


def test_a_shell_completes_commands_and_options(capsys: Any) -> None:
    pytest.importorskip("shtab")
    with pytest.raises(SystemExit):
        cli.main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    assert "complete" in script and "--report" in script and "as-dataset" in script


def test_without_shtab_completion_says_what_to_install(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "pip install 'queuecompat[completion]'" in refused(capsys, "--print-completion", "bash")


def test_all_is_what_a_user_may_want_of_the_extras(monkeypatch: Any) -> None:
    setuptools = pytest.importorskip("setuptools")
    given: Dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", lambda **arguments: given.update(arguments))
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    extras = dict(given["extras_require"])
    everything = set(extras.pop("all"))
    names = set(extras) - {"examples", "guide", "lint", "test", "torch"}
    assert names >= {"completion", "images", "keras2", "records", "slim", "timeline"}
    assert everything == {package for name in names for package in extras[name]}
    assert "ipython" in extras["test"], "or the tests of the cell magic are skipped"


def test_what_is_built_contains_the_page_on_codes(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("setuptools")
    build = [sys.executable, "setup.py", "-q", "build_py", f"--build-lib={tmp_path}"]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    built = tmp_path / "queuecompat" / "reference" / "errors.md"
    assert built.read_bytes() == (ROOT / "migration_guide" / "errors.md").read_bytes()
    explain = [sys.executable, "-m", "queuecompat", "explain", "QC301"]
    done = subprocess.run(
        explain,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("QC301")


def test_what_is_distributed_as_source_can_be_tested_and_read(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("setuptools")
    sdist = [sys.executable, "setup.py", "-q", "egg_info", f"--egg-base={tmp_path}", "sdist", f"--dist-dir={tmp_path}"]
    subprocess.run(sdist, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    parts = (
        ".pre-commit-hooks.yaml",
        "CHANGELOG.md",
        "docs/site.py",
        "examples/README.md",
        "migration_guide/README.md",
    )
    assert names.issuperset((*parts, "tests/architecture/test_cli.py", "queuecompat/py.typed"))

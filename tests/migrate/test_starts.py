"""What ``check`` says first: how many files run unchanged, and which of them to start, by what command."""

from __future__ import annotations

import ast
import pathlib
from typing import Any, Dict, List

import pytest

from queuecompat.migrate.check.checking import check
from queuecompat.migrate.check.formats import text
from queuecompat.migrate.check.starts import facts, starts
from tests.migrate.program_entries import PROGRAMS

INPUT = "import tensorflow as tf\n\n\ndef batches():\n    return tf.train.batch([1], 2)\n"
MAIN = "import {}\n\nif __name__ == '__main__':\n    print({}.batches())\n"
REMOVED = "import tensorflow as tf\n\ntf.contrib.cudnn_rnn.CudnnLSTM(1)\n"


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write(files: Dict[str, str]) -> List[str]:
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        return text(check(["."])).splitlines()

    return write


FOLDERS = [one for one in sorted(PROGRAMS.iterdir()) if one.is_dir()]


@pytest.mark.parametrize("program", FOLDERS, ids=lambda one: one.name)
def test_the_files_that_are_started_are_found(program: pathlib.Path) -> None:
    files = {path.name: facts(ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(program.glob("*.py"))}
    started = {path.with_suffix(".py").name for path in program.glob("*.txt")}
    assert {one.file for one in starts(files)} == started


@pytest.mark.parametrize(
    "code",
    [
        "def main():\n    pass\n",
        "def train():\n    with tf.Session() as sess:\n        pass\n",
        "if __name__ == '__main':\n    pass\n",
        "app.register(main)\nself.main()\n",
        "print(run())\n",
        "",
    ],
)
def test_a_module_is_not_started(code: str) -> None:
    assert not facts(ast.parse(code)).is_started


def test_the_first_line_says_how_many_run_and_what_to_start(project: Any) -> None:
    main = MAIN.format("data", "data")
    out = project({"data.py": INPUT, "train.py": main, "old.py": REMOVED, "helper.py": "x = 1\n"})
    assert out[:2] == ["1 of 2 files runs unchanged: python -m queuecompat run train.py", ""]
    assert "data.py: runs unchanged, imported by train.py" in out
    assert out[-1] == "4 files read, 2 findings in 2 files"


def test_a_file_that_only_calls_others_is_started_where_nothing_else_is(project: Any) -> None:
    """Its library was to be started."""
    out = project({"data.py": INPUT, "go.py": "from data import batches\n\nfor one in batches():\n    print(one)\n"})
    assert out[0] == "1 of 1 file runs unchanged: python -m queuecompat run go.py"


@pytest.mark.parametrize("name", ["setup.py", "conftest.py", "test_data.py"])
def test_what_only_installs_or_tests_is_not_started(project: Any, name: str) -> None:
    out = project({"data.py": INPUT, name: "import data\n\nprint(data.batches())\n"})
    assert out[0] == "1 of 1 file runs unchanged: python -m queuecompat run data.py"


def test_a_file_that_calls_what_another_program_starts_is_no_program(project: Any) -> None:
    files = {"data.py": INPUT, "train.py": MAIN.format("data", "data"), "look.py": "import data\nx = data.batches()\n"}
    assert project(files)[0] == "1 of 1 file runs unchanged: python -m queuecompat run train.py"


def test_several_starts_are_listed_those_that_others_import_last(project: Any) -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    mains = {f"{name}.py": MAIN.format("data", "data") for name in names}
    mains["b.py"] += "import a\n"
    out = project({"data.py": INPUT, **mains})
    assert out[0] == "1 of 1 file runs unchanged; start one of:"
    assert [line[-4:] for line in out[1:6]] == ["b.py", "c.py", "d.py", "e.py", "f.py"]
    assert out[6:8] == ["  and 1 more", ""]


def test_a_start_that_reaches_what_has_to_change_is_not_told_to_run(project: Any) -> None:
    main = MAIN.format("model", "model") + "    tf.app.run()\n"
    out = project({"data.py": INPUT, "model.py": REMOVED, "train.py": "import tensorflow as tf, data\n" + main})
    assert out[0] == "2 of 3 files run unchanged: python -m queuecompat run FILE"
    assert "train.py: runs unchanged after a change of model.py: python -m queuecompat run train.py" in out


def test_a_module_that_does_not_parse_keeps_its_program_from_running(project: Any) -> None:
    main = "import model\n" + MAIN.format("data", "data")
    out = project({"data.py": INPUT, "model.py": "x = 1\nprint 'x'\n", "train.py": main})
    assert out[:2] == ["train.py does not run: model.py is Python 2 (line 2)", ""]
    assert "data.py: does not run: model.py is Python 2 (line 2)" in out


# What starts the program, of which Python takes nothing.
STARTING = (
    "import data\nif __name__ == '__main__':\n    print data.batches()\n",
    "from data import (batches,\n                  other)\nwith tf.Session() as s:\n    print s.run(batches())\n",
    "def main():\n    import numpy, data as d; d.batches()\n\nmain()\nprint 1\n",
)


@pytest.mark.parametrize("main", STARTING)
def test_files_of_a_program_that_python_2_alone_starts_do_not_run(project: Any, main: str) -> None:
    """They were called runnable: 'python -m queuecompat run data.py'."""
    out = project({"data.py": INPUT, "main.py": main})
    line = 1 + main[: main.index("print ")].count("\n")
    assert out[:2] == [f"main.py does not run: it is Python 2 (line {line})", ""]
    assert f"data.py: does not run: main.py is Python 2 (line {line})" in out


def test_a_second_program_that_python_takes_runs(project: Any) -> None:
    files = {"data.py": INPUT, "eval.py": MAIN.format("data", "data"), "main.py": STARTING[0], "bad.py": "main(\nx)(\n"}
    out = project(files)
    assert out[:4] == [
        "bad.py does not run: it is not valid Python (line 2)",
        "main.py does not run: it is Python 2 (line 3)",
        "1 of 3 files runs unchanged: python -m queuecompat run eval.py",
        "",
    ]
    assert "data.py: runs unchanged, imported by eval.py" in out


def test_where_nothing_runs_unchanged_nothing_is_said_first(project: Any) -> None:
    assert project({"old.py": REMOVED})[0].startswith("old.py: 1 place to change by hand first")
    assert project({"old.py": "x = 1\n"}) == ["1 file read, nothing found"]


ESTIMATOR = "import tensorflow as tf\n\n\ndef train():\n    tf.estimator.Estimator(f).train(tf.get_variable)\n"


def test_a_program_with_an_estimator_runs_unchanged(project: Any) -> None:
    out = project({"task.py": ESTIMATOR + "\n\nif __name__ == '__main__':\n    train()\n"})
    assert out[0] == "1 of 1 file runs unchanged: python -m queuecompat run task.py"
    assert any("QC709 this uses tf.estimator: 'tf.estimator.Estimator'" in line for line in out)


def test_a_model_with_an_estimator_is_a_part_of_the_program_that_imports_it(project: Any) -> None:
    out = project({"data.py": INPUT, "model.py": ESTIMATOR, "task.py": "import model\n" + MAIN.format("data", "data")})
    assert "model.py: runs unchanged, imported by task.py" in out


@pytest.mark.parametrize(
    ("inner", "folder", "command"),
    [
        ("from trainer import data", ".", "python -m queuecompat run -m trainer.task"),
        ("from . import data", ".", "python -m queuecompat run -m trainer.task"),
        ("import data", ".", "python -m queuecompat run trainer/task.py"),
        ("from trainer import data", "..", "PYTHONPATH=. python -m queuecompat run -m trainer.task"),
    ],
)
def test_a_program_that_imports_from_above_is_started_as_a_module(
    project: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, inner: str, folder: str, command: str
) -> None:
    main = f"{inner}\n" + MAIN.format("os", "data")
    project({"trainer/__init__.py": "", "trainer/data.py": INPUT, "trainer/task.py": main})
    monkeypatch.chdir(folder)
    given = "." if folder == "." else tmp_path.name
    expected = command.replace("PYTHONPATH=.", f"PYTHONPATH={tmp_path.name}")
    assert text(check([given])).splitlines()[0] == f"1 of 1 file runs unchanged: {expected}"


def test_a_script_that_writes_records_is_started() -> None:
    assert facts(ast.parse("with tf.python_io.TFRecordWriter('a') as writer:\n    pass\n")).is_started


@pytest.mark.parametrize(
    ("code", "package", "name"),
    [
        ("y = tf.layers.dense(x, 3)", "tf_keras", "tf.layers.dense"),
        ("cell = tf.contrib.rnn.BasicLSTMCell(3)", "tf_keras", "tf.contrib.rnn.BasicLSTMCell"),
        # This ended with an error that asks for tf_keras.
        ("tf.estimator.LinearRegressor([])", "tf_keras", "tf.estimator.LinearRegressor"),
        ("y = tf.contrib.layers.conv2d(x, 3, 3)", "tf-slim", "tf.contrib.layers.conv2d"),
        ("y = tf.contrib.metrics.streaming_covariance(x, x)", "tf-slim", "tf.contrib.metrics.streaming_covariance"),
        ("slim = tf.contrib.slim\ny = slim.conv2d(x, 3, 3)", "tf-slim", "tf.contrib.slim.conv2d"),
        # Nothing was said of these, whose programs end with an error that asks for tf-slim.
        ("y = tf.contrib.slim.dropout(x)", "tf-slim", "tf.contrib.slim.dropout"),
        ("from tensorflow.contrib.slim.nets import vgg\nvgg.vgg_a(x)", "tf-slim", "tf.contrib.slim.nets.vgg"),
        # These were said to be places to change by hand.
        ("tf.contrib.slim.learning.train(x, 'logs')", "tf-slim", "tf.contrib.slim.learning.train"),
        (
            "tf.contrib.slim.evaluation.evaluate_once('', 'a', 'b')",
            "tf-slim",
            "tf.contrib.slim.evaluation.evaluate_once",
        ),
        ("tf.contrib.training.train(x, 'logs')", "tf-slim", "tf.contrib.training.train"),
        ("y = tf.contrib.layers.dense_to_sparse(x)", "tf-slim", "tf.contrib.layers.dense_to_sparse"),
    ],
)
def test_what_has_to_be_installed_besides_is_said_with_the_name_that_needs_it(
    project: Any, code: str, package: str, name: str
) -> None:
    out = project({"a.py": f"import tensorflow as tf\n{code}\ntf.Session()\n"})
    assert out[:2] == [
        "1 of 1 file runs unchanged: python -m queuecompat run a.py",
        f"  needs the package {package}: pip install {package}  ({name}, in a.py)",
    ]


def test_what_needs_no_package_says_nothing_of_one(project: Any) -> None:
    ours = "tf.contrib.layers.flatten(x)\ntf.contrib.rnn.static_rnn\ntf.contrib.slim.tfexample_decoder.Tensor('a')\n"
    ours += "from tensorflow.contrib.slim.python.slim.data import parallel_reader\nslim = tf.contrib.slim\n"
    ours += "slim.dataset_data_provider.DatasetDataProvider(x)\nslim.queues.QueueRunners(x)\n"
    ours += "from tensorflow.contrib import slim as other\nimport tensorflow.contrib.slim as third\n"
    assert not any(" needs " in line for line in project({"a.py": f"import tensorflow as tf\n{ours}tf.Session()\n"}))

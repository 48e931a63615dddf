"""The steps of the guide. That they print the same is seen where the guide's commands are run: tests/guide."""

from __future__ import annotations

import difflib
import pathlib
import re
import subprocess
import sys

import pytest

from tests.forking import Server

STEPS = pathlib.Path(__file__).parents[2] / "examples" / "steps"


def code(name: str) -> str:
    """The program below its docstring, without blank lines."""
    text = (STEPS / name).read_text(encoding="utf-8").split('"""', 2)[2]
    return re.sub(r"\n+", "\n", text)


def function(name: str, source: str) -> str:
    found = re.search(rf"^def {name}\(.*?(?=^[^ \n])", source, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group()


def test_step_1_changes_the_import_alone() -> None:
    lines = difflib.ndiff(code("step_0_tf1.py").splitlines(), code("step_1_v1.py").splitlines())
    assert [line for line in lines if line[0] in "+-"] == [
        "- import tensorflow as tf",
        "+ import queuecompat.v1 as tf",
    ]


def test_step_2_changes_nothing_of_the_input_function_but_names() -> None:
    before = function("inputs", code("step_0_tf1.py"))
    names = {
        "tf.TFRecordReader": "tf.compat.v1.TFRecordReader",
        "tf.FixedLenFeature": "tf.io.FixedLenFeature",
        "tf.parse_single_example": "tf.io.parse_single_example",
        "tf.decode_raw": "tf.io.decode_raw",
        "tf.random_crop": "tf.image.random_crop",
    }
    for old, new in names.items():
        before = before.replace(old, new)
    assert before == function("inputs", code("step_2_dataset.py"))


def test_step_3_does_not_need_queuecompat_and_trains_as_step_2_does() -> None:
    assert "queuecompat" not in code("step_3_tf_data.py")
    assert function("train", code("step_2_dataset.py")) == function("train", code("step_3_tf_data.py"))


def migrated(way: str, folder: pathlib.Path) -> pathlib.Path:
    """Step 0, rewritten by ``migrate``."""
    path = folder / "program.py"
    path.write_bytes((STEPS / "step_0_tf1.py").read_bytes())
    command = [sys.executable, "-m", "queuecompat", "migrate", str(path), "--to", way, "--write"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, cwd=STEPS.parents[1])
    assert done.returncode == 0, done.stdout + done.stderr
    return path


def test_migrate_writes_step_1(tmp_path: pathlib.Path) -> None:
    text = migrated("v1", tmp_path).read_text(encoding="utf-8")
    assert re.sub(r"\n+", "\n", text.split('"""', 2)[2]) == code("step_1_v1.py")


@pytest.mark.parametrize("way", ["as-dataset", "tf-data"])
def test_the_migrated_program_prints_the_batches_of_the_guide(way: str, tmp_path: pathlib.Path, server: Server) -> None:
    said = re.search(r"^done after.*", (STEPS.parents[1] / "migration_guide" / "README.md").read_text("utf-8"), re.M)
    assert said is not None
    path = migrated(way, tmp_path)
    done = server.run([str(path)], str(tmp_path))
    assert done.exit_code == 0, done.err[-3000:]
    assert done.out.splitlines()[-1] == said.group()

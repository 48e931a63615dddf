"""``--to v1``: what it leaves alone, and then what becomes of every form of import."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

import queuecompat
from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.sources import migrated, source
from tests.scripts import data
from tests.scripts.catalogue import PROGRAMS
from tests.scripts.comparing import differences

# Contrib, and a module of its own; the others with QUEUECOMPAT_ALL_PROGRAMS=1.
REPRESENTATIVE = ("slim_clones",)
ALL = os.environ.get("QUEUECOMPAT_ALL_PROGRAMS")


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\n",
        "import tensorflow_datasets as tfds\n",
        "import tensorflow.compat.v2 as tf\n",
        "from tensorflow.compat import v2 as tf\n",
        "from . import tensorflow\n",
        "from .tensorflow import train\n",
        "import queuecompat.v1 as tf\n",
        "text = 'import tensorflow as tf'\n",
        "# import tensorflow as tf\n",
    ],
)
def test_what_is_no_import_of_tensorflow_1_is_left_alone(text: str) -> None:
    assert migrated(text, "v1") == text


def test_a_file_of_tensorflow_2_is_left_alone_and_reported() -> None:
    text = "import tensorflow as tf\n\n@tf.function\ndef step(x):\n    return x\n"
    rewritten = TARGETS["v1"](source(text))
    assert rewritten.text == text
    assert [(one.code, one.line) for one in rewritten.left] == [("QC741", 3)]


def test_files_that_share_one_another_change_at_once(tmp_path: pathlib.Path) -> None:
    # The first of them, which the second one imports as well, used to change only when the command was run again.
    old = "import tensorflow.compat.v1 as tf\n"
    files = {
        "main.py": "import tensorflow as tf\nimport first, second\n"
        "print(second.shifted(first.scaled(tf.placeholder(tf.float32))))\n",
        "first.py": old + "def scaled(x):\n    return tf.multiply(x, 2.0)\n",
        "second.py": old + "from first import scaled\ndef shifted(x):\n    return tf.add(scaled(x), 1.0)\n",
        "third.py": old + "def doubled(x):\n    return tf.multiply(x, 2.0)\n",  # of nothing that is TensorFlow 1
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for changed in (["first.py", "main.py", "second.py"], []):
        found = list(migrate([str(tmp_path)], "v1"))
        assert sorted(one.path.name for one in found if one.new != one.path.read_bytes()) == changed
        for one in found:
            one.path.write_bytes(one.new)


def test_an_import_by_a_string_is_left_alone_and_reported() -> None:
    text = "import importlib\ntf = importlib.import_module('tensorflow.compat.v1')\nnp = __import__('numpy')\n"
    rewritten = TARGETS["v1"](source(text))
    assert rewritten.text == text
    assert [(one.code, one.line) for one in rewritten.left] == [("QC742", 2)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow as tf", "import queuecompat.v1 as tf"),
        ("import tensorflow", "import queuecompat.v1 as tensorflow"),
        ("import os, tensorflow as tf, sys  # all", "import os, queuecompat.v1 as tf, sys  # all"),
        ("import tensorflow.compat.v1 as tf", "import queuecompat.v1 as tf"),
        ("import tensorflow.compat.v1", "import queuecompat.v1 as tensorflow"),
        ("from tensorflow.compat import v1 as tf", "from queuecompat import v1 as tf"),
        ("from tensorflow.compat import v1", "from queuecompat import v1"),
        ("from tensorflow.compat.v1 import train", "from queuecompat.v1 import train"),
        ("from tensorflow import train, image as im", "from queuecompat.v1 import train, image as im"),
        ("from tensorflow import (\n    train,  # input\n)", "from queuecompat.v1 import (\n    train,  # input\n)"),
        ("from tensorflow import *", "from queuecompat.v1 import *"),
        ("import tensorflow.contrib.slim as slim", "import queuecompat.v1.contrib.slim as slim"),
        ("from tensorflow.contrib import slim", "from queuecompat.v1.contrib import slim"),
        (
            "import tensorflow.contrib.slim",
            "import queuecompat.v1 as tensorflow, queuecompat.v1.contrib.slim",
        ),
        (
            "import tensorflow.python.platform.gfile, os",
            "import queuecompat.v1 as tensorflow, queuecompat.v1.python.platform.gfile, os",
        ),
        ("from tensorflow.python.ops import io_ops", "from queuecompat.v1.python.ops import io_ops"),
        ("import tf_slim as slim", "import queuecompat.v1.contrib.slim as slim"),
        ("import tf_slim", "import queuecompat.v1.contrib.slim as tf_slim"),
    ],
)
def test_every_form_of_import_keeps_its_names(before: str, after: str) -> None:
    lines = "'''Doc.'''\n\nif  True :\n    {}\nx = ( 1,2 )  # as it was\nimport {}.contrib.slim as of_tf1\n"
    old = lines.format(before.replace("\n", "\n    "), "tensorflow")
    assert migrated(old, "v1") == lines.format(after.replace("\n", "\n    "), "queuecompat.v1")


@pytest.mark.parametrize("to", sorted(TARGETS))
@pytest.mark.parametrize("path", sorted(pathlib.Path(__file__).parent.glob("clean/*.py")), ids=lambda path: path.stem)
def test_programs_of_tensorflow_2_stay_byte_for_byte(path: pathlib.Path, to: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert migrated(text, to) == text


def test_the_imports_work(tmp_path: pathlib.Path) -> None:
    forms = (
        "import tensorflow.contrib.slim\nimport tensorflow.python.platform.gfile\nimport tensorflow.compat.v1\n"
        "from tensorflow.compat import v1 as one\nfrom tensorflow.keras import layers\n"
        "import tensorflow as tf\nimport tf_slim as slim\ntf.logging\n"
        "assert tensorflow is tf is one and tensorflow.compat.v1 is tf\n"
        "assert tensorflow.contrib.slim is slim and tensorflow.python.platform.gfile.GFile and layers.Dense\n"
    )
    (tmp_path / "forms.py").write_text(migrated(forms, "v1"))
    root = str(pathlib.Path(queuecompat.__file__).parents[1])
    subprocess.run([sys.executable, "forms.py"], cwd=tmp_path, env=dict(os.environ, PYTHONPATH=root), check=True)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("data"))
    data.write_all(folder)
    return folder


@pytest.mark.parametrize(
    "name",
    [name for name, one in PROGRAMS.items() if not one.needs_legacy_keras and (ALL or name in REPRESENTATIVE)],
)
def test_a_migrated_program_sees_what_it_saw_under_tf1(
    name: str, data_dir: str, tmp_path: pathlib.Path, server: Server
) -> None:
    script, *arguments = PROGRAMS[name].command(data_dir, str(tmp_path))
    for path in pathlib.Path(script).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        (tmp_path / path.name).write_text(migrated(text, "v1"), encoding="utf-8")
    ran = server.run([str(tmp_path / f"{name}.py"), *arguments], str(tmp_path))
    assert ran.exit_code == 0, ran.err[-4000:]
    recorded = json.loads(pathlib.Path(PROGRAMS[name].record).read_text())
    assert differences(recorded, json.loads((tmp_path / "summary.json").read_text())) == []


def test_nothing_else_of_a_program_changes() -> None:
    for name in PROGRAMS:
        path = pathlib.Path(PROGRAMS[name].command("", "")[0])
        before = path.read_text(encoding="utf-8").splitlines()
        after = TARGETS["v1"](source(path.read_text(encoding="utf-8"))).text.splitlines()
        different = [(old, new) for old, new in zip(before, after) if old != new]
        assert len(before) == len(after) and different
        assert all("tensorflow" in old and "queuecompat.v1" in new for old, new in different)


def test_estimators_are_in_the_new_namespace() -> None:
    text = (
        "import tensorflow as tf\n\nmodel = tf.estimator.Estimator(None)\nfn = tf.estimator.inputs.numpy_input_fn({})\n"
    )
    rewritten = TARGETS["v1"](source(text))
    assert rewritten.left == [] and "import queuecompat.v1 as tf" in rewritten.text

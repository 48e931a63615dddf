"""Files that have their name for TensorFlow from other files of the program: found, followed, and never left worse."""

from __future__ import annotations

import ast
import pathlib
import re
from typing import Dict, List, Tuple

import pytest

from queuecompat.migrate.analysis.reexports import reexports, top_names
from queuecompat.migrate.check.checking import check
from queuecompat.migrate.rewrite.migrating import migrate
from tests.forking import Server

HELPERS = "import tensorflow as tf\nslim = tf.contrib.slim\n_tf = tf\n"
PIPELINE = "def batches():\n    row = tf.train.slice_input_producer([[1, 2, 3]], shuffle=False)\n"
PIPELINE += "    number = row[0]\n    return tf.train.batch([number], 2)\n"
MAIN = (
    "import tensorflow as tf\n"
    "from pipeline import batches\n"
    "numbers = batches()\n"
    "with tf.Session() as sess:\n"
    "    tf.train.start_queue_runners(sess)\n"
    "    print(sess.run(numbers))\n"
)


def by_file(files: Dict[str, str]) -> Dict[str, Tuple[Dict[str, str], Dict[str, str]]]:
    """For each file, what it has of TensorFlow from the others: by full names, and by stars."""
    found = reexports({file: top_names(ast.parse(text)) for file, text in files.items()})
    return {
        file: ({name: x.full for name, x in one.by_module.items()}, {name: x.full for name, x in one.by_star.items()})
        for file, one in found.items()
    }


TF = {"tf": "tensorflow"}
SLIM = {"slim": "tensorflow.contrib.slim"}
ALL = {"helpers.tf": "tensorflow", "helpers.slim": "tensorflow.contrib.slim", "helpers._tf": "tensorflow"}


@pytest.mark.parametrize(
    ("files", "by_module", "by_star"),
    [
        ({"helpers.py": HELPERS, "a.py": "from helpers import *"}, ALL, {**TF, **SLIM}),
        ({"helpers.py": HELPERS, "a.py": "import helpers"}, ALL, {}),
        ({"helpers.py": HELPERS, "a.py": "def f():\n    from helpers import tf"}, ALL, {}),
        ({"helpers.py": "import numpy as np\ntf = np\n", "a.py": "from helpers import *"}, {}, {}),
        ({"helpers.py": "def f():\n    import tensorflow as tf\n", "a.py": "from helpers import *"}, {}, {}),
        (
            {
                "helpers.py": "try:\n    import queuecompat.v1 as tf\nexcept ImportError:\n    raise\n",
                "a.py": "import helpers",
            },
            {"helpers.tf": "queuecompat.v1"},
            {},
        ),
        ({"helpers.py": HELPERS + "__all__ = ['slim', '_tf']\n", "a.py": "from helpers import *"}, ALL, {
            "_tf": "tensorflow", **SLIM
        }),
        # Through a second file, and in a circle.
        (
            {"helpers.py": "import tensorflow as tf\n", "b.py": "from helpers import *\n", "a.py": "from b import *"},
            {"b.tf": "tensorflow"},
            TF,
        ),
        (
            {"b.py": "import tensorflow as tf\nfrom a import *\n", "a.py": "from b import *"},
            {"b.tf": "tensorflow"},
            TF,
        ),
        ({"p/__init__.py": "import tensorflow as tf", "p/a.py": "from . import tf"}, {".tf": "tensorflow"}, {}),
        (
            {"p/__init__.py": "", "p/helpers.py": "import tensorflow as tf", "p/a.py": "from .helpers import *"},
            {".helpers.tf": "tensorflow"},
            TF,
        ),
    ],
)  # fmt: skip
def test_names_are_followed_through_files(
    files: Dict[str, str], by_module: Dict[str, str], by_star: Dict[str, str]
) -> None:
    assert by_file(files)[list(files)[-1]] == (by_module, by_star)


WAYS = {
    "star": "from helpers import *\n" + PIPELINE,
    "by its name": "from helpers import tf\n" + PIPELINE,
    "by its module": "import helpers\n" + PIPELINE.replace("tf.", "helpers.tf."),
    "renamed": "from helpers import tf as flow\n" + PIPELINE.replace("tf.", "flow."),
}


def program(folder: pathlib.Path, pipeline: str) -> None:
    # Nothing in it but the import is TensorFlow 1's: what it gives to the pipeline has to be.
    (folder / "helpers.py").write_text("import tensorflow as tf\n")
    (folder / "pipeline.py").write_text(pipeline)
    (folder / "main.py").write_text(MAIN)


def written(folder: pathlib.Path, to: str) -> List[str]:
    """Rewrites *folder*; what is said of pipeline.py."""
    found = list(migrate([str(folder)], to))
    for one in found:
        one.path.write_bytes(one.new)
    return [said.message for one in found if one.path.name == "pipeline.py" for said in one.left]


@pytest.mark.parametrize("way", WAYS)
def test_check_finds_pipelines_in_them(tmp_path: pathlib.Path, way: str) -> None:
    program(tmp_path, WAYS[way])
    found = [one for one in check([str(tmp_path)]).findings if one.file.endswith("pipeline.py")]
    assert [(one.code, one.line) for one in found] == [("QC701", 3), ("QC701", 5)]


@pytest.mark.parametrize(
    "use",
    [
        "from config import FLAGS\nprint(FLAGS.size)",
        "from config import *\nf(FLAGS)",
        "import config\nconfig.FLAGS.size",
    ],
)
def test_the_programs_own_flags_are_found_in_the_file_that_defines_them(tmp_path: pathlib.Path, use: str) -> None:
    """It was said that TensorFlow 2 lacks 'FLAGS.size'."""
    defined = "FLAGS = tf.app.flags.FLAGS\ntf.app.flags.DEFINE_integer('size', 4, '')\n"
    (tmp_path / "config.py").write_text("import tensorflow as tf\n" + defined)
    (tmp_path / "train.py").write_text(f"import tensorflow as tf\n{use}\n")
    found = [(pathlib.Path(one.file).name, one.line, one.code) for one in check([str(tmp_path)]).findings]
    assert found == [("config.py", 2, "QC713")]


def test_a_name_that_the_file_binds_itself_is_its_own(tmp_path: pathlib.Path) -> None:
    program(tmp_path, "from helpers import *\nimport numpy as tf\n" + PIPELINE)
    assert not [one for one in check([str(tmp_path)]).findings if one.file.endswith("pipeline.py")]


@pytest.mark.parametrize("way", WAYS)
def test_with_v1_the_file_that_imports_tensorflow_changes(tmp_path: pathlib.Path, way: str, server: Server) -> None:
    program(tmp_path, WAYS[way])
    assert not written(tmp_path, "v1")
    assert (tmp_path / "helpers.py").read_text() == "import queuecompat.v1 as tf\n"
    assert (tmp_path / "pipeline.py").read_text() == WAYS[way]
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[1 2]\n"


def test_a_file_from_which_tf1_code_imports_no_name_stays(tmp_path: pathlib.Path) -> None:
    program(tmp_path, "from helpers import *\nimport tensorflow as tf\n" + PIPELINE)
    written(tmp_path, "v1")
    assert (tmp_path / "helpers.py").read_text() == "import tensorflow as tf\n"


@pytest.mark.parametrize("to", ["v1", "as-dataset", "tf-data"])
def test_a_file_that_gives_a_name_once_more_changes(tmp_path: pathlib.Path, to: str) -> None:
    """'import *' brought TensorFlow 2 under the name of TensorFlow 1: an AttributeError."""
    program(tmp_path, "import tensorflow as tf\nfrom helpers import *\n" + PIPELINE)
    written(tmp_path, to)
    helpers, pipeline = ((tmp_path / f"{name}.py").read_text() for name in ("helpers", "pipeline"))
    assert "v1 as tf" in helpers and re.findall(r"import .* as tf", helpers)[0] in pipeline


TARGETS = pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
NAMED = ["star", "by its name", "renamed"]
LOOP = MAIN.partition("with")[0] + (
    "with tf.Session() as sess:\n"
    "    tf.train.start_queue_runners(sess)\n"
    "    for _ in range(2):\n"
    "        print(sess.run(numbers))\n"
)


@TARGETS
@pytest.mark.parametrize("way", NAMED)
def test_pipelines_in_them_are_rewritten(tmp_path: pathlib.Path, way: str, to: str, server: Server) -> None:
    flow = "flow" if way == "renamed" else "tf"
    # A name that TensorFlow 2 lacks, too.
    program(tmp_path, WAYS[way].replace("row[0]", f"{flow}.to_int64(row[0])"))
    (tmp_path / "main.py").write_text(LOOP)
    assert not written(tmp_path, to)
    assert (tmp_path / "helpers.py").read_text() == "import tensorflow.compat.v1 as tf\n"
    assert "Session" not in (tmp_path / "main.py").read_text()
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[1 2]\n[3 1]\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data", "v1"])
def test_the_file_that_imports_it_may_be_several_files_away(tmp_path: pathlib.Path, to: str, server: Server) -> None:
    program(tmp_path, "from between import *\n" + PIPELINE.replace("row[0]", "tf.to_int64(row[0])"))
    (tmp_path / "between.py").write_text("from helpers import *\n")
    (tmp_path / "main.py").write_text(LOOP)
    assert not written(tmp_path, to)
    assert (tmp_path / "between.py").read_text() == "from helpers import *\n"
    ours = "queuecompat.v1" if to == "v1" else "tensorflow.compat.v1"
    assert (tmp_path / "helpers.py").read_text() == f"import {ours} as tf\n"
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[1 2]\n[3 1]\n"


@pytest.mark.parametrize("way", NAMED)
def test_a_second_run_changes_nothing_and_the_next_target_takes_them(
    tmp_path: pathlib.Path, way: str, server: Server
) -> None:
    """The second run asked for an import in this file, because what the first one had written is no TensorFlow 1."""
    program(tmp_path, WAYS[way])
    (tmp_path / "main.py").write_text(LOOP)
    assert not written(tmp_path, "as-dataset")
    before = (tmp_path / "pipeline.py").read_text()
    assert not written(tmp_path, "as-dataset") and (tmp_path / "pipeline.py").read_text() == before
    assert not written(tmp_path, "tf-data") and "queuecompat" not in (tmp_path / "pipeline.py").read_text()
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[1 2]\n[3 1]\n"


CONFIG = (
    "import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\ntf.app.flags.DEFINE_integer('batch', 2, 'rows of a batch')\n"
)


@pytest.mark.parametrize(
    ("config", "name", "batch", "more"),
    [
        (CONFIG, "FLAGS", "FLAGS.batch", {}),
        # A TensorFlow 2 program has its type from the same file, which stays as it is.
        (
            "import tensorflow as tf\nKIND = tf.int64\n",
            "KIND",
            "KIND.size // 4",
            {"other.py": "import tensorflow as tf\nfrom config import KIND\nmodel = tf.keras.Model()\n"},
        ),
    ],
    ids=["flags", "shared"],
)
def test_a_different_name_from_a_different_file_changes_nothing_for_a_file_that_imports_tensorflow(
    tmp_path: pathlib.Path, config: str, name: str, batch: str, more: Dict[str, str], server: Server
) -> None:
    """Each target after the first one asked for the import that is there."""
    for file, text in {"config.py": config, **more}.items():
        (tmp_path / file).write_text(text)
    pipeline = f"import tensorflow as tf\nfrom config import {name}\n" + PIPELINE.replace(", 2)", f", {batch})")
    (tmp_path / "pipeline.py").write_text(pipeline)
    (tmp_path / "main.py").write_text(LOOP)
    for to in ("v1", "as-dataset", "as-dataset", "tf-data"):
        before = (tmp_path / "pipeline.py").read_text()
        assert not written(tmp_path, to)
        assert "# queuecompat: " not in (tmp_path / "pipeline.py").read_text()
    assert (tmp_path / "pipeline.py").read_text() != before and "tf.data" in (tmp_path / "pipeline.py").read_text()
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[1 2]\n[3 1]\n"


@TARGETS
@pytest.mark.parametrize("way", NAMED)
def test_they_change_beside_a_session_that_stays(tmp_path: pathlib.Path, way: str, to: str, server: Server) -> None:
    program(tmp_path, WAYS[way])
    fed = LOOP.replace("numbers))", "numbers * p, {p: 2.5}))")
    (tmp_path / "main.py").write_text(fed.replace("with tf.S", "p = tf.placeholder(tf.int32)\nwith tf.S"))
    assert not written(tmp_path, to)
    changed = (tmp_path / "pipeline.py").read_text()
    assert (
        "@queuecompat.input_pipeline" in changed if to == "as-dataset" else "tf.data" in changed.replace("flow.", "tf.")
    )
    assert server.run([str(tmp_path / "main.py")], str(tmp_path)).out == "[2 4]\n[6 2]\n"


@TARGETS
@pytest.mark.parametrize(
    ("pipeline", "more"),
    [
        (WAYS["by its module"], {}),
        # A TensorFlow 2 program has its name for it from the same file, which has to stay as it is.
        (WAYS["star"], {"other.py": "from helpers import tf\nmodel = tf.keras.Model()\n"}),
        (
            WAYS["star"],
            {
                "b.py": "from helpers import *\nimport c\n",
                "c.py": "def f():\n    pass\n",
                "other.py": "from b import *\nmodel = tf.keras.Model()\n",
            },
        ),
    ],
    ids=["by its module", "shared", "shared through a file of imports"],
)
def test_what_is_not_rewritten_says_which_file_the_name_is_from(
    tmp_path: pathlib.Path, pipeline: str, more: Dict[str, str], to: str
) -> None:
    program(tmp_path, pipeline)
    for name, text in more.items():
        (tmp_path / name).write_text(text)
    [said] = written(tmp_path, to)
    assert "its name for TensorFlow comes from 'helpers.py': write 'import tensorflow as tf' in this file, too" in said
    lines = (tmp_path / "main.py").read_text().splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("# queuecompat: ")) == MAIN
    assert (tmp_path / "helpers.py").read_text() == "import tensorflow as tf\n"


def test_a_package_with_all_names_of_tensorflow_is_one_more_name_for_it(tmp_path: pathlib.Path, server: Server) -> None:
    """Nothing was found in what imports it."""
    (tmp_path / "flow").mkdir()
    (tmp_path / "flow" / "__init__.py").write_text("from tensorflow import *\nlayers = 'its own'\n")
    (tmp_path / "pipeline.py").write_text("import flow as tf\nprint(tf.layers)\n" + PIPELINE)
    (tmp_path / "main.py").write_text(MAIN)
    found = [(one.code, one.line) for one in check([str(tmp_path)]).findings if one.file.endswith("pipeline.py")]
    assert found == [("QC701", 4), ("QC701", 6)]
    for to, code in (("as-dataset", "QC743"), ("tf-data", "QC744")):
        left = [said for one in migrate([str(tmp_path)], to) for said in one.left if one.path.name == "pipeline.py"]
        assert [one.code for one in left] == [code] and "comes from 'flow/__init__.py'" in left[0].message
    assert not written(tmp_path, "v1")
    assert (tmp_path / "flow" / "__init__.py").read_text().startswith("from queuecompat.v1 import *\n")
    done = server.run(["main.py"], str(tmp_path))
    assert done.out.splitlines() == ["its own", "[1 2]"], done.err

"""``load``, ``tf1_imports``, ``as_dataset("module:function")``: TensorFlow 1's files in a program of TensorFlow 2."""

from __future__ import annotations

import json
import pathlib
import textwrap
from typing import Any, Callable, Dict

import pytest

from tests.forking import Ran, Server

FILES = {
    "old/inputs.py": """
        import tensorflow as tf
        import helper, library
        from tensorflow.contrib import slim
        from tensorflow.python.platform import flags

        tf.app.flags.DEFINE_integer("rows", 3, "rows in a batch")
        FLAGS = tf.app.flags.FLAGS
        NAMES = [tf.__name__, helper.NAME, slim.__name__, library.NAME]

        def inputs(count, first=0):
            import late
            import tensorflow.contrib.training
            from tensorflow.contrib.training import bucket
            assert late.NAME == "queuecompat.v1", late.NAME
            number = tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue() + first
            batch = tf.train.batch([helper.doubled(number)], FLAGS.rows)
            assert batch.get_shape()[0].value == flags.FLAGS.rows
            return batch

        class Reader:
            @staticmethod
            def read():
                return tf.constant(7)
        """,
    "old/helper.py": """
        import tensorflow as tf
        NAME = tf.__name__
        def doubled(x): return tf.to_int32(2 * x)
        """,
    "old/late.py": "import tensorflow as tf\nNAME = tf.__name__\n",
    "old/clash.py": "import settings\n",
    "old/settings.py": "",
    "old/broken.py": "import tensorflow as tf\ntf.nowhere\n",
    "old/waits.py": "import tensorflow as tf\nimport __main__\n__main__.elsewhere()\nNAME = tf.__name__\n",
    "old/package/__init__.py": "",
    "old/package/data.py": "from . import names\nNAME = names.NAME\n",
    "old/package/names.py": "import tensorflow as tf\nNAME = tf.__name__\n",
    "old/by_name.py": """
        import importlib
        import importlib as named, importlib.util
        from importlib import import_module
        NAMES = [importlib.import_module("tensorflow").__name__, import_module("tensorflow.contrib.slim").__name__,
                 named.import_module("tensorflow.contrib.training").__name__, import_module("helper").NAME,
                 import_module("library").NAME, importlib.util.find_spec("helper").name, named.__name__]
        def late(): return importlib.import_module("late").NAME
        """,
    "old/package/by_name.py": """
        import importlib
        NAME = importlib.import_module(".names", __package__).NAME
        def wrong(): return importlib.import_module(".names")
        """,
    "new/settings.py": "import tensorflow as tf\nNAME = tf.__name__\n",
    "new/beside.py": "import tensorflow as tf\nNAME = tf.__name__\n",
    "new/first.py": "import tensorflow as tf\nNAME = tf.__name__\nimport second\n",
    "new/second.py": "import tensorflow as tf\nNAME = tf.__name__\n",
    "new/site-packages/library.py": "import tensorflow as tf\nNAME = tf.__name__\n",
}

START = """
    import importlib, json, pathlib, sys, threading, warnings
    import tensorflow as tf
    import queuecompat
    sys.path[:0] = ["new", "new/site-packages"]
    sys.argv += ["--learning_rate", "0.1", "-f", "kernel.json"]
    found = {}

    def failure(call):
        try:
            call()
        except Exception as problem:
            return type(problem).__name__ + ": " + str(problem)

    def values(*arguments):
        return [batch.tolist() for batch in queuecompat.as_dataset(*arguments).as_numpy_iterator()]
    """


@pytest.fixture
def run(server: Server, tmp_path: pathlib.Path) -> Callable[[str], Dict[str, Any]]:
    """Runs a program beside the files, and returns what it has put into ``found``."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")

    def program(code: str) -> Dict[str, Any]:
        text = textwrap.dedent(START) + textwrap.dedent(code) + "\nprint(json.dumps(found))\n"
        done: Ran = server.run(["-c", text], str(tmp_path))
        assert done.exit_code == 0, done.err
        return dict(json.loads(done.out.splitlines()[-1]))

    return program


V1, TF = "queuecompat.v1", "tensorflow"


def test_a_file_that_is_loaded_and_its_tree_have_tensorflow_1_and_all_others_tensorflow_2(run: Any) -> None:
    found = run(
        """
        before = list(sys.path), list(sys.meta_path), set(sys.modules)
        module = queuecompat.load("old/inputs.py")
        found["names"] = module.NAMES
        found["same"] = [module is sys.modules["inputs"], module is queuecompat.load("old/inputs.py")]
        found["left"] = [sys.path != before[0], sys.meta_path != before[1]]
        found["modules"] = sorted(n for n in set(sys.modules) - before[2] if "." not in n and n in ("inputs", "helper",
                                  "library", "late"))
        import beside
        found["beside"] = beside.NAME
        found["values"] = values(module.inputs, 6)
        found["eager"] = [tf.executing_eagerly(), bool(tf.constant(1).numpy() == 1), "queuecompat.v1" in sys.modules]
        found["flag"] = module.FLAGS.rows
        found["package"] = queuecompat.load("old/package/data.py").NAME
        found["path"] = queuecompat.load(pathlib.Path("old", "inputs.py")) is module
        """
    )
    assert found["names"] == [V1, V1, "queuecompat.contrib.slim", TF]
    assert found["same"] == [True, True]
    assert found["left"] == [False, False]
    assert found["modules"] == ["helper", "inputs", "library"]
    assert found["beside"] == TF
    assert found["values"] == [[0, 2, 4], [6, 8, 10]]
    assert found["eager"] == [True, True, False]
    assert found["flag"] == 3
    assert found["package"] == V1


def test_import_module_in_such_a_file_finds_what_its_import_statements_find(run: Any) -> None:
    """It found TensorFlow 2, and the file's own tree with TensorFlow 2's names."""
    found = run(
        """
        import importlib
        before = importlib.import_module
        module = queuecompat.load("old/by_name.py")
        found["names"] = [*module.NAMES, module.late(), queuecompat.load("old/package/by_name.py").NAME]
        found["wrong"] = failure(sys.modules["package.by_name"].wrong)
        found["outside"] = [importlib.import_module is before, importlib.import_module("tensorflow") is tf,
                            importlib.import_module("beside").NAME]
        """
    )
    slim, training = "queuecompat.contrib.slim", "queuecompat.contrib.training"
    assert found["names"] == [V1, slim, training, V1, TF, "helper", "importlib", V1, V1]
    assert found["wrong"].startswith("TypeError")
    assert found["outside"] == [True, True, TF]


def test_a_module_that_is_reloaded_keeps_tensorflow_1(run: Any) -> None:
    """``load`` and ``as_dataset`` refused it from then on, as imported with TensorFlow 2's names (QC514)."""
    found = run(
        """
        module = queuecompat.load("old/by_name.py")
        sys.path.append("old")
        importlib.reload(module)
        found["names"] = [module.NAMES[0], module.late()]
        found["same"] = queuecompat.load("by_name") is queuecompat.load("old/by_name.py") is module
        """
    )
    assert found == {"names": [V1, V1], "same": True}


def test_a_block_of_tf1_imports_is_for_its_own_thread_and_ends_with_it(run: Any) -> None:
    found = run(
        """
        def elsewhere():
            # While this thread's file is being imported, another thread imports one of TensorFlow 2.
            thread = threading.Thread(target=lambda: __import__("beside"))
            thread.start()
            thread.join()

        sys.modules["__main__"].elsewhere = elsewhere
        sys.path.append("old")
        before = list(sys.meta_path)
        with queuecompat.tf1_imports():
            import waits, first
            import tensorflow
            with queuecompat.tf1_imports():
                import package.data
        import second, settings
        found["names"] = [waits.NAME, sys.modules["beside"].NAME, first.NAME, second.NAME, package.data.NAME]
        found["after"] = [settings.NAME, tensorflow.__name__, sys.meta_path == before]
        """
    )
    assert found["names"] == [V1, TF, V1, V1, V1]
    assert found["after"] == [TF, TF, True]


def test_a_string_names_a_function_of_a_file_or_of_a_module(run: Any) -> None:
    found = run(
        """
        found["path"] = values("old/inputs.py:inputs", 3, 1)
        found["class"] = int(next(iter(queuecompat.as_dataset("old/inputs.py:Reader.read"))))
        found["module"] = values("inputs:inputs", 3)
        found["failures"] = [failure(lambda: queuecompat.as_dataset(place)) for place in ("inputs", ":f", "inputs:",
            "absent:f", "absent.py:f", "inputs:absent")]
        """
    )
    assert found["path"] == [[2, 4, 6]]
    assert found["class"] == 7
    assert found["module"] == [[0, 2, 4]]
    kinds = ["QC515"] * 3 + ["ModuleNotFoundError", "FileNotFoundError", "AttributeError"]
    assert all(kind in text for kind, text in zip(kinds, found["failures"])), found["failures"]


def test_two_files_of_one_name_are_an_error_and_never_the_wrong_module(run: Any) -> None:
    found = run(
        """
        import settings, second
        found["beside"] = failure(lambda: queuecompat.load("old/clash.py"))
        found["itself"] = failure(lambda: queuecompat.load("old/settings.py"))
        found["plain"] = failure(lambda: queuecompat.load("new/second.py"))
        found["dotted"] = failure(lambda: queuecompat.load("second"))
        found["left"] = "clash" in sys.modules
        """
    )
    for name in ("beside", "itself", "plain", "dotted"):
        assert found[name].startswith("QueueCompatImportError: QC514"), found[name]
    assert "old/settings.py cannot be imported as 'settings'" in found["beside"]
    assert "before the first 'import second'" in found["dotted"]
    assert not found["left"]


def test_a_missing_name_has_a_code_and_its_module_is_not_kept(run: Any) -> None:
    found = run(
        """
        before = list(sys.meta_path)
        found["error"] = failure(lambda: queuecompat.load("old/broken.py"))
        found["left"] = ["broken" in sys.modules, sys.meta_path != before]
        """
    )
    assert found["error"].startswith("AttributeError: QC511 'tf.nowhere' was not found")
    assert found["left"] == [False, False]

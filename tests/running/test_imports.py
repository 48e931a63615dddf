"""What ``import tensorflow`` means, and where: in the program's own files, and in nobody else's."""

from __future__ import annotations

import json
import pathlib
import textwrap
from typing import Any, Optional

import pytest

from tests.forking import Ran, Server

from .test_like_python import run

# Every form of import that programs of the time have; each name is what came of it.
PROGRAM = """
    import importlib, importlib.util, json, runpy, sys
    from importlib import import_module
    import tensorflow
    import tensorflow as tf
    import tensorflow.contrib.slim
    import tensorflow.contrib.slim as slim
    import tensorflow.contrib.training.python.training as deep
    import tensorflow.train as dotted
    import tensorflow.python.ops.array_ops
    import tensorflow.python.lib.io.tf_record as record_module
    from tensorflow import train, nn as nn_module, placeholder
    from tensorflow.contrib import training
    import tensorflow.examples.tutorials.mnist.mnist as mnist_module
    from tensorflow.examples.tutorials.mnist import input_data, mnist
    from tensorflow.examples.tutorials.mnist.mnist import IMAGE_PIXELS, inference
    from tensorflow.python.framework import ops
    from tensorflow.python.platform import gfile
    from tensorflow.python.training import input as input_module
    from tensorflow.python.training.queue_runner import QueueRunner
    import tensorflow.python.training.input as input_by_its_path
    import tensorflow.contrib.lookup.lookup_ops as lookup_by_its_path
    import tensorflow.python.estimator.inputs.numpy_io as numpy_by_its_path
    from tensorflow.contrib.lookup import lookup_ops
    from tensorflow.python.estimator.inputs import numpy_io
    from tensorflow.python.ops import array_ops, control_flow_ops, image_ops, io_ops
    from tensorflow.python.ops.nn import dynamic_rnn
    from tensorflow.python.training import supervisor, training as all_of_train
    import library
    import in_the_tree
    import package.module

    import tensorflow.compat.v1
    import tensorflow.compat.v1 as half_migrated
    from tensorflow.compat.v1.train import shuffle_batch
    from tensorflow.contrib.learn.python.learn.learn_io.generator_io import generator_input_fn
    tf.contrib.framework.get_variables()
    from tensorflow.contrib.framework.python.ops import variables as after_its_files_were_loaded

    names = {}
    exec("from tensorflow import *", names)
    configuration = {}
    exec("import tensorflow as tf\\nwhich = tf.__name__", configuration)

    def later():
        import tensorflow as inner
        return inner

    def by_its_path(path):
        spec = importlib.util.spec_from_file_location("by_its_path", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.NAME

    def by_imp(path):
        try:
            import imp
        except ImportError:  # Python has none since 3.12
            return tf.__name__
        return imp.load_source("by_imp", path).NAME

    def failure(statement):
        try:
            exec(statement)
        except (AttributeError, ImportError) as problem:
            return type(problem).__name__ + ": " + str(problem)

    print(json.dumps({
        "tensorflow": tensorflow.__name__,
        "same": [tensorflow is tf, later() is tf, tf.contrib.slim is slim, dotted is tf.train, train is tf.train],
        "compat": [half_migrated is tf, tf.compat.v1 is tf, shuffle_batch is tf.train.shuffle_batch],
        "half_private": [
            generator_input_fn is tf.contrib.learn.io.generator_input_fn,
            hasattr(after_its_files_were_loaded, "get_or_create_global_step"),
        ],
        "private": [gfile.__name__, ops.__name__, tensorflow.python.ops.array_ops.__name__, record_module.__name__],
        "queues": [input_module.batch is tf.train.batch, QueueRunner is tf.train.QueueRunner],
        "by_their_paths": [
            input_by_its_path.batch is tf.train.batch,
            lookup_by_its_path is lookup_ops is tf.contrib.lookup,
            numpy_by_its_path is numpy_io,
            numpy_io.numpy_input_fn is tf.estimator.inputs.numpy_input_fn,
        ],
        "moved": [
            array_ops.stack is tf.stack,
            control_flow_ops.cond is tf.cond,
            dynamic_rnn is tf.nn.dynamic_rnn,
            all_of_train.batch is tf.train.batch,
            io_ops.TFRecordReader is tf.TFRecordReader,
            image_ops.resize_images is tf.image.resize_images,
            supervisor.Supervisor is tf.train.Supervisor,
        ],
        "contrib": [slim.__name__, training.__name__, deep.__name__],
        "placeholder": placeholder is tf.placeholder,
        "mnist": [input_data.__name__, mnist.__name__],
        "mnist_names": [mnist_module is mnist, inference is mnist.inference, IMAGE_PIXELS == 784],
        "star": names["placeholder"] is tf.placeholder,
        "exec": configuration["which"],
        "functions": {
            "dunder": __import__("tensorflow").__name__,
            "dunder_with_a_list": __import__("tensorflow.contrib.slim", fromlist=["absent", ""]).__name__,
            "import_module": importlib.import_module("tensorflow").__name__,
            "import_module_by_its_name": import_module("tensorflow.contrib.slim").__name__,
            "import_module_relative": import_module(".slim", package="tensorflow.contrib").__name__,
            "import_module_mapped": list(map(import_module, ["tensorflow.train", "package.module"]))[1].NAME,
            "importlib_dunder": importlib.__import__("tensorflow.contrib").__name__,
            "run_path": runpy.run_path("in_the_tree.py")["NAME"],
            "run_path_of_a_library": runpy.run_path(library.__file__)["NAME"],
            "run_module": runpy.run_module("in_the_tree")["NAME"],
            "of_a_library": library.by_function(),
            "by_its_path": by_its_path("in_the_tree.py"),
            "by_its_path_of_a_library": by_its_path(library.__file__),
            "by_imp": by_imp("in_the_tree.py"),
            "by_a_loader": importlib.machinery.SourceFileLoader("by_a_loader", "in_the_tree.py").load_module().NAME,
        },
        "specs": [
            importlib.util.find_spec("tensorflow").origin == sys.modules["tensorflow"].__spec__.origin,
            importlib.util.find_spec("tensorflow.contrib.slim") is slim.__spec__,
            importlib.util.find_spec("tensorflow.train") is not None,
            importlib.util.find_spec("tensorflow.contrib.absent") is None,
            importlib.util.find_spec("in_the_tree").name == "in_the_tree",
        ],
        "library": library.NAME,
        "tree": [in_the_tree.NAME, package.module.NAME],
        "real": sys.modules["tensorflow"].__name__,
        "eager": tf.executing_eagerly(),
        "failures": [
            failure("import tensorflow.contrib.absent"),
            failure("from tensorflow import absent"),
            failure("from tensorflow.models.rnn import translate"),
            failure("from tensorflow.examples.tutorials.word2vec import word2vec"),
            failure("import tensorflow.python.absent"),
            failure("from tensorflow.contrib.training.python.training.training import train"),
            failure("from tensorflow.contrib.learn.python.learn.monitors import ValidationMonitor"),
            failure("from tensorflow.contrib.learn.python.learn import graph_actions; graph_actions.run(None)"),
        ],
    }))
"""


@pytest.fixture
def program(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "program"
    installed = folder / "environment" / "lib" / "site-packages"
    for one in (folder / "package", installed):
        one.mkdir(parents=True)
    (folder / "program.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    which = "import tensorflow as tf\nNAME = tf.__name__\n"
    (folder / "in_the_tree.py").write_text(which, encoding="utf-8")
    (folder / "package" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "package" / "module.py").write_text(which, encoding="utf-8")
    # A virtual environment beside the script, as many have it.
    by_function = "import importlib\ndef by_function():\n    return importlib.import_module('tensorflow').__name__\n"
    (installed / "library.py").write_text(which + by_function, encoding="utf-8")
    return folder


def result(program: pathlib.Path, *options: str, server: Optional[Server] = None) -> dict:
    """What PROGRAM prints, in a process that has TensorFlow already if *server* is given."""
    installed = str(program / "environment" / "lib" / "site-packages")
    code = f"import sys; sys.path.append({installed!r}); exec(compile(open('program.py').read(), 'program.py', 'exec'))"
    command = [*options, "-c", code]
    if server is None:
        done = run(command, program, ours=True)
        ended = Ran(done.returncode, done.stdout, done.stderr)
    else:
        ended = server.run(command, str(program), launcher=["run"])
    assert ended.exit_code == 0, ended.err
    return json.loads(ended.out.splitlines()[-1])


def test_in_the_programs_files_tensorflow_is_queuecompat_v1_and_in_libraries_it_is_not(program: pathlib.Path) -> None:
    found = result(program)
    assert found["tensorflow"] == found["exec"] == "queuecompat.v1"
    assert all(found["same"] + found["queues"] + found["by_their_paths"] + found["moved"])
    assert all(found["compat"] + found["half_private"])
    assert found["placeholder"]
    assert found["star"]
    assert found["tree"] == ["queuecompat.v1", "queuecompat.v1"]
    assert found["library"] == found["real"] == "tensorflow"
    assert found["private"] == [
        "tensorflow.python.platform.gfile",
        "tensorflow.python.framework.ops",
        "tensorflow.python.ops.array_ops",
        "tensorflow.python.lib.io.tf_record",
    ]
    assert found["contrib"] == [
        "queuecompat.contrib.slim",
        "queuecompat.contrib.training",
        "queuecompat.v1.contrib.training.python.training",
    ]
    below = "queuecompat._namespace.examples.tutorials.mnist"
    assert found["mnist"] == [f"{below}.input_data", f"{below}.mnist"]
    assert all(found["mnist_names"])
    assert not found["eager"]
    kinds = [text.partition(":")[0] for text in found["failures"]]
    assert kinds == [
        "ModuleNotFoundError",
        "ImportError",
        *["ModuleNotFoundError"] * 3,
        *["ImportError"] * 2,
        "AttributeError",
    ]
    for text, says in zip(
        found["failures"],
        [
            "TensorFlow 1.15 had no such name",
            "compat.v1 has no such name",
            "repository of their own",
            "only tutorials.mnist, with input_data and mnist",
            "no such private module",
            "'tf.contrib.training.train' was not found: it is in the package tf-slim (pip install tf-slim)",
            "'tf.contrib.learn.monitors.ValidationMonitor' was not found",
            "'tf.contrib.learn.graph_actions.run' was not found",  # it was said of 'tf.contrib.learn.run'
        ],
    ):
        assert says in text


def test_functions_that_import_answer_as_the_statement_does_where_they_are_called(
    program: pathlib.Path, server: Server
) -> None:
    # importlib.import_module used to return the real TensorFlow, and to refuse tensorflow.contrib; files that are
    # loaded by their paths had the real one.
    found = result(program, server=server)
    slim = "queuecompat.contrib.slim"
    assert found["functions"] == {
        "dunder": "queuecompat.v1",
        "dunder_with_a_list": slim,
        "import_module": "queuecompat.v1",
        "import_module_by_its_name": slim,
        "import_module_relative": slim,
        "import_module_mapped": "queuecompat.v1",
        "importlib_dunder": "queuecompat.v1",
        "run_path": "queuecompat.v1",
        "run_path_of_a_library": "tensorflow",
        "run_module": "queuecompat.v1",
        "of_a_library": "tensorflow",
        "by_its_path": "queuecompat.v1",
        "by_its_path_of_a_library": "tensorflow",
        "by_imp": "queuecompat.v1",
        "by_a_loader": "queuecompat.v1",
    }
    assert all(found["specs"])


WHICH = "import apart; print(apart.NAME)"


@pytest.mark.parametrize("way", ["--tree", "PYTHONPATH"])
def test_more_folders_can_be_the_programs_own(way: str, tmp_path: pathlib.Path) -> None:
    apart, script = tmp_path / "apart", tmp_path / "here" / "script.py"
    for folder in (apart, script.parent):
        folder.mkdir()
    (apart / "apart.py").write_text("import tensorflow as tf\nNAME = tf.__name__\n", encoding="utf-8")
    # In the path of Python itself, as a .pth file of site-packages has it; only the option makes it the program's.
    script.write_text(WHICH, encoding="utf-8")
    options = ["--tree", str(apart)] if way == "--tree" else []
    done = _run_with_path(options, script, apart if way == "PYTHONPATH" else None, at_start=apart)
    assert done.stdout.split() == ["queuecompat.v1"], done.stderr


ADDED = """
    import os, site, sys
    sys.path.append("../appended")
    sys.path.insert(0, os.path.abspath("../inserted"))
    site.addsitedir(os.path.abspath("../site"))
    sys.path.append(os.path.abspath("../filled_by_pip"))
    sys.path.append(os.path.abspath("../environment/lib/python3/site-packages"))
    sys.path.append(os.path.abspath(".."))
    import appended, inserted, named_in_pth, filled, installed, editable
    print([one.NAME for one in (appended, inserted, named_in_pth, filled, installed, editable)])
"""


def test_folders_that_the_program_adds_to_the_path_are_its_own_unless_they_were_installed(
    tmp_path: pathlib.Path,
) -> None:
    # Modules there used to get the real TensorFlow.
    files = {
        "appended/appended.py": "",
        "inserted/inserted.py": "",
        "site/mine.pth": f"{tmp_path}/by_pth\n",
        "by_pth/named_in_pth.py": "",
        "filled_by_pip/filled.py": "",
        "filled_by_pip/filled-1.0.dist-info/RECORD": "",
        "environment/lib/python3/site-packages/installed.py": "",
        "editable/editable.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or "import tensorflow as tf\nNAME = tf.__name__\n", encoding="utf-8")
    script = tmp_path / "here" / "script.py"
    script.parent.mkdir()
    script.write_text(textwrap.dedent(ADDED), encoding="utf-8")
    done = _run_with_path([], script, None, at_start=tmp_path / "editable")
    assert done.stdout.strip() == str([*["queuecompat.v1"] * 3, *["tensorflow"] * 3]), done.stderr


def test_what_pip_put_into_a_folder_of_python_path_is_not_the_programs(tmp_path: pathlib.Path) -> None:
    # A cluster's jobs find their libraries so. These used to get TensorFlow 1's namespace.
    files = {
        "put/library/__init__.py": "from tensorflow import __name__ as NAME\n",
        "put/module.py": "from tensorflow import __name__ as NAME\n",
        "put/mine.py": "from tensorflow import __name__ as NAME\n",
        "put/library-1.0.dist-info/RECORD": "library/__init__.py,,\nmodule.py,sha256=x,5\n",
        "put/other-1.0.dist-info/METADATA": "",
        "here/script.py": "import library, mine, module\nprint(library.NAME, mine.NAME, module.NAME)\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = _run_with_path([], tmp_path / "here" / "script.py", tmp_path / "put", at_start=tmp_path / "put")
    assert done.stdout.split() == ["tensorflow", "queuecompat.v1", "tensorflow"], done.stderr


def _write(files: dict, folder: pathlib.Path) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_what_a_link_in_the_programs_folder_leads_to_is_its_own(tmp_path: pathlib.Path) -> None:
    # Programs link to the packages that they use (ln -s ../models/slim). These used to get the real TensorFlow.
    name_of = "from tensorflow import __name__ as NAME\n"
    files = {
        "models/package/__init__.py": "from .inner import NAME\n",
        "models/package/inner.py": name_of,
        "models/module.py": name_of,
        "environment/lib/python3/site-packages/installed.py": name_of,
        "here/script.py": "import installed, module, package\nprint(package.NAME, module.NAME, installed.NAME)\n",
    }
    _write(files, tmp_path)
    for target in ("models/package", "models/module.py", "environment/lib/python3/site-packages/installed.py"):
        (tmp_path / "here" / pathlib.Path(target).name).symlink_to(pathlib.Path("..", target))
    (tmp_path / "there").symlink_to("here")
    for folder in ("here", "there"):
        done = _run_with_path([], tmp_path / folder / "script.py", None, at_start=tmp_path / "models")
        assert done.stdout.split() == ["queuecompat.v1", "queuecompat.v1", "tensorflow"], done.stderr


def test_an_installed_library_is_the_programs_own_if_its_folder_is_named(tmp_path: pathlib.Path) -> None:
    # The option was taken, and had no effect on what was installed.
    name_of = "from tensorflow import __name__ as NAME\n"
    packages = "environment/lib/python3/site-packages"
    files = {
        f"{packages}/old/__init__.py": "from .inner import NAME\n",
        f"{packages}/old/inner.py": name_of,
        f"{packages}/old/environment/site-packages/inside.py": name_of,
        f"{packages}/new/__init__.py": name_of,
        "put/put_there/__init__.py": name_of,
        "put/put_there-1.0.dist-info/RECORD": "put_there/__init__.py,,\nput_too/__init__.py,,\n",
        "put/put_too/__init__.py": name_of,
        "here/script.py": f"""
import os, sys
sys.path += [os.path.abspath(path) for path in ["../{packages}", "../{packages}/old/environment/site-packages"]]
import inside, new, old, put_there, put_too
print([one.NAME for one in (old, put_there, inside, new, put_too)])
""",
    }
    _write(files, tmp_path)
    # A folder that libraries are installed into is none of a library.
    named = [tmp_path / packages / "old", tmp_path / "put" / "put_there", tmp_path / packages]
    options = [f"--tree={folder}" for folder in named]
    done = _run_with_path(options, tmp_path / "here" / "script.py", tmp_path / "put", at_start=tmp_path / "put")
    assert done.stdout.strip() == str([*["queuecompat.v1"] * 2, *["tensorflow"] * 3]), done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "import tensorflow as tf; tf.placeholder",
        "import tensorflow as tf; tf.train.shuffle_batch",
        "import tensorflow.contrib.slim",
        "from tensorflow.python.training.input import batch, no_such_name",
    ],
)
def test_the_error_of_an_installed_library_of_tensorflow_1_says_how_to_name_it(
    line: str, tmp_path: pathlib.Path
) -> None:
    # All there was is that TensorFlow has no such attribute.
    folder = tmp_path / "environment" / "lib" / "python3" / "site-packages"
    _write({"old/__init__.py": "from . import inner\n", "old/inner.py": f"\n{line}\n"}, folder)
    _write({"here/script.py": "import old\n"}, tmp_path)
    done = _run_with_path([], tmp_path / "here" / "script.py", None, at_start=folder)
    *_, told, _effect, instead, _see = done.stderr.splitlines()
    assert told.startswith(f"QC402 {folder}/old/inner.py:2 "), done.stderr
    assert instead.endswith(f"--tree {folder}/old ...")
    assert "Traceback" in done.stderr
    assert done.returncode == 1


def test_an_installed_library_of_a_single_module_is_named_by_its_file(tmp_path: pathlib.Path) -> None:
    """Its file could not be named, and the error of a module that is in no package did not say how to."""
    folder = tmp_path / "environment" / "lib" / "python3" / "site-packages"
    _write(
        {"old.py": "import tensorflow as tf\ntf.placeholder\n", "new.py": "from tensorflow import __name__ as NAME"},
        folder,
    )
    _write({"here/script.py": "import old, new\nprint(old.tf.__name__, new.NAME)\n"}, tmp_path)
    done = _run_with_path([], tmp_path / "here" / "script.py", None, at_start=folder)
    assert f"--tree {folder}/old.py ..." in done.stderr
    done = _run_with_path([f"--tree={folder}/old.py"], tmp_path / "here" / "script.py", None, at_start=folder)
    assert done.stdout.split() == ["queuecompat.v1", "tensorflow"], done.stderr


@pytest.mark.parametrize(
    "line",
    ["import no_such_module", "import os; os.no_such_name", "import tensorflow as tf; tf.constant(1, [2], 3, 4, 5)"],
)
def test_other_errors_of_installed_libraries_are_as_they_are(line: str, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "environment" / "lib" / "python3" / "site-packages"
    _write({"new/__init__.py": f"{line}\n"}, folder)
    _write({"here/script.py": "import new\n"}, tmp_path)
    done = _run_with_path([], tmp_path / "here" / "script.py", None, at_start=folder)
    assert "Traceback" in done.stderr
    assert "QC402" not in done.stderr


def _run_with_path(options: list, script: pathlib.Path, folder: object, at_start: pathlib.Path) -> Any:
    """*at_start* is in ``sys.path`` before anything is started, as what a .pth file of site-packages names is."""
    from .test_like_python import ROOT

    customize = script.parent.parent / "customize" / "sitecustomize.py"
    customize.parent.mkdir(exist_ok=True)
    customize.write_text(f"import sys; sys.path.append({str(at_start)!r})\n", encoding="utf-8")
    path = [ROOT, str(customize.parent), *([] if folder is None else [str(folder)])]
    return run([*options, script.name], script.parent, ours=True, PYTHONPATH=":".join(path))


def test_the_packages_that_a_module_is_in_are_the_programs_own(tmp_path: pathlib.Path, server: Server) -> None:
    # They are imported while the module is still searched, and used to get the real TensorFlow, and eager execution.
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    outer = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    (tmp_path / "outer" / "__init__.py").write_text(outer, encoding="utf-8")
    (inner / "__init__.py").write_text("from .. import tf\n", encoding="utf-8")
    (inner / "module.py").write_text("from . import tf\nprint(tf.__name__)\n", encoding="utf-8")
    done = server.run(["-m", "outer.inner.module"], str(tmp_path), launcher=["run"])
    assert done.out.split() == ["queuecompat.v1"], done.err


TESTED = {
    "package/__init__.py": "",
    "package/inputs.py": "import tensorflow as tf\n\n\ndef batch():\n    return tf.train.batch([tf.constant(1)], 3)\n",
    "tests/conftest.py": """
        import pytest
        import tensorflow as tf


        @pytest.fixture
        def session():
            with tf.Graph().as_default(), tf.Session() as made:
                yield made
        """,
    "tests/test_inputs.py": """
        import tensorflow as tf
        import tensorflow.contrib.slim as slim
        from package.inputs import batch


        def test_a_batch_is_of_three(session):
            tensor = batch()
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            assert session.run(tensor).tolist() == [1, 1, 1]
            coord.request_stop()
            coord.join(threads)


        def test_an_assertion_is_told_as_pytest_does():
            assert slim is not None and len("four") == 3
        """,
}


def test_pytest_runs_the_tests_of_a_program(tmp_path: pathlib.Path) -> None:
    for name, text in TESTED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(text), encoding="utf-8")
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], tmp_path, ours=True)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "+  where 4 = len('four')" in done.stdout and done.returncode == 1


NATIVE = """
    import tensorflow as tf
    n = tf.placeholder(tf.int32, [])
    queue = tf.train.range_input_producer(10, shuffle=False)
    try:
        batch = tf.train.batch([queue.dequeue() + n], batch_size=2)
    except RuntimeError as problem:
        print(problem)
    else:
        print("native")
"""


def test_strict_stops_at_a_pipeline_that_cannot_be_compiled(tmp_path: pathlib.Path, server: Server) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(NATIVE), encoding="utf-8")
    strict, free = (
        server.run([*options, "script.py"], str(tmp_path), launcher=["run"]) for options in (["--strict"], [])
    )
    assert strict.out.startswith("QC305 strict mode"), strict.err
    assert "QC201" in strict.out
    assert "script.py:6" in strict.out
    assert free.out == "native\n"


def test_strict_prints_one_traceback_with_the_programs_line_and_the_reasons_advice(
    tmp_path: pathlib.Path, server: Server
) -> None:
    # It used to print two, and to advise to do what the reason's code advises.
    text = textwrap.dedent(NATIVE).replace("RuntimeError as problem", "KeyError as problem")
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    done = server.run(["--strict", "script.py"], str(tmp_path), launcher=["run"])
    told = done.err[done.err.index("Traceback") :]
    assert told.count("Traceback") == told.count('  File "') == 1
    assert f'  File "{tmp_path / "script.py"}", line 6, in <module>' in told
    assert "  instead:  batch first and use the placeholder after the batch" in told
    assert "; or turn strict mode off" in told


@pytest.mark.parametrize("line", ["import tensorflow as tf", "import queuecompat.v1 as tf"])
def test_a_program_may_have_a_flag_that_abseil_has(tmp_path: pathlib.Path, server: Server, line: str) -> None:
    """Where programs of 2017 write their summaries; it used to be a DuplicateFlagError, as in TF 1.15."""
    text = f"""
        {line}
        FLAGS = tf.app.flags.FLAGS
        tf.app.flags.DEFINE_string('log_dir', '/tmp/mine', 'Where to write.')

        def main(_):
            print(FLAGS.log_dir, FLAGS['log_dir'].help)

        if __name__ == '__main__':
            tf.app.run()
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(text), encoding="utf-8")
    for arguments, seen in ([], "/tmp/mine"), (["--log_dir=here"], "here"):
        done = server.run(["script.py", *arguments], str(tmp_path), launcher=["run"])
        assert done.out == f"{seen} Where to write.\n", done.err

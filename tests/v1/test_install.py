"""``install``: ours in TensorFlow's places, and everything as it was afterwards."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap
import types
from typing import Any, Dict

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import readers, train
from tests.forking import Server

ROOT = pathlib.Path(queuecompat.__file__).parents[1]
MODULES = (tf, tf.train, tf.compat.v1, tf.compat.v1.train)


def names() -> Dict[str, Dict[str, Any]]:
    # Submodules that somebody imported in between are no matter here.
    return {
        module.__name__: {
            name: value for name, value in vars(module).items() if not isinstance(value, types.ModuleType)
        }
        for module in MODULES
    }


@pytest.fixture(autouse=True)
def as_it_was() -> Any:
    with tf.Graph().as_default():
        train.range_input_producer(1)  # what the first pipeline changes stays changed until the process ends
    before = names()
    yield
    assert names() == before


def test_inside_the_block_the_functions_are_ours() -> None:
    with queuecompat.install() as installation:
        for name in train.__all__:
            assert getattr(tf.compat.v1.train, name) is getattr(train, name)
        for name in readers.__all__:
            assert getattr(tf.compat.v1, name) is getattr(tf, name) is getattr(readers, name)
        assert tf.train.shuffle_batch is train.shuffle_batch
        assert tf.contrib is tf.compat.v1.contrib is queuecompat.contrib
        assert "queuecompat's" in repr(installation)
    assert not hasattr(tf.train, "shuffle_batch")
    assert not hasattr(tf, "contrib")
    assert tf.compat.v1.train.batch is not train.batch
    assert "over" in repr(installation)


def test_an_import_of_compat_v1_after_the_installation_changes_nothing() -> None:
    # In a process in which nothing has imported it by its name: TensorFlow 2.21 makes another module then.
    code = """
        import tensorflow as tf
        import queuecompat
        earlier = tf.compat.v1
        queuecompat.install()
        import tensorflow.compat.v1 as later
        for module in (earlier, later, tf.compat.v1):
            assert module.TextLineReader is queuecompat.readers.TextLineReader, module
            assert module.contrib is queuecompat.contrib, module
            assert module.train.batch is queuecompat.train.batch, module
        """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, cwd=ROOT)


SPELLINGS = """
    import importlib, sys
    import tensorflow as tf
    import queuecompat
    BEFORE
    finders = list(sys.meta_path)
    queuecompat.install()
    import tensorflow.compat.v1 as tf1
    import tensorflow.compat.v1.train
    import tensorflow.contrib.slim
    import tensorflow.contrib.training.python.training.bucket_ops as deep
    import tensorflow.train as moved
    from tensorflow.compat.v1 import TFRecordReader
    from tensorflow.compat.v1.train import shuffle_batch
    from tensorflow.contrib import slim
    from tensorflow.contrib.lookup.lookup_ops import index_table_from_file
    from tensorflow.contrib.slim.python.slim.data import prefetch_queue
    assert index_table_from_file is queuecompat.contrib.lookup.index_table_from_file
    ours = queuecompat.train.shuffle_batch
    assert TFRecordReader is tf1.TFRecordReader is tf.TFRecordReader is queuecompat.readers.TFRecordReader
    assert shuffle_batch is tf1.train.shuffle_batch is tf.compat.v1.train.shuffle_batch is ours
    assert moved.shuffle_batch is tf.train.shuffle_batch is ours
    assert slim is tf.contrib.slim is tf1.contrib.slim is importlib.import_module("tensorflow.contrib.slim")
    assert deep.bucket is queuecompat.contrib.training.bucket and prefetch_queue.prefetch_queue
    assert importlib.util.find_spec("tensorflow.contrib.training") is not None
    try:
        import tensorflow.contrib.absent
    except ImportError as problem:
        assert "QC511" in str(problem), problem
    else:
        raise AssertionError
    queuecompat.uninstall()
    assert not [one for one in sys.meta_path if one not in finders and "installing" in type(one).__module__]
    assert not [name for name in sys.modules if name.startswith("tensorflow.contrib")]
    for name, module in list(sys.modules.items()):
        if name.startswith("tensorflow"):
            assert vars(module).get("shuffle_batch") is not ours, name
            assert vars(module).get("TFRecordReader") is not TFRecordReader, name
            assert vars(module).get("contrib") is not queuecompat.contrib, name
    assert not hasattr(tf, "contrib") and not hasattr(tf1, "contrib") and not hasattr(tf.train, "shuffle_batch")
    assert tf1.train.shuffle_batch is not ours and tf1.TFRecordReader is not TFRecordReader
    print("all of it holds")
    """


@pytest.mark.parametrize(
    "before", ["", "import tensorflow.compat.v1.train, tensorflow.train", "tf.compat.v1.train.batch"]
)
def test_every_spelling_is_ours_in_both_orders_and_none_is_afterwards(
    before: str, server: Server, tmp_path: pathlib.Path
) -> None:
    # import tensorflow.contrib.slim was a ModuleNotFoundError, and tensorflow.train's new module had no such names.
    done = server.run(["-c", textwrap.dedent(SPELLINGS).replace("BEFORE", before)], str(tmp_path))
    assert done.out.endswith("all of it holds\n"), done.err


def test_what_tensorflow_2_has_itself_stays_its_own() -> None:
    before = tf.train.Coordinator
    with queuecompat.install():
        assert tf.train.Coordinator is before


def test_a_library_that_imports_tensorflow_runs_compiled() -> None:
    with queuecompat.install():
        queue = tf.compat.v1.train.range_input_producer(6, num_epochs=1, shuffle=False)
        batch = tf.train.batch([queue.dequeue()], 3)
        assert len(queuecompat.explain().compiled) == 1
        with tf.compat.v1.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.compat.v1.train.start_queue_runners(sess, coord)
            assert sess.run(batch).tolist() == [0, 1, 2]
            coord.request_stop()
            coord.join(threads)


def test_what_cannot_be_compiled_still_reaches_tensorflows_own() -> None:
    """It used to be looked up under the name that is ours now, and called itself for ever."""
    with queuecompat.install():
        with pytest.warns(queuecompat.errors.NativePipelineWarning):
            tf.compat.v1.train.range_input_producer(6, shared_name="shared")
        reader = tf.compat.v1.WholeFileReader()
        reader.read(tf.compat.v1.train.string_input_producer(["x"]))
        with pytest.warns(queuecompat.errors.NativePipelineWarning):
            reader.num_records_produced()


def test_blocks_may_be_nested_and_an_error_leaves_them_too() -> None:
    with pytest.raises(KeyError), queuecompat.install():
        with queuecompat.install():
            pass
        assert tf.train.batch is train.batch
        raise KeyError
    assert not hasattr(tf.train, "batch")


def test_a_name_that_somebody_else_replaced_before_is_restored_to_that(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tf.compat.v1.train, "batch", "theirs")
        queuecompat.install()
        assert tf.compat.v1.train.batch is train.batch
        queuecompat.uninstall()
        assert tf.compat.v1.train.batch == "theirs"


def test_taking_back_what_was_never_installed_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="without an install"):
        queuecompat.uninstall()


def test_eager_execution_is_left_alone() -> None:
    before = tf.executing_eagerly()
    with queuecompat.install():
        assert tf.executing_eagerly() == before

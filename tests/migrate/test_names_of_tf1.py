"""Names of the table are found however they are spelled, and nothing else is."""

from __future__ import annotations

import ast
import pathlib

import pytest

from queuecompat.migrate.check.checking import check, check_source
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.sources import codes, places

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "scripts" / "programs").glob("*.py"))
CLEAN = sorted((pathlib.Path(__file__).parent / "clean").glob("*.py"))


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_nothing_is_found_in_programs_of_tensorflow_2(path: pathlib.Path) -> None:
    assert [one.message for one in check_source(parsed(path.name, path.read_text(encoding="utf-8")))] == []


def test_a_program_without_tensorflow_is_clean() -> None:
    assert codes("import train\ntrain.batch([1], 2)\ndef batch(tf): return tf.train.batch(tf)\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.train.batch([x], 8)",
        "import tensorflow\ntensorflow.train.batch([x], 8)",
        "from tensorflow import train\ntrain.batch([x], 8)",
        "from tensorflow import train as t\nfunction = t.batch",
        "import tensorflow as tf\ntrain = tf.train\ntrain.batch([x], 8)",
        "def f():\n    import tensorflow as tf\n    return tf.train.batch",
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.train.batch([x], 8)",
        "import tensorflow as tf\nbatch = tf.train.batch\nsame = batch",
        "import tensorflow as tf\nf(reader=tf.train.batch)",
    ],
)
def test_a_call_is_found_through_imports_aliases_and_assignments(text: str) -> None:
    assert set(codes(text)) == {"QC701"}


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.contrib import slim\nslim.parallel_reader.parallel_read",
        "import tensorflow.contrib.slim as slim\nslim.parallel_reader.parallel_read",
        "import tensorflow as tf\nslim = tf.contrib.slim\nslim.parallel_reader.parallel_read",
        "from tensorflow.contrib.slim.python.slim.data import parallel_reader\nparallel_reader.parallel_read",
        "from tensorflow.contrib.slim.python.slim.data.parallel_reader import parallel_read\nparallel_read()",
        "import tf_slim as slim\nslim.parallel_reader.parallel_read",
    ],
)
def test_contrib_is_found_by_every_way_to_it(text: str) -> None:
    lines = places(text, "QC706")
    assert len(text.splitlines()) in lines
    assert set(codes(text)) == {"QC706"}


def test_private_modules_are_found_by_their_public_names() -> None:
    text = "from tensorflow.python.training import input as inputs\ninputs.shuffle_batch([x], 8, 100, 50)\n"
    assert places(text, "QC711") == [2]
    text = "from tensorflow.python.ops import data_flow_ops\nqueue = data_flow_ops.FIFOQueue(8, [t])\n"
    assert codes(text) == ["QC704"]


def test_other_private_modules_are_left_alone() -> None:
    assert codes("from tensorflow.python.platform import gfile\ngfile.GFile('x')\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "tf = make()\ntf.train.batch([x], 8)",
        "import tensorflow as tf\ndef f(tf):\n    return tf.train.batch",
        "import tensorflow as tf\ntf.train.Coordinator()",
        "import tensorflow as tf\ntf.queue.FIFOQueue(8, [tf.float32])",
        "import tensorflow as tf\nself.tf.train.batch",
        "import tensorflow as tf\nf(batch=1)\nclass A:\n    batch = 2",
    ],
)
def test_a_name_that_means_something_else_is_not_found(text: str) -> None:
    assert codes(text) == []


def test_under_queuecompat_only_names_without_a_replacement_are_found() -> None:
    text = """\
        import queuecompat.v1 as tf
        from queuecompat.contrib import slim
        tf.train.batch([tf.mul(x, y)], 8)
        slim.parallel_reader.parallel_read
        tf.contrib.cudnn_rnn.CudnnLSTM
        """
    assert codes(text) == ["QC707"]


_GONE = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("f = tf.nn.seq2seq.x", True),
        ("if hasattr(tf.nn, 'seq2seq'):\n    f = tf.nn.seq2seq.x", False),
        ("f = tf.nn.seq2seq.x if getattr(tf.nn, 'seq2seq', None) else None", False),
        ("if hasattr(tf.nn, 'rnn'):\n    f = tf.nn.seq2seq.x", True),
        ("try:\n    f = tf.nn.seq2seq.x\nexcept AttributeError:\n    f = None", False),
        ("try:\n    from tensorflow.models.rnn import rnn\nexcept (ImportError, IOError):\n    rnn = None", False),
        ("try:\n    f = tf.nn.seq2seq.x\nexcept:\n    raise RuntimeError", True),
        ("try:\n    f = tf.nn.seq2seq.x\nexcept ValueError:\n    f = None", True),
        ("try:\n    f = 1\nexcept ImportError:\n    f = tf.nn.seq2seq.x", True),
    ],
)
def test_a_name_that_is_gone_is_not_found_where_the_program_asks_for_it_first(text: str, is_found: bool) -> None:
    assert ("QC707" in codes(_GONE + text + "\n")) is is_found


@pytest.mark.parametrize(
    "name", ["keras.utils.multi_gpu_model", "data.experimental.StatsAggregator", "lite.experimental.nn.dynamic_rnn"]
)
def test_a_name_that_a_later_version_of_tensorflow_2_lost_is_found(name: str) -> None:
    """Nothing was said of two of them, and that 'queuecompat run' has the third."""
    assert codes(f"import tensorflow as tf\nx = tf.{name}\n") == ["QC707"]


@pytest.mark.parametrize("name", ["rnn.NASCell", "distributions.MultivariateNormalDiag", "crf.CrfForwardRnnCell"])
def test_a_module_that_is_here_in_part_does_not_stand_for_its_other_names(name: str) -> None:
    """The program was said to run unchanged, and stopped at the name."""
    assert codes(f"import tensorflow as tf\nx = tf.contrib.{name}\n") == ["QC707"]
    assert codes("import tensorflow as tf\nx = tf.contrib.seq2seq.sequence_loss\n") == ["QC706"]


def test_names_of_0x_are_found_under_compat_v1_too() -> None:
    assert codes("import tensorflow.compat.v1 as tf\ntf.mul(x, y)\ntf.decode_raw(x, t)\n") == ["QC708"]


@pytest.mark.parametrize("module", ["tensorflow", "tensorflow.compat.v1"])
def test_estimators_are_found_by_every_module_that_has_them_in_old_versions_alone(module: str) -> None:
    text = f"import {module} as tf\ntf.estimator.Estimator(tf.estimator.RunConfig)\ntf.estimator.Estimator()\n"
    [found] = check_source(parsed("main.py", text))
    assert (found.code, found.line) == ("QC709", 2)
    assert found.what == "this uses tf.estimator: 'tf.estimator.Estimator' and 1 more"
    assert codes(text.replace(module, "queuecompat.v1")) == []


def test_the_inputs_of_estimators_are_ours_and_so_is_their_module() -> None:
    text = "from queuecompat.v1 import estimator\nestimator.inputs.numpy_input_fn({'x': x}, shuffle=False)\n"
    assert codes(text) == []
    text = "from tensorflow import estimator\nestimator.inputs.numpy_input_fn({'x': x}, shuffle=False)\n"
    assert codes(text) == ["QC709"]


def test_an_input_function_that_becomes_a_dataset_is_clean_with_what_it_calls() -> None:
    text = """\
        import queuecompat
        import tensorflow.compat.v1 as tf

        def read(queue):
            return tf.TFRecordReader().read(queue)[1]

        @queuecompat.input_pipeline
        def records(files):
            return tf.train.batch([read(tf.train.string_input_producer(files))], 8)

        def numbers():
            return tf.train.range_input_producer(8).dequeue()

        dataset = queuecompat.as_dataset(numbers)
        other = tf.train.range_input_producer(8)
        """
    assert places(text, "QC711") == [15]
    assert codes(text) == ["QC711"]


def _queue_calls(path: pathlib.Path) -> set:
    """The lines with a queue call, found in another way: by the last name of each chain, whatever it hangs on."""
    wanted = {
        "string_input_producer", "slice_input_producer", "range_input_producer", "match_filenames_once", "batch",
        "batch_join", "shuffle_batch", "shuffle_batch_join", "start_queue_runners", "QueueRunner", "add_queue_runner",
        "FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue", "TFRecordReader", "TextLineReader", "WholeFileReader",
        "FixedLengthRecordReader", "Supervisor", "MonitoredTrainingSession", "SingularMonitoredSession",
        "MonitoredSession", "DatasetDataProvider", "prefetch_queue", "bucket_by_sequence_length",
    }  # fmt: skip
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in wanted
    }


def test_every_queue_call_of_the_programs_is_found() -> None:
    checked = check([str(path) for path in PROGRAMS])
    assert checked.unread == [] and checked.read == len(PROGRAMS)
    total = 0
    for path in PROGRAMS:
        found = {one.line for one in checked.findings if one.file == str(path)}
        assert _queue_calls(path) <= found, path
        total += len(_queue_calls(path))
    assert total > 50

"""The rules for mistakes: where each holds back first, and then what it finds."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.check.checking import check, check_source
from tests.migrate.sources import codes, places, source

HEAD = "import random\nimport numpy as np\nimport tensorflow as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        # Python code that runs for each element.
        "def f(x):\n    return tf.numpy_function(lambda y: np.random.rand(), [x], t)\nd = d.batch(3).map(f)",
        "def f(x):\n    return tf.py_function(func=lambda y: random.random(), inp=[x], Tout=t)\nd.map(f).batch(2)",
        # No dataset.
        "table['x'].map(lambda value: value + random.random())",
        "list(map(lambda value: value + random.random(), range(3)))",
        "pool.map(lambda value: np.random.rand(), range(3))",
        # Not in the function.
        "def f(x):\n    return x * number\nnumber = random.random()\nd = tf.data.Dataset.range(3).map(f)",
        # A generator of one's own, with a seed.
        "d = tf.data.Dataset.range(3).shuffle(3, seed=random.randint(0, 9))",
        "def f(x):\n    np.random.seed(1)\n    return x\nd = tf.data.Dataset.range(3).map(f)",
    ],
)
def test_python_random_is_left_alone_outside_of_mapped_functions(text: str) -> None:
    assert "QC721" not in codes(HEAD + text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("d = tf.data.Dataset.range(3).map(lambda x: x * np.random.rand())", 4),
        ("def f(x):\n    return x * random.random()\nd.map(f, num_parallel_calls=2)", 5),
        ("def g():\n    return random.random()\ndef f(x):\n    return x * g()\nd = tf.data.Dataset.range(3).map(f)", 5),
        ("def f(x):\n    return tf.image.rot90(x, np.random.randint(4))\nd = d.map(f)", 5),
        ("d = tf.data.Dataset.range(3)\nd = d.repeat(2)\nd = d.map(lambda x: x * np.random.rand())", 6),
        ("def f(x):\n    return x * np.random.normal()\nreturned = files.interleave(f).map(map_func=f)", 5),
    ],
)
def test_python_random_in_a_mapped_function_is_found_where_it_is_called(text: str, line: int) -> None:
    assert places(HEAD + text, "QC721") == [line]


@pytest.mark.parametrize(
    "size",
    ["capacity", "1000", "min_after_dequeue + 3 * batch_size", "len(files)", "n_min", "max(min_after_dequeue, 9)"],
)
def test_a_shuffle_of_anything_but_the_minimum_is_left_alone(size: str) -> None:
    assert codes(f"dataset = dataset.shuffle({size})") == []


@pytest.mark.parametrize(
    "size",
    [
        "min_after_dequeue",
        "buffer_size=min_after_dequeue",
        "FLAGS.min_after_dequeue",
        "min_queue_examples, seed=1",
        "self.min_num_examples",
    ],
)
def test_a_shuffle_of_the_minimum_is_found(size: str) -> None:
    assert codes(f"dataset = dataset.shuffle({size})") == ["QC722"]


@pytest.mark.parametrize(
    "given",
    ["(images, labels)", "[1, 2, 3]", "files", "[train_file, label_file]", "['a', 'b']", "[first, second]", "[labels]"],
)
def test_a_list_that_is_one_tensor_is_left_alone(given: str) -> None:
    assert codes(f"{HEAD}tf.data.Dataset.from_tensor_slices({given})") == []


@pytest.mark.parametrize("given", ["[images, labels]", "[x_train, y_train]", "[data.x, data.target]", "tensors=[a, y]"])
def test_a_list_of_a_pair_is_found(given: str) -> None:
    assert codes(f"{HEAD}tf.data.Dataset.from_tensor_slices({given})") == ["QC723"]


@pytest.mark.parametrize(
    "text",
    [
        "d = tf.data.Dataset.range(3).cache().map(f)",
        "d = tf.data.Dataset.range(3).map(g).cache()",
        "d = tf.data.Dataset.range(3).map(unknown).cache()",
        "d = tf.data.Dataset.range(3)\ne = d.map(f)\nd = d.cache()",
        "functools.cache()",
    ],
)
def test_a_cache_that_keeps_no_random_numbers_is_left_alone(text: str) -> None:
    functions = "def f(x):\n    return tf.image.random_flip_left_right(x)\ndef g(x):\n    return x / 255\n"
    assert codes(HEAD + functions + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "d = tf.data.Dataset.range(3).map(f).cache()",
        "d = tf.data.Dataset.range(3).map(f)\nd = d.prefetch(1)\nd = d.cache('/tmp/x')",
        "d = tf.data.Dataset.range(3).map(lambda x: f(x) + 1).batch(2).cache()",
        "def make():\n    d = tf.data.Dataset.range(3).map(f)\n    if True:\n        d = d.cache()\n    return d",
    ],
)
def test_a_cache_of_random_numbers_is_found(text: str) -> None:
    functions = "def f(x):\n    return tf.image.random_flip_left_right(x)\n"
    assert codes(HEAD + functions + text) == ["QC724"]


WAS = "# was: tf.train.batch([x], 8)\n"


@pytest.mark.parametrize(
    "text",
    [
        "d = tf.data.Dataset.range(3).batch(8)",
        WAS + "d = tf.data.Dataset.range(3).batch(8, drop_remainder=True)",
        WAS + "d = tf.data.Dataset.range(3).batch(8, drop_remainder=False)",
        WAS + "d = tf.data.Dataset.range(3).batch(8, True)",
        WAS + "for rows in itertools.batch(8):\n    pass",
        WAS + "d = frame.batch(8)",
        # It was found after an endless repetition, which has no last batch.
        WAS + "d = tf.data.Dataset.range(3).repeat().batch(8)",
        WAS + "d = tf.data.Dataset.range(3).repeat(count=-1).map(f).batch(8)",
        WAS + "d = tf.data.Dataset.range(3)\nd = d.repeat(None)\nif n:\n    d = d.shuffle(9)\nd = d.batch(8)\n",
        WAS + "if n:\n    d = tf.data.Dataset.range(3).repeat()\n    d = d.batch(8)\n",
    ],
)
def test_a_batch_that_drops_or_never_was_a_queues_is_left_alone(text: str) -> None:
    assert codes(HEAD + text) == []


@pytest.mark.parametrize(
    "text",
    [
        WAS + "d = tf.data.Dataset.range(3).batch(8)",
        WAS + "d = tf.data.Dataset.range(3)\nd = d.shuffle(9)\nd = d.batch(batch_size=8)\n",
        "def inputs(batch_size, min_after_dequeue):\n    return tf.data.Dataset.range(3).batch(batch_size)",
        WAS + "d = tf.data.Dataset.range(3).repeat(n).batch(8)",
        WAS + "d = tf.data.Dataset.range(3).repeat().take(7).batch(8)",
        WAS + "d = tf.data.Dataset.range(3)\nif n:\n    d = d.repeat()\nd = d.batch(8)\n",
    ],
)
def test_a_batch_that_keeps_what_a_queue_dropped_is_found(text: str) -> None:
    assert codes(HEAD + text) == ["QC725"]


def test_a_name_of_a_private_file_whose_module_is_gone_is_gone() -> None:
    """Only its import was QC707; the call was said to run (QC706), since its package is here."""
    text = "from tensorflow.contrib.learn.python.learn import graph_actions\ngraph_actions.run(None)\n"
    assert codes(text) == ["QC707", "QC707"]
    assert codes("from tensorflow.contrib.learn.python.learn import graph_actions as g\ng.train(None)\n")[-1] == "QC707"


def test_after_repeat_there_is_no_last_batch_to_keep() -> None:
    assert codes(HEAD + WAS + "d = tf.data.Dataset.range(3).repeat().map(f).batch(8)") == []
    assert codes(HEAD + WAS + "d = tf.data.Dataset.range(3).repeat(2).map(f).batch(8)") == ["QC725"]
    assert codes(HEAD + WAS + "d = tf.data.Dataset.range(3).repeat().take(9).batch(8)") == ["QC725"]


def test_a_step_of_a_chain_over_several_lines_is_found_at_its_own_line() -> None:
    text = WAS + "d = (\n    tf.data.Dataset.range(3)\n    .shuffle(min_after_dequeue)\n    .batch(8)\n)\n"
    assert places(HEAD + text, "QC722") == [7]
    assert places(HEAD + text, "QC725") == [8]


def test_iterators_of_compat_v1_are_left_alone() -> None:
    text = "import tensorflow.compat.v1 as tf\nd = tf.data.Dataset.range(3)\nd.make_one_shot_iterator()\n"
    assert codes(text) == []
    assert codes("import numpy\nd.make_one_shot_iterator()\n") == []


def test_iterators_of_tensorflow_1_are_found() -> None:
    text = HEAD + "d = tf.data.Dataset.range(3)\nd.make_one_shot_iterator()\nd.batch(2).make_initializable_iterator()\n"
    assert places(text, "QC710") == [5, 6]


def test_a_renamed_call_raises_in_eager_mode_and_is_slow_in_a_graph() -> None:
    call = "files = tf.compat.v1.train.string_input_producer(['a'])\n"
    assert codes(HEAD + call) == ["QC711"]
    assert codes(HEAD + "tf.compat.v1.disable_eager_execution()\n" + call) == ["QC712"]
    assert codes(HEAD + "with tf.Graph().as_default():\n    " + call) == ["QC712"]


def test_other_names_of_tensorflow_1_are_one_finding_a_file_at_the_first_of_them() -> None:
    text = """
        import tensorflow as tf
        x = tf.placeholder(tf.float32)
        with tf.Session() as sess:
            tf.gfile.Exists('a')
            tf.gfile.Open('b')
        tf.train.Scaffold()
        """
    [found] = check_source(source(text))
    assert found.code == "QC713" and found.line == 3
    assert "TensorFlow 2 lacks 'tf.placeholder' and 3 more" in found.what


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nx = tf.losses.MeanSquaredError(), tf.metrics.Mean(), tf.keras.Model\n",
        "import tensorflow as tf\ntf.compat.v1.logging.set_verbosity(1)\n",
        "import tensorflow.compat.v1 as tf\ntf.gfile.Exists('a')\n",
        "import queuecompat.v1 as tf\ntf.Session()\n",
        "from numpy import *\nfrom tensorflow import *\nSession()\n",
    ],
)
def test_names_that_exist_or_may_be_of_another_module_are_no_other_names(text: str) -> None:
    assert codes(text) == []


def test_flags_are_found_where_the_program_gets_them_and_not_where_it_uses_them() -> None:
    use = "def main():\n    print(FLAGS.batch_size, FLAGS)\n"
    assert places(HEAD + use + "FLAGS = tf.app.flags.FLAGS\n", "QC713") == [6]
    assert places(HEAD + "def main():\n    print(tf.flags.FLAGS.batch_size)\n", "QC713") == [5]
    assert places("from tensorflow.flags import FLAGS\nprint(FLAGS.batch_size)\n", "QC713") == [2]


def test_names_of_an_import_of_all_names_are_found() -> None:
    assert codes("from tensorflow import *\nx = train.batch([1], 2)\nprint(Session(), len)\n") == ["QC701", "QC713"]


@pytest.mark.parametrize(
    "text",
    [
        "from xml.etree import ElementTree\nroot = ElementTree.tostring(tree)\n",
        "import etree\netree.tostring()\n",
        "class Message:\n    def tostring(self):\n        return ''\n\n\nmessage.tostring()\n",
        "x = np.float32, np.random.rand(), x.float, np.bool_\n",
    ],
)
def test_names_that_numpy_has_or_that_are_not_its_own_are_left_alone(text: str) -> None:
    assert codes(HEAD + text) == []


def test_names_of_python_numpy_and_scipy_that_are_gone_are_found_each_with_what_to_use() -> None:
    text = (
        "x = np.zeros([2], np.float)\nf.write(x\n        .tostring())\n"
        "y = np.fromstring(b)\nz = np.fromstring(b, sep=' ')\n"
        "import collections\ncollections.Mapping, collections.OrderedDict\nfrom fractions import Fraction, gcd\n"
        "import xml.etree.cElementTree as ET\nimport inspect\nmap(inspect.getargspec, inspect.getargspec(f))\n"
        "from scipy import misc\nmisc.imsave(f, misc.logsumexp(x))\n"
    )
    found = check_source(source(HEAD + text))
    assert {one.code for one in found} == {"QC716"}
    assert [(one.line, one.what.split("'")[1], one.instead) for one in found] == [
        (4, "np.float", "use float"),
        (6, ".tostring()", "use tobytes()"),
        (7, "np.fromstring(bytes)", "use np.frombuffer(...).copy()"),
        (10, "collections.Mapping", "use collections.abc.Mapping"),
        (11, "fractions.gcd", "use math.gcd"),
        (12, "xml.etree.cElementTree", "use xml.etree.ElementTree"),
        (14, "inspect.getargspec", "use inspect.getfullargspec(...)[:4]"),
        (14, "inspect.getargspec", "use inspect.getfullargspec(...)[:4]"),
        (16, "misc.imsave", "use Image.fromarray(array).save(path)"),
        (16, "misc.logsumexp", "use scipy.special.logsumexp"),
    ]
    assert all("queuecompat run" in one.entry_points for one in found)


def test_older_names_in_a_file_of_tensorflow_2_are_to_be_changed_by_hand() -> None:
    """'queuecompat run' and all targets of 'migrate' were named, of which each leaves such a file as it is."""
    text = HEAD + "\n@tf.function\ndef highest(x):\n    return tf.maximum(x, -np.Inf)\n"
    [found] = check_source(source(text))
    assert (found.code, found.entry_points) == ("QC716", "")
    assert any("queuecompat run" in one.entry_points for one in check_source(source(text + "tf.placeholder\n")))


def test_older_names_are_found_in_what_a_program_imports_and_in_no_other_file(tmp_path: pathlib.Path) -> None:
    names = "import numpy as np\n\nRATE = np.float(0.5)\n"
    files = {
        "train.py": "import tensorflow as tf\nimport rates\n",
        "rates.py": names + "import more\n",
        "more.py": names,
        "alone.py": names,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [pathlib.Path(one.file).name for one in check([str(tmp_path)]).findings if one.code == "QC716"]
    assert sorted(found) == ["more.py", "rates.py"]

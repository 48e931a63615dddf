"""``explain(code=True)`` keeps the program's own names and comments."""

from __future__ import annotations

import ast
import functools
import pathlib
import re
import tempfile
from typing import Any, Callable, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat._analysis.known_calls import call_of
from queuecompat._backends.program.calls import with_calls
from queuecompat._backends.program.python import Names

# As in the tutorials of 2016: a helper in another file, attributes of a record, one name for value after value.
READING = """
import tensorflow as tf


def read(queue):
  class Record(object):
    pass
  result = Record()
  _, value = tf.FixedLengthRecordReader(record_bytes=13).read(queue)
  record_bytes = tf.decode_raw(value, tf.uint8)  # one label, then the pixels

  # The first byte is the label.
  result.label = tf.cast(tf.strided_slice(record_bytes, [0], [1]), tf.int32)
  result.label.set_shape([1])
  depth_major = tf.reshape(
      tf.strided_slice(record_bytes, [1], [13]),  # depth, height, width
      [3, 2, 2])
  result.uint8image = tf.transpose(depth_major, [1, 2, 0])
  return result


def scaled(image):
  # pylint: disable=unused-variable
  return tf.to_float(image) / 255.
"""
INPUT = """
import tensorflow as tf
import reading


def inputs(folder):
  queue = tf.train.string_input_producer([folder + '/bytes'], num_epochs=1, shuffle=False)
  row = reading.read(queue)
  # To [0, 1]
  # and around 0.
  image = reading.scaled(row.uint8image)
  image = image - 0.5
  low, high = tf.reduce_min(image), tf.reduce_max(image)
  image *= high - low
  return tf.train.batch([image, tf.squeeze(row.label)], 4)
"""


def compared(dataset: Any, program: Any, require: Callable[..., None] = np.testing.assert_array_equal) -> int:
    """How many batches there are; *require* is called with each tensor of *dataset* and the same one of *program*."""
    pairs = list(zip(dataset, program.build()))
    for ours, theirs in pairs:
        for one, other in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs)):
            require(one, other)
    return len(pairs)


@functools.cache
def written() -> str:
    """The program of ``INPUT``, which has run once beside the dataset."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bytes").write_bytes(bytes(number % 251 for number in range(13 * 8)))
        (folder / "reading.py").write_text(READING)
        (folder / "images_input.py").write_text(INPUT)
        dataset = queuecompat.as_dataset(f"{folder / 'images_input.py'}:inputs", name)
        program = queuecompat.explain(dataset, code=True)
        assert compared(dataset, program, functools.partial(np.testing.assert_allclose, rtol=1e-6)) == 2
    return str(program)


@pytest.fixture
def code() -> str:
    return written()


def assigned(code: str) -> List[str]:
    return re.findall(r"^ +(\w+) = ", code, re.MULTILINE)


def test_values_keep_the_names_that_they_have_in_the_program(code: str) -> None:
    names = assigned(code)
    wanted = ["record_bytes", "label", "depth_major", "uint8image", "image", "image_2", "image_3"]
    assert [name for name in wanted if name in names] == wanted, code
    assert re.search(r"uint8image = tf\.transpose\(depth_major, ", code)
    # The helper returns its value without a name; the line that called it has one.
    assert re.search(r"image = \(\w+ / ", code)


def test_two_values_of_one_statement_keep_the_names_of_their_ops(code: str) -> None:
    assert not {"low", "high"} & set(assigned(code))


# Lines of several values. Ops whose sizes are computed have no form for whole batches.
TABLE = """
import tensorflow as tf


class Row(object):
  pass


def halves(values):
  return tf.split(tf.negative(values), 2)


def swapped(pair):
  return pair[1], pair[0]


def inputs(path, computed):
  queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
  _, line = tf.TextLineReader().read(queue)
  defaults = [[0], [1.], [''], [2.], tf.constant([3], tf.int64), tf.constant([], tf.float32)]
  # the third column is text
  label, width, _, height, count, input = tf.decode_csv(line, defaults, field_delim=';', na_value='?')
  row = Row()
  sides = tf.stack([width, height, width * 2., input])
  row.short, row.long = tf.split(sides, [1, 3])
  left, right = halves(sides)
  a, b, c = tf.unstack(row.long)
  green, red = swapped(tf.unstack(left))
  upper, lower = tf.unstack(right)[::-1]
  first, *others = tf.unstack(sides)
  (x, y), z = tf.unstack(tf.reshape(sides, [2, 2])), first
  found = [label, count, row.short, a + b, c, green - red, upper / lower, others[1], y, z]
  if computed:
    parts = tf.split(sides, [1, 1, label - label + 2])
    found.append(tf.reduce_sum(parts[2]))
  return tf.train.batch(found, 2)
"""


@pytest.mark.parametrize("computed", [False, True])
def test_each_value_of_a_line_has_its_name_from_a_public_function(computed: bool, tmp_path: pathlib.Path) -> None:
    name = f"table_{computed}"
    (tmp_path / f"{name}.py").write_text(TABLE)
    (tmp_path / "rows").write_text("1;2;x;3;4;5\n2;?;y;4;?;6\n3;5;;?;6;7.5\n4;6;z;7;8;9\n")
    dataset = queuecompat.as_dataset(f"{tmp_path / name}.py:inputs", str(tmp_path / "rows"), computed)
    program = queuecompat.explain(dataset, code=True)
    code, axis = str(program), "(, axis=1)?"
    assert re.search(
        r"# the third column is text\n +label, width, _, height, count, input_ = tf\.io\.decode_csv\(\n? *\w+,"
        r"\s+\[\[0\], \[1\.0\], \[b''\], \[2\.0\], tf\.constant\(\[3\], tf\.int64\), tf\.constant\(\[\], [^)]*\)\],"
        r"\s+field_delim=';',\s+na_value='\?',?\s+\)",
        code,
    ), code
    assert re.search(rf"short, long = tf\.split\(\w+, \[1, 3\]{axis}\)", code), code
    assert re.search(rf"left, right = tf\.split\(neg\w*, 2{axis}\)", code), code
    assert re.search(rf"a, b, c = tf\.unstack\(long, 3{axis}\)", code), code
    # Their order was changed, or they do not stand one by one.
    assert not re.search(r"\b(green|red|upper|lower|first|others|x, y|z)\b.* =", code), code
    # Sizes that are not known are no list.
    assert bool(re.search(r"parts = tf\.raw_ops\.SplitV\(", code)) == computed
    assert compared(dataset, program) == 2


def test_a_value_without_a_name_that_is_used_has_that_of_its_op(tmp_path: pathlib.Path) -> None:
    (tmp_path / "kept.py").write_text(
        "import tensorflow as tf\n"
        "def inputs():\n"
        "  number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()\n"
        "  values = {}\n"
        "  _, values[number], last = tf.unstack(tf.stack([number, number + 1, number + 2]))\n"
        "  return tf.train.batch([values[number], last, last], 3)\n"
    )
    dataset = queuecompat.as_dataset(f"{tmp_path / 'kept.py'}:inputs")
    program = queuecompat.explain(dataset, code=True)
    assert re.search(r" _, unstack, last = tf\.unstack\(\w+, 3, axis=1\)", str(program)), program
    assert compared(dataset, program) == 2


def test_comments_stand_where_their_values_are_made_each_once(code: str) -> None:
    for comment in ("one label, then the pixels", "The first byte is the label.", "depth, height, width"):
        assert code.count(f"# {comment}") == 1, code
    assert "pylint" not in code
    assert re.search(r"# To \[0, 1\]\n +# and around 0\.\n +\w+ = tf\.cast\(uint8image", code), code
    assert re.search(r"# one label, then the pixels\n +decode_raw = .*\n +record_bytes = ", code)


def test_names_that_mean_something_else_in_the_program_are_numbered(tmp_path: pathlib.Path) -> None:
    (tmp_path / "odd.py").write_text(
        "import numpy\n"
        "import tensorflow as tf\n"
        "def inputs():\n"
        "  table = tf.constant(numpy.arange(600.).reshape(60, 10))\n"
        "  short = tf.constant(numpy.arange(20))\n"
        "  number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()\n"
        "  step = number * 2\n"
        "  the_const = step + 1\n"
        "  CONST = tf.gather(short, number)\n"
        "  dataset = tf.gather(table, the_const)\n"
        "  input = dataset * 2.\n"
        "  sys = input + tf.cast(CONST, tf.float64)\n"
        "  np = sys + tf.reduce_sum(tf.gather(table, number))\n"
        "  batch_step = np - 1.\n"
        "  return tf.train.batch([batch_step], 5)\n"
    )
    dataset = queuecompat.as_dataset(f"{tmp_path / 'odd.py'}:inputs")
    program = queuecompat.explain(dataset, code=True)
    ast.parse(str(program))
    assert compared(dataset, program, np.testing.assert_allclose) == 4
    assert not {"dataset", "input", "sys", "np"} & set(assigned(str(program)))
    assert {"dataset_2", "input_", "sys_2", "np_2"} <= set(assigned(str(program))), program


def test_a_condition_has_the_name_of_its_result(tmp_path: pathlib.Path) -> None:
    (tmp_path / "chosen.py").write_text(
        "import tensorflow as tf\n"
        "def inputs():\n"
        "  number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()\n"
        "  # even ones alone\n"
        "  halved = tf.cond(tf.equal(number % 2, 0), lambda: number // 2, lambda: number)\n"
        "  while_ = tf.while_loop(lambda i: i < 30, lambda i: i * 2 + 1, [halved])\n"
        "  return tf.train.batch([while_ + 1], 5)\n"
    )
    dataset = queuecompat.as_dataset(f"{tmp_path / 'chosen.py'}:inputs")
    program = queuecompat.explain(dataset, code=True)
    assert re.search(r"# even ones alone\n +(?:equal|\w+) = ", str(program)), program
    assert re.search(r"halved = tf\.cond\(", str(program)), program
    assert compared(dataset, program) == 4


def test_lines_outside_the_input_function_name_nothing() -> None:
    def inputs() -> Any:
        return queuecompat.train.batch([queuecompat.train.range_input_producer(8, 1).dequeue() + 1], 4)

    # not of the pipeline
    around = queuecompat.as_dataset(inputs)
    code = str(queuecompat.explain(around, code=True))
    assert "around" not in code and "not of the pipeline" not in code


def test_without_its_source_file_a_program_has_no_names_or_comments(tmp_path: pathlib.Path) -> None:
    text = "import tensorflow as tf\ndef inputs(numbers):\n  twice = numbers.dequeue() * 2\n  return twice\n"
    names: Any = {}
    exec(compile(text, str(tmp_path / "nowhere.py"), "exec"), names)

    def inputs() -> Any:
        return queuecompat.train.batch([names["inputs"](queuecompat.train.range_input_producer(8, 1))], 4)

    program = queuecompat.explain(queuecompat.as_dataset(inputs), code=True)
    assert "twice" not in str(program) and len(list(program.build())) == 2


def test_a_local_name_hides_none_from_around_whichever_comes_first() -> None:
    around = Names()
    function = around.new("table")
    local, other = Names(["x"], within=around), Names(["x"], within=around)
    assert function == "table" and local.like("table") == "table_2" and local.like("x") == "x_2"
    assert local.like("later") == "later" and around.new("later") == "later_2"
    assert other.like("later") == "later"


def standardized_images(size: int, batched: bool) -> Any:
    pixels = np.random.default_rng(1).uniform(0, 255, [10, size, size, 3]).astype(np.float32)
    (image,) = queuecompat.train.slice_input_producer([pixels], num_epochs=1, shuffle=False)
    if not batched:  # an op that has no form for batches comes after it
        standardized = queuecompat.image.per_image_standardization(image * 2.0)
        return queuecompat.train.batch([tf.io.encode_base64(tf.strings.as_string(standardized))], 4)
    standardized = queuecompat.image.per_image_standardization(image * 2.0)
    return queuecompat.train.batch([standardized + 1.0, image], 4, allow_smaller_final_batch=True)


@pytest.mark.parametrize("batched", [True, False])
def test_standardization_is_one_call_with_the_same_bits(batched: bool) -> None:
    dataset = queuecompat.as_dataset(standardized_images, 24, batched)
    program = queuecompat.explain(dataset, code=True)
    assert re.search(r"standardized_2 = standardized\(\w+\)", str(program)), program
    assert str(program).count("tf.raw_ops.BiasAddGrad") == 1 and ("def batch_step" in str(program)) == batched
    assert compared(dataset, program) == (3 if batched else 2)


def test_what_the_short_form_does_not_say_is_written_op_by_op() -> None:
    """An image of more elements is added in parts."""
    dataset = queuecompat.as_dataset(standardized_images, 56, True)
    program = queuecompat.explain(dataset, code=True)
    assert "def standardized(" not in str(program)
    np.testing.assert_array_equal(next(iter(dataset))[0], next(iter(program.build()))[0])


def test_a_part_of_a_call_is_not_written_as_the_call() -> None:
    """A pass may cut between its ops: what comes in then is no image."""
    with tf.Graph().as_default() as graph:
        image = tf.compat.v1.placeholder(tf.float32, [8, 8, 3])
        result = queuecompat.image.per_image_standardization(image)
    ops = [op for op in graph.get_operations() if op.type != "Placeholder"]
    calls = {op.name: call_of(op) for op in ops if call_of(op)}
    whole = with_calls(ops, [result], calls)
    assert [op.type for op in whole if op.type != "Const"] == ["Called", "Identity"]
    first = next(op for op in ops if op.type == "Reshape")
    part = [op for op in ops if op is not first and op.type != "Shape"]
    assert with_calls(part, [result], calls) == part

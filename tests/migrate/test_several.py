"""Parts of a batch that are dicts or lists, under names of their own: ``features, label = inputs(files)``."""

from __future__ import annotations

import pathlib

import pytest

from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.forking import Server
from tests.migrate.forms import output
from tests.migrate.sources import migrated

_LINE = "    row = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()\n"
_SESSION = """\
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            x, y = sess.run([features, label])
            print(x, y)
    except tf.errors.OutOfRangeError:
        print("done")
    coord.request_stop()
    coord.join(threads)
"""


def program(body: str) -> str:
    return f"import tensorflow as tf\n\n\ndef inputs():\n{_LINE}{body}\n\nfeatures, label = inputs()\n{_SESSION}"


_BOTH = "    a, b = tf.train.batch([row, row * 2], 4)\n"
_DICTS = {
    "popped": "    batch = tf.train.batch({'a': row, 'b': row * 2}, 4)\n    b = batch.pop('b')\n    return batch, b\n",
    "built": f"{_BOTH}    features = {{'a': a}}\n    features['c'] = b + 1\n    return features, b\n",
    "written": f"{_BOTH}    return {{'a': a}}, b\n",
    "comprehended": f"{_BOTH}    return {{name: a for name in 'de'}}, b\n",
    "listed": f"{_BOTH}    return [a, b], b\n",
    "by_a_helper": f"{_BOTH}    return named(a), b\n\n\ndef named(a):\n    return dict(a=a)\n",
}


@pytest.mark.parametrize("body", _DICTS.values(), ids=_DICTS)
def test_each_tensor_of_a_dict_or_a_list_becomes_an_array(body: str) -> None:
    text = migrated(program(body), "as-dataset")
    assert "tf.nest.map_structure(lambda tensor: tensor.numpy(), features), label.numpy()" in text


@pytest.mark.parametrize(
    "body",
    [
        "    return tf.train.batch([row, row * 2], 4)\n",
        "    a, b = tf.train.batch([row, row * 2], 4)\n    return a, tf.reshape(b, [4])\n",
        "    a, b = tf.train.batch([row, row * 2], 4)\n    a = tf.cast(a, tf.float32)\n    return (a, b)\n",
    ],
)
def test_a_tensor_is_asked_for_its_array(body: str) -> None:
    assert "x, y = features.numpy(), label.numpy()" in migrated(program(body), "as-dataset")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_dict_in_a_batch_has_the_same_values(to: str, tmp_path: pathlib.Path, server: Server) -> None:
    """It was an AttributeError: 'dict' object has no attribute 'numpy'."""
    text = program(_DICTS["popped"])
    assert output(server, migrated(text, to), tmp_path) == output(server, migrated(text, "v1"), tmp_path)


def test_a_dict_of_a_function_in_a_different_file_is_one_too() -> None:
    text = program(_DICTS["popped"])
    reader, _, main = text.partition("features, label = ")
    files = [
        parsed("reader.py", reader),
        parsed("main.py", f"import tensorflow as tf\n\nimport reader\n\nfeatures, label = reader.{main}"),
    ]
    new = rewritten_together(files, "as-dataset")[files[1]].text
    assert "tf.nest.map_structure(lambda tensor: tensor.numpy(), features), label.numpy()" in new


# What functions return: a list, for sure or perhaps, and none.
_BATCH = "    return tf.train.batch([row, row * 2], 4)\n"
_LISTS = {
    "of_a_batcher": _BATCH,
    "written": f"{_BOTH}    return [a, b]\n",
    "appended": f"{_BOTH}    both = []\n    both.append(a)\n    both.append(b)\n    return both\n",
    "by_a_helper": "    return whole(row)\n\n\ndef whole(x):\n    two = [x, x]\n    return tf.train.batch(two, 4)\n",
    "of_a_join_of_four": _BATCH.replace("batch([row, row * 2]", "batch_join([[row, row * 2]] * 4"),
    "of_a_join": _BATCH.replace("batch([row, row * 2]", "batch_join([[row, row * 2]]"),
}
_USES = {
    "appended": "values = sess.run(batch)\n            values.append(1)\n            print(values)",
    "printed": "print(sess.run(batch))",
    "formatted": 'print("%s" % sess.run(batch))',
}


def of_whole(body: str, use: str) -> str:
    text = program(body).replace("features, label = inputs", "batch = inputs")
    return text.replace("x, y = sess.run([features, label])\n            print(x, y)", use)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("use", _USES.values(), ids=_USES)
def test_what_a_session_returned_as_a_list_is_one(use: str, to: str, tmp_path: pathlib.Path, server: Server) -> None:
    """It was a tuple: an AttributeError, a TypeError or brackets of the other kind."""
    text = of_whole(_BATCH, use)
    new = migrated(text, to)
    assert "batch = list(batches.get_next())" in new
    assert output(server, new, tmp_path) == output(server, migrated(text, "v1"), tmp_path)


@pytest.mark.parametrize("body", _LISTS.values(), ids=_LISTS)
def test_a_list_is_known_by_what_makes_it(body: str) -> None:
    assert "batch = list(batches.get_next())" in migrated(of_whole(body, _USES["printed"]), "as-dataset")


@pytest.mark.parametrize(
    "use", ["a, b = sess.run(batch)\n            print(a, b)", "print(sess.run(batch)[1])", "print(*sess.run(batch))"]
)
def test_a_batch_of_which_only_parts_are_taken_stays_a_tuple(use: str) -> None:
    assert "list(" not in migrated(of_whole(_BATCH, use), "as-dataset")


def test_a_part_that_is_a_list_is_one_again(tmp_path: pathlib.Path, server: Server) -> None:
    new = migrated(program(_DICTS["listed"]), "as-dataset")
    assert "features = list(features)\n" in new
    assert output(server, new, tmp_path) == output(server, migrated(program(_DICTS["listed"]), "v1"), tmp_path)


def test_a_batch_that_may_be_a_list_keeps_its_session() -> None:
    body = (
        "    tensors = made(row)\n    return tf.train.batch(tensors, 4)\n\n\ndef made(*tensors):\n    return tensors\n"
    )
    text = of_whole(body, _USES["printed"])
    [file] = [parsed("main.py", text)]
    result = rewritten_together([file], "as-dataset")[file]
    assert "@queuecompat.input_pipeline" in result.text and "tf.Session()" in result.text
    assert "'inputs' may return a list here, but an element of a dataset is a tuple" in result.left[0].what


@pytest.mark.parametrize("between", [False, True])
def test_a_list_of_a_different_file_is_one_too(between: bool) -> None:
    reader, _, main = of_whole(_BATCH, _USES["printed"]).partition("batch = ")
    passing = parsed("passing.py", "import reader\n\n\ndef inputs():\n    return reader.inputs()\n")
    name = "passing" if between else "reader"
    user = parsed("main.py", f"import tensorflow as tf\n\nimport {name}\n\nbatch = {name}.{main}")
    new = rewritten_together([user, *[passing][:between], parsed("reader.py", reader)], "as-dataset")[user].text
    assert "batch = list(batches.get_next())" in new


_INSIDE = f"{_BOTH}    return {{'x': [a, tf.expand_dims(b, 1)], 'y': b}}\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("by_name", [False, True])
def test_a_list_inside_of_a_batch_is_a_tuple_where_its_parts_are_taken(
    by_name: bool, to: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """tf.data stacked its tensors: a ValueError, for their shapes differ."""
    body = f"{_BOTH}    x = [a, tf.expand_dims(b, 1)]\n    return {{'x': x, 'y': b}}\n" if by_name else _INSIDE
    text = of_whole(body, "print(sess.run(batch)['x'][1])")
    new = migrated(text, to)
    assert "Session" not in new
    assert output(server, new, tmp_path) == output(server, migrated(text, "v1"), tmp_path)


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("is_elsewhere", [False, True])
@pytest.mark.parametrize(
    ("body", "value"),
    [
        (_INSIDE, "values['x']"),
        (f"{_BOTH}    both = {{}}\n    both['x'] = [a, b]\n    return both\n", "values['x']"),
        (f"{_BOTH}    return b, dict(x=[a, b])\n", "values[1]['x']"),
    ],
)
def test_a_list_inside_of_a_batch_that_is_used_as_one_keeps_its_session(
    body: str, value: str, is_elsewhere: bool, to: str
) -> None:
    """It was a tuple: an AttributeError."""
    text = of_whole(body, f"values = sess.run(batch)\n            {value}.append(1)\n            print(values)")
    reader, _, main = text.partition("batch = ")
    main = f"import tensorflow as tf\n\nimport reader\n\nbatch = reader.{main}"
    files = [parsed("reader.py", reader), parsed("main.py", main)] if is_elsewhere else [parsed("main.py", text)]
    new = rewritten_together(files, to)[files[-1]].text
    assert "tf.Session()" in new and "values = sess.run(batch)" in new

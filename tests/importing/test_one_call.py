"""A function whose file imports TensorFlow 2: while ``as_dataset`` calls it, TensorFlow 1's names are there."""

from __future__ import annotations

import importlib
import pathlib
import sys
import types
from typing import Any, List

import pytest

from queuecompat._importing import one_call
from tests.forking import Server

PROGRAM = """
import builtins, functools, sys, threading, types
import tensorflow as tf
import queuecompat
from queuecompat import image, readers, train

NAMES = {"read_file", "TFRecordReader", "contrib", "to_float", "decode_raw", "app", "gfile"}
SEEN = {}

def state():
    modules = {
        name: (type(module), {k for k, value in vars(module).items() if not isinstance(value, types.ModuleType)})
        for name, module in sys.modules.items()
        if name in ("tensorflow", "tensorflow._api.v2.train", "tensorflow.compat.v1", "tensorflow.compat.v1.train")
    }
    contrib = {name for name in sys.modules if name.startswith("tensorflow.contrib")}
    return modules, builtins.__import__, list(sys.meta_path), contrib

def in_another_thread(call):
    found = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]

def can_import(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True

def inputs(path):
    from tensorflow.contrib import slim
    import tensorflow.contrib.training.python.training.bucket_ops as ops
    import tensorflow.contrib.slim
    import tensorflow.compat.v1 as tf1
    from tensorflow.compat.v1 import TFRecordReader
    from tensorflow.compat.v1.train import shuffle_batch
    assert slim is tf.contrib.slim is tensorflow.contrib.slim and ops.bucket is tf.contrib.training.bucket
    assert TFRecordReader is tf1.TFRecordReader is tf.TFRecordReader is readers.TFRecordReader
    assert shuffle_batch is tf.train.shuffle_batch is tf1.train.shuffle_batch is train.shuffle_batch
    assert tf1.image.per_image_standardization is image.per_image_standardization
    SEEN["here"] = {name for name in NAMES if hasattr(tf, name)}
    SEEN["elsewhere"] = in_another_thread(lambda: {name for name in NAMES if hasattr(tf, name)})
    SEEN["theirs"] = in_another_thread(
        lambda: tf1.train.batch is not train.batch and not can_import("tensorflow.contrib")
    )
    queue = tf.train.string_input_producer([path], num_epochs=1)
    _, record = tf.FixedLengthRecordReader(record_bytes=2).read(queue)
    row = tf.to_float(tf.decode_raw(record, tf.uint8))
    row.set_shape([2])
    assert tf.squeeze([[3]], squeeze_dims=[0]).shape == tf.reduce_sum([[3, 4]], 1, keep_dims=False).shape == [1]
    assert tf.summary.scalar("row", row[0]).dtype == tf.string
    SEEN["squeeze there"] = in_another_thread(lambda: tf.squeeze)
    with tf.name_scope(None, "crop", [row]):
        row = tf.identity(row)
    row = tf.random_crop(tf.image.resize_images(tf.reshape(row, [1, 2, 1]), [1, 4]), [1, 2, 1], seed=1)
    return tf.train.batch([tf.reshape(row, [2])], 3)

def failing():
    tf.read_file
    raise KeyError("it was called")

open("data", "wb").write(bytes(range(12)))
import tensorflow.compat.v1.train  # makes these modules, which TensorFlow keeps
before = state()
batches = list(queuecompat.as_dataset(inputs, "data", strict=True).as_numpy_iterator())
assert len(batches) == 2 and batches[0].shape == (3, 2), batches
assert SEEN["here"] == NAMES, SEEN
assert SEEN["elsewhere"] == set() and SEEN["theirs"], SEEN
assert state() == before
assert SEEN["squeeze there"] is tf.squeeze
for function, error, text in (
    (failing, KeyError, "it was called"),
    (lambda: tf.read_fil("x"), AttributeError, "QC511 'tf.read_fil' was not found"),
    (lambda: tf.read_fil("x"), AttributeError, "did you mean 'read_file'"),
    (lambda: tf.train.nothing, AttributeError, "QC511 'tf.train.nothing' was not found"),
    (lambda: tf.contrib.opt.Absent, AttributeError, "QC511 'tf.contrib.opt.Absent' was not found"),
    (lambda: tf.contrib.layers.convolution, AttributeError, "instead:  pip install tf-slim"),
    (lambda: __import__("tensorflow.contrib.absent"), ImportError, "QC511"),
    (lambda: tf.models, AttributeError, "a repository of their own"),
):
    try:
        queuecompat.as_dataset(function)
    except error as problem:
        assert text in str(problem), problem
    else:
        raise AssertionError(function)
    assert state() == before

# Two calls at a time: the end of one takes nothing from the other.
begun, ended = threading.Event(), threading.Event()

def slow():
    begun.set()
    assert ended.wait(60)
    return tf.to_float(tf.constant(3))

results = []
thread = threading.Thread(target=lambda: results.append(queuecompat.as_dataset(slow)))
thread.start()
assert begun.wait(60)
queuecompat.as_dataset(lambda: tf.to_float(tf.constant(3)))
ended.set()
thread.join()
assert len(results) == 1
assert state() == before
print("all of it holds")
"""


def test_the_names_exist_during_the_call_in_its_thread_only(server: Server, tmp_path: pathlib.Path) -> None:
    done = server.run(["-c", PROGRAM], str(tmp_path))
    assert done.out.endswith("all of it holds\n"), done.err


def test_an_import_looks_through_all_modules_only_where_some_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """It did at each import, which was 40 % of the time of a call: TensorFlow imports its own modules all the time."""
    importlib.import_module("tensorflow")
    looked: List[Any] = []

    def none() -> Any:
        looked.append(None)
        return iter(())

    monkeypatch.setattr(one_call, "apis", none)
    with one_call.tensorflow_1_names():
        __import__("tensorflow")
        assert len(looked) == 1  # as the block began
        made = types.ModuleType("tensorflow.made_here")
        monkeypatch.setitem(sys.modules, made.__name__, made)
        __import__("tensorflow")
        __import__("tensorflow")
        assert len(looked) == 2

"""Detects regressions of the compiler: ops that run on whole batches take less time than ordinary tf.data.

The processor time of both is measured in one process, one after the other, in several rounds. Measured on 2 processors,
also under load, with TF 2.12 and 2.21, in batches of 128: 0.08 to 0.16 of the time of ordinary tf.data; 0.33 to 0.62 if
the ops run one by one.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, Dict, Iterator

import numpy as np
import pytest
import tensorflow

import queuecompat.v1 as tf
from tests.pipelines.running import started

COUNT, SIZE, STEPS, ROUNDS = 1000, 128, 10, 3
LIMIT = 0.3  # of the time of ordinary tf.data

Features = Dict[str, Any]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = str(tmp_path_factory.mktemp("relapse") / "records.tfrecord")
    random = np.random.RandomState(0)
    with tensorflow.io.TFRecordWriter(file) as writer:
        for number in range(COUNT):
            example = tensorflow.train.Example()
            feature = example.features.feature
            feature["ids"].int64_list.value.extend(random.randint(1, 99, 5 + number % 30))
            feature["image"].bytes_list.value.append(random.bytes(300))
            feature["label"].int64_list.value.append(number)
            writer.write(example.SerializeToString())
    return file


def parsed(tf: Any, record: Any) -> Features:
    features = {
        "ids": tf.io.VarLenFeature(tf.int64),
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    return dict(tf.io.parse_single_example(record, features))


def image(tf: Any, record: Any) -> Any:
    found = parsed(tf, record)
    pixels = tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), [10, 10, 3])
    return [tf.cast(pixels, tf.float32) / 255.0, found["label"]]


def text(tf: Any, record: Any) -> Any:
    found = parsed(tf, record)
    ids = tf.sparse.to_dense(found["ids"])
    return [ids[:-1], ids[1:], found["label"]]


def even(tf: Any, record: Any) -> Any:
    found = parsed(tf, record)
    return [tf.cast(found["label"], tf.float32) / 7.0, found["label"] % 2 < 1]


def queues(kind: str, record: Any) -> Any:
    if kind == "image":
        return tf.train.batch(image(tf, record), SIZE, capacity=4 * SIZE)
    if kind == "text":
        return tf.train.batch(text(tf, record), SIZE, capacity=4 * SIZE, dynamic_pad=True)
    value, keep = even(tf, record)
    return tf.train.maybe_batch([value], keep, SIZE, capacity=4 * SIZE)


def ordinary(kind: str, records: Any) -> Any:
    calls = tensorflow.data.AUTOTUNE
    if kind == "image":
        return records.map(lambda one: tuple(image(tensorflow, one)), calls).batch(SIZE, drop_remainder=True)
    if kind == "text":
        return records.map(lambda one: tuple(text(tensorflow, one)), calls).padded_batch(SIZE, drop_remainder=True)
    kept = records.map(lambda one: tuple(even(tensorflow, one)), calls).filter(lambda value, keep: keep)
    return kept.batch(SIZE, drop_remainder=True)


@contextlib.contextmanager
def compiled(kind: str, path: str) -> Iterator[Callable[[], Any]]:
    with tensorflow.Graph().as_default():
        _, record = tf.TFRecordReader().read(tf.train.string_input_producer([path]))
        batch = queues(kind, record)
        with started() as session:
            yield lambda: session.run(batch)


@contextlib.contextmanager
def by_tf_data(kind: str, path: str) -> Iterator[Callable[[], Any]]:
    with tensorflow.Graph().as_default():
        dataset = ordinary(kind, tensorflow.data.TFRecordDataset([path]).repeat()).prefetch(2)
        iterator = tf.data.make_initializable_iterator(dataset)
        batch = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            yield lambda: session.run(batch)


def settled() -> None:
    """Returns when what is made ahead has been made, and nothing runs."""
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        before = time.process_time()
        time.sleep(0.01)
        if time.process_time() - before < 0.002:
            return


def seconds(step: Callable[[], Any]) -> float:
    settled()
    before = time.process_time()
    for _ in range(STEPS):
        step()
    settled()
    return time.process_time() - before


@pytest.mark.parametrize("kind", ["image", "text", "even"])
def test_whole_batches_take_less_than_ordinary_tf_data(kind: str, path: str) -> None:
    with compiled(kind, path) as ours, by_tf_data(kind, path) as theirs:
        for _ in range(3):  # what is made once is made
            ours(), theirs()
        ratios = [seconds(ours) / seconds(theirs) for _ in range(ROUNDS)]
    # Beside other tests a round may take longer; all of them do only in a relapse.
    assert min(ratios) < LIMIT, ratios

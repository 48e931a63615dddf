"""How many bytes a cache would need: compared with what one does keep of the same pipeline."""

from __future__ import annotations

import pathlib
from typing import Any, List, Optional

import pytest
import tensorflow

import queuecompat
import queuecompat.v1 as tf
from queuecompat._plan import ir
from queuecompat._plan.cache_store import known_store
from queuecompat._session.entry import pipelines_of

SIZE = 12  # of images
FILES, RECORDS = 3, 5  # files, and records of each


@pytest.fixture
def files(tmp_path: pathlib.Path) -> List[str]:
    with tensorflow.Graph().as_default(), tf.Session() as session:
        png = session.run(tensorflow.io.encode_png(tf.zeros([SIZE, SIZE, 3], tf.uint8)))
    names = [str(tmp_path / str(number)) for number in range(FILES)]
    for name in names:
        pathlib.Path(name).write_bytes(png)
        with tensorflow.io.TFRecordWriter(f"{name}.records") as file:
            for _ in range(RECORDS):
                file.write(png)
    return names


def built(files: List[str], reader: str, epochs: Optional[int], shape: Any = (SIZE, SIZE, 3)) -> Any:
    """A batch of flipped images, as floating point."""
    if reader == "slices":
        content = tf.read_file(tf.train.slice_input_producer([files], num_epochs=epochs)[0])
    elif reader == "whole files":
        _, content = tf.WholeFileReader().read(tf.train.string_input_producer(files, num_epochs=epochs))
    else:
        names = tf.train.string_input_producer([f"{name}.records" for name in files], num_epochs=epochs)
        _, content = tf.TFRecordReader().read(names)
    image = tf.image.decode_png(content, 3)
    image.set_shape(shape)
    image = tf.image.random_flip_left_right(image)
    return tf.train.batch([tf.cast(image, tf.float32)], 3, dynamic_pad=True)


def needed(files: List[str], reader: str, epochs: Optional[int], steps: int, **arguments: Any) -> Any:
    """What the report says of the pipeline after *steps* batches; -1: all."""
    report = queuecompat.report()
    with tensorflow.Graph().as_default():
        ran(built(files, reader, epochs, **arguments), steps)
    return report.pipelines[-1].cacheable


def ran(batch: Any, steps: int) -> None:
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        try:
            while steps:
                session.run(batch)
                steps -= 1
        except tf.errors.OutOfRangeError:
            pass


def kept_bytes(files: List[str], reader: str) -> int:
    """What a cache has in memory after two epochs."""
    with tensorflow.Graph().as_default() as graph, queuecompat.options(cache="ram"):
        ran(built(files, reader, 2), -1)
        plans = [one.plan for one in pipelines_of(graph).backend.plans()]
    [cache] = [step for plan in plans for step in ir.all_steps(plan) if isinstance(step, ir.Cache)]
    store = known_store(cache.key, cache.where, cache.most_bytes)
    assert store is not None
    return store.status().used


@pytest.mark.parametrize(("reader", "steps"), [("slices", 1), ("whole files", 1), ("records", -1)])
def test_what_a_cache_needs_is_what_it_takes(files: List[str], reader: str, steps: int) -> None:
    elements = FILES * (RECORDS if reader == "records" else 1)
    found = needed(files, reader, 2, steps)
    assert found.bytes == elements * SIZE * SIZE * 3 == kept_bytes(files, reader)
    assert "DecodePng" in found.op_names and not any("random_uniform" in name for name in found.op_names)


def test_unknown_figures_are_left_out(files: List[str]) -> None:
    assert needed(files, "records", 2, 1).bytes is None  # how many records there are
    assert needed(files, "slices", 2, 1, shape=(None, None, 3)).bytes is None  # how large they are


def test_what_is_read_only_once_needs_no_cache(files: List[str]) -> None:
    assert needed(files, "slices", 1, -1) is None

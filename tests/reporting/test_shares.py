"""Programs whose bottleneck is known: the report has to find it, and the right share of the work.

What is right is measured without the report, in processor time: the same records read, and the same images decoded,
alone.
"""

from __future__ import annotations

import inspect
import os
import pathlib
import time
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest
import tensorflow

import queuecompat
import queuecompat.v1 as tf
from queuecompat.reporting import sampling, stages
from queuecompat.reporting.figures import Pipeline

SECONDS = 1.2  # that each program runs
# Shares of time are measured while other tests run beside: only on a quiet machine can they be held to a limit.
IS_QUIET = "QUEUECOMPAT_TIMINGS" in os.environ
SIZE = 160  # of images
FILE = os.path.join("tests", "reporting", "test_shares.py")


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sampling, "FIRST", 0.25)
    return queuecompat.report()


@pytest.fixture(scope="module")
def jpegs() -> List[bytes]:
    rng = np.random.default_rng(0)
    with tensorflow.Graph().as_default(), tf.Session() as session:
        pixels = tf.placeholder(tf.uint8, [SIZE, SIZE, 3])
        encoded = tensorflow.io.encode_jpeg(pixels)
        return [session.run(encoded, {pixels: rng.integers(0, 256, (SIZE, SIZE, 3))}) for _ in range(40)]


def written(path: pathlib.Path, jpegs: List[bytes], extra: int, compression: str) -> str:
    """A file of *jpegs*, each with *extra* further bytes that only have to be read."""
    text = bytes(np.random.default_rng(1).integers(0, 16, extra, np.uint8))
    with tensorflow.io.TFRecordWriter(str(path), compression) as file:
        for jpeg in jpegs:
            file.write(jpeg + text)
    return str(path)


def ran(file: str, compression: str, batch_size: int, step: Callable[[Any], Any]) -> None:
    """Reads, decodes and batches, and runs *step* of each batch."""
    with tensorflow.Graph().as_default():
        options = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, compression or "NONE"))
        _, record = tf.TFRecordReader(options=options).read(tf.train.string_input_producer([file], shuffle=False))
        image = tf.reshape(tf.image.decode_jpeg(record, name="user_decode"), [SIZE, SIZE, 3])
        wanted = step(tf.train.batch([image], batch_size, capacity=4 * batch_size))
        with tf.Session() as session:
            tf.train.start_queue_runners(session)
            session.run(wanted)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                session.run(wanted)


def alone(file: str, compression: str, jpegs: List[bytes]) -> Tuple[float, float]:
    """Seconds that reading the records takes, and decoding them, with one thread."""

    def read(times: int) -> tf.data.Dataset:
        clock = tensorflow.data.Dataset.range(times)
        records = clock.flat_map(lambda _: tensorflow.data.TFRecordDataset([file], compression))
        return records.batch(len(jpegs)).map(tensorflow.size)  # no call for each record

    def decoded(times: int) -> tf.data.Dataset:
        records = tensorflow.data.Dataset.from_tensor_slices(jpegs).repeat(times)
        return records.map(lambda record: tensorflow.cast(tensorflow.io.decode_jpeg(record)[0, 0, 0], tf.int32))

    return processor_time(read, 2 if compression else 100), processor_time(decoded, 4)


def processor_time(dataset: Callable[[int], Any], more: int) -> float:
    """Seconds of one pass, from *more* passes, the best of three: without what a start, and other programs, cost."""
    best = []
    for passes in (1, 1 + more):
        with tensorflow.Graph().as_default(), tf.Session() as session:
            total = dataset(passes).reduce(0, lambda count, one: count + one)
            times = []
            for _ in range(4):
                begin = time.process_time()
                session.run(total)
                times.append(time.process_time() - begin)
            best.append(min(times[1:]))
    return max(0.0, best[1] - best[0]) / more


def line_with(words: str, function: Callable[..., Any]) -> int:
    lines, first = inspect.getsourcelines(function)
    [found] = [number for number, line in enumerate(lines, first) if words in line]
    return found


def share(one: Pipeline, kind: str) -> float:
    return sum(one.share(stage) for stage in one.stages if stage.kind == kind)


@pytest.mark.parametrize(
    ("slow", "compression", "extra"), [(stages.READ, "ZLIB", 500_000), (stages.DECODE, "", 0)], ids=["read", "decode"]
)
def test_the_slow_stage_is_found_and_its_share_is_right(
    report: Any, jpegs: List[bytes], tmp_path: pathlib.Path, slow: str, compression: str, extra: int
) -> None:
    file = written(tmp_path / "images", jpegs, extra, compression)
    ran(file, compression, 8, lambda images: tf.reduce_max(images[:, 0, 0, 0]))
    [one] = report.pipelines
    read, decode = alone(file, compression, jpegs)
    right = (read if slow == stages.READ else decode) / (read + decode)
    assert one.verdict == "input-bound"
    assert max(one.stages, key=lambda stage: stage.seconds).kind == slow
    assert not IS_QUIET or abs(share(one, slow) - right) <= 0.1, (one.stages, read, decode)
    [decoding] = [stage for stage in one.stages if stage.kind == stages.DECODE]
    assert (decoding.op, decoding.op_name) == ("DecodeJpeg", "user_decode")
    # The line, here in "ran", that makes the op; and the same in the report.
    assert decoding.made_at.endswith(f"{FILE}:{line_with('user_decode', ran)}")
    assert str(one.advice).startswith("'read' is" if slow == stages.READ else f"decode (DecodeJpeg, {decoding.made_at}")
    assert f"DecodeJpeg, {decoding.made_at}\n" in str(report)
    assert one.made_at.endswith(f"{FILE}:{line_with('tf.train.batch', ran)}")
    assert [look.when for look in one.looks] == sorted(look.when for look in one.looks)
    assert one.looks[-1].count > one.looks[0].count and one.capacities == {"batch": 32}


def test_the_time_of_a_slow_stage_is_known_for_each_batch(report: Any) -> None:
    """A function that sleeps for 2 ms takes so long for each element, however fast the pipeline is otherwise."""

    def slow(number: Any) -> Any:
        time.sleep(0.002)
        return number

    with tensorflow.Graph().as_default():
        number = tf.train.range_input_producer(1000).dequeue()
        slow_number = tf.reshape(tf.py_func(slow, [number], tf.int32), [])
        wanted = tf.train.batch([slow_number], 4)
        with tf.Session() as session:
            tf.train.start_queue_runners(session)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                session.run(wanted)
    one = report.pipelines[-1]
    [stage] = [stage for stage in one.stages if stage.kind == stages.ON_ELEMENTS]
    assert stage.op == "PyFunc" and f"{FILE}:" in stage.made_at
    assert stage.seconds_each is not None and one.answer == "batch"
    # A sleep may last longer, and an element that is begun before a recording is left out of it.
    assert stage.seconds_each > 0.007 and (not IS_QUIET or stage.seconds_each < 0.01)


def test_the_verdict_for_a_slow_model_says_that_it_does_not_wait_for_data(
    report: Any, jpegs: List[bytes], tmp_path: pathlib.Path
) -> None:
    def slow_model(images: Any) -> Any:
        pixels = tf.cast(tf.reshape(images, [2, -1])[:, :2048], tf.float32)
        weights = tf.ones([2048, 2048])
        for _ in range(40):
            pixels = tf.matmul(pixels, weights, name="model")
        return tf.reduce_sum(pixels)

    ran(written(tmp_path / "images", jpegs, 0, ""), "", 2, slow_model)
    [one] = report.pipelines
    # Beside other tests the input may have to wait for a processor as well as the model.
    assert not IS_QUIET or (one.verdict == "compute-bound" and "would gain nothing" in str(one.advice))
    # The model's ops are no stage.
    assert not any("model" in str(stage) for stage in one.stages)
    assert not IS_QUIET or (share(one, stages.DECODE) > 0.5 and one.cores < 1.0)


def test_a_step_that_the_program_traces_itself_has_the_profiler(
    report: Any, jpegs: List[bytes], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "LEAST", 60.0)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tensorflow.Graph().as_default(), tf.Session() as session:
        batch = tf.train.batch([tf.train.range_input_producer(10).dequeue()], 2)
        tf.train.start_queue_runners(session)
        session.run(batch)
        while not report._sampler._is_recording:
            session.run(batch)
        metadata = tf.RunMetadata()
        session.run(batch, options=options, run_metadata=metadata)
        assert metadata.step_stats.dev_stats

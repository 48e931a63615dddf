"""A program with pipelines of many kinds that is killed: ``python restarting.py LOOP FOLDER SAVED LIVED NAMES``.

It prints a line for each step, with its number and a digest of the batch of each pipeline of NAMES. It saves after its
first SAVED steps, and kills itself after LIVED. LOOP is what restores and saves: a MonitoredTrainingSession, a
Supervisor, or a Saver.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pathlib
import signal
import sys
from typing import Any, Callable, Dict, Iterator, List

import numpy as np
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.ordered_files import READERS, WRITERS

COUNT = 103
GZIP = real.io.TFRecordOptions(compression_type="GZIP")


def write(folder: pathlib.Path) -> None:
    """The files that the pipelines read: three of each kind, and images."""
    for kind, writer in WRITERS.items():
        for number, size in enumerate((40, 7, COUNT - 47)):
            writer(str(folder / f"{kind}-{number}"), range(100 * number, 100 * number + size))
    with real.io.TFRecordWriter(str(folder / "packed"), GZIP) as packed:
        for number in range(COUNT):
            packed.write(b"%d" % number)
    with real.Graph().as_default(), real.compat.v1.Session() as session:
        for number in range(6):
            pixels = np.random.default_rng(number).integers(0, 256, [20, 24, 3], np.uint8)
            (folder / f"{number}.png").write_bytes(session.run(real.io.encode_png(pixels)))


def _read(folder: pathlib.Path, kind: str, **producer: Any) -> Any:
    names = [str(folder / f"{kind}-{number}") for number in range(3)]
    queue = tf.train.string_input_producer(names, **producer)
    return tf.string_to_number(READERS[kind]().read(queue)[1], tf.int32)


def _mixed(one: Any, **how: Any) -> Any:
    return tf.train.shuffle_batch([one], 8, **{"capacity": 40, "min_after_dequeue": 16, **how})


def _packed(folder: pathlib.Path) -> Any:
    reader = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP))
    queue = tf.train.string_input_producer([str(folder / "packed")])
    return _mixed(tf.string_to_number(reader.read(queue)[1], tf.int32))


def _images(folder: pathlib.Path) -> Any:
    queue = tf.train.string_input_producer([str(folder / f"{number}.png") for number in range(6)])
    _, content = tf.WholeFileReader().read(queue)
    image = tf.random_crop(tf.image.decode_png(content, 3), [16, 16, 3])
    image = tf.image.random_brightness(tf.image.random_flip_left_right(image), 0.2)
    return _mixed(image, num_threads=2)


def _rows() -> Any:
    table = np.arange(COUNT * 3, dtype=np.float32).reshape(COUNT, 3)
    row, label = tf.train.slice_input_producer([table, np.arange(COUNT)])
    noisy = row + tf.random_normal([3])
    return tf.train.batch([noisy, label], 8, num_threads=3)


def _seeded(folder: pathlib.Path) -> Any:
    number = _read(folder, "FixedLength", seed=5)
    return tf.train.batch([number * 1000 + tf.random_uniform([], 0, 999, tf.int32, seed=3)], 8)


def _global(folder: pathlib.Path) -> Any:
    with queuecompat.options(shuffle="global"):
        return _mixed(_read(folder, "TFRecord"))


def _part(folder: pathlib.Path, kind: str, **options: Any) -> Any:
    with queuecompat.options(shard=(1, 3), **options):
        return _mixed(_read(folder, kind), capacity=20, min_after_dequeue=8)


BUILDS: Dict[str, Callable[[pathlib.Path], Any]] = {
    "fixed length, in order": lambda folder: tf.train.batch([_read(folder, "FixedLength", shuffle=False)], 8),
    "global order": _global,
    "images": _images,
    "lines": lambda folder: _mixed(_read(folder, "TextLine")),
    "packed": _packed,
    "part of a global order": lambda folder: _part(folder, "TFRecord", shuffle="global"),
    "part of the lines": lambda folder: _part(folder, "TextLine"),
    "records": lambda folder: _mixed(_read(folder, "TFRecord")),
    "rows": lambda folder: _rows(),
    "seeded": _seeded,
}


def digest(batch: Any) -> str:
    parts = batch if isinstance(batch, (list, tuple)) else [batch]
    return hashlib.sha1(b"".join(np.asarray(part).tobytes() for part in parts)).hexdigest()[:12]


def steps(loop: str, folder: str, train: Any, batches: List[Any], saved: int) -> Iterator[Any]:
    """The results of steps; the first of a Saver's restores, if there is something to restore."""
    fetches = [train, *batches]
    if loop == "monitored":
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=saved) as session:
            while True:
                yield session.run(fetches)
    elif loop == "supervisor":
        supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0, summary_op=None)
        with supervisor.managed_session() as session:
            for number in itertools.count(1):
                done = session.run(fetches)
                if number == saved:
                    supervisor.saver.save(session, os.path.join(folder, "model"), done[0])
                yield done
    else:
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.start_queue_runners(session, tf.train.Coordinator())
            if tf.train.latest_checkpoint(folder):
                saver.restore(session, tf.train.latest_checkpoint(folder))
            for number in itertools.count(1):
                done = session.run(fetches)
                if number == saved:
                    saver.save(session, os.path.join(folder, "model"), done[0])
                yield done


def main(loop: str, folder: str, saved: int, lived: int, names: List[str]) -> None:
    data = pathlib.Path(folder).parent / "data"
    step = tf.train.get_or_create_global_step()
    with queuecompat.options(checkpoint=True):
        batches = [BUILDS[name](data) for name in names]
    for number, done in enumerate(steps(loop, folder, tf.assign_add(step, 1), batches, saved), 1):
        print(done[0], *map(digest, done[1:]), flush=True)
        if number == lived:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])

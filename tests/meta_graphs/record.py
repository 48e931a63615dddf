"""Record the graphs of graphs.py under TF 1.15.5: ``python tests/meta_graphs/record.py [NAME ...]``.

For each one it writes ``recorded/<name>.meta``, as ``tf.train.export_meta_graph`` does; ``<name>.npz``, the elements
that TF 1.15.5 itself delivers from that file (array ``<step>_<fetch>``); and the names of the fetches (``fetches``).
The files that they read, in ``data/``, are written too.
"""

from __future__ import annotations

import os
import random
import struct
import sys
import zlib
from typing import Any, Dict, List

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from graphs import GRAPHS, Recording  # noqa: E402

JUDGE = "1.15.5"


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _example(chance: random.Random, label: int) -> bytes:
    image = bytes(chance.randrange(256) for _ in range(4 * 4 * 3))
    features = {
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
        "words": tf.train.Feature(int64_list=tf.train.Int64List(value=range(label % 4))),
    }
    content: bytes = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    return content


def _png(chance: random.Random, side: int) -> bytes:
    lines = b"".join(b"\0" + bytes(chance.randrange(256) for _ in range(side * 3)) for _ in range(side))
    pieces = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(lines))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in [*pieces, (b"IEND", b"")]
    )


def write_data() -> None:
    """The files that the graphs read."""
    chance = random.Random(0)
    os.makedirs("data", exist_ok=True)
    for name, labels in (("a", range(5)), ("b", range(5, 12))):
        with tf.python_io.TFRecordWriter(f"data/{name}.tfrecord") as writer:
            for label in labels:
                writer.write(_example(chance, label))
    _write("data/a.csv", b"number,word,share\n1,one,0.25\n2,,0.75\n")
    _write("data/b.csv", b"number,word,share\n3,three,\n,four,1e-3\n5,five,2\n")
    for number in range(3):
        _write(f"data/{number}.png", _png(chance, 5 + number))
    for number in (1, 2):
        rows = [bytes(chance.randrange(256) for _ in range(1 + 4 * 4 * 3)) for _ in range(4)]
        _write(f"data/cifar_{number}.bin", b"".join(rows))


def record(name: str, recording: Recording) -> None:
    """Saves one graph, loads it again, and records what comes out."""
    file = f"recorded/{name}.meta"
    with tf.Graph().as_default():
        fetches = [tensor.name for tensor in recording.build(tf)]
        tf.train.export_meta_graph(file)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(file, clear_devices=True)
        arrays = _delivered(graph, fetches, recording.steps)
    np.savez_compressed(f"recorded/{name}.npz", fetches=np.array(fetches), **arrays)
    print(f"{name:<28} {len(arrays) // len(fetches):>4} elements of {', '.join(fetches)}", flush=True)


def _delivered(graph: Any, fetches: List[str], steps: int) -> Dict[str, np.ndarray]:
    arrays: Dict[str, np.ndarray] = {}
    coordinator = tf.train.Coordinator()
    with tf.Session(graph=graph) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        threads = tf.train.start_queue_runners(session, coordinator) if steps else []
        try:
            for step in range(steps):
                for number, array in enumerate(session.run(fetches)):
                    text = array.dtype.kind == "O"
                    arrays[f"{step:04}_{number}"] = array.astype("S") if text else array
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, ignore_live_threads=True, stop_grace_period_secs=5)
    return arrays


def main() -> int:
    if tf.__version__ != JUDGE:
        print(f"This is TF {tf.__version__}; only {JUDGE} is recorded.")
        return 2
    os.chdir(HERE)
    tf.logging.set_verbosity(tf.logging.FATAL)
    os.makedirs("recorded", exist_ok=True)
    write_data()
    for name in sys.argv[1:] or sorted(GRAPHS):
        record(name, GRAPHS[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())

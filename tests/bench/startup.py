"""``python -m tests.bench.startup``: the cost of building and starting small pipelines, ours and native queues.

Each program is built, started and run to its first batch, in a graph and a session of its own. Ours and TensorFlow's
own queues alternate in one process. Processor time is compared, because wall time on a shared machine says little; it
is that of the whole process, so the work of other threads counts.

Rule 1: the first turn of each side is a warm-up: imports, devices, kernels that are registered when first used.
Rule 2: the program's own calls divide a start into parts: *build* is Python until the session is made, *start* is
        ``start_queue_runners``, *first* is the run of the first batch, *end* is the rest.
Rule 3: medians over the turns; the ratio is that of the medians.
Rule 4: ``--model N`` adds N ops beside each pipeline, before the clock starts. They are not run, but the cost of each
        step that a session runs for the first time grows with the number of ops in the graph, and native queues have
        more such steps.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gc
import importlib
import json
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.natively import natively

__all__ = ["LIMIT", "PROGRAMS", "Program", "measure"]

SIDES = {"ours": "queuecompat.v1", "native": "tensorflow.compat.v1"}
PARTS = ("build", "start", "first", "end")
# Processor time that ours may take, as a multiple of native's, over all programs.
LIMIT = 2.0

Batch = list[Any]


@dataclasses.dataclass(frozen=True)
class Program:
    """One small program.

    Attributes:
      summary: what it does.
      build: ``build(tf, data_dir)`` returns its batch.
      times: how often it is built and run in a turn, one graph and session after the other.
    """

    summary: str
    build: Callable[[Any, pathlib.Path], Batch]
    times: int = 1


def _slices(tf: Any, data: pathlib.Path) -> Batch:
    images = np.arange(100 * 4, dtype=np.float32).reshape(100, 4)
    image, label = tf.train.slice_input_producer([images, np.arange(100)], shuffle=False)
    return tf.train.batch([image * 2.0, label], batch_size=8)


def _records(tf: Any, data: pathlib.Path) -> Batch:
    files = tf.train.string_input_producer([str(data / "some.tfrecord")])
    _, record = tf.TFRecordReader().read(files)
    parsed = tf.parse_single_example(
        record, {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    )
    image = tf.cast(tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [16]), tf.float32) / 255.0
    return tf.train.shuffle_batch([image, parsed["label"]], batch_size=8, capacity=60, min_after_dequeue=20)


def _lines(tf: Any, data: pathlib.Path) -> Batch:
    files = tf.train.string_input_producer([str(data / "some.csv")], shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(files)
    a, b, label = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [0]])
    return tf.train.batch([tf.stack([a, b]), label], batch_size=8, num_threads=2, capacity=64)


def _images(tf: Any, data: pathlib.Path) -> Batch:
    files = tf.train.string_input_producer([str(data / "some.png")] * 4)
    _, content = tf.WholeFileReader().read(files)
    image = tf.image.decode_png(content, channels=3)
    image = tf.image.random_flip_left_right(tf.random_crop(image, [12, 12, 3]))
    image = tf.image.per_image_standardization(tf.cast(image, tf.float32))
    return [tf.train.shuffle_batch([image], batch_size=4, capacity=40, min_after_dequeue=10)]


def _tiny(tf: Any, data: pathlib.Path) -> Batch:
    index = tf.train.range_input_producer(10, shuffle=False).dequeue()
    return [tf.train.batch([index * 2], batch_size=4)]


PROGRAMS = {
    "slices": Program("slice_input_producer -> batch", _slices),
    "records": Program("string_input_producer -> TFRecordReader -> parse -> shuffle_batch", _records),
    "lines": Program("TextLineReader -> decode_csv -> batch, 2 threads", _lines),
    "images": Program("WholeFileReader -> decode_png, crop, flip -> shuffle_batch", _images),
    "tiny": Program("range_input_producer -> batch; eight graphs, one after the other", _tiny, times=8),
}


def write_data(data: pathlib.Path) -> None:
    """The files that the programs read."""
    import tensorflow as tf

    def example(number: int) -> bytes:
        features = tf.train.Features(
            feature={
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([number] * 16)])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
            }
        )
        return tf.train.Example(features=features).SerializeToString()

    with tf.io.TFRecordWriter(str(data / "some.tfrecord")) as writer:
        for number in range(100):
            writer.write(example(number))
    rows = "".join(f"{n}.0,{n}.5,{n}\n" for n in range(100))
    (data / "some.csv").write_text("a,b,label\n" + rows)
    pixels = np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (data / "some.png").write_bytes(session.run(tf.io.encode_png(tf.constant(pixels))))


class _Clock:
    """Processor and wall time, in ms, summed up by parts."""

    def __init__(self) -> None:
        self.cpu = dict.fromkeys(PARTS, 0.0)
        self.wall = dict.fromkeys(PARTS, 0.0)
        self._last = self._now()

    def part(self, name: str) -> None:
        """The time since the last call was that of the part *name*."""
        now = self._now()
        self.cpu[name] += (now[0] - self._last[0]) * 1e3
        self.wall[name] += (now[1] - self._last[1]) * 1e3
        self._last = now

    def leave_out(self) -> None:
        """The time since the last call is not counted."""
        self._last = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time(), time.perf_counter()


def run_once(program: Program, side: str, data: pathlib.Path, model: int = 0) -> _Clock:
    """Builds, starts and runs *program* to its first batch on *side*, as often as it says, beside *model* ops."""
    import tensorflow

    tf = importlib.import_module(SIDES[side])
    clock = _Clock()
    for _ in range(program.times):
        with tensorflow.Graph().as_default():
            value = tensorflow.constant(0.0)
            for _ in range(model):
                value = -value
            clock.leave_out()
            batch = program.build(tf, data)
            initialisers = [tf.global_variables_initializer(), tf.local_variables_initializer()]
            clock.part("build")
            with tf.Session() as session:
                session.run(initialisers)
                coordinator = tf.train.Coordinator()
                threads = tf.train.start_queue_runners(session, coordinator)
                clock.part("start")
                session.run(batch)
                clock.part("first")
                coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=30)
            clock.part("end")
    return clock


def measure(program: Program, turns: int, data: pathlib.Path, model: int = 0) -> dict[str, dict[str, Any]]:
    """Medians, in ms, of *turns* turns of each side: ``{side: {"cpu": .., "wall": .., "parts": {..}}}``."""
    clocks: dict[str, list[_Clock]] = {side: [] for side in SIDES}
    for turn in range(turns + 1):
        for side in list(SIDES) if turn % 2 else reversed(list(SIDES)):
            gc.collect()  # graphs are cyclic; a side should not pay for the other one's
            with natively() if side == "native" else contextlib.nullcontext():
                clocks[side].append(run_once(program, side, data, model))
    return {side: _medians(of_side[1:]) for side, of_side in clocks.items()}


def _medians(clocks: list[_Clock]) -> dict[str, Any]:
    return {
        "cpu": statistics.median(sum(clock.cpu.values()) for clock in clocks),
        "wall": statistics.median(sum(clock.wall.values()) for clock in clocks),
        "parts": {part: statistics.median(clock.cpu[part] for clock in clocks) for part in PARTS},
    }


def lines(name: str, result: dict[str, dict[str, Any]]) -> list[str]:
    """The rows of the table for one program."""
    rows = []
    for side, figures in result.items():
        parts = "".join(f"{figures['parts'][part]:8.0f}" for part in PARTS)
        rows.append(f"  {name:10} {side:8} {figures['cpu']:8.0f} {figures['wall']:8.0f}  {parts}")
    rows.append(f"  {name:10} ratio    {ratio(result):8.2f}")
    return rows


def ratio(result: dict[str, dict[str, Any]]) -> float:
    """Processor time of ours over that of native queues."""
    return result["ours"]["cpu"] / result["native"]["cpu"]


def total_ratio(results: dict[str, dict[str, dict[str, Any]]]) -> float:
    """The same over all programs together."""
    ours, native = (sum(result[side]["cpu"] for result in results.values()) for side in ("ours", "native"))
    return ours / native


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.startup", description=__doc__)
    parser.add_argument("--program", action="append", choices=list(PROGRAMS), help="only this one; may be repeated")
    parser.add_argument("--turns", type=int, default=7, help="of each side, after the warm-up; default 7")
    parser.add_argument("--model", type=int, default=0, metavar="N", help="ops beside each pipeline; default: none")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything here")
    parser.add_argument("--check", action="store_true", help="exit with 1 if ours is slower than it may be")
    options = parser.parse_args(arguments)
    import tensorflow

    tensorflow.compat.v1.disable_v2_behavior()
    results = {}
    print(
        f"  {'program':10} {'side':8} {'cpu ms':>8} {'wall ms':>8}  {''.join(f'{part:>8}' for part in PARTS)}  (cpu ms)"
    )
    with tempfile.TemporaryDirectory(prefix="queuecompat-startup-") as folder:
        data = pathlib.Path(folder)
        write_data(data)
        for name in options.program or PROGRAMS:
            results[name] = measure(PROGRAMS[name], options.turns, data, options.model)
            print("\n".join(lines(name, results[name])), flush=True)
    total = total_ratio(results)
    print(f"all together: ours takes {total:.2f} times the processor time of native queues; the limit is {LIMIT:.2f}")
    if options.json:
        options.json.write_text(json.dumps({"total_ratio": total, "programs": results}, indent=1) + "\n")
    return 1 if options.check and total > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())

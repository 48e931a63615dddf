"""Damaged input: intact elements are output, damaged ones are output or counted, and nothing else happens.

One round is one run of a pipeline over records, or files, half of them mutated; or as many attempts to load a mutated
index of a file, state of a loader, or graph. A pipeline skips a damaged element, or raises an error and goes on. One
that skips processes thousands of inputs, since building it takes longer than they do.
"""

from __future__ import annotations

import collections
import json
import pathlib
import random
from typing import Any, Callable, Counter, Dict, List, Set, Tuple

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat import BackgroundLoader
from queuecompat._plan import skipped
from queuecompat.errors import QueueCompatRuntimeError, QueueCompatValueError
from queuecompat.records import index_files
from tests.meta_graphs.graphs import GRAPHS
from tests.meta_graphs.recorded import fetches_of, file_of
from tests.pipelines.bad_data import KEY, example
from tests.pipelines.running import drain, write_records
from tests.queues.modes import eager_mode

__all__ = ["FEW", "KINDS", "MANY", "round_of"]

# Inputs of a round, of those that raise as well: each of their errors is located, which takes a tenth of a second.
FEW = 50
# Of a round of the campaign.
MANY = 4000
# Of a file of records, when files are mutated.
_IN_A_FILE = 4
# What the first byte of an image may be.
_BYTES = 256

# Takes a folder and how many inputs there may be; returns how many there were.
Round = Callable[[pathlib.Path, random.Random, int], int]


def mutated(content: bytes, chance: random.Random) -> bytes:
    """*content* with one to three faults."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(changed) + 1)
        kind = chance.choice(["flip", "cut", "double", "lie", "noise"])
        if kind == "flip" and changed:
            changed[place % len(changed)] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del changed[place:]
        elif kind == "double":
            changed[place:place] = changed[max(0, place - chance.randint(1, 20)) : place]
        elif kind == "lie":
            changed[place : place + 1] = bytes([chance.choice([0, 1, 127, 128, 254, 255])])
        else:
            changed[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
    return bytes(changed)


def _reader(files: List[str]) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return tf.TFRecordReader().read(queue)[1]


def _run(build: Callable[[], Any]) -> Tuple[List[int], int]:
    """What came out of all batches of numbers that *build* makes, and how many elements were skipped."""
    earlier = len(skipped.LOGS)
    with tf.Graph().as_default(), queuecompat.options(on_error="skip"):
        delivered = [int(number) for batch in drain(build()) for number in batch]
    count = sum(log.count for log in skipped.LOGS[earlier:])
    del skipped.LOGS[earlier:]
    return delivered, count


# What a step may raise of a bad record, or of a bad image.
_OF_A_RECORD = (tf.errors.InvalidArgumentError, tf.errors.DataLossError, tf.errors.ResourceExhaustedError)


def _run_and_go_on(build: Callable[[], Any], most: int) -> Tuple[List[int], int]:
    """What comes out of the single numbers, *most* of them, that *build* makes, and how many steps failed, each with a
    documented error."""
    delivered: List[int] = []
    failed = 0
    with tf.Graph().as_default():
        batch = build()
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            threads = tf.train.start_queue_runners(sess)  # a coordinator would stop at the first error
            for _ in range(10 * most):
                try:
                    delivered += sess.run(batch).tolist()
                except tf.errors.OutOfRangeError:
                    break
                except _OF_A_RECORD:
                    failed += 1
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), f"{thread} stays"
    return delivered, failed


def _records(
    folder: pathlib.Path,
    chance: random.Random,
    inputs: int,
    make: Callable[[int], bytes],
    parse: Callable[[Any], Any],
    values: int = 2 * MANY,
) -> int:
    """Whole frames around contents of which some are mutated.

    Args:
      make: the content whose number, which *parse* finds again, is less than *values*.
    """
    skips = chance.random() < 0.7
    inputs = inputs if skips else min(inputs, FEW)
    records = 2 * inputs
    are_whole: Set[int] = set(chance.sample(range(records), inputs))
    contents = [
        content if number in are_whole else mutated(content, chance)
        for number in range(records)
        for content in [make(number % values)]
    ]
    path = write_records(folder / "records", contents)
    size = chance.choice([1, 7, 16]) if inputs <= FEW else 16
    delivered, left_out = (
        _run(lambda: tf.train.batch([parse(_reader([path]))], size, allow_smaller_final_batch=True))
        if skips
        else _run_and_go_on(lambda: tf.train.batch([parse(_reader([path]))], 1), records)
    )
    _require_all([number % values for number in are_whole], delivered)
    total = len(delivered) + left_out
    what = "skipped" if skips else "failed"
    assert total == records, f"{len(delivered)} delivered and {left_out} {what} of {records}"
    return inputs


def _require_all(whole: List[int], delivered: List[int]) -> None:
    """A damaged record may come out as any number, that of a whole one, too."""
    missing: Counter[int] = collections.Counter(whole)
    missing.subtract(delivered)
    found = sorted(number for number, count in missing.items() if count > 0)
    assert not found, f"whole records are missing: {found[:5]}"


def _parsed(record: Any) -> Any:
    return tf.parse_single_example(record, {KEY: tf2.io.FixedLenFeature([], tf2.int64)})[KEY]


def _examples(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    return _records(folder, chance, inputs, example, _parsed)


def _sequences(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    def sequence(number: int) -> bytes:
        made = tf2.train.SequenceExample()
        made.context.feature[KEY].int64_list.value.append(number)
        for step in range(3):
            made.feature_lists.feature_list["s"].feature.add().float_list.value.append(step)
        return bytes(made.SerializeToString())

    def parsed(record: Any) -> Any:
        context, _ = tf.parse_single_sequence_example(
            record,
            {KEY: tf2.io.FixedLenFeature([], tf2.int64)},
            {"s": tf2.io.FixedLenSequenceFeature([], tf2.float32)},
        )
        return context[KEY]

    return _records(folder, chance, inputs, sequence, parsed)


def _csv(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    def number(line: Any) -> Any:
        return tf.decode_csv(line, [[0], [""], [0.0]])[0]

    return _records(folder, chance, inputs, lambda value: b'%d,"a, b",%d.5' % (value, value), number)


def _images(encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> Round:
    def round_of_images(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
        with tf.Graph().as_default(), tf.Session() as sess:
            given = tf.placeholder(tf.uint8, [None, None, 3])
            encoded = encode(given)
            files = [sess.run(encoded, {given: np.full([4, 5, 3], number, np.uint8)}) for number in range(_BYTES)]
        return _records(folder, chance, inputs, files.__getitem__, lambda record: _first_byte(decode(record)), _BYTES)

    return round_of_images


def _bmp(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    def bitmap(number: int) -> bytes:
        head = (
            b"BM" + (54 + 48).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
        )
        size = (4).to_bytes(4, "little") * 2 + b"\x01\x00\x18\x00" + bytes(24)
        return head + size + bytes([number]) * 48

    return _records(folder, chance, inputs, bitmap, lambda record: _first_byte(tf.image.decode_bmp(record)), _BYTES)


def _gif(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    def of_one_pixel(number: int) -> bytes:
        colours = bytes([number]) * 3 + bytes(3)
        frame = b"," + bytes(4) + b"\x01\x00\x01\x00\x00" + b"\x02\x02\x44\x01\x00"
        return b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + colours + frame + b";"

    return _records(
        folder, chance, inputs, of_one_pixel, lambda record: _first_byte(tf.image.decode_gif(record)), _BYTES
    )


def _first_byte(pixels: Any) -> Any:
    return tf.cast(tf.reshape(pixels, [-1])[0], tf.int32)


def _files(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    """Files of records, some of them mutated as a whole."""
    inputs = min(inputs, MANY // 4)
    whole, names = [], []
    for number in range(2 * inputs):
        values = range(number * _IN_A_FILE, (number + 1) * _IN_A_FILE)
        path = pathlib.Path(write_records(folder / str(number), [example(value) for value in values]))
        if number % 2:
            whole += values
        else:
            path.write_bytes(mutated(path.read_bytes(), chance))
        names.append(str(path))
    size = chance.choice([1, 7, 16]) if inputs <= FEW else 16
    delivered, _ = _run(lambda: tf.train.batch([_parsed(_reader(names))], size, allow_smaller_final_batch=True))
    _require_all(whole, delivered)
    assert set(delivered) <= set(range(2 * inputs * _IN_A_FILE)), "a record came out that is in no file"
    return inputs


# Values of which none, or few, are right in any field.
_WRONG: List[Any] = [
    None, True, False, -1, 0, 1, 19, 20, 21, 10**6, 2**63, 10**30, -(10**30), 0.5, 3.0, float("nan"), float("inf"),
    "", "3", b"3", [], [0], [None], {}, {"a": 1}, np.arange(2), np.float32(3), object(), 10**5000,
]  # fmt: skip


def _states(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    """A state is refused, with QC617, or a loader goes on somewhere in its data."""

    def loader() -> Any:
        return BackgroundLoader(range(20), batch_size=3, shuffle=True, seed=chance.randrange(9), capacity=6, timeout=60)

    for _ in range(inputs):
        with loader() as first:
            for _, _ in zip(range(chance.randint(1, 5)), first):
                pass
            state = first.state_dict()
        if chance.random() < 0.5:
            state[chance.choice([*state, "left", "shard", "other"])] = chance.choice(_WRONG)
        else:
            try:
                state = json.loads(mutated(json.dumps(state).encode(), chance))
            except ValueError:
                continue
        again = loader()
        try:
            again.load_state_dict(state)
            with again:
                found = [number for batch in again for number in batch.tolist()]
        except QueueCompatValueError as refusal:
            assert refusal.code == "QC617", refusal
            continue
        assert len(set(found)) == len(found) and set(found) <= set(range(20)), f"{state}: {found}"
    return inputs


def _indices(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    """An index that was damaged is not used: where records begin is found again."""
    sizes = [chance.randrange(100) for _ in range(chance.randint(0, 30))]
    path = write_records(folder / "a", [bytes(size) for size in sizes])
    want = np.cumsum([0, *(size + 16 for size in sizes)]).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUEUECOMPAT_INDEX_CACHE", str(folder / "cache"))
        assert index_files.bounds_of(path, "TFRecord").bounds.tolist() == want
        (place,) = (folder / "cache").iterdir()
        content = place.read_bytes()
        for _ in range(inputs):
            place.write_bytes(mutated(content, chance))
            assert index_files.bounds_of(path, "TFRecord").bounds.tolist() == want
    return inputs


_OF_A_GRAPH = ("QC305", "QC504", "QC517", "QC518", "QC519", "QC520", "QC521", "QC522", "QC523")


def _graphs(folder: pathlib.Path, chance: random.Random, inputs: int) -> int:
    """A saved graph is refused with one of the documented errors, or becomes a dataset, which is not run."""
    name = chance.choice(sorted(GRAPHS))
    content, fetches = pathlib.Path(file_of(name)).read_bytes(), fetches_of(name)
    path = folder / "graph.meta"
    inputs = min(inputs, MANY // 8)
    with eager_mode():
        for _ in range(inputs):
            path.write_bytes(mutated(content, chance))
            try:
                queuecompat.dataset_from_meta_graph(path, fetches, strict=True)
            except (QueueCompatValueError, QueueCompatRuntimeError) as refusal:
                assert refusal.code in _OF_A_GRAPH, refusal
    return inputs


KINDS: Dict[str, Round] = {
    "bmp": _bmp,
    "csv": _csv,
    "example": _examples,
    "gif": _gif,
    "index": _indices,
    "jpeg": _images(
        lambda pixels: tf.image.encode_jpeg(pixels, quality=100),
        lambda record: tf.image.decode_jpeg(record, channels=3),
    ),
    "meta": _graphs,
    "png": _images(tf.image.encode_png, lambda record: tf.image.decode_png(record, channels=3)),
    "sequence": _sequences,
    "state": _states,
    "tfrecord": _files,
}


def round_of(kind: str, seed: int, folder: pathlib.Path, inputs: int = MANY) -> int:
    """One round with at most so many inputs; raises what went wrong, or returns how many there were."""
    return KINDS[kind](folder, random.Random(seed), inputs)

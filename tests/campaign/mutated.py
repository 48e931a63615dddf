"""Damaged input: what is whole comes out, what is damaged comes out or is counted, and nothing else happens.

One round is one run of a pipeline with ``on_error="skip"`` over ``RECORDS`` records, or files, half of them mutated.
"""

from __future__ import annotations

import pathlib
import random
from typing import Any, Callable, Dict, List, Set, Tuple

import numpy as np
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat._plan import skipped
from tests.pipelines.bad_data import KEY, example
from tests.pipelines.running import drain, write_records

__all__ = ["INPUTS_A_ROUND", "KINDS", "round_of"]

RECORDS = 100
INPUTS_A_ROUND = RECORDS // 2
# Of a file of records, when files are mutated.
_IN_A_FILE = 4

Round = Callable[[pathlib.Path, random.Random], None]


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


def _records(
    folder: pathlib.Path, chance: random.Random, make: Callable[[int], bytes], parse: Callable[[Any], Any]
) -> None:
    """Whole frames around contents of which some are mutated."""
    whole: Set[int] = set(chance.sample(range(RECORDS), RECORDS - INPUTS_A_ROUND))
    contents = [make(number) if number in whole else mutated(make(number), chance) for number in range(RECORDS)]
    path = write_records(folder / "records", contents)
    size = chance.choice([1, 7, 16])
    delivered, left_out = _run(lambda: tf.train.batch([parse(_reader([path]))], size, allow_smaller_final_batch=True))
    missing = whole - set(delivered)
    assert not missing, f"whole records are missing: {sorted(missing)[:5]}"
    total = len(delivered) + left_out
    assert total == RECORDS, f"{len(delivered)} delivered and {left_out} skipped of {RECORDS}"


def _parsed(record: Any) -> Any:
    return tf.parse_single_example(record, {KEY: tf2.io.FixedLenFeature([], tf2.int64)})[KEY]


def _examples(folder: pathlib.Path, chance: random.Random) -> None:
    _records(folder, chance, example, _parsed)


def _csv(folder: pathlib.Path, chance: random.Random) -> None:
    def number(line: Any) -> Any:
        return tf.decode_csv(line, [[0], [""], [0.0]])[0]

    _records(folder, chance, lambda value: b'%d,"a, b",%d.5' % (value, value), number)


def _images(
    encode: Callable[[Any], Any], decode: Callable[[Any], Any]
) -> Callable[[pathlib.Path, random.Random], None]:
    def round_of_images(folder: pathlib.Path, chance: random.Random) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            given = tf.placeholder(tf.uint8, [None, None, 3])
            encoded = encode(given)
            files = [sess.run(encoded, {given: np.full([4, 5, 3], number, np.uint8)}) for number in range(RECORDS)]
        _records(
            folder, chance, files.__getitem__, lambda record: tf.cast(tf.reshape(decode(record), [-1])[0], tf.int32)
        )

    return round_of_images


def _bmp(folder: pathlib.Path, chance: random.Random) -> None:
    def bitmap(number: int) -> bytes:
        head = (
            b"BM" + (54 + 48).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
        )
        size = (4).to_bytes(4, "little") * 2 + b"\x01\x00\x18\x00" + bytes(24)
        return head + size + bytes([number]) * 48

    _records(folder, chance, bitmap, lambda record: _first_byte(tf.image.decode_bmp(record)))


def _first_byte(pixels: Any) -> Any:
    return tf.cast(tf.reshape(pixels, [-1])[0], tf.int32)


def _files(folder: pathlib.Path, chance: random.Random) -> None:
    """Files of records, some of them mutated as a whole."""
    whole, names = [], []
    for number in range(RECORDS):
        values = range(number * _IN_A_FILE, (number + 1) * _IN_A_FILE)
        path = pathlib.Path(write_records(folder / str(number), [example(value) for value in values]))
        if number % 2:
            whole += values
        else:
            path.write_bytes(mutated(path.read_bytes(), chance))
        names.append(str(path))
    size = chance.choice([1, 7, 16])
    delivered, _ = _run(lambda: tf.train.batch([_parsed(_reader(names))], size, allow_smaller_final_batch=True))
    missing = set(whole) - set(delivered)
    assert not missing, f"records of whole files are missing: {sorted(missing)[:5]}"
    assert set(delivered) <= set(range(RECORDS * _IN_A_FILE)), "a record came out that is in no file"


KINDS: Dict[str, Round] = {
    "bmp": _bmp,
    "csv": _csv,
    "example": _examples,
    "jpeg": _images(
        lambda pixels: tf.image.encode_jpeg(pixels, quality=100),
        lambda record: tf.image.decode_jpeg(record, channels=3),
    ),
    "png": _images(tf.image.encode_png, lambda record: tf.image.decode_png(record, channels=3)),
    "tfrecord": _files,
}


def round_of(kind: str, seed: int, folder: pathlib.Path) -> None:
    """One round; raises what went wrong."""
    KINDS[kind](folder, random.Random(seed))

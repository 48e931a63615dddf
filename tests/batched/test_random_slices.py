"""Slices of random ops: what a rule does not see by itself is what other rules make of its inputs.

``QUEUECOMPAT_SLICES=5000 python -m pytest tests/batched/test_random_slices.py`` tries more of them; a failure names its
seed, and ``QUEUECOMPAT_SLICES=17:18`` repeats that one alone.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import pytest
import tensorflow as tf

from queuecompat._analysis.batched import form
from tests.batched.rowwise import assert_same

ROWS = 5
TYPES = (np.uint8, np.int32, np.int64, np.float32, np.float64)

Random = np.random.RandomState
Make = Callable[[Random, Any], Any]


@pytest.fixture(autouse=True)
def control_flow_is_restored() -> Iterator[None]:
    yield
    tf.compat.v1.disable_control_flow_v2()


@pytest.fixture(autouse=True)
def cuts_are_made_for_a_single_op(monkeypatch: Any) -> None:
    monkeypatch.setattr(form, "SMALLEST_SHARE", 0)


def _axis(random: Random, x: Any) -> int:
    return int(random.randint(-x.shape.rank, x.shape.rank))


def _sliced(random: Random, x: Any) -> Any:
    keys: List[Any] = []
    for size in x.shape.as_list():
        begin = int(random.randint(0, size))
        end = int(random.randint(begin + 1, size + 1))
        keys.append(
            [slice(begin, end), slice(None, None, -1), begin, slice(begin - size, None), slice(None)][random.randint(5)]
        )
    return x[tuple(keys)]


def _crop(random: Random, x: Any) -> Any:
    """A window whose place differs by element."""
    sizes = [int(random.randint(1, size + 1)) for size in x.shape.as_list()]
    place = tf.cast(tf.reshape(x, [-1])[0], tf.int32)
    begin = [tf.math.floormod(place, whole - size + 1) for whole, size in zip(x.shape.as_list(), sizes)]
    return tf.slice(x, begin, sizes)


def _augmented(random: Random, x: Any) -> Any:
    """A window as of an image, with all of its channels, and then a few of the usual steps in any order."""
    *whole, channels = x.shape.as_list()
    sizes = [int(random.randint(1, size + 1)) for size in whole]
    place = tf.cast(tf.reshape(x, [-1])[0], tf.int32)
    begin = [*(tf.math.floormod(place, size - part + 1) for size, part in zip(whole, sizes)), tf.constant(0)]
    window = tf.slice(x, tf.stack(begin), [*sizes, channels])
    for _ in range(random.randint(1, 5)):
        window = [_mirrored, _mirrored, _cast, _to_float, lambda _, same: tf.identity(same)][random.randint(5)](
            random, window
        )
    return window


def _to_float(random: Random, x: Any) -> Any:
    return tf.cast(x, tf.float32)


def _mirrored(random: Random, x: Any) -> Any:
    pred = tf.equal(tf.math.floormod(tf.cast(tf.reshape(x, [-1])[-1], tf.int32), 2), int(random.randint(2)))
    axis = _axis(random, x)
    return tf.cond(pred, lambda: tf.reverse(x, [axis]), lambda: x)


def _reshaped(random: Random, x: Any) -> Any:
    count = x.shape.num_elements()
    divisors = [n for n in range(1, count + 1) if count % n == 0]
    first = int(random.choice(divisors))
    return tf.reshape(
        x, [[-1], [first, -1], [first, 1, count // first], tf.stack([count // first, first])][random.randint(4)]
    )


def _cond(random: Random, x: Any) -> Any:
    pred = tf.equal(tf.math.floormod(tf.cast(tf.reshape(x, [-1])[0], tf.int32), 2), 0)
    pick = random.randint(4)
    if pick == 0:
        return tf.cond(pred, lambda: tf.reverse(x, [_axis(Random(1), x)]) if x.shape.rank else x, lambda: x)
    if pick == 1:
        return tf.cond(pred, lambda: x + 1, lambda: tf.zeros_like(x))
    if pick == 2:
        return tf.cond(pred, lambda: tf.cond(tf.reduce_max(x) > 9, lambda: x * 2, lambda: x), lambda: x - 1)
    return tf.compat.v1.where(pred, x, x + 3)


def _reduced(random: Random, x: Any) -> Any:
    reduce = [tf.reduce_sum, tf.reduce_max, tf.reduce_min, tf.reduce_mean][random.randint(4)]
    axis = [None, _axis(random, x)][random.randint(2)] if x.shape.rank else None
    return reduce(x, axis, keepdims=bool(random.randint(2)))


def _looked_up(random: Random, x: Any) -> Any:
    axis = _axis(random, x)
    size = x.shape.as_list()[axis]
    if random.randint(2):
        return tf.gather(x, random.randint(0, size, [int(random.randint(1, 4))]), axis=axis)
    number = tf.math.floormod(tf.cast(tf.reshape(x, [-1])[-1], tf.int32), size)
    return tf.gather(x, [number, 0][random.randint(2)], axis=axis)


def _padded(random: Random, x: Any) -> Any:
    return tf.pad(x, random.randint(0, 3, [x.shape.rank, 2]), constant_values=int(random.randint(3)))


def _cast(random: Random, x: Any) -> Any:
    return tf.cast(x, TYPES[random.randint(len(TYPES))])


def _standardised(random: Random, x: Any) -> Any:
    y = tf.cast(x, tf.float32)
    mean, variance = tf.nn.moments(y, list(range(x.shape.rank)))
    return (y - mean) / tf.maximum(tf.sqrt(variance), 0.5)


# What is made of one value; those below need at least one axis.
ANY: Dict[str, Make] = {
    "add": lambda random, x: x + int(random.randint(1, 5)),
    "times": lambda random, x: int(random.randint(1, 3)) * x,
    "square": lambda random, x: tf.math.floormod(x * (x + 1), 100),
    "minus constant": lambda random, x: x - tf.constant(random.randint(0, 9, x.shape.as_list()), x.dtype),
    "scale": lambda random, x: tf.cast(x, tf.float32) / 255.0 - 0.5,
    "clip": lambda random, x: tf.minimum(tf.maximum(x, 2), 90),
    "cast": _cast,
    "reshape": _reshaped,
    "expand": lambda random, x: tf.expand_dims(x, int(random.randint(-x.shape.rank - 1, x.shape.rank + 1))),
    "squeeze": lambda random, x: tf.squeeze(x),
    "cond": _cond,
    "reduce": _reduced,
    "ones": lambda random, x: tf.ones_like(x) + tf.cast(tf.size(x), x.dtype),
    "shape": lambda random, x: tf.fill(tf.shape(x), tf.reduce_max(x)),
    "select": lambda random, x: tf.compat.v1.where(x > 7, x, tf.zeros_like(x)),
    "one_hot": lambda random, x: tf.one_hot(tf.cast(x, tf.int32), 5, axis=int(random.randint(-1, x.shape.rank + 1))),
    "identity": lambda random, x: tf.identity(x),
    "standardise": _standardised,
    "assert": lambda random, x: _asserted(x),
}
WITH_AXES: Dict[str, Make] = {
    "slice": _sliced,
    "crop": _crop,
    "augment": _augmented,
    "look up": _looked_up,
    "pad": _padded,
    "reverse": lambda random, x: tf.reverse(x, [_axis(random, x)]),
    "transpose": lambda random, x: tf.transpose(x, random.permutation(x.shape.rank)),
    "tile": lambda random, x: tf.tile(x, random.randint(1, 3, [x.shape.rank])),
    "unstack": lambda random, x: tf.unstack(x, axis=_axis(random, x))[0],
    "cumsum": lambda random, x: tf.cumsum(x, axis=_axis(random, x), reverse=bool(random.randint(2))),
    "argmax": lambda random, x: tf.argmax(x, _axis(random, x)),
}


def _asserted(x: Any) -> Any:
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(tf.cast(x, tf.float64) < 1e300), [x])]):
        return tf.identity(x)


def _combined(random: Random, x: Any, y: Any) -> Any:
    """Both, if their shapes fit, or each made as small as a scalar."""
    y = tf.cast(y, x.dtype)
    try:
        tf.broadcast_static_shape(x.shape, y.shape)
    except ValueError:
        y = tf.reduce_max(y)
    how = random.randint(6)
    if how == 0 and x.shape == y.shape and x.shape.rank:
        return tf.concat([x, y], _axis(random, x))
    if how == 1 and x.shape == y.shape:
        return tf.stack([x, y], int(random.randint(-x.shape.rank - 1, x.shape.rank + 1)))
    if how == 2:
        return tf.where(x > y, x, y)
    return [tf.maximum, tf.add, tf.subtract][how % 3](x, y)


def _slice(random: Random, steps: List[str], *rows: Any) -> List[Any]:
    values = list(rows)
    for _ in range(random.randint(3, 9)):
        x = values[random.randint(len(values))]
        if not random.randint(4):
            y = values[random.randint(len(values))]
            steps.append(f"combine {x.dtype.name}{x.shape}, {y.dtype.name}{y.shape}")
            made = _combined(random, x, y)
        else:
            known = {**ANY, **WITH_AXES} if x.shape.rank else ANY
            name = sorted(known)[random.randint(len(known))]
            steps.append(f"{name} {x.dtype.name}{x.shape}")
            made = known[name](random, x)
        made = tf.cast(made, tf.int32) if made.dtype == tf.bool else made
        if made.shape.num_elements() <= 4000 and made.shape.rank <= 5:
            values.append(made)
    outputs = values[len(rows) :] or [tf.identity(values[0])]
    chosen = random.choice(len(outputs), min(len(outputs), 2), replace=False)
    return [outputs[number] for number in chosen]


def _rows(random: Random) -> List[np.ndarray]:
    shapes: List[Tuple[int, ...]] = [(), (1,), (7,), (1, 3), (4, 5), (5, 4, 3), (2, 1, 6)]
    chosen = [shapes[random.randint(len(shapes))] for _ in range(random.randint(1, 4))]
    return [random.randint(0, 50, [ROWS, *shape]).astype(TYPES[random.randint(len(TYPES))]) for shape in chosen]


def _images(random: Random) -> List[np.ndarray]:
    height, width, channels = (int(random.randint(1, 9)) for _ in range(3))
    dtype = (np.uint8, np.uint8, np.float32, np.int16, np.int32)[random.randint(5)]
    return [random.randint(0, 256, [ROWS, height, width, channels]).astype(dtype)]


def _seeds() -> range:
    begin, _, end = os.environ.get("QUEUECOMPAT_SLICES", "40").rpartition(":")
    return range(int(begin or 0), int(end))


@pytest.mark.parametrize("seed", _seeds())
def test_a_batch_of_augmented_images_has_the_bits_of_its_rows(seed: int) -> None:
    random = Random(seed)
    if seed % 2:
        tf.compat.v1.enable_control_flow_v2()
    with tf.Graph().as_default():
        assert_same(lambda image: _augmented(random, image), _images(random), whole=None)


@pytest.mark.parametrize("seed", _seeds())
def test_a_batch_has_the_bits_of_its_rows(seed: int) -> None:
    random = Random(seed)
    steps: List[str] = []
    if seed % 2:
        tf.compat.v1.enable_control_flow_v2()
    with tf.Graph().as_default():
        try:
            assert_same(lambda *rows: _slice(random, steps, *rows), _rows(random), whole=None)
        except AssertionError as problem:
            raise AssertionError("\n".join([f"seed {seed}", *steps, str(problem)])) from problem

"""The batched form of an op has, row by row, the bits of the op itself."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import numpy as np
import pytest
import tensorflow as tf

import queuecompat.image
from queuecompat._analysis.batched import form
from queuecompat._analysis.op_facts import FACTS
from tests.batched.rowwise import assert_same, runner, slice_of

tf1 = tf.compat.v1
raw = tf.raw_ops
SHAPES = [(7,), (32, 32, 3), (5, 13, 3)]
ROWS = 6


@pytest.fixture(autouse=True)
def cuts_are_made_for_a_single_op(monkeypatch: Any) -> None:
    monkeypatch.setattr(form, "SMALLEST_SHARE", 0)


def numbers(shape: Sequence[int], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    random = np.random.RandomState(seed)
    if np.issubdtype(dtype, np.floating):
        return (random.randn(ROWS, *shape) * 50).astype(dtype)
    return random.randint(1, 100, [ROWS, *shape]).astype(dtype)


def records(fields: Dict[str, np.ndarray]) -> np.ndarray:
    def one(row: int) -> bytes:
        example = tf.train.Example()
        for name, values in fields.items():
            value = values[row]
            feature = example.features.feature[name]
            if value.dtype == object:
                feature.bytes_list.value.extend(value.tolist())
            elif np.issubdtype(value.dtype, np.floating):
                feature.float_list.value.extend(value.ravel().tolist())
            else:
                feature.int64_list.value.extend(value.ravel().tolist())
        return example.SerializeToString()

    return np.array([one(row) for row in range(ROWS)], object)


UNARY = {
    **{name: (getattr(tf, name), np.float32) for name in ("abs", "negative", "square", "sign", "floor", "round")},
    "ceil": (tf.math.ceil, np.float32),
    "sqrt": (lambda x: tf.sqrt(tf.abs(x)), np.float32),
    "erf": (tf.math.erf, np.float32),
    "lgamma": (tf.math.lgamma, np.float32),
    "relu": (tf.nn.relu, np.float32),
    "is_nan": (tf.math.is_nan, np.float32),
    "rint": (tf.math.rint, np.float32),
    "not": (lambda x: tf.logical_not(x > 50), np.int32),
    "invert": (tf.bitwise.invert, np.int32),
    "zeros_like": (lambda x: raw.ZerosLike(x=x) + x, np.float32),
    "ones_like": (lambda x: raw.OnesLike(x=x) + x, np.float32),
    "cast to float": (lambda x: tf.cast(x, tf.float32), np.uint8),
    "cast to integers": (lambda x: tf.cast(x, tf.int16), np.uint8),
    "convert_image_dtype": (lambda x: tf.image.convert_image_dtype(x, tf.float32), np.uint8),
    "scaling": (lambda x: (tf.cast(x, tf.float32) - 127.5) / 128.0, np.uint8),
    "a value for each channel": (lambda x: x - tf.range(x.shape[-1].value or 0, dtype=tf.float32), np.float32),
    "as_string": (lambda x: tf.strings.as_string(x[0]), np.int32),
    "clip": (lambda x: tf.clip_by_value(x, -20.0, 20.0), np.float32),
    "select": (lambda x: tf1.where(x > 0, x, -2.0 * x), np.float32),
    "select by a scalar": (lambda x: tf.where(tf.reduce_max(x) > 90, x, -x), np.float32),
    "floor division": (lambda x: x // 3, np.int32),
    "float remainder": (lambda x: x % 3.5, np.float32),
    "remainder": (lambda x: x % 7, np.int64),
    "squared difference": (lambda x: tf.math.squared_difference(x, 2.0), np.float32),
    "div_no_nan": (lambda x: tf.math.divide_no_nan(x, x), np.float32),
    "comparison": (lambda x: tf.logical_and(x > 0, tf.logical_or(x <= 60, tf.not_equal(x, 7))), np.float32),
    "bits": (lambda x: tf.bitwise.bitwise_xor(tf.bitwise.bitwise_or(x, 3), tf.bitwise.bitwise_and(x, 5)), np.int32),
    "maximum": (lambda x: tf.maximum(tf.minimum(x, 9.0), x / 2), np.float32),
    "reversed": (lambda x: tf.reverse(x, [0]), np.uint8),
    "expanded and squeezed": (lambda x: tf.squeeze(tf.expand_dims(tf.expand_dims(x, 0), -1)), np.uint8),
    "flattened": (lambda x: tf.reshape(x, [-1]), np.float32),
    "stacked": (lambda x: tf.stack([x, x + 1, 2 * tf.ones_like(x)], axis=1 if x.shape.rank > 1 else 0), np.float32),
    "unstacked": (lambda x: tf.unstack(x, axis=-1), np.float32),
    "concatenated": (lambda x: tf.concat([x, x[:1], tf.zeros_like(x)], 0), np.float32),
    "split": (lambda x: tf.split(x, [1, int(x.shape[0]) - 1], 0), np.float32),
    "padded": (lambda x: tf.pad(x, [[1, 2]] + [[0, 1]] * (x.shape.rank - 1)), np.float32),
    "padded with a value": (lambda x: tf.pad(x, [[1, 2]] * x.shape.rank, constant_values=7), np.float32),
    "mirrored at its edges": (lambda x: tf.pad(x, [[1, 2]] + [[0, 0]] * (x.shape.rank - 1), "REFLECT"), np.float32),
    "tiled": (lambda x: tf.tile(x, [2] * x.shape.rank), np.uint8),
    "filled": (lambda x: tf.fill([2, 3], tf.reduce_max(x)), np.float32),
    "one_hot": (lambda x: tf.one_hot(x % 4, 4, axis=0), np.int32),
    "shape": (lambda x: tf.fill([2], tf.size(x)) + tf.cast(tf.reduce_max(x), tf.int32), np.int32),
    "sliced": (lambda x: x[1:-1], np.float32),
    "an item": (lambda x: x[..., -1], np.float32),
    "by steps": (lambda x: x[::-2], np.float32),
    "new axis": (lambda x: x[tf.newaxis, ..., tf.newaxis], np.float32),
    "gathered": (lambda x: tf.gather(x, [2, 0, 2], axis=x.shape.rank - 1), np.float32),
    "looked up by itself": (lambda x: tf.gather(x, tf.cast(tf.reshape(x, [-1])[0] % 5, tf.int32)), np.int64),
    "looked up": (lambda x: tf.gather(tf.constant(np.random.RandomState(1).rand(100, 2)), x), np.int32),
    "item by number": (lambda x: x[tf.cast(tf.reshape(x, [-1])[0] % 5, tf.int32)], np.int32),
    "sum": (tf.reduce_sum, np.int32),
    "sum of floats": (tf.reduce_sum, np.float32),
    "mean": (tf.reduce_mean, np.float32),
    "mean of an axis": (lambda x: tf.reduce_mean(x, [0], keepdims=True), np.float32),
    "mean of the last axis": (lambda x: tf.reduce_mean(x, -1), np.float32),
    "largest": (lambda x: tf.reduce_max(x, -1), np.float32),
    "smallest": (tf.reduce_min, np.float32),
    "all": (lambda x: tf.reduce_all(x > 3), np.float32),
    "any": (lambda x: tf.reduce_any(x > 90, 0), np.float32),
    "argmax": (lambda x: tf.argmax(x, 0), np.float32),
    "moments": (lambda x: tf.nn.moments(x, list(range(x.shape.rank))), np.float32),
    "standardised": (tf.image.per_image_standardization, np.float32),
    "running sums": (lambda x: tf.cumsum(x, axis=-1), np.float32),
    "running products": (lambda x: tf.math.cumprod(x / 50, axis=0, reverse=True), np.float32),
    "standardised as in TensorFlow 1": (queuecompat.image.per_image_standardization, np.float32),
    "shape kept": (lambda x: tf.ensure_shape(x, x.shape) + 1, np.float32),
}
OF_IMAGES = ["standardised", "standardised as in TensorFlow 1"]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("what", UNARY)
def test_it_has_the_same_bits(what: str, shape: Tuple[int, ...]) -> None:
    build, dtype = UNARY[what]
    if what in OF_IMAGES and len(shape) < 3:
        pytest.skip("for images only")
    assert_same(build, [numbers(shape, dtype)])


IMAGES = {
    **{
        f"resized, {method}": lambda x, method=method: tf.image.resize(x, [17, 9], method)
        for method in ("bilinear", "nearest", "bicubic", "area")
    },
    "turned": lambda x: tf.image.transpose(x),
    "brightness": lambda x: tf.image.adjust_brightness(x, 0.1),
    "contrast": lambda x: tf.image.adjust_contrast(x, 1.3),
    "saturation": lambda x: tf.image.adjust_saturation(tf.abs(x), 0.7),
    "hue": lambda x: tf.image.adjust_hue(tf.abs(x), 0.1),
    "hsv": lambda x: tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(tf.abs(x) / 300)),
    "central crop": lambda x: tf.image.central_crop(x, 0.5),
    "crop or pad": lambda x: tf.image.resize_with_crop_or_pad(x, 20, 40),
}


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
@pytest.mark.parametrize("what", IMAGES)
def test_an_image_has_the_same_bits(what: str, shape: Tuple[int, ...]) -> None:
    assert_same(IMAGES[what], [numbers(shape)])


@pytest.mark.parametrize("shape", [(24, 24, 3), (7, 5, 1), (1, 1, 3), (2, 6, 5, 3), (64, 37, 3)], ids=str)
@pytest.mark.parametrize("scale", [1e-20, 1, 1e30])
def test_a_contrast_that_differs_from_image_to_image_has_the_same_bits(shape: Tuple[int, ...], scale: float) -> None:
    factors = np.array([0.0, 1.0, 0.2, 1.8, -0.5, 3.1], np.float32)
    assert_same(tf.image.adjust_contrast, [numbers(shape) * np.float32(scale), factors])


def test_one_image_with_a_contrast_for_each_element_has_the_same_bits() -> None:
    image = tf.constant(numbers((8, 9, 3))[0])
    assert_same(lambda factor: tf.image.adjust_contrast(image, factor), [np.linspace(0, 2, ROWS, dtype=np.float32)])


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("size", [[28, 28, 3], [32, 5, 3], [32, 32, 2], [1, 1, 1], [32, 32, 3], [3, 32, 2]], ids=str)
def test_windows_that_differ_from_row_to_row_are_those_of_each_row(dtype: Any, size: Sequence[int]) -> None:
    room = np.array([32, 32, 3]) - size + 1
    begins = (np.random.RandomState(3).randint(0, 1000, [ROWS, 3]) % room).astype(np.int32)
    assert_same(lambda x, begin: tf.slice(x, begin, size), [numbers([32, 32, 3], dtype), begins])


@pytest.mark.parametrize("begin", [[-1, 0], [3, 0], [0, 30]])
def test_a_window_outside_of_its_row_is_an_error_and_no_part_of_its_neighbour(begin: Sequence[int]) -> None:
    begins = np.zeros([ROWS, 2], np.int32)
    begins[2] = begin
    with pytest.raises(tf.errors.InvalidArgumentError):
        assert_same(lambda x, at: tf.slice(x, at, [30, 3]), [numbers([32, 5]), begins * [[1, 1]]])


def test_a_parsed_record_has_the_same_bits() -> None:
    fields = {
        "image": np.array([[numbers([4, 4, 3], np.uint8)[row].tobytes()] for row in range(ROWS)], object),
        "label": numbers([1], np.int64),
        "box": numbers([2, 2]),
    }

    def parse(parser: Any) -> Any:
        def build(record: Any) -> Any:
            features = {
                "image": tf.io.FixedLenFeature([], tf.string),
                "label": tf.io.FixedLenFeature([], tf.int64),
                "box": tf.io.FixedLenFeature([2, 2], tf.float32),
                "absent": tf.io.FixedLenFeature([], tf.float32, 0.5),
                "unused": tf.io.VarLenFeature(tf.int64),
            }
            parsed = parser(record, features)
            image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [4, 4, 3])
            return [image, parsed["label"], parsed["box"], parsed["absent"]]

        return build

    assert_same(parse(tf.io.parse_single_example), [records(fields)])


def test_what_was_written_with_the_older_parser_has_the_same_bits() -> None:
    def parse(record: Any) -> Any:
        return raw.ParseSingleExample(
            serialized=record,
            dense_defaults=[tf.constant([], tf.int64)],
            num_sparse=0,
            sparse_keys=[],
            dense_keys=["label"],
            sparse_types=[],
            dense_shapes=[[]],
        ).dense_values[0]

    assert_same(parse, [records({"label": numbers([1], np.int64)})])


def test_what_cannot_be_stacked_stays_with_its_element() -> None:
    def build(x: Any) -> Any:
        return raw.SerializeSparse(
            sparse_indices=tf.where(x > 0), sparse_values=x[:2], sparse_shape=[int(x.shape[0])], out_type=tf.variant
        )

    body, _ = slice_of(build, [numbers([3])])
    assert body.in_batches().tail is None


def test_csv_lines_have_the_same_bits() -> None:
    lines = np.array([f"{n / 7},{n},name {n},".encode() for n in range(ROWS)], object)
    assert_same(lambda line: tf.io.decode_csv(line, [[0.0], [0], ["?"], [2.5]]), [lines])


def test_numbers_in_strings_have_the_same_bits() -> None:
    texts = np.array([f" {n / 7}".encode() for n in range(ROWS)], object)
    assert_same(
        lambda x: [tf.strings.to_number(x), tf.strings.length(x), tf.strings.to_hash_bucket_fast(x, 9)], [texts]
    )


def test_a_table_is_looked_up_for_the_whole_batch() -> None:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant([1, 5], tf.int64), tf.constant(["one", "five"])), "?"
    )
    assert_same(
        table.lookup,
        [numbers([3], np.int64) % 6],
        before=lambda session: session.run(tf1.tables_initializer()),
    )


OTHER_BITS = {kind for kind, facts in FACTS.items() if facts.same_bits is False}


@pytest.mark.parametrize("kind", sorted(OTHER_BITS - {"MatMul", "Softmax"}))
def test_an_op_that_has_other_bits_has_no_batched_form(kind: str) -> None:
    names = [arg.name for arg in getattr(raw, kind)(**_ones(kind)).op.op_def.input_arg]
    body, _ = slice_of(lambda x: getattr(raw, kind)(**dict.fromkeys(names, x)), [numbers([3])])
    assert body.in_batches().tail is None


def _ones(kind: str) -> Dict[str, Any]:
    import inspect

    function = getattr(raw, kind)
    return {name: tf.ones([2]) for name in inspect.signature(function).parameters if name != "name"}


@pytest.mark.parametrize(
    "lengths, image", [([3073], True), ([None], False)], ids=["records of one length", "records of any length"]
)
def test_raw_bytes_are_decoded_together_where_the_reader_says_how_many_they_are(lengths: Any, image: bool) -> None:
    """The record of the CIFAR-10 tutorial: a label, and an image by channels."""
    content = np.array([numbers([3073], np.uint8)[row].tobytes() for row in range(ROWS)], object)

    def build(record: Any) -> Any:
        values = tf.io.decode_raw(record, tf.uint8)
        label = tf.cast(tf1.strided_slice(values, [0], [1]), tf.int32)
        label.set_shape([1])
        depth_major = tf.reshape(tf1.strided_slice(values, [1], [3073]), [3, 32, 32])
        return [tf.transpose(depth_major, [1, 2, 0]), label]

    assert_same(build, [content], whole=image, lengths=lengths)


def _declared(values: Any) -> Any:
    values.set_shape([4])
    return values


# What comes after decode_raw and says how long each record is: at once, or behind ops on each number.
LENGTHS = {
    "reshaped": lambda values: tf.reshape(values, [2, 2]),
    "cast and reshaped": lambda values: tf.reshape(tf.cast(values, tf.float32), [2, 2]),
    "scaled and reshaped": lambda values: tf.reshape(tf.cast(values, tf.float32) * (1.0 / 255) - 0.5, [2, 2]),
    "cast and declared": lambda values: _declared(tf.cast(values, tf.float32)),
    "used twice": lambda values: (tf.reshape(values, [4]), tf.reshape(tf.cast(values, tf.int32) + 1, [2, 2])),
}


@pytest.mark.parametrize("after", LENGTHS)
def test_raw_bytes_are_decoded_together_where_what_comes_after_says_how_many_they_are(after: str) -> None:
    content = np.array([bytes(range(n, n + 4)) for n in range(ROWS)], object)
    assert_same(lambda x: LENGTHS[after](tf.io.decode_raw(x, tf.uint8)), [content], whole=True)


@pytest.mark.parametrize("after", LENGTHS)
@pytest.mark.parametrize("lengths", [[4, 8, 4], [8, 8, 8]], ids=["of one", "of all"])
def test_a_record_with_too_many_bytes_is_an_error_and_does_not_become_two(lengths: Sequence[int], after: str) -> None:
    content = np.array([bytes(n) for n in lengths], object)
    body, _ = slice_of(lambda x: LENGTHS[after](tf.io.decode_raw(x, tf.uint8)), [content])
    form = body.in_batches(())
    assert form.head is None
    with tf1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        runner(form.tail, session)(content)


@pytest.mark.parametrize(
    "after",
    [
        lambda values: tf.reduce_sum(tf.cast(values, tf.int32)),
        lambda values: (tf.reshape(values, [2, 2]), tf.reduce_max(values)),
        lambda values: tf.reshape(tf.cast(values, tf.int32) + tf.constant([1]), [2, 2]),
    ],
    ids=["added up", "one of two uses", "with a vector"],
)
def test_raw_bytes_that_may_differ_in_number_are_decoded_one_by_one(after: Any) -> None:
    content = np.array([bytes(range(n, n + 4)) for n in range(ROWS)], object)
    form = assert_same(lambda x: after(tf.io.decode_raw(x, tf.uint8)), [content], whole=None)
    assert form.tail is None or form.head is not None


def test_ops_of_a_form_do_not_take_the_names_of_the_users() -> None:
    """A constant is repeated for each row; the op that counts the rows was called like the user's slice."""
    assert_same(lambda x: (x[1:], tf.constant(2.0)), [numbers((5,))])

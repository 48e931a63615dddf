"""Elements that differ in length: on a whole batch they have the bits that they have one by one, padded with zeros."""

from __future__ import annotations

from typing import Any, Callable, List

import numpy as np
import pytest
import tensorflow as tf

from tests.batched.rowwise import runner, slice_of

tf1 = tf.compat.v1
# One is empty, and the longest is neither the first nor the last.
TEXTS = [[3, 1, 4], [], [1, 5, 9, 2, 6, 5], [3, 5], [8]]
FEATURES = {
    "ids": tf.io.VarLenFeature(tf.int64),
    "weights": tf.io.VarLenFeature(tf.float32),
    "words": tf.io.VarLenFeature(tf.string),
    "steps": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    "raw": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def record(number: int, ids: List[int], raw: bytes) -> bytes:
    example = tf.train.Example()
    feature = example.features.feature
    feature["ids"].int64_list.value.extend(ids)
    feature["weights"].float_list.value.extend(np.array(ids, np.float32) / 7)
    feature["words"].bytes_list.value.extend(str(one).encode() for one in ids)
    if ids:  # a missing feature is an empty one
        feature["steps"].int64_list.value.extend(ids[::-1])
    feature["raw"].bytes_list.value.append(raw)
    feature["label"].int64_list.value.append(number)
    return example.SerializeToString()


RECORDS = np.array([record(n, ids, np.array(ids, np.int32).tobytes()) for n, ids in enumerate(TEXTS)], object)


def build(make: Callable[..., Any], parser: Any = tf.io.parse_single_example) -> Callable[[Any], Any]:
    """A slice of one record: *make* of its parsed features, in which "ids" is dense."""

    def of_record(serialized: Any) -> Any:
        parsed = parser(serialized, FEATURES)
        return make({**parsed, "sparse": parsed["ids"], "ids": tf1.sparse_tensor_to_dense(parsed["ids"])})

    return of_record


def caption(f: Any) -> Any:
    """What im2txt makes of a caption."""
    length = tf.expand_dims(tf.subtract(tf.shape(tf.concat([[1], f["ids"]], 0))[0], 1), 0)
    ids = tf.concat([[1], f["ids"]], 0)
    return [tf.slice(ids, [0], length), tf.slice(ids, [1], length), tf.ones(length, dtype=tf.int32)]


SLICES = {
    "dense": lambda f: f["ids"],
    "beside what is alike in all": lambda f: [f["ids"], f["label"], tf.cast(f["label"], tf.float32) / 3],
    "values": lambda f: f["sparse"].values,
    "indices": lambda f: [f["sparse"].indices, f["sparse"].dense_shape],
    "strings": lambda f: tf1.sparse_tensor_to_dense(f["words"], default_value=""),
    "numbers out of strings": lambda f: tf.strings.to_number(f["words"].values),
    "floats, divided": lambda f: (f["weights"].values - 0.25) / 0.3 * tf.constant(1.7),
    "with what is the same of all items": lambda f: f["ids"] * f["label"] + f["label"],
    "two of the same feature": lambda f: tf.where(f["ids"] > 2, f["ids"], -f["ids"]),
    "bools": lambda f: f["ids"] > 2,
    "made dense after a change": lambda f: tf1.sparse_tensor_to_dense(
        tf.SparseTensor(f["sparse"].indices, f["sparse"].values + 1, f["sparse"].dense_shape)
    ),
    "a feature of a sequence": lambda f: f["steps"],
    "lengths": lambda f: [tf.size(f["ids"]), tf.shape(f["ids"])[0] * 2, tf.shape(f["ids"], tf.int64), f["ids"]],
    "a mask of ones": lambda f: tf.ones_like(f["ids"]) + tf.ones(tf.shape(f["ids"]), tf.int64),
    "filled with what differs": lambda f: tf.fill(tf.reshape(f["label"], [1]), f["label"]),
    "a caption": caption,
    "without the last": lambda f: f["ids"][:-1],
    "without the first": lambda f: f["ids"][1:],
    "cut": lambda f: [f["ids"][:3], f["ids"][-2:], f["ids"][4:2]],
    "between marks": lambda f: tf.concat([[1], f["ids"], tf.reshape(f["label"], [1]), [2, 2]], 0),
    "columns": lambda f: tf.expand_dims(f["ids"], -1) * 2,
    "one_hot": lambda f: tf.one_hot(f["ids"], 4),
    "looked up": lambda f: tf.gather(tf.constant(np.random.RandomState(1).rand(10, 3)), f["ids"]),
    "flattened": lambda f: tf.reshape(tf.one_hot(f["ids"], 4), [-1]),
    "rows": lambda f: tf.reshape(tf.concat([f["ids"], f["ids"]], 0), [-1, 2]),
    "raw": lambda f: tf.cast(tf.io.decode_raw(f["raw"], tf.int32), tf.float32) / 255,
    "checked": lambda f: tf.ensure_shape(tf.identity(f["ids"]), [None]),
}


def together(make: Any, records: Any = RECORDS) -> Any:
    """The batch that its form outputs, and what each record outputs alone."""
    body, given = slice_of(make, [records])
    form = body.in_batches(pads=True)
    assert form.tail is not None and form.head is None, form.remark
    with tf1.Session() as session:
        alone, whole = runner(body, session), runner(form.tail, session)
        return whole(*given), [alone(one) for one in given[0]]


@pytest.mark.parametrize("what", SLICES)
def test_a_padded_batch_has_the_bits_of_its_elements(what: str) -> None:
    batches, rows = together(build(SLICES[what]))
    for batch, column in zip(batches, zip(*rows)):
        assert batch.shape[1:] == tuple(np.max([one.shape for one in column], axis=0))
        expected = np.full(batch.shape, b"" if batch.dtype == object else 0, batch.dtype)
        for row, one in enumerate(column):
            expected[(row, *map(slice, np.shape(one)))] = one
        assert batch.tolist() == expected.tolist() if batch.dtype == object else batch.tobytes() == expected.tobytes()


def test_the_older_parser_op_has_the_same_bits() -> None:
    def parse(serialized: Any) -> Any:
        parsed = tf.raw_ops.ParseSingleExample(
            serialized=serialized,
            dense_defaults=[tf.constant([], tf.int64)],
            num_sparse=1,
            sparse_keys=["ids"],
            dense_keys=["label"],
            sparse_types=[tf.int64],
            dense_shapes=[[]],
        )
        (indices,), (values,), (shape,) = parsed.sparse_indices, parsed.sparse_values, parsed.sparse_shapes
        return [tf1.sparse_tensor_to_dense(tf.SparseTensor(indices, values, shape)), parsed.dense_values[0]]

    (ids, labels), _ = together(parse)
    assert [row[: len(text)].tolist() for row, text in zip(ids, TEXTS)] == TEXTS
    assert labels.tolist() == list(range(len(TEXTS)))


BAD = {
    "a slice": lambda f: tf.slice(f["ids"], [2], [-1]),
    "a slice that ends before it begins": lambda f: tf.slice(
        f["ids"], [1], tf.cast(tf.reshape(f["label"] - 3, [1]), tf.int32)
    ),
    "a negative length": lambda f: tf.ones(tf.reshape(2 - f["label"], [1])),
    "a number that is none": lambda f: tf.strings.to_number(f["raw"]) + f["weights"].values,
    "bytes that are no numbers": lambda f: tf.io.decode_raw(f["raw"], tf.float64),
    "rows of another length": lambda f: tf.reshape(f["ids"], [-1, 3]),
    "a number beyond the table": lambda f: tf.gather([1, 2, 3], f["ids"]),
}


@pytest.mark.parametrize("what", BAD)
def test_an_element_that_fails_alone_fails_its_batch_with_the_same_kind_of_error(what: str) -> None:
    body, given = slice_of(build(BAD[what]), [RECORDS])
    form = body.in_batches(pads=True)
    assert form.tail is not None and form.head is None, form.remark
    with tf1.Session() as session:
        alone, whole = runner(body, session), runner(form.tail, session)
        with pytest.raises(tf.errors.InvalidArgumentError) as one:
            for row in given[0]:
                alone(row)
        with pytest.raises(tf.errors.InvalidArgumentError) as many:
            whole(*given)
    # The op is the user's, and says what it says of the element; a gather counts in the whole.
    if what != "a number beyond the table":
        assert str(many.value).splitlines()[0].split("[[")[0] == str(one.value).splitlines()[0].split("[[")[0]


HELD_BACK = {
    "features of their own lengths": lambda f: f["ids"] + f["steps"],
    "one length asked for": lambda f: tf.ensure_shape(f["ids"], [3]),
    "a sum": lambda f: tf.reduce_sum(f["weights"].values),
    "in steps": lambda f: f["ids"][::2],
    "an item": lambda f: f["ids"][0],
    "a vector that fits one": lambda f: f["ids"] + tf.constant([1], tf.int64),
    "a random number for each": lambda f: tf.random.uniform(tf.shape(f["ids"])),
}


@pytest.mark.parametrize("what", HELD_BACK)
def test_what_depends_on_all_items_of_an_element_stays_with_it(what: str) -> None:
    body, _ = slice_of(build(HELD_BACK[what]), [RECORDS])
    form = body.in_batches(pads=True)
    assert form.tail is None and "QC309" in form.remark


def test_without_padding_nothing_may_differ_in_length() -> None:
    body, _ = slice_of(build(lambda f: f["ids"]), [RECORDS])
    assert body.in_batches().tail is None

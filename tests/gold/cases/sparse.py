"""SparseTensors through every batcher: they go in sparse and come out sparse, with one more dimension.

A row's values identify the row and the place (``100 * row + place``), so that rows in an order that depends on timing
can be sorted by them; the first column of the indices, the row in its batch, is then left out.
"""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .harness import Result, collect, gold, static_shape, temporary_directory, word
from .records import write_texts

__all__: list[str] = []


def _numbers(tf: Any, first: int, count: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue() + first


def _row(tf: Any, number: Any, width: int = 10) -> Any:
    """``number % 4`` values in a row of *width*, at the places 0, 2, 4; none in every fourth row."""
    place = tf.cast(2 * tf.range(number % 4), tf.int64)
    return tf.SparseTensor(place[:, tf.newaxis], 100 * tf.cast(number, tf.int64) + place, [width])


def _block(tf: Any, number: Any) -> Any:
    """Three rows of four: two values in the first, none in the second, one in the third."""
    return tf.SparseTensor([[0, 1], [0, 3], [2, 0]], 100 * tf.cast(number, tf.int64) + [1, 3, 20], [3, 4])


def _without_rows(result: Result, name: str) -> Result:
    """Sort the values of *name*, with their places beside them, and forget in which row of a batch each was."""
    order = np.argsort(result[name + ".values"])
    indices = result[name + ".indices"].reshape(len(order), -1)
    result[name + ".values"] = result[name + ".values"][order]
    result[name + ".indices"] = indices[order, 1:].ravel()
    del result[name + ".indices.shapes"], result[name + ".values.shapes"]
    return result


# -- batch -----------------------------------------------------------------------------------


@gold
def a_sparse_constant_goes_beside_computed_rows(tf: Any) -> Result:
    """It is the same in every row."""
    constant = tf.SparseTensorValue([[0], [2]], [1, 2], [4])
    block = tf.SparseTensorValue([[0, 1], [1, 3]], [1, 2], [2, 4])

    def rows() -> Any:
        return tf.train.batch([tf.SparseTensor(*constant), _numbers(tf, 0, 5)], 2, allow_smaller_final_batch=True)

    def padded() -> Any:
        number = _numbers(tf, 0, 5)
        return tf.train.batch([tf.SparseTensor(*constant), tf.fill([number], 1)], 2, dynamic_pad=True)

    def blocks() -> Any:
        number = _numbers(tf, 0, 5)
        return tf.train.batch([tf.SparseTensor(*block), tf.stack([number, number + 10])], 4, enqueue_many=True)

    result: Result = {}
    for name, build in [("rows", rows), ("padded", padded), ("blocks", blocks)]:
        result.update({"{}.{}".format(name, key): value for key, value in collect(tf, build).items()})
    return result


@gold
def sparse_rows_are_batched_alone(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_row(tf, _numbers(tf, 0, 9))], batch_size=4))


@gold
def sparse_and_dense_rows_are_batched_together(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 6)
        return tf.train.batch([number, _row(tf, number), tf.fill([2], number)], batch_size=3)

    return collect(tf, build)


@gold
def two_sparse_rows_keep_their_places_in_the_list(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        return tf.train.batch((_row(tf, number + 1), number, _row(tf, number, width=7)), batch_size=2)

    return collect(tf, build)


@gold
def sparse_rows_in_a_dict_keep_their_keys(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        return tf.train.batch({"z": _row(tf, number), "a": number, "m": _row(tf, number + 1)}, batch_size=2)

    return collect(tf, build)


@gold
def a_smaller_sparse_tail_is_given_where_allowed(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 5)
        return tf.train.batch([_row(tf, number), number], batch_size=3, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def sparse_rows_straddle_epochs(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_row(tf, _numbers(tf, 0, 3, num_epochs=3))], batch_size=4))


@gold
def empty_sparse_rows_make_an_empty_batch(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        return tf.train.batch([_row(tf, number * 4), number], batch_size=2)

    return collect(tf, build)


@gold
def the_widest_sparse_row_sets_the_width_of_its_batch(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 1, 6)
        place = tf.cast(tf.range(number), tf.int64)
        row = tf.SparseTensor(place[:, tf.newaxis], place + 1, tf.cast(number, tf.int64)[tf.newaxis])
        return tf.train.batch([row], batch_size=2)

    return collect(tf, build)


@gold
def sparse_matrices_are_batched(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 5)
        return tf.train.batch([_block(tf, number)], batch_size=2)

    return collect(tf, build)


@gold
def sparse_rows_of_unknown_rank_are_batched(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        row = _row(tf, number)
        shapeless = tf.SparseTensor(
            *tf.py_func(lambda *parts: parts, [row.indices, row.values, row.dense_shape], [tf.int64] * 3)
        )
        return tf.train.batch([shapeless, number], batch_size=2)

    return collect(tf, build)


@gold
def sparse_rows_of_every_type_keep_their_values(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        place = tf.constant([[1], [3]], tf.int64)
        rows = {
            "floats": tf.fill([2], tf.cast(number, tf.float32) / 2),
            "texts": tf.fill([2], tf.as_string(number)),
            "booleans": tf.fill([2], number > 1),
            "bytes": tf.fill([2], tf.cast(number, tf.uint8)),
        }
        return tf.train.batch({key: tf.SparseTensor(place, values, [5]) for key, values in rows.items()}, batch_size=2)

    return collect(tf, build)


@gold
def dense_rows_are_padded_beside_sparse_ones(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 6)
        return tf.train.batch([tf.range(number), _row(tf, number)], batch_size=3, dynamic_pad=True)

    return collect(tf, build)


@gold
def many_threads_give_every_sparse_row_once(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        return tf.train.batch([_row(tf, number)], batch_size=4, num_threads=3)

    return _without_rows(collect(tf, build), "out")


@gold
def features_of_variable_length_are_batched_sparse(tf: Any) -> Result:
    """Read, parse, batch: where SparseTensors come from."""

    def example(number: int) -> bytes:
        tags = tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 3)))
        label = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
        features = tf.train.Features(feature={"tags": tags, "label": label})
        return tf.train.Example(features=features).SerializeToString()

    with temporary_directory() as directory:

        def build() -> Any:
            path = write_texts(tf, directory, "a.records", [example(number) for number in range(7)])
            queue = tf.train.string_input_producer([path], num_epochs=1)
            _, serialized = tf.TFRecordReader().read(queue)
            parsed = tf.parse_single_example(
                serialized, {"tags": tf.VarLenFeature(tf.int64), "label": tf.FixedLenFeature([], tf.int64)}
            )
            return tf.train.batch(parsed, batch_size=3, allow_smaller_final_batch=True)

        return collect(tf, build)


@gold
def a_sparse_batch_is_made_dense_behind_the_batcher(tf: Any) -> Result:
    def build() -> Any:
        batch = tf.train.batch([_row(tf, _numbers(tf, 0, 8))], batch_size=4)
        return tf.sparse_tensor_to_dense(batch, default_value=-1)

    return collect(tf, build)


@gold
def a_sparse_batch_is_batched_again(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        pair = tf.train.batch([number, _row(tf, number)], batch_size=2)
        return tf.train.batch(pair, batch_size=3, enqueue_many=True)

    return collect(tf, build)


# -- blocks ----------------------------------------------------------------------------------


@gold
def sparse_blocks_are_cut_into_rows(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 5)
        return tf.train.batch([_block(tf, number), tf.fill([3], number)], batch_size=4, enqueue_many=True)

    return collect(tf, build)


@gold
def sparse_blocks_alone_are_cut_into_rows(tf: Any) -> Result:
    def build() -> Any:
        blocks = _block(tf, _numbers(tf, 0, 3))
        return tf.train.batch([blocks], batch_size=4, enqueue_many=True, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_dict_of_sparse_blocks_is_cut_into_rows(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 4)
        blocks = {"z": _block(tf, number), "a": tf.fill([3, 2], number)}
        return tf.train.batch(blocks, batch_size=6, enqueue_many=True)

    return collect(tf, build)


# -- shuffled and joined ---------------------------------------------------------------------


@gold
def sparse_rows_are_shuffled(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch([_row(tf, _numbers(tf, 0, 12))], 4, capacity=7, min_after_dequeue=3, seed=2)

    return _without_rows(collect(tf, build), "out")


@gold
def sparse_and_dense_parts_of_a_shuffled_row_stay_together(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 1, 12)
        place = tf.constant([[1]], tf.int64)
        row = tf.SparseTensor(place, number[tf.newaxis], [2])
        batch = tf.train.shuffle_batch({"n": number, "row": row}, 4, capacity=7, min_after_dequeue=3)
        return {"n": batch["n"], "row": tf.sparse_tensor_to_dense(batch["row"])[:, 1]}

    given = collect(tf, build)
    order = np.argsort(given["n"])
    given["n"], given["row"] = given["n"][order], given["row"][order]
    return given


@gold
def sparse_blocks_are_shuffled(tf: Any) -> Result:
    def build() -> Any:
        blocks = _block(tf, _numbers(tf, 0, 4))
        return tf.train.shuffle_batch([blocks], 4, capacity=9, min_after_dequeue=3, enqueue_many=True)

    return _without_rows(collect(tf, build), "out")


@gold
def sparse_rows_are_joined(tf: Any) -> Result:
    def build() -> Any:
        numbers = [_numbers(tf, 0, 5), _numbers(tf, 100, 7)]
        return tf.train.batch_join([[_row(tf, number)] for number in numbers], batch_size=4)

    return _without_rows(collect(tf, build), "out")


@gold
def dicts_with_sparse_rows_are_joined(tf: Any) -> Result:
    def build() -> Any:
        numbers = [_numbers(tf, 0, 5), _numbers(tf, 100, 4)]
        return tf.train.batch_join(
            [{"row": _row(tf, number), "n": number} for number in numbers],
            batch_size=4,
            allow_smaller_final_batch=True,
        )

    given = _without_rows(collect(tf, build), "row")
    given["n"] = np.sort(given["n"])
    return given


@gold
def sparse_blocks_are_joined(tf: Any) -> Result:
    def build() -> Any:
        blocks = [[_block(tf, _numbers(tf, 0, 2))], [_block(tf, _numbers(tf, 100, 2))]]
        return tf.train.batch_join(blocks, batch_size=4, enqueue_many=True)

    return _without_rows(collect(tf, build), "out")


@gold
def sparse_rows_are_joined_and_shuffled(tf: Any) -> Result:
    def build() -> Any:
        numbers = [_numbers(tf, 0, 5), _numbers(tf, 100, 7)]
        rows = [[_row(tf, number)] for number in numbers]
        return tf.train.shuffle_batch_join(rows, 4, capacity=7, min_after_dequeue=3)

    return _without_rows(collect(tf, build), "out")


# -- kept ------------------------------------------------------------------------------------


@gold
def sparse_rows_are_kept_or_dropped(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 9)
        return tf.train.maybe_batch([_row(tf, number), number], tf.not_equal(number % 3, 0), batch_size=3)

    return collect(tf, build)


@gold
def a_constant_true_keeps_every_sparse_row(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 6)
        return tf.train.maybe_batch([_row(tf, number), number], True, batch_size=3)

    return collect(tf, build)


@gold
def sparse_rows_of_a_join_are_kept_or_dropped(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        keep = tf.not_equal(number % 3, 0)
        return tf.train.maybe_batch_join([[_row(tf, number)]], keep, batch_size=4)

    return collect(tf, build)


@gold
def shuffled_sparse_rows_are_kept_or_dropped(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        keep = tf.not_equal(number % 3, 0)
        return tf.train.maybe_shuffle_batch([_row(tf, number)], 4, 7, 3, keep)

    return _without_rows(collect(tf, build), "out")


@gold
def one_decision_keeps_or_drops_a_whole_sparse_block(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 6)
        block = [_block(tf, number), tf.fill([3], number)]
        return tf.train.maybe_batch(block, tf.not_equal(number % 3, 0), batch_size=4, enqueue_many=True)

    return collect(tf, build)


@gold
def a_vector_decides_on_each_row_of_a_sparse_block(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 6)
        block = [_block(tf, number), 3 * number + tf.range(3)]
        return tf.train.maybe_batch(block, tf.range(3) >= number % 3, batch_size=4, enqueue_many=True)

    return collect(tf, build)


# -- static shapes and names -----------------------------------------------------------------


@gold
def static_shapes_of_sparse_batches_are_those_of_tf1(tf: Any) -> Result:
    """The shape of the whole, and of its three parts."""
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 0, 9)
        row, block = _row(tf, number), _block(tf, number)
        batch, shuffle_batch, join = tf.train.batch, tf.train.shuffle_batch, tf.train.batch_join
        forms: Dict[str, Any] = {
            "row": batch([row], 4),
            "row_with_a_tail": batch([row], 4, allow_smaller_final_batch=True),
            "padded": batch([row], 4, dynamic_pad=True),
            "matrix": batch([block], 4),
            "cut": batch([block], 4, enqueue_many=True),
            # One handle a row is what the queue holds: [1] is the shape to give, and no row's width is.
            "shapes_given": batch([row, number], 4, shapes=[[1], []])[0],
            "shuffled": shuffle_batch([row], 4, 10, 5),
            "joined": join([[row], [row]], 4),
            "maybe": tf.train.maybe_batch([row], number > 3, 4),
        }
        for name, sparse in forms.items():
            result[name] = static_shape(sparse)
            for part in ("indices", "values", "dense_shape"):
                result[f"{name}.{part}"] = static_shape(getattr(sparse, part))
    return result


@gold
def sparse_batches_keep_their_types(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _numbers(tf, 0, 9)
        pair = tf.train.batch({"sparse": _row(tf, number), "dense": number}, 4)
        return {
            "sparse": word(type(pair["sparse"]).__name__),
            "is_sparse": np.array(isinstance(pair["sparse"], tf.SparseTensor)),
            "is_dense": np.array(isinstance(pair["dense"], tf.Tensor)),
            "alone": word(type(tf.train.batch([_row(tf, number)], 4)).__name__),
        }

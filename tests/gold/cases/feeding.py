"""A batch size that is fed at every step, to every batcher; and TF1's error for one that it cannot serve."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .harness import Result, collect, failure, gold, static_shape

__all__: list[str] = []

# Twelve rows in four steps; the fifth finds no more.
SIZES = (2, 5, 1, 4, 3)


def _numbers(tf: Any, first: int, count: int) -> Any:
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue() + first


def _fed(step: int) -> Dict[str, Any]:
    return {"size:0": SIZES[step % len(SIZES)]}


def _size(tf: Any) -> Any:
    return tf.placeholder(tf.int32, [], name="size")


def _by_steps(tf: Any, function: str, rows: int = 12, **arguments: Any) -> Result:
    """*rows* rows, by sizes fed at every step; sorted where the order is chance."""

    def build() -> Any:
        if "join" in function:
            tensors: Any = [[_numbers(tf, 0, rows // 2)], [_numbers(tf, 100, rows - rows // 2)]]
        else:
            tensors = [_numbers(tf, 0, rows)]
        if "shuffle" in function:
            arguments.update(capacity=7, min_after_dequeue=2)
        if "maybe" in function:
            arguments["keep_input"] = True
        return getattr(tf.train, function)(tensors, batch_size=_size(tf), **arguments)

    given = collect(tf, build, feed=_fed)
    if "join" in function or "shuffle" in function:
        given["out"] = np.sort(given["out"])
    return given


@gold
def a_fed_batch_size_cuts_each_batch(tf: Any) -> Result:
    return _by_steps(tf, "batch")


@gold
def a_fed_batch_size_leaves_a_smaller_tail(tf: Any) -> Result:
    return _by_steps(tf, "batch", rows=10, allow_smaller_final_batch=True)


@gold
def a_fed_batch_size_cuts_each_kept_batch(tf: Any) -> Result:
    return _by_steps(tf, "maybe_batch")


@gold
def a_fed_batch_size_cuts_each_joined_batch(tf: Any) -> Result:
    return _by_steps(tf, "batch_join")


@gold
def a_fed_batch_size_cuts_each_kept_joined_batch(tf: Any) -> Result:
    return _by_steps(tf, "maybe_batch_join")


@gold
def a_fed_batch_size_cuts_each_shuffled_batch(tf: Any) -> Result:
    return _by_steps(tf, "shuffle_batch")


@gold
def a_fed_batch_size_leaves_a_smaller_shuffled_tail(tf: Any) -> Result:
    return _by_steps(tf, "shuffle_batch", rows=10, allow_smaller_final_batch=True)


@gold
def a_fed_batch_size_cuts_each_kept_shuffled_batch(tf: Any) -> Result:
    return _by_steps(tf, "maybe_shuffle_batch")


@gold
def a_fed_batch_size_cuts_each_shuffled_joined_batch(tf: Any) -> Result:
    return _by_steps(tf, "shuffle_batch_join")


@gold
def a_fed_batch_size_cuts_each_kept_shuffled_joined_batch(tf: Any) -> Result:
    return _by_steps(tf, "maybe_shuffle_batch_join")


@gold
def a_batch_size_with_a_default_may_be_fed_or_not(tf: Any) -> Result:
    def build() -> Any:
        size = tf.placeholder_with_default(3, [], name="size")
        return tf.train.batch([_numbers(tf, 0, 12)], batch_size=size)

    return collect(tf, build, feed=lambda step: {"size:0": 2} if step % 2 else {})


@gold
def a_batch_size_may_be_a_variable(tf: Any) -> Result:
    def build() -> Any:
        size = tf.get_variable("size", initializer=3, trainable=False, use_resource=True)
        return tf.train.batch([_numbers(tf, 0, 12)], batch_size=size)

    return collect(tf, build)


@gold
def rows_are_padded_to_a_fed_batch_size(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        return tf.train.batch({"n": number, "row": tf.range(number % 4)}, batch_size=_size(tf), dynamic_pad=True)

    return collect(tf, build, feed=_fed)


@gold
def blocks_are_cut_to_a_fed_batch_size(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([tf.fill([3], _numbers(tf, 0, 4))], batch_size=_size(tf), enqueue_many=True)

    return collect(tf, build, feed=_fed)


@gold
def sparse_rows_are_batched_by_a_fed_size(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 0, 12)
        row = tf.SparseTensor([[1]], number[tf.newaxis], [3])
        return tf.train.batch([row, number], batch_size=_size(tf))

    return collect(tf, build, feed=_fed)


@gold
def static_shapes_of_fed_sizes_are_unknown_in_the_first_dimension(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        row, size, any_size = tf.fill([3], _numbers(tf, 0, 9)), _size(tf), tf.placeholder(tf.int32)
        forms = {
            "batch": tf.train.batch([row], size),
            "batch_of_any_shape_of_size": tf.train.batch([row], any_size),
            "tail": tf.train.batch([row], size, allow_smaller_final_batch=True),
            "maybe_batch": tf.train.maybe_batch([row], True, size),
            "batch_join": tf.train.batch_join([[row]], size),
            "maybe_batch_join": tf.train.maybe_batch_join([[row]], True, size),
            "shuffle_batch": tf.train.shuffle_batch([row], size, 10, 5),
            "maybe_shuffle_batch": tf.train.maybe_shuffle_batch([row], size, 10, 5, True),
            "shuffle_batch_join": tf.train.shuffle_batch_join([[row]], size, 10, 5),
            "maybe_shuffle_batch_join": tf.train.maybe_shuffle_batch_join([[row]], size, 10, 5, True),
        }
        for name, tensor in forms.items():
            result[name] = static_shape(tensor)
    return result


@gold
def a_fed_batch_size_that_cannot_be_is_an_invalid_argument(tf: Any) -> Result:
    """A negative size, and none at all, at the second step."""

    def build() -> Any:
        return tf.train.batch([_numbers(tf, 0, 12)], batch_size=_size(tf))

    negative = failure(tf, build, feed=lambda step: {"size:0": 2 if step == 0 else -1})
    missing = failure(tf, build, feed=lambda step: {"size:0": 2} if step == 0 else {})
    return {
        "negative": negative["out"],
        "negative.real_error": negative["real_error"],
        "missing": missing["out"],
        "missing.real_error": missing["real_error"],
    }


@gold
def a_fed_batch_size_of_zero_is_an_empty_batch(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 0, 4)], batch_size=_size(tf))

    return collect(tf, build, feed=lambda step: {"size:0": 0 if step == 1 else 2})

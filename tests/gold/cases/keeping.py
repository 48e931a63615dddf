"""The maybe batchers: ``keep_input`` decides which rows enter the queue; the others are read and dropped.

Not here: ``keep_input=False``. TF1 folds it to an operation that neither enqueues nor reads, so the source never ends,
and a run blocks forever.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, gold, static_shape, word, words

__all__: list[str] = []


def _numbers(tf: Any, count: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()


def _is_no_third(tf: Any, number: Any) -> Any:
    return tf.not_equal(number % 3, 0)


def _sorted(result: Result, by: str, *others: str) -> Result:
    order = np.argsort(result[by], kind="stable")
    for name in (by,) + others:
        result[name] = result[name][order]
    return result


# -- one decision for what is enqueued at once -----------------------------------------------


@gold
def rows_that_are_not_kept_are_read_and_forgotten(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 7, num_epochs=2)
        return tf.train.maybe_batch([number, tf.as_string(number)], _is_no_third(tf, number), batch_size=4)

    return collect(tf, build)


@gold
def the_tail_of_kept_rows_is_given_where_allowed(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 10)
        keep = _is_no_third(tf, number)
        return tf.train.maybe_batch({"n": number, "m": -number}, keep, batch_size=4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_decision_that_always_turns_out_true_keeps_all(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        return tf.train.maybe_batch([number], number >= 0, batch_size=3)

    return collect(tf, build)


@gold
def a_decision_that_always_turns_out_false_ends_with_the_source(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        return tf.train.maybe_batch([number], number < 0, batch_size=3, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_constant_true_keeps_all(tf: Any) -> Result:
    result = {}
    truths: Dict[str, Callable[[], Any]] = {
        "python": lambda: True,
        "numpy": lambda: np.bool_(True),
        "array": lambda: np.array(True),
        "constant": lambda: tf.constant(True),
        "folded": lambda: tf.constant(1) < 2,
    }
    for name, truth in truths.items():
        given = collect(tf, lambda truth=truth: tf.train.maybe_batch([_numbers(tf, 5)], truth(), batch_size=2))
        result[name] = given["out"]
        result[name + ".shapes"] = given["out.shapes"]
    return result


@gold
def a_decision_may_come_from_another_source(tf: Any) -> Result:
    """One element of each is taken for every row, kept or not; the shorter source ends the batcher."""

    def build() -> Any:
        decision = tf.train.input_producer([True, False, False, True, True], num_epochs=2, shuffle=False).dequeue()
        return tf.train.maybe_batch([_numbers(tf, 14)], decision, batch_size=4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_decision_may_be_drawn_at_random(tf: Any) -> Result:
    """A seeded draw a row: with one thread TF1's bits are the contract."""

    def build() -> Any:
        number = _numbers(tf, 40)
        return tf.train.maybe_batch([number], tf.random_uniform([], seed=5) < 0.5, batch_size=4)

    return collect(tf, build)


@gold
def kept_rows_are_padded(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 9)
        keep = _is_no_third(tf, number)
        return tf.train.maybe_batch([number, tf.range(number)], keep, batch_size=3, dynamic_pad=True)

    return collect(tf, build)


@gold
def many_threads_decide_on_each_row_once(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 12)
        return tf.train.maybe_batch([number, -number], _is_no_third(tf, number), batch_size=4, num_threads=3)

    return _sorted(collect(tf, build), "0", "1")


@gold
def one_decision_keeps_or_drops_a_whole_block(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 7)
        block = [tf.fill([2], number), tf.stack([number, -number])]
        return tf.train.maybe_batch(block, _is_no_third(tf, number), batch_size=3, enqueue_many=True)

    return collect(tf, build)


# -- a decision a row of a block -------------------------------------------------------------


@gold
def a_vector_decides_on_each_row_of_a_block(tf: Any) -> Result:
    def build() -> Any:
        row = _numbers(tf, 5) * 3 + tf.range(3)
        block = {"n": row, "pair": tf.stack([row, -row], axis=1)}
        return tf.train.maybe_batch(block, tf.equal(row % 2, 0), batch_size=3, enqueue_many=True)

    return collect(tf, build)


@gold
def a_constant_vector_decides_alike_on_every_block(tf: Any) -> Result:
    def build() -> Any:
        row = _numbers(tf, 5) * 3 + tf.range(3)
        return tf.train.maybe_batch([row], [True, False, True], batch_size=4, enqueue_many=True)

    return collect(tf, build)


@gold
def a_vector_of_falsehoods_ends_with_the_source(tf: Any) -> Result:
    def build() -> Any:
        row = _numbers(tf, 5) * 3 + tf.range(3)
        return tf.train.maybe_batch([row], [False, False, False], batch_size=4, enqueue_many=True)

    return collect(tf, build)


@gold
def a_vector_decides_on_blocks_of_any_length(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        row = tf.range(number) + 10 * number
        return tf.train.maybe_batch(
            [row, tf.as_string(row)],
            tf.equal(row % 2, 0),
            batch_size=3,
            enqueue_many=True,
            allow_smaller_final_batch=True,
        )

    return collect(tf, build)


# -- shuffled and joined ---------------------------------------------------------------------


@gold
def kept_rows_are_shuffled(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 18)
        return tf.train.maybe_shuffle_batch(
            [number, -number], 4, capacity=7, min_after_dequeue=3, keep_input=_is_no_third(tf, number), seed=6
        )

    return _sorted(collect(tf, build), "0", "1")


@gold
def rows_kept_by_a_vector_are_shuffled(tf: Any) -> Result:
    def build() -> Any:
        row = _numbers(tf, 8) * 3 + tf.range(3)
        return tf.train.maybe_shuffle_batch(
            {"n": row, "m": -row},
            4,
            capacity=7,
            min_after_dequeue=3,
            keep_input=tf.equal(row % 2, 0),
            enqueue_many=True,
        )

    return _sorted(collect(tf, build), "n", "m")


@gold
def a_shuffled_decision_that_always_turns_out_false_ends_with_the_source(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        return tf.train.maybe_shuffle_batch([number], 2, capacity=7, min_after_dequeue=3, keep_input=number < 0)

    return collect(tf, build)


@gold
def a_join_of_one_list_keeps_what_it_is_told(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 10)
        return tf.train.maybe_batch_join([[number, -number]], _is_no_third(tf, number), batch_size=3)

    return collect(tf, build)


@gold
def every_thread_of_a_join_decides_on_its_own_row(tf: Any) -> Result:
    """One source, one decision, two ways: which way a kept row takes is chance."""

    def build() -> Any:
        number = _numbers(tf, 15)
        lists = [[number], [number + 100]]
        return tf.train.maybe_batch_join(lists, _is_no_third(tf, number), batch_size=5)

    given = collect(tf, build)
    given["out"] = np.sort(given["out"] % 100)
    return given


@gold
def a_decision_from_one_source_of_a_join_is_read_by_the_other_thread_too(tf: Any) -> Result:
    """The second thread reads a decision for each of its rows, so the first source runs out early.

    Its rows are taken by whoever is first; together the two threads make ten decisions at most.
    """

    def build() -> Any:
        first, second = _numbers(tf, 10), _numbers(tf, 30) + 100
        return tf.train.maybe_batch_join([[first], [second]], first >= 0, batch_size=4, allow_smaller_final_batch=True)

    given = collect(tf, build)
    return {"rows": np.array(given["out"].size), "ending": given["ending"], "steps": given["steps"]}


@gold
def a_vector_decides_on_the_blocks_of_every_list_of_a_join(tf: Any) -> Result:
    def build() -> Any:
        row = _numbers(tf, 8) * 3 + tf.range(3)
        lists = [[row], [row + 100]]
        return tf.train.maybe_batch_join(lists, tf.equal(row % 2, 0), batch_size=4, enqueue_many=True)

    given = collect(tf, build)
    given["out"] = np.sort(given["out"] % 100)
    return given


@gold
def a_shuffled_join_keeps_what_it_is_told(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 18)
        return tf.train.maybe_shuffle_batch_join(
            [{"n": number, "m": -number}] * 2,
            4,
            capacity=7,
            min_after_dequeue=3,
            keep_input=_is_no_third(tf, number),
            seed=6,
        )

    return _sorted(collect(tf, build), "n", "m")


# -- static shapes and names -----------------------------------------------------------------


@gold
def a_decision_changes_no_static_shape(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        keep, keeps = number > 3, tf.range(3) > number
        row, block, any_block = tf.fill([3], number), tf.fill([3, 2], number), tf.fill([number, 2], 1)
        maybe, shuffled = tf.train.maybe_batch, tf.train.maybe_shuffle_batch
        forms: Dict[str, Any] = {
            "row": maybe([row], keep, 4),
            "row_with_a_tail": maybe([row], keep, 4, allow_smaller_final_batch=True),
            "block": maybe([block], keep, 4, enqueue_many=True),
            "block_by_a_vector": maybe([block], keeps, 4, enqueue_many=True),
            "any_block_by_a_vector": maybe([any_block], tf.range(number) > 2, 4, enqueue_many=True),
            "padded": maybe([tf.range(number)], keep, 4, dynamic_pad=True),
            "shuffled": shuffled([row], 4, 10, 5, keep),
            "shuffled_block_by_a_vector": shuffled([block], 4, 10, 5, keeps, enqueue_many=True),
        }
        for name, tensor in forms.items():
            result[name] = static_shape(tensor)
    return result


@gold
def maybe_batchers_keep_tf1s_tensor_names(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        keep = number > 3
        result["maybe_batch"] = word(tf.train.maybe_batch([number], keep, 2).name)
        result["maybe_batch_of_true"] = word(tf.train.maybe_batch([number], True, 2).name)
        result["maybe_batch_join"] = word(tf.train.maybe_batch_join([[number]], keep, 2).name)
        result["maybe_shuffle_batch"] = word(tf.train.maybe_shuffle_batch([number], 2, 10, 5, keep).name)
        result["maybe_shuffle_batch_join"] = word(tf.train.maybe_shuffle_batch_join([[number]], 2, 10, 5, keep).name)
        named = tf.train.maybe_batch({"a": number, "b": number}, keep, 2, name="kept")
        result["dict_named"] = words([named["a"].name, named["b"].name])
    return result

"""batch_join and shuffle_batch_join: several sources in one batch, each read by a thread of its own.

Which source a row of the batch comes from depends on timing. What is recorded does not: the sorted rows, the order
within each source, the number and the shapes of the steps.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import (
    Result,
    collect,
    failure,
    gold,
    static_shape,
    temporary_directory,
    without_directories,
    word,
    words,
)
from .records import texts, write_texts

__all__: list[str] = []


def _numbers(tf: Any, first: int, count: int, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue() + first


def _source_by_source(result: Result, key: str = "out") -> Result:
    """Put the numbers of *key* in the order of their hundreds, and leave them in their order there."""
    result[key] = result[key][np.argsort(result[key] // 100, kind="stable")]
    return result


def _sorted(result: Result, by: str, *others: str) -> Result:
    order = np.argsort(result[by], kind="stable")
    for name in (by,) + others:
        result[name] = result[name][order]
    return result


# -- sources that end ------------------------------------------------------------------------


@gold
def a_join_keeps_the_order_of_each_source(tf: Any) -> Result:
    def build() -> Any:
        sources = [[_numbers(tf, 0, 6)], [_numbers(tf, 100, 6)], [_numbers(tf, 200, 6)]]
        return tf.train.batch_join(sources, batch_size=3)

    return _source_by_source(collect(tf, build))


@gold
def a_source_that_ends_stops_only_itself(tf: Any) -> Result:
    """Two rows, nine rows and none: the join ends with the last of them."""

    def build() -> Any:
        sources = [[_numbers(tf, 0, 2)], [_numbers(tf, 100, 9)], [_numbers(tf, 200, 0)]]
        return tf.train.batch_join(sources, batch_size=4, allow_smaller_final_batch=True)

    return _source_by_source(collect(tf, build))


@gold
def sources_of_a_join_may_have_different_epochs(tf: Any) -> Result:
    def build() -> Any:
        sources = [[_numbers(tf, 0, 3, num_epochs=3)], [_numbers(tf, 100, 3, num_epochs=1)]]
        return tf.train.batch_join(sources, batch_size=4)

    return _source_by_source(collect(tf, build))


@gold
def the_tail_of_a_join_is_dropped_unless_allowed(tf: Any) -> Result:
    """Which of the eleven rows are dropped is chance."""

    def build() -> Any:
        return tf.train.batch_join([[_numbers(tf, 0, 2)], [_numbers(tf, 100, 9)]], batch_size=4)

    given = collect(tf, build)
    given["different_rows"] = np.array(len(set(given.pop("out").tolist())))
    return given


@gold
def a_join_without_a_limit_does_not_end(tf: Any) -> Result:
    """The short source is over soon; the other one goes on."""

    def build() -> Any:
        sources = [[_numbers(tf, 0, 3)], [_numbers(tf, 100, 4, num_epochs=None)]]
        return tf.train.batch_join(sources, batch_size=4)

    given = collect(tf, build, max_steps=12)
    out = given.pop("out")
    endless = out[out >= 100]
    given["endless_in_order"] = np.array(np.array_equal(endless, 100 + np.arange(len(endless)) % 4))
    given["rows_are_known"] = np.array(set(out.tolist()) <= {0, 1, 2, 100, 101, 102, 103})
    return given


@gold
def a_join_of_one_source_keeps_its_order(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch_join([[_numbers(tf, 0, 5, num_epochs=3)]], batch_size=4)

    return collect(tf, build)


@gold
def one_row_in_every_list_of_a_join_is_read_by_all_of_them_once(tf: Any) -> Result:
    """What ``[[example]] * 3`` means: three threads on one source."""

    def build() -> Any:
        return tf.train.batch_join([[_numbers(tf, 0, 12)]] * 3, batch_size=4)

    return _sorted(collect(tf, build), "out")


@gold
def a_join_of_different_slices_runs_each_on_its_own_rows(tf: Any) -> Result:
    """Two lists on one source: each row takes one of the two ways. Which one is chance."""

    def build() -> Any:
        number = _numbers(tf, 0, 12)
        return tf.train.batch_join([[number, number * 2], [number, number * 3]], batch_size=4)

    given = _sorted(collect(tf, build), "0", "1")
    given["way_is_one_of_two"] = (given["1"] == given["0"] * 2) | (given["1"] == given["0"] * 3)
    del given["1"]
    return given


# -- structures ------------------------------------------------------------------------------


@gold
def dicts_join_in_the_order_of_their_sorted_keys(tf: Any) -> Result:
    def build() -> Any:
        rows = [_numbers(tf, 0, 4), _numbers(tf, 100, 4)]
        return tf.train.batch_join([{"z": row, "a": tf.as_string(row), "m": row * row} for row in rows], batch_size=4)

    return _sorted(collect(tf, build), "z", "a", "m")


@gold
def a_join_of_dicts_of_one_gives_a_dict(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch_join([{"only": _numbers(tf, 0, 4)}, {"only": _numbers(tf, 100, 4)}], batch_size=4)

    return _sorted(collect(tf, build), "only")


@gold
def a_join_of_tuples_gives_a_list(tf: Any) -> Result:
    def build() -> Any:
        rows = [_numbers(tf, 0, 4), _numbers(tf, 100, 4)]
        return tf.train.batch_join(tuple((row, -row) for row in rows), batch_size=4)

    return _sorted(collect(tf, build), "0", "1")


@gold
def what_the_second_list_of_a_join_has_more_is_dropped(tf: Any) -> Result:
    """``[[a], [a, b]]`` is taken without a word; ``[[a, b], [a]]`` is refused."""

    def build() -> Any:
        row = _numbers(tf, 100, 4)
        return tf.train.batch_join([[_numbers(tf, 0, 4)], [row, -row]], batch_size=4)

    return _sorted(collect(tf, build), "out")


@gold
def a_join_shuffles_dicts_and_keeps_their_rows_together(tf: Any) -> Result:
    def build() -> Any:
        rows = [_numbers(tf, 0, 8), _numbers(tf, 100, 4)]
        return tf.train.shuffle_batch_join(
            [{"z": row, "a": tf.as_string(row), "m": row * row} for row in rows],
            batch_size=4,
            capacity=7,
            min_after_dequeue=3,
            seed=4,
        )

    return _sorted(collect(tf, build), "z", "a", "m")


@gold
def a_shuffled_source_that_ends_stops_only_itself(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch_join(
            [[_numbers(tf, 0, 2)], [_numbers(tf, 100, 9)]],
            batch_size=4,
            capacity=7,
            min_after_dequeue=3,
            allow_smaller_final_batch=True,
        )

    return _sorted(collect(tf, build), "out")


@gold
def the_tail_of_a_shuffled_join_is_dropped_unless_allowed(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.shuffle_batch_join(
            [[_numbers(tf, 0, 2)], [_numbers(tf, 100, 9)]], batch_size=4, capacity=7, min_after_dequeue=3
        )

    given = collect(tf, build)
    given["different_rows"] = np.array(len(set(given.pop("out").tolist())))
    return given


# -- blocks and padding ----------------------------------------------------------------------


@gold
def blocks_of_a_join_may_differ_in_length(tf: Any) -> Result:
    """Three rows a run from one source, one from the other, and a varying number from the third."""

    def build() -> Any:
        first, second, third = _numbers(tf, 0, 3), _numbers(tf, 100, 4), _numbers(tf, 200, 4)
        blocks = [[tf.fill([3], first)], [tf.fill([1], second)], [tf.fill([third - 200], third)]]
        return tf.train.batch_join(blocks, batch_size=4, enqueue_many=True, allow_smaller_final_batch=True)

    return _source_by_source(collect(tf, build))


@gold
def a_join_pads_to_the_longest_row_of_all_sources(tf: Any) -> Result:
    """One batch of all rows, so that its width is no chance."""

    def build() -> Any:
        first, second = _numbers(tf, 0, 4), _numbers(tf, 100, 4)
        lists = [[first, tf.range(first)], [second, tf.fill([5], 7)]]
        return tf.train.batch_join(lists, batch_size=8, dynamic_pad=True)

    given = collect(tf, build)
    order = np.argsort(given["0"])
    given["0"], given["1"] = given["0"][order], given["1"].reshape(8, 5)[order].ravel()
    return given


@gold
def static_shapes_of_joins_are_those_of_tf1(tf: Any) -> Result:
    """The first list decides: an unknown dimension there is refused, later ones are overlooked."""
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 0, 9)
        known, unknown = tf.fill([2], number), tf.reshape(tf.range(number), [-1])
        shapeless = tf.py_func(lambda n: np.full(2, n), [number], tf.int32)
        block, longer_block = tf.fill([3, 2], number), tf.fill([5, 2], number)
        join, shuffle_join = tf.train.batch_join, tf.train.shuffle_batch_join
        forms: Dict[str, Any] = {
            "known_first": join([[known], [unknown]], 4),
            "known_first_padded": join([[known], [unknown]], 4, dynamic_pad=True),
            "unknown_first_padded": join([[unknown], [known]], 4, dynamic_pad=True),
            "tail": join([[known], [known]], 4, allow_smaller_final_batch=True),
            "shapes": join([[shapeless], [shapeless]], 4, shapes=[[2]]),
            "shapes_padded": join([[shapeless], [shapeless]], 4, shapes=[[None]], dynamic_pad=True),
            "blocks": join([[block], [longer_block]], 4, enqueue_many=True),
            "blocks_shapes": join([[shapeless], [shapeless]], 4, enqueue_many=True, shapes=[[]]),
            "size_from_a_tensor": join([[known], [known]], tf.constant(2) + 2),
            "shuffled_known_first": shuffle_join([[known], [unknown]], 4, 10, 5),
            "shuffled_tail": shuffle_join([[known], [known]], 4, 10, 5, allow_smaller_final_batch=True),
            "shuffled_blocks": shuffle_join([[block], [longer_block]], 4, 10, 5, enqueue_many=True),
            "shuffled_shapes": shuffle_join([[shapeless], [shapeless]], 4, 10, 5, shapes=[[2]]),
        }
        for name, tensor in forms.items():
            result[name] = static_shape(tensor)
    return result


# -- readers ---------------------------------------------------------------------------------


def _readers_on_one_queue(tf: Any, join: Callable[[Any], Any], num_epochs: int, counts: List[int]) -> Result:
    with temporary_directory() as directory:

        def build() -> Any:
            paths = [
                write_texts(tf, directory, f"{letter}.records", texts(letter, count))
                for letter, count in zip("abcdef", counts)
            ]
            queue = tf.train.string_input_producer(paths, num_epochs=num_epochs, shuffle=False)
            return join([list(tf.TFRecordReader().read(queue)) for _ in range(3)])

        result = collect(tf, build)
    result["0"] = without_directories(result["0"])
    return result


@gold
def readers_on_one_queue_split_the_files_of_a_join(tf: Any) -> Result:
    """Every file goes to one reader: its records stay in their order."""

    def join(lists: Any) -> Any:
        return tf.train.batch_join(lists, batch_size=4, allow_smaller_final_batch=True)

    given = _readers_on_one_queue(tf, join, num_epochs=1, counts=[3, 5, 0, 2, 4])
    file_by_file = np.argsort([key[:1] for key in given["0"]], kind="stable")
    given["0"], given["1"] = given["0"][file_by_file], given["1"][file_by_file]
    return given


@gold
def readers_of_a_join_give_every_record_once_an_epoch(tf: Any) -> Result:
    def join(lists: Any) -> Any:
        return tf.train.batch_join(lists, batch_size=4)

    return _sorted(_readers_on_one_queue(tf, join, num_epochs=3, counts=[3, 1, 2, 2]), "0", "1")


@gold
def readers_of_a_shuffled_join_give_every_record_once_an_epoch(tf: Any) -> Result:
    def join(lists: Any) -> Any:
        return tf.train.shuffle_batch_join(lists, batch_size=4, capacity=9, min_after_dequeue=3)

    return _sorted(_readers_on_one_queue(tf, join, num_epochs=2, counts=[3, 1, 2, 2]), "0", "1")


@gold
def more_readers_than_files_are_no_harm(tf: Any) -> Result:
    def join(lists: Any) -> Any:
        return tf.train.batch_join(lists, batch_size=2)

    return _sorted(_readers_on_one_queue(tf, join, num_epochs=1, counts=[4]), "0", "1")


@gold
def one_source_of_a_join_that_breaks_ends_it(tf: Any) -> Result:
    """What was given before is chance."""
    with temporary_directory() as directory:

        def build() -> Any:
            good = write_texts(tf, directory, "a.records", texts("a", 4))
            missing = os.path.join(directory, "missing.records")
            sources = [
                [tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=epochs))[1]]
                for path, epochs in [(good, None), (missing, 1)]
            ]
            return tf.train.batch_join(sources, batch_size=2)

        return {"real_error": failure(tf, build)["real_error"]}


# -- names and collections -------------------------------------------------------------------


@gold
def joins_keep_tf1s_tensor_names(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 0, 9)
        pair = {"b": number, "a": number}
        join, shuffle_join = tf.train.batch_join, tf.train.shuffle_batch_join
        result["batch_join"] = word(join([[number], [number]], 2).name)
        result["second_batch_join"] = word(join([[number]], 2).name)
        result["tail"] = word(join([[number]], 2, allow_smaller_final_batch=True).name)
        result["padded"] = word(join([[number]], 2, dynamic_pad=True).name)
        result["list"] = words([tensor.name for tensor in join([[number, number]] * 2, 2)])
        named = join([pair, pair], 2, name="pair")
        result["dict_named"] = words([named["a"].name, named["b"].name])
        with tf.name_scope("scope"):
            result["in_a_scope"] = word(join([[number]], 2).name)
        result["shuffle_batch_join"] = word(shuffle_join([[number], [number]], 2, 10, 5).name)
        named = shuffle_join([pair, pair], 2, 10, 5, name="mixed")
        result["shuffled_dict_named"] = words([named["a"].name, named["b"].name])
    return result


@gold
def joins_and_maybe_batchers_add_one_queue_runner(tf: Any) -> Result:
    result = {}

    def count(name: str) -> None:
        result[name] = np.array(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))

    with tf.Graph().as_default():
        number = _numbers(tf, 0, 9)
        count("producer")
        tf.train.batch_join([[number]] * 3, 2)
        count("batch_join")
        tf.train.shuffle_batch_join([[number]] * 2, 2, 10, 5)
        count("shuffle_batch_join")
        tf.train.maybe_batch_join([[number]] * 2, True, 2)
        count("maybe_batch_join")
        tf.train.maybe_shuffle_batch_join([[number]] * 2, 2, 10, 5, True)
        count("maybe_shuffle_batch_join")
        tf.train.maybe_batch([number], True, 2)
        count("maybe_batch")
        tf.train.maybe_shuffle_batch([number], 2, 10, 5, True)
        count("maybe_shuffle_batch")
    return result

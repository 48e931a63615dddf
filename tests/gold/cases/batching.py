"""tf.train.batch: tails, padding, rows cut from blocks, structures, static shapes, names."""

from __future__ import annotations

import collections
from typing import Any, Dict, List

import numpy as np

from .harness import Result, collect, dtype_name, gold, static_shape, word, words

__all__: list[str] = []


def _numbers(tf: Any, count: int, num_epochs: Any = 1) -> Any:
    """0 .. count-1 as int32 scalars, in order."""
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()


# -- the tail --------------------------------------------------------------------------------


@gold
def the_tail_is_dropped_unless_allowed(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 10)], batch_size=4))


@gold
def an_allowed_tail_is_a_smaller_batch(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 10)
        return tf.train.batch([number, number * 2], 4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def an_allowed_tail_is_not_given_when_nothing_is_left(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 8)], 4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def fewer_rows_than_a_batch_give_no_batch(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 3)], batch_size=4))


@gold
def fewer_rows_than_a_batch_give_one_allowed_tail(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 3)], 4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def batches_straddle_epochs(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 5, num_epochs=3)], batch_size=4))


@gold
def batches_straddle_epochs_for_ever_without_a_limit(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 5, num_epochs=None)], batch_size=4)

    return collect(tf, build, max_steps=7)


@gold
def a_batch_may_exceed_the_capacity(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 13)], batch_size=6, capacity=2))


@gold
def an_allowed_tail_may_exceed_the_capacity(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 10)], batch_size=6, capacity=2, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def a_batch_of_one_keeps_its_dimension(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 3)], batch_size=1))


@gold
def a_batch_size_of_zero_gives_empty_batches(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 3)], batch_size=0), max_steps=3)


@gold
def many_threads_give_every_row_once(tf: Any) -> Result:
    """The order is chance; the rows are not."""
    given = collect(tf, lambda: tf.train.batch([_numbers(tf, 12)], batch_size=4, num_threads=3))
    given["out"] = np.sort(given["out"])
    return given


# -- padding ---------------------------------------------------------------------------------


@gold
def padding_fills_each_batch_to_its_longest_row(tf: Any) -> Result:
    """Numbers with 0, strings with the empty string, booleans with False."""

    def build() -> Any:
        length = _numbers(tf, 7, num_epochs=2)
        return tf.train.batch(
            {
                "integers": tf.range(1, length + 1),
                "floats": tf.fill([length], 1.5),
                "strings": tf.fill([length], "word"),
                "booleans": tf.fill([length], True),
                "length": length,
            },
            batch_size=4,
            dynamic_pad=True,
        )

    return collect(tf, build)


@gold
def padding_works_on_every_unknown_dimension(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        block = tf.ones([number, 2, number % 3 + 1], tf.int64)
        return tf.train.batch([number, block], batch_size=3, dynamic_pad=True)

    return collect(tf, build)


@gold
def padding_and_a_smaller_tail_go_together(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 5)
        return tf.train.batch([tf.range(number)], batch_size=2, dynamic_pad=True, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def padding_leaves_rows_of_known_shape_alone(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4)
        return tf.train.batch([tf.fill([3], number)], batch_size=2, dynamic_pad=True)

    return collect(tf, build)


@gold
def padding_works_on_rows_cut_from_blocks(tf: Any) -> Result:
    def build() -> Any:
        # Never a row of no numbers: native queues of TF 2.21 crash when they cut a block of such.
        block = tf.ones([2, _numbers(tf, 5) + 1], tf.int32)
        return tf.train.batch([block], batch_size=3, enqueue_many=True, dynamic_pad=True)

    return collect(tf, build)


@gold
def padding_follows_the_shapes_argument(tf: Any) -> Result:
    def build() -> Any:
        row = tf.py_func(lambda n: np.ones(n, np.float32), [_numbers(tf, 6)], tf.float32)
        return tf.train.batch([row], batch_size=3, dynamic_pad=True, shapes=[[None]])

    return collect(tf, build)


# -- rows cut from blocks --------------------------------------------------------------------


@gold
def blocks_are_cut_into_rows(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4, num_epochs=2)
        return tf.train.batch(
            [tf.fill([3], number), tf.ones([3, 2]) * tf.cast(number, tf.float32)],
            batch_size=5,
            enqueue_many=True,
        )

    return collect(tf, build)


@gold
def blocks_may_vary_in_length_and_be_empty(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        return tf.train.batch(
            [tf.fill([number % 4], number)],
            batch_size=3,
            enqueue_many=True,
            allow_smaller_final_batch=True,
        )

    return collect(tf, build)


# -- structures ------------------------------------------------------------------------------


@gold
def a_list_of_one_comes_back_as_a_tensor(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch([_numbers(tf, 4)], batch_size=2))


@gold
def a_tuple_of_one_comes_back_as_a_tensor(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch((_numbers(tf, 4),), batch_size=2))


@gold
def a_tuple_comes_back_as_a_list(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4)
        return tf.train.batch((number, -number), batch_size=2)

    return collect(tf, build)


@gold
def a_dict_of_one_comes_back_as_a_dict(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch({"only": _numbers(tf, 4)}, batch_size=2))


@gold
def a_dict_comes_back_in_the_order_of_its_sorted_keys(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4)
        pairs = [("z", number), ("a", number + 10), ("m", number + 20)]
        return tf.train.batch(collections.OrderedDict(pairs), batch_size=2)

    return collect(tf, build)


@gold
def keys_that_are_numbers_are_sorted_as_text(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4)
        return tf.train.batch({10: number, 9: number + 10, 1: number + 20}, batch_size=2)

    return collect(tf, build)


@gold
def an_ordered_dict_comes_back_as_a_plain_dict(tf: Any) -> Result:
    with tf.Graph().as_default():
        ordered = collections.OrderedDict(a=_numbers(tf, 4))
        return {"type": word(type(tf.train.batch(ordered, batch_size=2)).__name__)}


@gold
def python_values_are_batched_as_constants(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 4), 2.5, "word", [1, 2]], batch_size=2)

    return collect(tf, build)


@gold
def the_letters_of_a_text_are_three_components(tf: Any) -> Result:
    return collect(tf, lambda: tf.train.batch("abc", 2), max_steps=2)


@gold
def every_dtype_keeps_its_values(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 5)
        dtypes = [
            tf.uint8,
            tf.int8,
            tf.int16,
            tf.int32,
            tf.int64,
            tf.float16,
            tf.float32,
            tf.float64,
            tf.bool,
            tf.complex64,
        ]
        row = {dtype.name: tf.cast(number, dtype) for dtype in dtypes}
        row["string"] = tf.as_string(number)
        return tf.train.batch(row, batch_size=2)

    return collect(tf, build)


@gold
def odd_arguments_of_batch_are_taken_without_complaint(tf: Any) -> Result:
    oddities = {
        "capacity_negative": dict(batch_size=2, capacity=-1),
        "capacity_one_and_a_half": dict(batch_size=2, capacity=1.5),
        "batch_size_true": dict(batch_size=True),
        "tail_allowed_by_a_text": dict(batch_size=2, allow_smaller_final_batch="yes"),
    }
    result = {}
    for name, arguments in oddities.items():

        def build(arguments: Any = arguments) -> Any:
            return tf.train.batch([_numbers(tf, 5)], **arguments)

        given = collect(tf, build)
        result[name] = given["out"]
        result[name + ".shapes"] = given["out.shapes"]
        result[name + ".static"] = given["out.static"]
        result[name + ".ending"] = given["ending"]
    return result


class _List(list):  # type: ignore[type-arg]
    """A list of another class, such as the one that Keras makes of an attribute of a model."""


class _Tuple(tuple):  # type: ignore[type-arg]
    pass


@gold
def constants_of_any_type_go_beside_computed_rows(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 4) * 2
        ones = tf.fill([2, 3], 1)
        types = [tf.bool, tf.uint8, tf.uint16, tf.int64, tf.float16, tf.float64, tf.complex64]
        constants = [tf.cast(ones, dtype) for dtype in types] + [tf.constant("word"), tf.constant(["a", "b"])]
        return tf.train.batch([number] + constants, batch_size=2)

    return collect(tf, build)


class _Layer:
    """A tensor of another library, such as PrettyTensor's."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.dtype, self.shape = tensor, tensor.dtype, tensor.shape


@gold
def an_object_that_becomes_a_tensor_is_batched(tf: Any) -> Result:
    """One queue has all elements."""
    tf.register_tensor_conversion_function(_Layer, lambda layer, dtype=None, name=None, as_ref=False: layer.tensor)
    runners: List[Any] = []

    def build() -> Any:
        batch = tf.train.batch([_Layer(_numbers(tf, 5))], batch_size=2)
        runners.extend(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
        return batch

    given = collect(tf, build)
    given["runners"] = words([runner.name for runner in runners])
    return given


@gold
def tensors_may_be_in_any_sequence(tf: Any) -> Result:
    """One queue has all elements."""
    result: Result = {}
    for kind in (_List, _Tuple, collections.deque):
        runners: Dict[str, Any] = {}

        def build(kind: Any = kind, runners: Dict[str, Any] = runners) -> Any:
            number = _numbers(tf, 5)
            batch = tf.train.batch(kind([number, number + 10]), batch_size=2)
            runners["names"] = [runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
            return batch

        key = kind.__name__.strip("_")
        result.update({"{}.{}".format(key, name): value for name, value in collect(tf, build).items()})
        result[key + ".runners"] = words(runners["names"])
    return result


# -- static shapes ---------------------------------------------------------------------------


@gold
def static_shapes_are_those_of_tf1(tf: Any) -> Result:
    """No run: what a model built on top of the batch can know."""
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        row = tf.fill([3, 2], number)
        ragged = tf.range(number)
        unknown = tf.py_func(lambda n: n, [number], tf.int32)
        blocks = tf.fill([number, 3], 1.0)
        forms: Dict[str, Any] = {
            "row": tf.train.batch([row], 4),
            "row_with_a_tail": tf.train.batch([row], 4, allow_smaller_final_batch=True),
            "padded": tf.train.batch([ragged], 4, dynamic_pad=True),
            "padded_with_a_tail": tf.train.batch([ragged], 4, dynamic_pad=True, allow_smaller_final_batch=True),
            "cut": tf.train.batch([blocks], 4, enqueue_many=True),
            "cut_with_a_tail": tf.train.batch([blocks], 4, enqueue_many=True, allow_smaller_final_batch=True),
            "shapes_given": tf.train.batch([unknown], 4, shapes=[[]]),
            "shapes_more_exact": tf.train.batch([ragged], 4, shapes=[[5]]),
            "shapes_one_for_all": tf.train.batch([unknown, unknown], 4, shapes=[[2], [2]])[1],
            "size_from_a_tensor": tf.train.batch([row], tf.constant(2) + 2),
            "shuffled": tf.train.shuffle_batch([row], 4, 10, 5),
            "shuffled_with_a_tail": tf.train.shuffle_batch([row], 4, 10, 5, allow_smaller_final_batch=True),
            "shuffled_cut": tf.train.shuffle_batch([blocks], 4, 10, 5, enqueue_many=True),
            "shuffled_shapes_given": tf.train.shuffle_batch([unknown], 4, 10, 5, shapes=[[]]),
        }
        for name, tensor in forms.items():
            result[name] = static_shape(tensor)
            result[name + ".dtype"] = dtype_name(tensor.dtype)
    return result


@gold
def a_batch_size_that_is_a_constant_is_a_static_size(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        three = tf.size([1, 2, 3])
        forms: Dict[str, Any] = {
            "constant": tf.train.batch([number], tf.constant(2)),
            "another": tf.train.batch([number], tf.constant(4)),
            "size": tf.train.batch([number], three),
            "tail": tf.train.batch([number], three, allow_smaller_final_batch=True),
            "shuffled": tf.train.shuffle_batch([number], three, 10, 5),
            "joined": tf.train.batch_join([[number], [number]], three),
            "maybe": tf.train.maybe_batch([number], True, three),
            "vector": tf.train.batch([number], tf.constant([2])),
            "matrix": tf.train.shuffle_batch([number], tf.constant([[2]]), 10, 5),
            "array": tf.train.batch_join([[number], [number]], np.array([2])),
            "list": tf.train.maybe_batch([number], True, [2]),
        }
        for name, tensor in forms.items():
            result[name] = static_shape(tensor)
    return result


@gold
def a_refused_call_uses_up_its_name(tf: Any) -> Result:
    with tf.Graph().as_default():
        number, unknown = _numbers(tf, 9), tf.placeholder(tf.float32)
        calls: Dict[str, Any] = {
            "batch": lambda of, **name: tf.train.batch([of], 2, **name),
            "shuffle_batch": lambda of, **name: tf.train.shuffle_batch([of], 2, 10, 5, **name),
            "batch_join": lambda of, **name: tf.train.batch_join([[of], [of]], 2, **name),
            "maybe_batch": lambda of, **name: tf.train.maybe_batch([of], True, 2, **name),
            "bucket": lambda of, **name: tf.contrib.training.bucket([of], tf.constant(0), 2, 2, **name)[0],
        }
        names = []
        for call in calls.values():
            for name in ({}, {"name": "named"}):
                for of in (unknown, number, number):
                    try:
                        names.append(call(of, **name).op.name)
                    except ValueError:
                        names.append("refused")
    return {"names": words(names)}


@gold
def the_shapes_argument_names_what_inference_cannot(tf: Any) -> Result:
    def build() -> Any:
        number = _numbers(tf, 6)
        row = tf.py_func(lambda n: np.full(2, n, np.int64), [number], tf.int64)
        return tf.train.batch([number, row], batch_size=3, shapes=[[], [2]])

    return collect(tf, build)


@gold
def a_batch_size_may_be_computed(tf: Any) -> Result:
    def build() -> Any:
        return tf.train.batch([_numbers(tf, 7)], batch_size=tf.constant(1) + 2)

    return collect(tf, build)


# -- names and collections -------------------------------------------------------------------


@gold
def batchers_keep_tf1s_tensor_names(tf: Any) -> Result:
    result = {}
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        pair = {"b": number, "a": number}
        batch, shuffle_batch = tf.train.batch, tf.train.shuffle_batch
        result["batch"] = word(batch([number], 2).name)
        result["second_batch"] = word(batch([number], 2).name)
        result["tail"] = word(batch([number], 2, allow_smaller_final_batch=True).name)
        result["padded"] = word(batch([number], 2, dynamic_pad=True).name)
        result["list"] = words([tensor.name for tensor in batch([number, number], 2)])
        named = batch(pair, 2, name="pair")
        result["dict_named"] = words([named["a"].name, named["b"].name])
        with tf.name_scope("scope"):
            result["in_a_scope"] = word(batch([number], 2).name)
        result["shuffle_batch"] = word(shuffle_batch([number], 2, 10, 5).name)
        named = shuffle_batch(pair, 2, 10, 5, name="mixed")
        result["shuffled_dict_named"] = words([named["a"].name, named["b"].name])
        result["shuffled_tail"] = word(shuffle_batch([number], 2, 10, 5, allow_smaller_final_batch=True).name)
    return result


@gold
def every_batcher_adds_one_queue_runner(tf: Any) -> Result:
    counts = {}

    def count(name: str) -> None:
        counts[name] = np.array(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))

    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        count("producer")
        tf.train.batch([number], 2)
        count("batch")
        tf.train.batch([number, number], 2, num_threads=4)
        count("batch_of_four_threads")
        tf.train.shuffle_batch({"a": number}, 2, 10, 5)
        count("shuffle_batch")
    return counts


@gold
def batchers_summarise_how_full_they_are(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _numbers(tf, 9)
        before = len(tf.get_collection(tf.GraphKeys.SUMMARIES))
        tf.train.batch([number], 2)
        tf.train.batch([number], 2, capacity=8, name="named")
        tf.train.shuffle_batch([number], 2, capacity=10, min_after_dequeue=4)
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)[before:]
        return {"names": words([summary.name for summary in summaries])}

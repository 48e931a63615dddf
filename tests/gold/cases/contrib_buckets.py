"""``contrib.training.bucket`` and ``bucket_by_sequence_length``.

TF1 had a thread for each bucket, so the order of batches of different buckets depends on timing; within a bucket it is
that of the source. Results are sorted by bucket before they are recorded.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, error_at_call, failure, gold, running, static_shape, word, words

__all__: list[str] = []

Row = Callable[[Any], Any]


def _number(tf: Any, count: int = 20, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()


def _bucket(tf: Any, tensors: Any, which: Any, *arguments: Any, **options: Any) -> Any:
    """``bucket``, with the outputs side by side: ``which``, and those of a list by their positions."""
    which, outputs = tf.contrib.training.bucket(tensors, which, *arguments, **options)
    return _side_by_side("which", which, outputs)


def _by_length(tf: Any, length: Any, tensors: Any, *arguments: Any, **options: Any) -> Any:
    lengths, outputs = tf.contrib.training.bucket_by_sequence_length(length, tensors, *arguments, **options)
    return _side_by_side("lengths", lengths, outputs)


def _side_by_side(name: str, first: Any, outputs: Any) -> Any:
    if not isinstance(outputs, dict):
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        outputs = {str(position): tensor for position, tensor in enumerate(outputs)}
    return dict(outputs, **{name: first})


def _in_order_of(result: Result, key: Callable[[int], Any]) -> Result:
    """*result* with its steps in the order of *key*, a function of a step's number; equal ones stay as they are."""
    order = sorted(range(int(result["steps"])), key=key)
    for name in [name[: -len(".shapes")] for name in result if name.endswith(".shapes")]:
        shapes = result[name + ".shapes"]
        steps = _steps(result, name)
        result[name] = np.concatenate([steps[step] for step in order] or [result[name]])
        result[name + ".shapes"] = shapes[order]
    return result


def _steps(result: Result, name: str) -> Any:
    ends = np.cumsum([int(np.prod(shape)) for shape in result[name + ".shapes"]])
    return np.split(result[name], ends[:-1])


def _by_bucket(result: Result) -> Result:
    buckets = result["which"].copy()
    return _in_order_of(result, lambda step: buckets[step])


def _by_first_length(result: Result, boundaries: Any) -> Result:
    firsts = [lengths[0] for lengths in _steps(result, "lengths")]
    return _in_order_of(result, lambda step: np.searchsorted(boundaries, firsts[step], side="right"))


# -- what comes out --------------------------------------------------------------------------


@gold
def every_bucket_gives_full_batches_in_the_order_of_the_source(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        return _bucket(tf, [number, tf.as_string(number)], number % 3, 4, 3)

    return _by_bucket(collect(tf, build))


@gold
def buckets_that_may_give_smaller_batches_give_all_they_hold(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        return _bucket(tf, [number, tf.as_string(number)], number % 3, 4, 3, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def buckets_that_nothing_came_to_give_nothing(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 5)
        return _bucket(tf, [number], 2 * (number % 2), 2, 4, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def batches_of_buckets_go_on_over_the_end_of_an_epoch(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 5, num_epochs=3)
        return _bucket(tf, [number], number % 2, 2, 2, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def examples_of_no_bucket_are_dropped(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        return _bucket(tf, [number], number % 5 - 1, 2, 2, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def every_bucket_has_its_own_batch_size_and_capacity(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 30)
        return _bucket(tf, [number], number % 3, [1, 5, 3], 3, bucket_capacities=[2, 1, 40], capacity=2)

    return _by_bucket(collect(tf, build))


@gold
def buckets_pad_to_the_largest_of_a_batch(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 18)
        size = number % 4
        tensors = {
            "n": tf.fill([size], number),
            "s": tf.fill([size, 2], tf.as_string(number)),
            "b": tf.fill([2, size], number > 3),
            "f": tf.cast(number, tf.float32),
        }
        return _bucket(tf, tensors, number // 9, 3, 2, dynamic_pad=True, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def buckets_take_what_is_kept(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 30)
        return _bucket(tf, [number], number % 2, 3, 2, keep_input=tf.not_equal(number % 3, 0))

    return _by_bucket(collect(tf, build))


@gold
def buckets_take_what_is_certainly_kept(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 9)
        return _bucket(tf, [number], number % 2, 3, 2, keep_input=tf.constant(True))

    return _by_bucket(collect(tf, build))


@gold
def buckets_of_sparse_tensors(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 14)
        size = number % 4
        places = tf.reshape(tf.cast(tf.range(size), tf.int64), [-1, 1])
        sparse = tf.SparseTensor(places, tf.fill([size], number), [5])
        return _bucket(tf, [sparse, number], number % 2, 3, 2, allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def padded_buckets_of_sparse_tensors(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 14)
        size = number % 4
        places = tf.reshape(tf.cast(tf.range(size), tf.int64), [-1, 1])
        sparse = tf.SparseTensor(places, tf.fill([size], number), [5])
        tensors = {"s": sparse, "d": tf.fill([size], number)}
        return _bucket(tf, tensors, number % 2, [3, 2], 2, dynamic_pad=True)

    return _by_bucket(collect(tf, build))


@gold
def shapes_that_the_graph_does_not_know_are_given_to_buckets(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 10)
        block = tf.py_func(lambda n: np.full([2, 3], n), [number], tf.int32)
        return _bucket(tf, [block, number], number % 2, 2, 2, shapes=[[2, 3], []])

    return _by_bucket(collect(tf, build))


@gold
def a_bucket_may_be_a_constant(tf: Any) -> Result:
    return collect(tf, lambda: _bucket(tf, [_number(tf, 9)], 1, 4, 2, allow_smaller_final_batch=True))


@gold
def several_threads_fill_buckets_with_the_same_examples(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 40)
        return _bucket(tf, [number], number % 3, 4, 3, num_threads=3, allow_smaller_final_batch=True)

    result = collect(tf, build)
    values = sorted(value for step in _steps(result, "0") for value in step)
    return {"values": np.array(values), "steps": result["steps"], "ending": result["ending"]}


@gold
def shared_buckets_give_the_same(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        return _bucket(tf, [number, -number], number % 3, 4, 3, shared_name="shared", allow_smaller_final_batch=True)

    return _by_bucket(collect(tf, build))


@gold
def a_batch_size_that_is_fed_to_buckets(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        size = tf.placeholder_with_default(3, [], name="size")
        return _bucket(tf, [number, -number], number % 3, size, 3)

    return _by_bucket(collect(tf, build))


@gold
def batches_of_buckets_can_be_batched_again(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 20)
        _, rows = tf.contrib.training.bucket([number], number // 10, 5, 2)
        return tf.train.batch([rows, rows * 2], 10, enqueue_many=True)

    result = collect(tf, build)
    return dict(result, **{"0": np.sort(result["0"]), "1": np.sort(result["1"])})


@gold
def what_fails_before_a_bucket_reaches_the_program(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 9)
        with tf.control_dependencies([tf.Assert(number < 0, [number])]):
            number = tf.identity(number)
        return _bucket(tf, [number], number % 2, 2, 2)

    return failure(tf, build)


# -- by length -------------------------------------------------------------------------------


@gold
def lengths_at_the_boundaries_are_in_the_bucket_above(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 12)
        return _by_length(tf, number % 6, [number], 2, [2, 3, 5], allow_smaller_final_batch=True)

    return _by_first_length(collect(tf, build), [2, 3, 5])


@gold
def sequences_are_padded_to_the_longest_of_their_bucket(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 30)
        length = number % 7
        tensors = {"words": tf.fill([length], number), "label": number}
        return _by_length(tf, length, tensors, [4, 2, 3], (3, 5), dynamic_pad=True)

    return _by_first_length(collect(tf, build), [3, 5])


@gold
def shapes_of_sequences_are_given_without_that_of_the_length(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 12)
        block = tf.py_func(lambda n: np.full([2], n), [number], tf.int32)
        return _by_length(tf, number % 4, [block], 2, [2], shapes=[[2]], name="sorted")

    return _by_first_length(collect(tf, build), [2])


@gold
def negative_lengths_are_in_the_first_bucket(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, 6)
        return _by_length(tf, number - 3, [number], 3, [-1, 2], allow_smaller_final_batch=True)

    return _by_first_length(collect(tf, build), [-1, 2])


@gold
def a_dict_of_one_sequence_has_a_list_as_its_value(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _number(tf)
        lengths, outputs = tf.contrib.training.bucket_by_sequence_length(number, {"a": number}, 2, [3])
        (tensor,) = outputs["a"]
        return {
            "kind": word(type(outputs["a"]).__name__),
            "static": static_shape(tensor),
            "lengths": static_shape(lengths),
            "lengths.name": word(lengths.name),
            "name": word(tensor.name),
        }


# -- what it looks like ----------------------------------------------------------------------


@gold
def outputs_of_buckets_have_the_structure_of_what_was_given(tf: Any) -> Result:
    result = {}
    arguments: Dict[str, Any] = {
        "plain": {"batch_size": 2},
        "smaller": {"batch_size": 2, "allow_smaller_final_batch": True},
        "list_of_sizes": {"batch_size": [2, 2]},
        "padded": {"batch_size": 2, "dynamic_pad": True},
        "named": {"batch_size": 2, "name": "by_size"},
    }
    for label, options in arguments.items():
        with tf.Graph().as_default():
            number = _number(tf)
            triple = tf.fill([3], number)
            for kind, given in {"one": [triple], "two": [triple, number], "dict": {"b": triple, "a": number}}.items():
                which, outputs = tf.contrib.training.bucket(given, number % 2, num_buckets=2, **options)
                tensors = outputs if isinstance(outputs, dict) else dict(enumerate(_as_list(outputs)))
                key = f"{label}_{kind}"
                result[key] = word(type(outputs).__name__ if isinstance(outputs, (dict, list)) else "tensor")
                result[key + ".names"] = words([which.name] + [tensor.name for tensor in tensors.values()])
                result[key + ".keys"] = words([str(name) for name in tensors])
                for name, tensor in tensors.items():
                    result[f"{key}.{name}.static"] = static_shape(tensor)
    return result


def _as_list(outputs: Any) -> Any:
    return outputs if isinstance(outputs, (list, tuple)) else [outputs]


@gold
def buckets_have_tf1s_curves(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _number(tf, 30)
        tf.contrib.training.bucket([number], number % 2, 2, 2, capacity=8)
        tf.contrib.training.bucket([-number], number % 2, 2, 1, name="mine")
        with tf.name_scope("outer"):
            tf.contrib.training.bucket_by_sequence_length(number, [number], 2, [3])
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        with tf.Session() as session:
            values = {
                value.tag: value.simple_value
                for summary in session.run(summaries)
                for value in tf.Summary.FromString(summary).value
            }
        return {
            "names": words([summary.name for summary in summaries]),
            "tags": words(sorted(values)),
            "before_the_start": np.array([values[tag] for tag in sorted(values)], np.float32),
        }


@gold
def the_curves_of_buckets_that_gave_all_are_at_zero(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = _number(tf, 6)
        which, rows = tf.contrib.training.bucket([number], number % 2, 3, 2)
        merged = tf.summary.merge(tf.get_collection(tf.GraphKeys.SUMMARIES, "bucket"))
        with running(tf) as session:
            session.run([which, rows])
            session.run([which, rows])
            values = tf.Summary.FromString(session.run(merged)).value
            return {value.tag: np.array(value.simple_value, np.float32) for value in values}


# -- what is refused -------------------------------------------------------------------------


def _unknown_rank(tf: Any) -> Any:
    return tf.py_func(lambda: np.zeros(2, np.float32), [], tf.float32)


def _partial(tf: Any) -> Any:
    return tf.fill([_number(tf)], 1)


def _try(tensors: Row, **options: Any) -> Row:
    arguments = dict({"which_bucket": 0, "batch_size": 2, "num_buckets": 2}, **options)
    return lambda tf: tf.contrib.training.bucket(tensors(tf), **arguments)


BUCKET_ROWS: Dict[str, Row] = {
    "an_empty_list": _try(lambda tf: []),
    "an_empty_dict": _try(lambda tf: {}),
    "none": _try(lambda tf: None),
    "a_list_of_none": _try(lambda tf: [None]),
    "a_tuple": _try(lambda tf: (_number(tf), _number(tf))),
    "unknown_rank": _try(lambda tf: [_unknown_rank(tf)]),
    "unknown_rank_padded": _try(lambda tf: [_unknown_rank(tf)], dynamic_pad=True),
    "partial_shape": _try(lambda tf: [_partial(tf)]),
    "partial_shape_padded": _try(lambda tf: [_partial(tf)], dynamic_pad=True),
    "shapes_of_the_wrong_length": _try(lambda tf: [_number(tf)], shapes=[[], []]),
    "shapes_that_clash": _try(lambda tf: [_number(tf)], shapes=[[3]]),
    "shapes_for_a_partial_shape": _try(lambda tf: [_partial(tf)], shapes=[[3]]),
    "too_few_sizes": _try(lambda tf: [_number(tf)], batch_size=[2]),
    "too_many_sizes": _try(lambda tf: [_number(tf)], batch_size=[2, 2, 2]),
    "a_tuple_of_sizes": _try(lambda tf: [_number(tf)], batch_size=(2, 2)),
    "a_fraction_as_size": _try(lambda tf: [_number(tf)], batch_size=2.5),
    "a_negative_size": _try(lambda tf: [_number(tf)], batch_size=-1),
    "no_size": _try(lambda tf: [_number(tf)], batch_size=None),
    "too_few_capacities": _try(lambda tf: [_number(tf)], bucket_capacities=[2]),
    "too_many_capacities": _try(lambda tf: [_number(tf)], bucket_capacities=[2, 2, 2]),
    "capacity_zero": _try(lambda tf: [_number(tf)], capacity=0),
    "capacity_without_bound": _try(lambda tf: [_number(tf)], capacity=-1),
    "no_buckets": _try(lambda tf: [_number(tf)], num_buckets=0),
    "no_threads": _try(lambda tf: [_number(tf)], num_threads=0),
    "a_bucket_that_is_a_fraction": _try(lambda tf: [_number(tf)], which_bucket=0.5),
    "keep_of_unknown_rank": lambda tf: _try(lambda tf: [_number(tf)], keep_input=_unknown_rank(tf) > 0)(tf),
    "keep_of_a_vector": _try(lambda tf: [_number(tf)], keep_input=[True, False]),
    "keep_of_a_matrix": _try(lambda tf: [_number(tf)], keep_input=[[True]]),
}


@gold
def buckets_refuse_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda row=row: row(tf)) for name, row in BUCKET_ROWS.items()}


def _try_lengths(boundaries: Any, **options: Any) -> Row:
    arguments = dict({"batch_size": 2, "bucket_boundaries": boundaries}, **options)
    return lambda tf: tf.contrib.training.bucket_by_sequence_length(_number(tf), [_number(tf)], **arguments)


LENGTH_ROWS: Dict[str, Row] = {
    "a_number_as_boundaries": _try_lengths(5),
    "an_array_as_boundaries": _try_lengths(np.array([1, 2])),
    "no_boundaries": _try_lengths([]),
    "none_as_boundaries": _try_lengths(None),
    "fractions_as_boundaries": _try_lengths([1.0, 2.0]),
    "one_fraction_as_boundary": _try_lengths([1.5]),
    "boundaries_of_numpy": _try_lengths([np.int64(1), np.int64(2)]),
    "equal_boundaries": _try_lengths([2, 2]),
    "falling_boundaries": _try_lengths([3, 2]),
    "a_tuple_of_boundaries": _try_lengths((1, 2)),
    "negative_boundaries": _try_lengths([-2, 2]),
    "too_few_sizes": _try_lengths([1, 2], batch_size=[2, 2]),
    "sizes": _try_lengths([1, 2], batch_size=[2, 2, 2]),
    "shapes_of_the_wrong_length": _try_lengths([1], shapes=[[], []]),
    "a_tuple_of_shapes": _try_lengths([1], shapes=([],)),
    "a_fraction_as_length": lambda tf: tf.contrib.training.bucket_by_sequence_length(1.5, [_number(tf)], 2, [1]),
    "a_vector_as_length": lambda tf: tf.contrib.training.bucket_by_sequence_length([1, 2], [_number(tf)], 2, [1]),
    "no_tensors": lambda tf: tf.contrib.training.bucket_by_sequence_length(1, [], 2, [1]),
    "an_empty_dict": lambda tf: tf.contrib.training.bucket_by_sequence_length(1, {}, 2, [1]),
    "a_tensor": lambda tf: tf.contrib.training.bucket_by_sequence_length(1, _number(tf), 2, [1]),
    "a_tuple": lambda tf: tf.contrib.training.bucket_by_sequence_length(1, (_number(tf),), 2, [1]),
}


@gold
def buckets_by_length_refuse_what_tf1_refuses(tf: Any) -> Result:
    return {name: error_at_call(tf, lambda row=row: row(tf)) for name, row in LENGTH_ROWS.items()}

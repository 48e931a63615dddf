"""What the joins and the maybe batchers refuse, and when: at the call, or at the first run.

The tables of ``batch`` and ``shuffle_batch`` are in refusals.py; here are those of the other six, with the rows that
only they have: ``keep_input``, and lists that do not match each other.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, error_at_call, failure, gold

__all__: list[str] = []

# A row takes the batcher as a function of (tensors, batch_size, **arguments).
Row = Callable[[Any, Callable[..., Any]], Any]


def _number(tf: Any) -> Any:
    return tf.train.range_input_producer(9, shuffle=False).dequeue()


def _triple(tf: Any) -> Any:
    return tf.fill([3], _number(tf))


def _unknown_shape(tf: Any) -> Any:
    return tf.py_func(lambda: np.zeros(2, np.float32), [], tf.float32)


def _partial_shape(tf: Any) -> Any:
    return tf.decode_raw(tf.as_string(tf.random_uniform([])), tf.uint8)


def _sparse(tf: Any, rank: int = 1) -> Any:
    return tf.SparseTensor([[0] * rank], [_number(tf)], [3] * rank)


def _outcomes(tf: Any, rows: Dict[str, Row], batcher: Callable[..., Any]) -> Result:
    return {name: error_at_call(tf, lambda call=call: call(tf, batcher)) for name, call in rows.items()}


# -- the joins -------------------------------------------------------------------------------

JOIN_ROWS: Dict[str, Row] = {
    "an_empty_list": lambda tf, join: join([], 2),
    "an_empty_tuple": lambda tf, join: join((), 2),
    "none": lambda tf, join: join(None, 2),
    "an_empty_list_in_a_list": lambda tf, join: join([[]], 2),
    "an_empty_dict_in_a_list": lambda tf, join: join([{}], 2),
    "none_in_a_list": lambda tf, join: join([None], 2),
    "none_in_a_list_of_lists": lambda tf, join: join([[None]], 2),
    "a_tensor": lambda tf, join: join(_number(tf), 2),
    "a_tensor_in_a_list": lambda tf, join: join([_number(tf)], 2),
    "a_dict": lambda tf, join: join({"a": _number(tf)}, 2),
    "a_number": lambda tf, join: join(3, 2),
    "different_types": lambda tf, join: join([[_number(tf)], [tf.to_float(_number(tf))]], 2),
    "different_types_in_dicts": lambda tf, join: join([{"a": _number(tf)}, {"a": tf.constant("a")}], 2),
    "different_keys": lambda tf, join: join([{"a": _number(tf)}, {"b": _number(tf)}], 2),
    "a_key_more": lambda tf, join: join([{"a": _number(tf)}, {"a": _number(tf), "b": _number(tf)}], 2),
    "a_key_less": lambda tf, join: join([{"a": _number(tf), "b": _number(tf)}, {"a": _number(tf)}], 2),
    "a_dict_and_a_list": lambda tf, join: join([{"a": _number(tf)}, [_number(tf)]], 2),
    "a_list_and_a_dict": lambda tf, join: join([[_number(tf)], {"a": _number(tf)}], 2),
    "different_shapes": lambda tf, join: join([[_triple(tf)], [tf.fill([2], _number(tf))]], 2),
    "different_ranks": lambda tf, join: join([[_triple(tf)], [_number(tf)]], 2),
    "the_longer_list_first": lambda tf, join: join([[_number(tf), _number(tf)], [_number(tf)]], 2),
    "the_longer_list_second": lambda tf, join: join([[_number(tf)], [_number(tf), _number(tf)]], 2),
    "sparse_and_dense": lambda tf, join: join([[_sparse(tf)], [_number(tf)]], 2),
    "dense_and_sparse": lambda tf, join: join([[_number(tf)], [_sparse(tf)]], 2),
    "sparse_of_different_ranks": lambda tf, join: join([[_sparse(tf)], [_sparse(tf, rank=2)]], 2),
    "unknown_rank": lambda tf, join: join([[_unknown_shape(tf)], [_unknown_shape(tf)]], 2),
    "unknown_rank_second": lambda tf, join: join([[tf.zeros([2])], [_unknown_shape(tf)]], 2),
    "unknown_rank_first": lambda tf, join: join([[_unknown_shape(tf)], [tf.zeros([2])]], 2),
    "partial_shape": lambda tf, join: join([[_partial_shape(tf)]] * 2, 2),
    "partial_shape_first": lambda tf, join: join([[_partial_shape(tf)], [tf.zeros([2], tf.uint8)]], 2),
    "partial_shape_second": lambda tf, join: join([[tf.zeros([2], tf.uint8)], [_partial_shape(tf)]], 2),
    "too_many_shapes": lambda tf, join: join([[_triple(tf)]] * 2, 2, shapes=[[3], [3]]),
    "too_few_shapes": lambda tf, join: join([[_triple(tf), _triple(tf)]] * 2, 2, shapes=[[3]]),
    "incompatible_shapes": lambda tf, join: join([[_triple(tf)]] * 2, 2, shapes=[[2]]),
    "shapes_that_are_a_number": lambda tf, join: join([[_triple(tf)]] * 2, 2, shapes=3),
    "rows_of_a_scalar": lambda tf, join: join([[_number(tf)]] * 2, 2, enqueue_many=True),
    "blocks_of_different_length": lambda tf, join: join([[tf.zeros([3])], [tf.zeros([2])]], 2, enqueue_many=True),
    "blocks_of_different_length_in_a_list": lambda tf, join: join(
        [[tf.zeros([3]), tf.zeros([2])]] * 2, 2, enqueue_many=True
    ),
    "batch_size_negative": lambda tf, join: join([[_number(tf)]], -1),
    "batch_size_a_float": lambda tf, join: join([[_number(tf)]], 2.0),
    "batch_size_none": lambda tf, join: join([[_number(tf)]], None),
    "batch_size_zero": lambda tf, join: join([[_number(tf)]], 0),
    "num_threads": lambda tf, join: join([[_number(tf)]], 2, num_threads=2),
}

BATCH_JOIN_ROWS: Dict[str, Row] = {
    "capacity_zero": lambda tf, join: join([[_number(tf)]], 2, capacity=0),
    "capacity_negative": lambda tf, join: join([[_number(tf)]], 2, capacity=-1),
    "padding_an_unknown_rank": lambda tf, join: join([[_unknown_shape(tf)]] * 2, 2, dynamic_pad=True),
    "padding_a_partial_shape": lambda tf, join: join([[_partial_shape(tf)]] * 2, 2, dynamic_pad=True),
    "padding_different_lengths": lambda tf, join: join([[tf.zeros([3])], [tf.zeros([2])]], 2, dynamic_pad=True),
    "padding_different_ranks": lambda tf, join: join([[tf.zeros([3])], [tf.zeros([3, 2])]], 2, dynamic_pad=True),
}

SHUFFLE_JOIN_ROWS: Dict[str, Row] = {
    # Not checked, where shuffle_batch checks it: too small a capacity is refused by the first run.
    "capacity_below_the_minimum": lambda tf, join: join([[_number(tf)]], 2, capacity=2),
    "capacity_equal_to_the_minimum": lambda tf, join: join([[_number(tf)]], 2, capacity=5),
    "capacity_zero": lambda tf, join: join([[_number(tf)]], 2, capacity=0, min_after_dequeue=0),
    "capacity_none": lambda tf, join: join([[_number(tf)]], 2, capacity=None),
    "minimum_negative": lambda tf, join: join([[_number(tf)]], 2, min_after_dequeue=-5),
    "dynamic_pad": lambda tf, join: join([[_number(tf)]], 2, dynamic_pad=True),
    "a_seed_that_is_a_text": lambda tf, join: join([[_number(tf)]], 2, seed="five"),
}


def _shuffling(batcher: Callable[..., Any]) -> Callable[..., Any]:
    """*batcher* with a capacity of 10 and a minimum of 5, unless the row says otherwise."""

    def call(tensors: Any, batch_size: Any, **arguments: Any) -> Any:
        return batcher(tensors, batch_size, **dict(dict(capacity=10, min_after_dequeue=5), **arguments))

    return call


def _keeping(batcher: Callable[..., Any]) -> Callable[..., Any]:
    """*batcher* that keeps all."""

    def call(tensors: Any, batch_size: Any, **arguments: Any) -> Any:
        return batcher(tensors, batch_size=batch_size, keep_input=True, **arguments)

    return call


@gold
def batch_join_refuses_what_tf1_refuses(tf: Any) -> Result:
    return _outcomes(tf, dict(JOIN_ROWS, **BATCH_JOIN_ROWS), tf.train.batch_join)


@gold
def maybe_batch_join_refuses_what_tf1_refuses(tf: Any) -> Result:
    return _outcomes(tf, dict(JOIN_ROWS, **BATCH_JOIN_ROWS), _keeping(tf.train.maybe_batch_join))


@gold
def shuffle_batch_join_refuses_what_tf1_refuses(tf: Any) -> Result:
    return _outcomes(tf, dict(JOIN_ROWS, **SHUFFLE_JOIN_ROWS), _shuffling(tf.train.shuffle_batch_join))


@gold
def maybe_shuffle_batch_join_refuses_what_tf1_refuses(tf: Any) -> Result:
    join = _shuffling(_keeping(tf.train.maybe_shuffle_batch_join))
    return _outcomes(tf, dict(JOIN_ROWS, **SHUFFLE_JOIN_ROWS), join)


# -- keep_input ------------------------------------------------------------------------------

KEEP_ROWS: Dict[str, Callable[[Any, Callable[..., Any]], Any]] = {
    "unknown_rank": lambda tf, keep: keep(tf.py_func(lambda: True, [], tf.bool)),
    "a_vector": lambda tf, keep: keep(tf.equal(_triple(tf), 2)),
    "a_list": lambda tf, keep: keep([True, False, True]),
    "a_vector_of_one": lambda tf, keep: keep([True]),
    "a_matrix": lambda tf, keep: keep(tf.equal(tf.fill([3, 1], _number(tf)), 2)),
    "a_vector_for_rows_of_blocks": lambda tf, keep: keep(tf.equal(_triple(tf), 2), enqueue_many=True),
    "a_list_for_rows_of_blocks": lambda tf, keep: keep([True, False, True], enqueue_many=True),
    "a_shorter_list_for_rows_of_blocks": lambda tf, keep: keep([True, False], enqueue_many=True),
    "an_empty_list_for_rows_of_blocks": lambda tf, keep: keep([], enqueue_many=True),
    "a_matrix_for_rows_of_blocks": lambda tf, keep: keep(tf.fill([3, 1], True), enqueue_many=True),
    "unknown_length_for_rows_of_blocks": lambda tf, keep: keep(
        tf.reshape(tf.py_func(lambda: True, [], tf.bool), [-1]), enqueue_many=True
    ),
    "an_integer_tensor": lambda tf, keep: keep(_number(tf)),
    "an_integer": lambda tf, keep: keep(1),
    "integers_for_rows_of_blocks": lambda tf, keep: keep([1, 0, 1], enqueue_many=True),
    "a_fraction": lambda tf, keep: keep(0.5),
    "a_text": lambda tf, keep: keep("yes"),
    "none": lambda tf, keep: keep(None),
    "true": lambda tf, keep: keep(True),
    "false": lambda tf, keep: keep(False),
}

OTHER_ROWS: Dict[str, Row] = {
    "an_empty_list": lambda tf, batch: batch([], 2),
    "an_empty_dict": lambda tf, batch: batch({}, 2),
    "none": lambda tf, batch: batch(None, 2),
    "none_in_a_list": lambda tf, batch: batch([None], 2),
    "a_tensor": lambda tf, batch: batch(_number(tf), 2),
    "unknown_rank": lambda tf, batch: batch([_unknown_shape(tf)], 2),
    "partial_shape": lambda tf, batch: batch([_partial_shape(tf)], 2),
    "too_many_shapes": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[3], [3]]),
    "incompatible_shapes": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[2]]),
    "shapes_that_are_a_number": lambda tf, batch: batch([_triple(tf)], 2, shapes=3),
    "rows_of_a_scalar": lambda tf, batch: batch([_number(tf)], 2, enqueue_many=True),
    "blocks_of_different_length": lambda tf, batch: batch([tf.zeros([3]), tf.zeros([2])], 2, enqueue_many=True),
    "batch_size_negative": lambda tf, batch: batch([_number(tf)], -1),
    "batch_size_a_float": lambda tf, batch: batch([_number(tf)], 2.0),
    "no_threads": lambda tf, batch: batch([_number(tf)], 2, num_threads=0),
    "negative_threads": lambda tf, batch: batch([_number(tf)], 2, num_threads=-1),
    "capacity_zero": lambda tf, batch: batch([_number(tf)], 2, capacity=0),
    "a_sparse_value": lambda tf, batch: batch([tf.SparseTensorValue([[0]], [1.0], [3])], 2),
    "shapes_of_a_sparse_row": lambda tf, batch: batch([_sparse(tf)], 2, shapes=[[3]]),
}


def _keep_outcomes(tf: Any, function: str) -> Result:
    """KEEP_ROWS for three numbers at once, which are one row or, with *enqueue_many*, three."""
    shuffles = dict(capacity=10, min_after_dequeue=5) if "shuffle" in function else {}
    result = {}
    for name, row in KEEP_ROWS.items():

        def keep(keep_input: Any, **arguments: Any) -> Any:
            tensors: List[Any] = [_triple(tf)]
            if "join" in function:
                tensors = [tensors, [_triple(tf)]]
            arguments.update(shuffles, batch_size=2, keep_input=keep_input)
            return getattr(tf.train, function)(tensors, **arguments)

        result["keep_input." + name] = error_at_call(tf, lambda row=row, keep=keep: row(tf, keep))
    return result


@gold
def maybe_batch_refuses_what_tf1_refuses(tf: Any) -> Result:
    return dict(_keep_outcomes(tf, "maybe_batch"), **_outcomes(tf, OTHER_ROWS, _keeping(tf.train.maybe_batch)))


@gold
def maybe_shuffle_batch_refuses_what_tf1_refuses(tf: Any) -> Result:
    batch = _shuffling(_keeping(tf.train.maybe_shuffle_batch))
    rows: Dict[str, Row] = {
        "capacity_below_the_minimum": lambda tf, batch: batch([_number(tf)], 2, capacity=2),
        "capacity_equal_to_the_minimum": lambda tf, batch: batch([_number(tf)], 2, capacity=5),
        "capacity_checked_before_the_tensors": lambda tf, batch: batch([None], 2, capacity=5),
        "minimum_negative": lambda tf, batch: batch([_number(tf)], 2, min_after_dequeue=-5),
    }
    return dict(_keep_outcomes(tf, "maybe_shuffle_batch"), **_outcomes(tf, dict(OTHER_ROWS, **rows), batch))


@gold
def joins_refuse_the_keep_inputs_that_tf1_refuses(tf: Any) -> Result:
    result = {}
    for function in ("maybe_batch_join", "maybe_shuffle_batch_join"):
        for name, outcome in _keep_outcomes(tf, function).items():
            result[f"{function}.{name}"] = outcome
    return result


@gold
def batchers_refuse_sparse_values_and_their_shapes(tf: Any) -> Result:
    """What a row of sparse values is to the queue, one handle, is the only shape it can be given."""
    result = {}
    with_room = dict(capacity=10, min_after_dequeue=5)
    for function, room in {"batch": {}, "shuffle_batch": with_room}.items():
        rows: Dict[str, Callable[[], Any]] = {
            "a_sparse_value": lambda: [tf.SparseTensorValue([[0]], [1.0], [3])],
            "a_sparse_value_in_a_dict": lambda: {"a": tf.SparseTensorValue([[0]], [1.0], [3])},
            "a_sparse_row_in_no_list": lambda: _sparse(tf),
        }
        for name, tensors in rows.items():
            result[f"{function}.{name}"] = error_at_call(
                tf, lambda f=function, t=tensors, r=room: getattr(tf.train, f)(t(), 2, **r)
            )
        for name, shape in {"row": [3], "handle": [1], "scalar": [], "unknown": [None]}.items():
            result[f"{function}.shapes_of_a_{name}"] = error_at_call(
                tf, lambda f=function, s=shape, r=room: getattr(tf.train, f)([_sparse(tf)], 2, shapes=[s], **r)
            )
    return result


# -- at the run ------------------------------------------------------------------------------


def _failures(tf: Any, builds: Dict[str, Callable[[], Any]]) -> Result:
    return {name: failure(tf, build)["real_error"] for name, build in builds.items()}


@gold
def shuffling_joins_refuse_a_capacity_at_the_run(tf: Any) -> Result:
    def number() -> Any:
        return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()

    def join(**room: int) -> Any:
        return tf.train.shuffle_batch_join([[number()], [number()]], 2, **room)

    def maybe_join(**room: int) -> Any:
        return tf.train.maybe_shuffle_batch_join([[number()], [number()]], 2, keep_input=True, **room)

    return _failures(
        tf,
        {
            "capacity_below_the_minimum": lambda: join(capacity=2, min_after_dequeue=5),
            "minimum_negative": lambda: join(capacity=10, min_after_dequeue=-5),
            "maybe.capacity_below_the_minimum": lambda: maybe_join(capacity=2, min_after_dequeue=5),
            "maybe.minimum_negative": lambda: maybe_join(capacity=10, min_after_dequeue=-5),
            "maybe_batch.minimum_negative": lambda: tf.train.maybe_shuffle_batch([number()], 2, 10, -5, True),
        },
    )


@gold
def a_shared_queue_of_another_kind_is_an_invalid_argument(tf: Any) -> Result:
    """Two batchers under one shared name that do not agree on what it is."""

    def number() -> Any:
        return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()

    def pair(first: Dict[str, Any], second: Dict[str, Any]) -> Any:
        batches = []
        for arguments in (first, second):
            tensor = tf.cast(number(), arguments.get("dtype", tf.int32))
            rest = {key: value for key, value in arguments.items() if key not in ("dtype", "function")}
            function = getattr(tf.train, arguments.get("function", "batch"))
            batches.append(function([tensor], 2, shared_name="shared", **rest))
        return batches

    shuffled = dict(function="shuffle_batch", capacity=10, min_after_dequeue=5)
    return _failures(
        tf,
        {
            "capacity": lambda: pair(dict(capacity=10), dict(capacity=11)),
            "type": lambda: pair(dict(dtype=tf.int32), dict(dtype=tf.float32)),
            "kind": lambda: pair(dict(capacity=10), shuffled),
            "minimum": lambda: pair(shuffled, dict(shuffled, min_after_dequeue=4)),
        },
    )


@gold
def blocks_and_decisions_that_turn_out_unequal_are_invalid_arguments(tf: Any) -> Result:
    def block() -> Any:
        return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue() + tf.range(3)

    def of_length(length: int, value: Any) -> Any:
        unknown = tf.py_func(lambda: np.array(length, np.int32), [], tf.int32)
        unknown.set_shape([])
        return tf.fill([unknown], value)

    return _failures(
        tf,
        {
            "decisions": lambda: tf.train.maybe_batch([block()], of_length(2, True), 2, enqueue_many=True),
            "shuffled_decisions": lambda: tf.train.maybe_shuffle_batch(
                [block()], 2, 10, 2, of_length(2, True), enqueue_many=True
            ),
            "blocks": lambda: tf.train.batch_join([[block(), of_length(2, 1.0)]], 2, enqueue_many=True),
            "promised_shape": lambda: tf.train.batch_join([[of_length(2, 1.0)]] * 2, 2, shapes=[[3]]),
            "padded_beyond_the_promised_shape": lambda: tf.train.batch_join(
                [[of_length(2, 1.0)]], 2, shapes=[[3]], dynamic_pad=True
            ),
        },
    )

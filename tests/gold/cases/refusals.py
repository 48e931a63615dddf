"""What the functions refuse at the call, as tables: the type of each error is the contract.

``accepted`` in a recording means that TF1 accepts the argument; its effect is in the modules on producing and batching.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_call, gold

__all__: list[str] = []

Row = Callable[[Any], Any]


def _unknown_shape(tf: Any) -> Any:
    return tf.py_func(lambda: np.zeros(2, np.float32), [], tf.float32)


def _partial_shape(tf: Any) -> Any:
    return tf.decode_raw(tf.as_string(tf.random_uniform([])), tf.uint8)


def _number(tf: Any) -> Any:
    return tf.train.range_input_producer(9, shuffle=False).dequeue()


def _triple(tf: Any) -> Any:
    return tf.fill([3], _number(tf))


def _outcomes(tf: Any, rows: Dict[str, Row]) -> Result:
    return {name: error_at_call(tf, lambda call=call: call(tf)) for name, call in rows.items()}


# -- producers -------------------------------------------------------------------------------

PRODUCER_ROWS: Dict[str, Row] = {
    "input_with_no_epochs": lambda tf: tf.train.input_producer([1, 2], num_epochs=0),
    "input_with_negative_epochs": lambda tf: tf.train.input_producer([1, 2], num_epochs=-1),
    "string_with_no_epochs": lambda tf: tf.train.string_input_producer(["a"], num_epochs=0),
    "range_with_no_epochs": lambda tf: tf.train.range_input_producer(3, num_epochs=0),
    "slice_with_no_epochs": lambda tf: tf.train.slice_input_producer([[1, 2]], num_epochs=0),
    "input_of_unknown_shape": lambda tf: tf.train.input_producer(_unknown_shape(tf)),
    "input_of_partial_shape": lambda tf: tf.train.input_producer(tf.reshape(_unknown_shape(tf), [2, -1])),
    "input_of_a_scalar": lambda tf: tf.train.input_producer(3),
    "input_with_a_clashing_element_shape": lambda tf: tf.train.input_producer(np.zeros((4, 3)), element_shape=[2]),
    "input_with_capacity_zero": lambda tf: tf.train.input_producer([1, 2], capacity=0),
    "input_with_no_capacity": lambda tf: tf.train.input_producer([1, 2], capacity=None),
    "range_with_no_capacity": lambda tf: tf.train.range_input_producer(3, capacity=None),
    "range_with_capacity_zero": lambda tf: tf.train.range_input_producer(3, capacity=0),
    "string_of_a_text": lambda tf: tf.train.string_input_producer("abc"),
    "string_of_an_empty_list": lambda tf: tf.train.string_input_producer([]),
    "string_of_an_empty_tuple": lambda tf: tf.train.string_input_producer(()),
    "string_of_an_empty_text": lambda tf: tf.train.string_input_producer(""),
    "string_of_none": lambda tf: tf.train.string_input_producer(None),
    "string_of_integers": lambda tf: tf.train.string_input_producer([1, 2]),
    "string_of_an_array": lambda tf: tf.train.string_input_producer(np.array(["a", "b"])),
    "string_of_an_array_of_one": lambda tf: tf.train.string_input_producer(np.array(["a"])),
    "string_of_a_matrix": lambda tf: tf.train.string_input_producer([["a"], ["b"]]),
    "range_of_a_text": lambda tf: tf.train.range_input_producer("abc"),
    "range_of_none": lambda tf: tf.train.range_input_producer(None),
    "range_of_a_fraction": lambda tf: tf.train.range_input_producer(2.5),
    "slice_of_an_empty_list": lambda tf: tf.train.slice_input_producer([]),
    "slice_of_none": lambda tf: tf.train.slice_input_producer(None),
    "slice_of_a_dict": lambda tf: tf.train.slice_input_producer({"a": [1, 2]}),
    "slice_of_a_scalar": lambda tf: tf.train.slice_input_producer([3]),
    "slice_of_an_array": lambda tf: tf.train.slice_input_producer(np.zeros((3, 2))),
    "slice_of_a_generator": lambda tf: tf.train.slice_input_producer(one for one in [[1, 2]]),
    "slice_of_a_tensor": lambda tf: tf.train.slice_input_producer(tf.zeros([3, 2])),
    "slice_of_none_in_a_list": lambda tf: tf.train.slice_input_producer([None]),
}


@gold
def producers_refuse_what_tf1_refuses(tf: Any) -> Result:
    return _outcomes(tf, PRODUCER_ROWS)


# -- batchers --------------------------------------------------------------------------------

# Each row takes the batcher as a function of (tensors, batch_size, **arguments), so that one
# table serves tf.train.batch and tf.train.shuffle_batch.
BATCHER_ROWS: Dict[str, Callable[[Any, Callable[..., Any]], Any]] = {
    "an_empty_list": lambda tf, batch: batch([], 2),
    "an_empty_tuple": lambda tf, batch: batch((), 2),
    "an_empty_dict": lambda tf, batch: batch({}, 2),
    "none": lambda tf, batch: batch(None, 2),
    "none_in_a_list": lambda tf, batch: batch([None], 2),
    "none_in_a_dict": lambda tf, batch: batch({"a": None}, 2),
    "a_tensor": lambda tf, batch: batch(_number(tf), 2),
    "a_number": lambda tf, batch: batch(3, 2),
    "an_array": lambda tf, batch: batch(np.arange(3), 2),
    "a_generator": lambda tf, batch: batch((_number(tf) for _ in range(2)), 2),
    "a_set": lambda tf, batch: batch({_number(tf)}, 2),
    "the_values_of_a_dict": lambda tf, batch: batch({"a": _number(tf)}.values(), 2),
    "unknown_rank": lambda tf, batch: batch([_unknown_shape(tf)], 2),
    "partial_shape": lambda tf, batch: batch([_partial_shape(tf)], 2),
    "too_many_shapes": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[3], [3]]),
    "too_few_shapes": lambda tf, batch: batch([_triple(tf), _triple(tf)], 2, shapes=[[3]]),
    "incompatible_shapes": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[2]]),
    "incompatible_ranks": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[]]),
    "incompatible_shapes_with_a_tail": lambda tf, batch: batch(
        [_triple(tf)], 2, shapes=[[2]], allow_smaller_final_batch=True
    ),
    "shapes_that_are_a_number": lambda tf, batch: batch([_triple(tf)], 2, shapes=3),
    "partial_shapes": lambda tf, batch: batch([_triple(tf)], 2, shapes=[[None]]),
    "rows_of_a_scalar": lambda tf, batch: batch([_number(tf)], 2, enqueue_many=True),
    "blocks_of_different_length": lambda tf, batch: batch([tf.zeros([3]), tf.zeros([2])], 2, enqueue_many=True),
    "batch_size_negative": lambda tf, batch: batch([_number(tf)], -1),
    "batch_size_a_float": lambda tf, batch: batch([_number(tf)], 2.0),
    "batch_size_none": lambda tf, batch: batch([_number(tf)], None),
    "batch_size_a_text": lambda tf, batch: batch([_number(tf)], "2"),
    "batch_size_negative_with_a_tail": lambda tf, batch: batch([_number(tf)], -1, allow_smaller_final_batch=True),
    "batch_size_zero": lambda tf, batch: batch([_number(tf)], 0),
    "batch_size_true": lambda tf, batch: batch([_number(tf)], True),
    "no_threads": lambda tf, batch: batch([_number(tf)], 2, num_threads=0),
    "negative_threads": lambda tf, batch: batch([_number(tf)], 2, num_threads=-1),
    "threads_a_float": lambda tf, batch: batch([_number(tf)], 2, num_threads=1.5),
}

BATCH_ROWS: Dict[str, Row] = {
    "capacity_zero": lambda tf: tf.train.batch([_number(tf)], 2, capacity=0),
    "capacity_negative": lambda tf: tf.train.batch([_number(tf)], 2, capacity=-1),
    "capacity_a_fraction": lambda tf: tf.train.batch([_number(tf)], 2, capacity=1.5),
    "capacity_none": lambda tf: tf.train.batch([_number(tf)], 2, capacity=None),
    "capacity_a_text": lambda tf: tf.train.batch([_number(tf)], 2, capacity="5"),
    "numbers_that_are_arrays": lambda tf: tf.train.batch(
        [_number(tf)], np.array(2), capacity=np.array(7), allow_smaller_final_batch=np.array(True)
    ),
    "padding_an_unknown_rank": lambda tf: tf.train.batch([_unknown_shape(tf)], 2, dynamic_pad=True),
    "padding_a_partial_shape": lambda tf: tf.train.batch([_partial_shape(tf)], 2, dynamic_pad=True),
    "padding_with_too_many_shapes": lambda tf: tf.train.batch([_triple(tf)], 2, dynamic_pad=True, shapes=[[3], [3]]),
    "no_batch_size": lambda tf: tf.train.batch([_number(tf)]),
}

SHUFFLE_BATCH_ROWS: Dict[str, Row] = {
    "capacity_equal_to_the_minimum": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 5, 5),
    "capacity_below_the_minimum": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 2, 5),
    "capacity_checked_after_the_structure": lambda tf: tf.train.shuffle_batch(None, 2, 5, 5),
    "capacity_checked_before_the_tensors": lambda tf: tf.train.shuffle_batch([None], 2, 5, 5),
    "capacity_zero": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 0, 0),
    "capacity_negative": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, -1, 0),
    "capacity_a_fraction": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 5.5, 2),
    "minimum_negative": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 10, -5),
    "minimum_a_fraction": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 10, 2.5),
    "numbers_that_are_arrays": lambda tf: tf.train.shuffle_batch(
        [_number(tf)], np.array(2), np.array(9), np.array(4), seed=np.array(1)
    ),
    "capacity_none": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, None, 5),
    "no_capacity": lambda tf: tf.train.shuffle_batch([_number(tf)], 2),
    "a_seed_that_is_a_text": lambda tf: tf.train.shuffle_batch([_number(tf)], 2, 10, 5, seed="five"),
}


@gold
def batch_refuses_what_tf1_refuses(tf: Any) -> Result:
    rows = {name: lambda tf, call=call: call(tf, tf.train.batch) for name, call in BATCHER_ROWS.items()}
    rows.update(BATCH_ROWS)
    return _outcomes(tf, rows)


@gold
def shuffle_batch_refuses_what_tf1_refuses(tf: Any) -> Result:
    def shuffle_batch(tf: Any) -> Callable[..., Any]:
        def shuffled(tensors: Any, batch_size: Any, **arguments: Any) -> Any:
            return tf.train.shuffle_batch(tensors, batch_size, capacity=10, min_after_dequeue=5, **arguments)

        return shuffled

    rows = {name: lambda tf, call=call: call(tf, shuffle_batch(tf)) for name, call in BATCHER_ROWS.items()}
    rows.update(SHUFFLE_BATCH_ROWS)
    return _outcomes(tf, rows)

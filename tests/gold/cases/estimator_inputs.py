"""``tf.estimator.inputs.numpy_input_fn``: arrays in memory, in order and shuffled, finite and endless."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, collect, error_at_call, gold, words

__all__ = ["arguments_of"]

ROWS = 10


def arguments_of(function: Callable[..., Any]) -> np.ndarray:
    """The names of a function's arguments with their defaults, in order."""
    parameters = inspect.signature(function).parameters.values()
    return words([f"{p.name}={'' if p.default is p.empty else p.default}" for p in parameters])


def _columns() -> Dict[str, np.ndarray]:
    return {"b": np.arange(ROWS) * 0.5, "a": np.arange(ROWS * 2, dtype=np.uint8).reshape(ROWS, 2)}


def _fed(tf: Any, *args: Any, **kwargs: Any) -> Any:
    return tf.estimator.inputs.numpy_input_fn(*args, **kwargs)()


def _flat(given: Any) -> Any:
    """Features and targets as one structure that `collect` takes."""
    if not isinstance(given, tuple):
        return given
    named = {}
    for part, structure in zip(("x", "y"), given):
        items = structure.items() if isinstance(structure, dict) else [("alone", structure)]
        named.update({f"{part}_{key}": tensor for key, tensor in items})
    return named


@gold
def numpy_inputs_take_their_arguments_in_tf1s_order(tf: Any) -> Result:
    return {"numpy": arguments_of(tf.estimator.inputs.numpy_input_fn)}


@gold
def arrays_come_in_order_with_a_smaller_tail(tf: Any) -> Result:
    return collect(tf, lambda: _fed(tf, _columns(), batch_size=4, shuffle=False))


@gold
def batches_of_arrays_straddle_epochs(tf: Any) -> Result:
    return collect(tf, lambda: _flat(_fed(tf, _columns(), np.arange(ROWS), 4, 3, False)))


@gold
def arrays_without_an_epoch_limit_do_not_end(tf: Any) -> Result:
    return collect(tf, lambda: _fed(tf, _columns(), batch_size=4, num_epochs=None, shuffle=False), max_steps=7)


@gold
def one_array_of_features_is_one_tensor(tf: Any) -> Result:
    return collect(tf, lambda: _fed(tf, _columns()["a"], batch_size=3, shuffle=False))


@gold
def one_array_of_features_and_one_of_targets_are_a_pair(tf: Any) -> Result:
    return collect(tf, lambda: list(_fed(tf, _columns()["a"], _columns()["b"], batch_size=3, shuffle=False)))


@gold
def targets_in_a_dict_come_as_a_dict(tf: Any) -> Result:
    targets = {"z": np.arange(ROWS), "c": np.arange(ROWS) % 2 == 0}
    return collect(tf, lambda: _flat(_fed(tf, _columns(), targets, batch_size=4, shuffle=False)))


@gold
def arrays_of_every_type_keep_their_values(tf: Any) -> Result:
    types = ["bool", "complex64", "float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint16", "uint8"]
    arrays: Dict[str, np.ndarray] = {name: (np.arange(ROWS) % 3).astype(name) for name in types}
    arrays["bytes"] = np.array([b"a%d" % number for number in range(ROWS)])
    arrays["texts"] = np.array([f"a{number}" for number in range(ROWS)])
    arrays["objects"] = np.array([f"a{number}" for number in range(ROWS)], dtype=object)
    return collect(tf, lambda: _fed(tf, arrays, batch_size=4, shuffle=False))


@gold
def arrays_that_do_not_lie_in_one_piece_keep_their_values(tf: Any) -> Result:
    table = np.arange(ROWS * 6).reshape(ROWS, 6)
    pieces = {"column": table[:, 1], "every_second": np.arange(2 * ROWS)[::2], "turned": table.T[:, :4].T[:4]}
    pieces["turned"] = np.concatenate([pieces["turned"], pieces["turned"], pieces["turned"]])[:ROWS]
    return collect(tf, lambda: _fed(tf, pieces, batch_size=4, shuffle=False))


@gold
def a_batch_of_arrays_may_exceed_capacity_and_rows(tf: Any) -> Result:
    return collect(tf, lambda: _fed(tf, _columns(), batch_size=16, num_epochs=4, shuffle=False, queue_capacity=3))


@gold
def no_epoch_of_arrays_ends_at_once(tf: Any) -> Result:
    return collect(tf, lambda: _fed(tf, _columns(), batch_size=4, num_epochs=0, shuffle=False))


@gold
def mixed_arrays_give_every_row_once_an_epoch(tf: Any) -> Result:
    given = collect(tf, lambda: list(_fed(tf, _columns()["b"], np.arange(ROWS), 4, 3, shuffle=True, queue_capacity=8)))
    given["stays_together"] = given["0"] * 2 == given["1"]
    given["0"], given["1"] = np.sort(given["0"]), np.sort(given["1"])
    return given


@gold
def two_threads_give_every_array_row_as_often_as_asked(tf: Any) -> Result:
    given = collect(tf, lambda: _fed(tf, np.arange(ROWS), batch_size=4, num_epochs=2, shuffle=False, num_threads=2))
    return {"rows": np.sort(given["out"])}


@gold
def two_input_functions_live_in_one_graph(tf: Any) -> Result:
    def build() -> List[Any]:
        first = _fed(tf, np.arange(ROWS), batch_size=4, shuffle=False)
        return [first, _fed(tf, np.arange(ROWS) + 100, batch_size=4, shuffle=False)]

    return collect(tf, build)


@gold
def batches_of_arrays_keep_tf1s_names(tf: Any) -> Result:
    with tf.Graph().as_default() as graph:
        in_order = _fed(tf, _columns(), np.arange(ROWS), batch_size=4, shuffle=False)
        mixed = _fed(tf, _columns()["a"], batch_size=4, num_epochs=None, shuffle=True, queue_capacity=40)
        again = _fed(tf, _columns()["a"], batch_size=4, shuffle=False)
        tensors = [in_order[0]["a"], in_order[0]["b"], in_order[1], mixed, again]
        summaries = [summary.name for summary in graph.get_collection(tf.GraphKeys.SUMMARIES)]
    return {"tensors": words([tensor.name for tensor in tensors]), "summaries": words(summaries)}


@gold
def numpy_inputs_refuse_what_tf1_refuses(tf: Any) -> Result:
    column = np.arange(ROWS)
    calls: Dict[str, Callable[[], Any]] = {
        "no_shuffle": lambda: tf.estimator.inputs.numpy_input_fn(column),
        "shuffle_of_numpy": lambda: tf.estimator.inputs.numpy_input_fn(column, shuffle=np.True_),
        "nothing_is_looked_at_before": lambda: tf.estimator.inputs.numpy_input_fn([], shuffle=False),
        "a_list": lambda: _fed(tf, [1, 2], shuffle=False),
        "no_features": lambda: _fed(tf, {}, shuffle=False),
        "an_empty_array": lambda: _fed(tf, np.zeros([0]), shuffle=False),
        "a_scalar": lambda: _fed(tf, np.array(3), shuffle=False),
        "a_dict_of_lists": lambda: _fed(tf, {"a": [1, 2]}, shuffle=False),
        "a_dict_of_scalars": lambda: _fed(tf, {"a": np.array(1)}, shuffle=False),
        "no_targets_in_a_dict": lambda: _fed(tf, column, {}, shuffle=False),
        "targets_in_a_list": lambda: _fed(tf, column, list(column), shuffle=False),
        "one_key_twice": lambda: _fed(tf, {"a": column}, {"a": column}, shuffle=False),
        "keys_of_two_kinds": lambda: _fed(tf, {"a": column, 1: column}, shuffle=False),
        "two_lengths": lambda: _fed(tf, {"a": column, "b": column[1:]}, shuffle=False),
        "two_lengths_of_targets": lambda: _fed(tf, {"a": column}, column[1:], shuffle=False),
        "two_lengths_of_named_targets": lambda: _fed(tf, {"a": column}, {"b": column[1:]}, shuffle=False),
        "no_rows": lambda: _fed(tf, {"a": column[:0]}, shuffle=False),
        "no_rows_to_mix": lambda: _fed(tf, {"a": column[:0]}, shuffle=True),
        "dates": lambda: _fed(tf, column.astype("datetime64[D]"), shuffle=False),
        "records": lambda: _fed(tf, np.zeros(ROWS, dtype=[("a", "i4"), ("b", "i4")]), shuffle=False),
        "no_threads": lambda: _fed(tf, column, shuffle=False, num_threads=0),
        "no_capacity": lambda: _fed(tf, column, shuffle=False, queue_capacity=0),
        "no_capacity_to_mix": lambda: _fed(tf, column, shuffle=True, queue_capacity=0),
        "a_batch_size_below_zero": lambda: _fed(tf, column, batch_size=-1, shuffle=False),
        "a_batch_size_of_text": lambda: _fed(tf, column, batch_size="4", shuffle=False),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}

"""Each of the eight batchers with each of its arguments: one table, used for every function.

Rows come from one producer, or from two for the joins: 0 .. 5 and 100 .. 103. The order is recorded for ``batch`` and
``maybe_batch`` with one thread. Elsewhere it depends on timing: there the rows are sorted by their number, and a padded
batch holds all of them, so that its width does not depend on timing.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, collect, gold, words

__all__: list[str] = []

Form = Callable[[Any, Any], Any]


@dataclasses.dataclass
class _Argument:
    """One line of the table: the arguments, the rows they are tried on, and who takes them."""

    form: Form
    arguments: Dict[str, Any]
    taken_by: Callable[[str], bool] = lambda function: True
    fixed_order: bool = True


def _fixed(tf: Any, number: Any) -> List[Any]:
    return [number, tf.fill([3], number)]


def _one(tf: Any, number: Any) -> List[Any]:
    return [number]


def _dict(tf: Any, number: Any) -> Dict[str, Any]:
    return {"z": tf.fill([3], number), "a": number}


def _tuple(tf: Any, number: Any) -> Any:
    return number, tf.fill([3], number)


def _ragged(tf: Any, number: Any) -> List[Any]:
    return [number, tf.range(number % 4)]


def _blocks(tf: Any, number: Any) -> List[Any]:
    return [tf.stack([number, number + 1000]), tf.fill([2, 3], number)]


def _ragged_blocks(tf: Any, number: Any) -> List[Any]:
    # Never a row of no numbers: native queues of TF 2.21 crash when they cut a block of such.
    return [tf.stack([number, number + 1000]), tf.ones([2, number % 4 + 1], tf.int32)]


def _shapeless(tf: Any, number: Any) -> List[Any]:
    return tf.py_func(lambda n: [n, np.full(3, n)], [number], [tf.int32, tf.int32])


def _pads(function: str) -> bool:
    return "shuffle" not in function


def _has_threads(function: str) -> bool:
    return "join" not in function


def _shuffles(function: str) -> bool:
    return "shuffle" in function


ARGUMENTS: Dict[str, _Argument] = {
    "a_list": _Argument(_fixed, dict(batch_size=5)),
    "a_list_of_one": _Argument(_one, dict(batch_size=5)),
    "a_tuple": _Argument(_tuple, dict(batch_size=5)),
    "a_dict": _Argument(_dict, dict(batch_size=5)),
    "tail": _Argument(_fixed, dict(batch_size=4, allow_smaller_final_batch=True)),
    "more_than_the_capacity": _Argument(_fixed, dict(batch_size=5, capacity=3, min_after_dequeue=1)),
    "enqueue_many": _Argument(_blocks, dict(batch_size=4, enqueue_many=True)),
    "enqueue_many_and_tail": _Argument(_blocks, dict(batch_size=6, enqueue_many=True, allow_smaller_final_batch=True)),
    "shapes": _Argument(_shapeless, dict(batch_size=5, shapes=[[], [3]])),
    "padded": _Argument(_ragged, dict(batch_size=10, dynamic_pad=True), _pads),
    "padded_and_tail": _Argument(_ragged, dict(batch_size=11, dynamic_pad=True, allow_smaller_final_batch=True), _pads),
    "padded_rows_of_blocks": _Argument(_ragged_blocks, dict(batch_size=20, dynamic_pad=True, enqueue_many=True), _pads),
    "num_threads": _Argument(_fixed, dict(batch_size=5, num_threads=3), _has_threads, fixed_order=False),
    "seed": _Argument(_fixed, dict(batch_size=5, seed=7), _shuffles),
    "shared_name": _Argument(_fixed, dict(batch_size=5, shared_name="shared")),
    "name": _Argument(_fixed, dict(batch_size=5, name="named")),
}


def _numbers(tf: Any, first: int, count: int) -> Any:
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue() + first


def _batched(tf: Any, function: str, line: _Argument) -> Any:
    if "join" in function:
        tensors: Any = [line.form(tf, _numbers(tf, 0, 6)), line.form(tf, _numbers(tf, 100, 4))]
    else:
        tensors = line.form(tf, _numbers(tf, 0, 10))
    arguments = dict(line.arguments)
    if _shuffles(function):
        arguments = dict(dict(capacity=7, min_after_dequeue=2), **arguments)
    else:
        arguments.pop("min_after_dequeue", None)
    if "maybe" in function:
        arguments["keep_input"] = tf.placeholder_with_default(True, [])
    return getattr(tf.train, function)(tensors, **arguments)


def _sorted_rows(result: Result, keys: List[str], by: str) -> None:
    """Sort the rows of all components by the number *by*, which no two rows share."""
    order = np.argsort(result[by])
    for key in keys:
        result[key] = result[key].reshape(len(order), -1)[order].ravel()


def _walk(tf: Any, function: str) -> Result:
    result = {}
    for name, line in ARGUMENTS.items():
        if not line.taken_by(function):
            continue
        given = collect(tf, lambda line=line: _batched(tf, function, line))
        keys = [key.decode() for key in given["keys"]]
        if "join" in function or _shuffles(function) or not line.fixed_order:
            _sorted_rows(given, keys, by="a" if "a" in keys else keys[0])
        for key in keys:
            result[f"{name}.{key}"] = given[key]
        facts = [given["structure"].item().decode(), given["ending"].item().decode()]
        facts += [f"{key} {given[key + '.dtype'].item().decode()} {given[key + '.static'].tolist()}" for key in keys]
        facts += [f"{key} {given[key + '.shapes'].tolist()}" for key in keys]
        result[name] = words(facts)
    return result


@gold
def batch_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "batch")


@gold
def maybe_batch_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "maybe_batch")


@gold
def batch_join_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "batch_join")


@gold
def maybe_batch_join_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "maybe_batch_join")


@gold
def shuffle_batch_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "shuffle_batch")


@gold
def maybe_shuffle_batch_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "maybe_shuffle_batch")


@gold
def shuffle_batch_join_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "shuffle_batch_join")


@gold
def maybe_shuffle_batch_join_takes_each_of_its_arguments(tf: Any) -> Result:
    return _walk(tf, "maybe_shuffle_batch_join")


@gold
def batchers_take_their_arguments_in_tf1s_order(tf: Any) -> Result:
    """Every argument by its position: ten numbers in pairs, by four, with a tail."""
    calls: Dict[str, Callable[[Any], Any]] = {
        "batch": lambda x: tf.train.batch([x], 4, 1, 32, True, [[]], False, True, None, "n"),
        "maybe_batch": lambda x: tf.train.maybe_batch([x], True, 4, 1, 32, True, [[]], False, True, None, "n"),
        "batch_join": lambda x: tf.train.batch_join([[x]], 4, 32, True, [[]], False, True, None, "n"),
        "maybe_batch_join": lambda x: tf.train.maybe_batch_join([[x]], True, 4, 32, True, [[]], False, True, None, "n"),
        "shuffle_batch": lambda x: tf.train.shuffle_batch([x], 4, 8, 2, 1, 5, True, [[]], True, None, "n"),
        "maybe_shuffle_batch": lambda x: tf.train.maybe_shuffle_batch(
            [x], 4, 8, 2, True, 1, 5, True, [[]], True, None, "n"
        ),
        "shuffle_batch_join": lambda x: tf.train.shuffle_batch_join([[x]], 4, 8, 2, 5, True, [[]], True, None, "n"),
        "maybe_shuffle_batch_join": lambda x: tf.train.maybe_shuffle_batch_join(
            [[x]], 4, 8, 2, True, 5, True, [[]], True, None, "n"
        ),
    }
    result = {}
    for function, call in calls.items():
        names = []

        def build(call: Any = call, names: List[str] = names) -> Any:
            number = _numbers(tf, 0, 5)
            batch = call(tf.stack([number, number + 5]))
            names.append(batch.name)
            return batch

        given = collect(tf, build)
        result[function] = np.sort(given["out"]) if "shuffle" in function else given["out"]
        result[function + ".shapes"] = given["out.shapes"]
        result[function + ".name"] = words(names)
    return result


@gold
def producers_take_their_arguments_in_tf1s_order(tf: Any) -> Result:
    rows = np.arange(4)
    calls: Dict[str, Callable[[], Any]] = {
        "input": lambda: tf.train.input_producer(rows, [], 2, True, 5, 3, "shared", "full", "n", tf.no_op()).dequeue(),
        "string": lambda: tf.train.string_input_producer(
            ["a", "b", "c", "d"], 2, True, 5, 3, "shared", "n", tf.no_op()
        ).dequeue(),
        "range": lambda: tf.train.range_input_producer(4, 2, True, 5, 3, "shared", "n").dequeue(),
        "slice": lambda: tf.train.slice_input_producer([rows], 2, True, 5, 3, "shared", "n")[0],
    }
    result = {}
    for function, call in calls.items():
        given = collect(tf, call)
        result[function] = given["out"]
        result[function + ".ending"] = given["ending"]
    return result

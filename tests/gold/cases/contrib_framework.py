"""``tf.contrib.framework``: variables by name, argument scopes, shapes, names of scopes."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict

import numpy as np

from .harness import (
    Result,
    collect,
    error_at_call,
    error_at_run,
    gold,
    running,
    static_shape,
    temporary_directory,
    word,
    words,
)

__all__: list[str] = []


def _names(variables: Any) -> np.ndarray:
    return words([variable.name for variable in variables])


def _model(tf: Any) -> None:
    framework = tf.contrib.framework
    for scope in ("a", "b", "ab"):
        with tf.variable_scope(scope):
            framework.model_variable("weights", [2], initializer=tf.ones_initializer())
            framework.variable("bias", [1], tf.float32, trainable=False, collections=["others", "others"])
            framework.local_variable(0, name="count")
    framework.global_variable(tf.zeros([3]), name="total")


@gold
def variables_are_found_as_they_were(tf: Any) -> Result:
    framework = tf.contrib.framework
    with tf.Graph().as_default():
        _model(tf)
        framework.add_model_variable(framework.get_unique_variable("total"))
        framework.add_model_variable(framework.get_unique_variable("total"))
        weights = framework.get_variables_by_name("weights")
        return {
            "all": _names(framework.get_variables()),
            "of_a_scope": _names(framework.get_variables("a/")),
            "of_a_prefix": _names(framework.get_variables("a")),
            "by_suffix": _names(framework.get_variables(suffix="weights")),
            "by_suffix_of_a_scope": _names(framework.get_variables_by_suffix("ights", "b")),
            "by_name": _names(weights),
            "by_name_of_a_scope": _names(framework.get_variables_by_name("weights", "ab")),
            "model": _names(framework.get_model_variables()),
            "local": _names(framework.get_local_variables("b")),
            "trainable": _names(framework.get_trainable_variables(suffix="weights")),
            "others": _names(tf.get_collection("others")),
            "to_restore": _names(framework.get_variables_to_restore()),
            "to_restore_of": _names(framework.get_variables_to_restore(include=["b", "total"])),
            "to_restore_but": _names(framework.get_variables_to_restore(exclude=["a"])),
            "filtered": _names(framework.filter_variables(weights, ["b"], ["^a/"])),
            "filtered_from_the_start": _names(framework.filter_variables(weights, ["b"], reg_search=False)),
            "full": word(framework.get_variable_full_name(weights[0])),
            "dtype": word(weights[0].dtype.base_dtype.name),
        }


@gold
def scopes_of_variables_are_found(tf: Any) -> Result:
    with tf.Graph().as_default():
        with tf.variable_scope("outer") as scope:
            tf.contrib.framework.variable("v", [1])
        tf.contrib.framework.variable("v", [1])
        return {"found": _names(tf.contrib.framework.get_variables(scope))}


@gold
def argument_scopes_hold_for_their_block(tf: Any) -> Result:
    framework = tf.contrib.framework
    calls = []

    @framework.add_arg_scope
    def first(x: Any, a: Any = 1, b: Any = 2) -> None:
        calls.append((x, a, b))

    @framework.add_arg_scope
    def second(a: Any = 5) -> None:
        calls.append((0, a, 0))

    first(0)
    with framework.arg_scope([first, second], a=10) as scope:
        first(1)
        first(2, a=11)
        second()
        with framework.arg_scope([first], b=20):
            first(3)
        first(4)
    first(5)
    with framework.arg_scope(scope):
        first(6)
        second(a=7)
    result = {
        "calls": np.array(calls),
        "has": np.array([framework.has_arg_scope(first), framework.has_arg_scope(len)]),
        "arguments": words(framework.arg_scoped_arguments(first)),
        "left": np.array(len(framework.current_arg_scope())),
        "name": word(first.__name__),
    }
    refused: Dict[str, Callable[[], Any]] = {
        "not_decorated": lambda: framework.arg_scope([len], a=1).__enter__(),
        "no_list": lambda: framework.arg_scope(first, a=1).__enter__(),
        "scope_and_arguments": lambda: framework.arg_scope(scope, a=1).__enter__(),
        "unknown_argument": lambda: framework.arg_scope([second], z=1).__enter__() and second(),
    }
    return dict(result, **{name: error_at_call(tf, call) for name, call in refused.items()})


@gold
def variables_may_stand_in_argument_scopes(tf: Any) -> Result:
    framework = tf.contrib.framework
    with tf.Graph().as_default():
        chooser = framework.VariableDeviceChooser(num_tasks=2)
        with framework.arg_scope([framework.variable, framework.model_variable], device=chooser, trainable=False):
            made = [framework.variable(f"v{n}", [1]) for n in range(3)] + [framework.model_variable("m", [1])]
        plain = framework.VariableDeviceChooser(device_type="GPU", device_index=1)
        return {
            "devices": words([one.device for one in made]),
            "trainable": np.array(len(tf.trainable_variables())),
            "plain": word(plain(None)),
        }


@gold
def values_are_assigned_by_name(tf: Any) -> Result:
    framework = tf.contrib.framework
    with temporary_directory() as folder, tf.Graph().as_default():
        _model(tf)
        weights = framework.get_variables_by_name("weights")
        op, feed = framework.assign_from_values({"a/weights": np.array([3.0, 4.0]), "total": np.array([[5], [6], [7]])})
        callback = framework.assign_from_values_fn({"b/weights": np.array([8.0, 9.0])})
        with running(tf) as session:
            path = tf.train.Saver(weights).save(session, os.path.join(folder, "model"))
            session.run(op, feed)
            callback(session)
            result = {"assigned": np.stack(session.run(weights)), "total": session.run("total:0")}
            again, saved = framework.assign_from_checkpoint(path, weights[:1])
            session.run(again, saved)
            result["from_checkpoint"] = np.stack(session.run(weights))
            framework.assign_from_checkpoint_fn(path, {"ab/weights": weights[1]})(session)
            result["by_another_name"] = np.stack(session.run(weights))
        total = framework.get_unique_variable("total")
        calls: Dict[str, Callable[[], Any]] = {
            "missing": lambda: framework.assign_from_checkpoint(path, [total]),
            "missing_is_fine": lambda: framework.assign_from_checkpoint(path, [total], ignore_missing_vars=True),
            "another_shape": lambda: framework.assign_from_checkpoint(path, {"a/weights": total}),
            "nothing": lambda: framework.assign_from_checkpoint_fn(path, []),
        }
        for name, call in calls.items():
            result[name] = error_at_run(call)
        none = framework.assign_from_checkpoint_fn(path, [total], ignore_missing_vars=True)
        result["nothing_to_restore"] = np.array(none is None)
        result["listed"] = words([name for name, _ in framework.list_variables(path)])
        result["loaded"] = framework.load_variable(folder, "a/weights")
        result["reader"] = np.array(framework.load_checkpoint(folder).has_tensor("b/weights"))
        return result


@gold
def shapes_are_checked_as_they_were(tf: Any) -> Result:
    framework = tf.contrib.framework

    def build() -> Dict[str, Any]:
        known = tf.constant([[1, 2, 3], [4, 5, 6]])
        unknown = tf.placeholder_with_default(known, None)
        half = tf.placeholder_with_default(known, [None, 3])
        vector, scalar = tf.constant([7]), tf.constant(8)
        predictions, labels = framework.remove_squeezable_dimensions(tf.zeros([4, 1]), tf.zeros([4]))
        short, long = framework.remove_squeezable_dimensions(tf.zeros([4]), tf.zeros([4, 1]))
        one, two = framework.remove_squeezable_dimensions(
            tf.placeholder_with_default([[7], [8]], None), tf.constant([8, 9])
        )
        return {
            "known": framework.with_shape([2, 3], known),
            "unknown": framework.with_shape([2, 3], unknown),
            "half": framework.with_shape(np.array([2, 3], np.int32), half),
            "partly": framework.with_shape(tf.TensorShape([None, 3]), unknown),
            "by_tensor": framework.with_shape(tf.constant([2, 3]), known),
            "same": framework.with_same_shape(known, unknown),
            "same_unknown": framework.with_same_shape(unknown, known),
            "scalar_of_vector": framework.with_shape([], vector),
            "scalar": framework.with_shape([], scalar),
            "predictions": predictions,
            "labels": labels,
            "short": short,
            "long": long,
            "one": one,
            "two": two,
            "sum": framework.reduce_sum_n([known, vector]),
            "sum_of_one": framework.reduce_sum_n([known]),
            "sorted": framework.sort(tf.constant([3, 1, 2]), direction="DESCENDING"),
            "order": framework.argsort(tf.constant([[3, 1], [1, 2]]), axis=0),
        }

    return collect(tf, build, max_steps=1)


@gold
def shapes_are_refused_as_they_were(tf: Any) -> Result:
    framework = tf.contrib.framework

    def known() -> Any:
        return tf.constant([[1, 2, 3], [4, 5, 6]])

    calls: Dict[str, Callable[[], Any]] = {
        "another_shape": lambda: framework.with_shape([3, 2], known()),
        "another_rank": lambda: framework.with_shape([6], known()),
        "a_matrix_for_a_shape": lambda: framework.with_shape([[2, 3]], known()),
        "floats_for_a_shape": lambda: framework.with_shape([2.0, 3.0], known()),
        "int64_for_a_shape": lambda: framework.with_shape(tf.constant([2, 3], tf.int64), known()),
        "an_int64_array_for_a_shape": lambda: framework.with_shape(np.array([2, 3], np.int64), known()),
        "a_sparse_tensor": lambda: framework.with_shape([1], tf.SparseTensor([[0]], [1], [1])),
        "nothing_to_sum": lambda: framework.reduce_sum_n([]),
        "a_float_for_an_integer": lambda: framework.assert_scalar_int(tf.constant(1.0)),
        "a_vector_for_a_scalar": lambda: framework.assert_scalar_int(tf.constant([1])),
        "a_scalar": lambda: framework.assert_scalar_int(tf.constant(1)),
        "two_columns_too_many": lambda: framework.remove_squeezable_dimensions(tf.zeros([2, 2]), tf.zeros([2])),
        "no_graph": lambda: framework.get_placeholders("graph"),
        "no_variable": lambda: framework.get_unique_variable("a"),
        "include_a_text": lambda: framework.get_variables_to_restore(include="a"),
        "exclude_a_text": lambda: framework.get_variables_to_restore(exclude="a"),
        "values_for_no_variable": lambda: framework.assign_from_values({"a": np.zeros(1)}),
        "arguments_for_python": lambda: framework.py_func(len, args=3),
        "keywords_for_python": lambda: framework.py_func(len, kwargs=[3]),
        "a_condition_of_text": lambda: framework.smart_cond("yes", lambda: 1, lambda: 2),
        "a_condition_of_two": lambda: framework.smart_cond(2, lambda: 1, lambda: 2),
        "a_condition_without_functions": lambda: framework.smart_cond(True, 1, 2),
        "global_step_of_floats": lambda: framework.assert_or_get_global_step(global_step_tensor=tf.Variable(1.0)),
    }
    result = {name: error_at_call(tf, call) for name, call in calls.items()}
    with tf.Graph().as_default():
        unknown = tf.placeholder_with_default(known(), None)
        wrong = framework.with_shape([3, 2], unknown)
        wrong_by_tensor = framework.with_shape(tf.placeholder_with_default([3, 2], [2]), known())
        with running(tf) as session:
            result["wrong"] = error_at_run(lambda: session.run(wrong))
            result["wrong_by_tensor"] = error_at_run(lambda: session.run(wrong_by_tensor))
    return result


@gold
def names_graphs_and_conditions_are_what_they_were(tf: Any) -> Result:
    framework = tf.contrib.framework
    with tf.Graph().as_default() as graph:
        fed = [tf.placeholder(tf.int32, name="a"), tf.placeholder(tf.int32, name="b")]
        with tf.name_scope("outer"), tf.name_scope("inner"):
            scope = framework.get_name_scope()
        calls = []
        known = framework.smart_cond(True, lambda: calls.append(1) or "yes", lambda: calls.append(2) or "no")
        constant = framework.smart_cond(tf.constant(0), lambda: "yes", lambda: "no")
        step = framework.get_or_create_global_step()
        names = ["a", "^a/b", "loc:@a/b", "a/b:0"]
        return {
            "placeholders": words([tensor.name for tensor in framework.get_placeholders(graph)]),
            "scope": words([scope, framework.get_name_scope()]),
            "graph": np.array(framework.get_graph_from_inputs([3, fed[0]]) is graph),
            "default_graph": np.array(framework.get_graph_from_inputs([]) is graph),
            "known": words([known, constant]),
            "called": np.array(calls),
            "unknown": np.array(framework.smart_constant_value(fed[0]) is None),
            "same_step": np.array([framework.get_global_step() is step, framework.assert_or_get_global_step() is step]),
            "step": word(step.name),
            "prepended": words([framework.prepend_name_scope(name, "s") for name in names]),
            "not_prepended": words([framework.prepend_name_scope(name, "") for name in names]),
            "stripped": words([framework.strip_name_scope(name, "a") for name in names]),
            "not_stripped": words([framework.strip_name_scope(name, None) for name in names]),
            "is_tensor": np.array([framework.is_tensor(fed[0]), framework.is_tensor(3)]),
            "nest": np.array([framework.nest.is_sequence([1]), framework.nest.is_sequence(1)]),
            "flat": np.array(framework.nest.flatten({"b": 1, "a": (2, [3])})),
        }


@gold
def python_functions_have_structures(tf: Any) -> Result:
    framework = tf.contrib.framework

    def function(x: Any, y: Any, scale: Any) -> Any:
        return {"sum": x + y["v"], "parts": [x * scale, np.array([b"a"] * int(scale))]}

    def build() -> Any:
        given = framework.py_func(
            function,
            [tf.constant([1, 2]), {"v": tf.constant(3)}],
            {"scale": tf.constant(2)},
            {"sum": tf.int32, "parts": [tf.int32, tf.string]},
            {"sum": tf.TensorShape([2]), "parts": [tf.TensorShape([2]), tf.TensorShape([None])]},
        )
        by_function = framework.py_func(
            lambda x: x + 1, [tf.constant([1.5])], None, lambda x: x.dtype, lambda x: x.shape
        )
        return {"sum": given["sum"], "first": given["parts"][0], "second": given["parts"][1], "by": by_function}

    result = collect(tf, build, max_steps=1)
    with tf.Graph().as_default():
        unknown = framework.py_func(lambda: np.int64(3), output_types=tf.int64)
        result["unknown"] = static_shape(unknown)
    return result

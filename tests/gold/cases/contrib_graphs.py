"""``tf.contrib.graph_editor``: which ops a traversal reaches, and which are found by name."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_call, gold, words

__all__: list[str] = []


def _walks(tf: Any) -> Dict[str, Callable[[], Any]]:
    """The functions to call, in a graph of a diamond, a branch that nothing needs, and control inputs."""
    editor = tf.contrib.graph_editor
    first, second = tf.placeholder(tf.float32, [], name="first"), tf.placeholder(tf.float32, [], name="second")
    with tf.name_scope("scope"):
        left = tf.negative(first, name="left")
        right = tf.square(first, name="right")
    with tf.name_scope("scope_b"):
        side = tf.abs(second, name="side")
    with tf.control_dependencies([side]):
        joined = tf.multiply(left, right, name="joined")
    last = tf.identity(joined, name="last")
    unused = tf.negative(right, name="unused")
    graph, outputs = tf.get_default_graph(), editor.ControlOutputs(tf.get_default_graph())
    within = [last.op, joined.op, left.op, first.op]

    def not_left(op: Any) -> bool:
        return bool(op.name != "scope/left")

    return {
        "backward": lambda: editor.get_backward_walk_ops([last.op]),
        "backward_of_one": lambda: editor.get_backward_walk_ops(last.op),
        "backward_of_tensors": lambda: editor.get_backward_walk_ops([last, unused]),
        "backward_of_a_tensor": lambda: editor.get_backward_walk_ops(last),
        "backward_exclusive": lambda: editor.get_backward_walk_ops([last.op], inclusive=False),
        "backward_exclusive_of_several": lambda: editor.get_backward_walk_ops([last.op, joined.op], inclusive=False),
        "backward_within": lambda: editor.get_backward_walk_ops([last.op], within_ops=within),
        "backward_from_outside": lambda: editor.get_backward_walk_ops([unused.op], within_ops=within),
        "backward_within_function": lambda: editor.get_backward_walk_ops([last.op], within_ops_fn=not_left),
        "backward_to_tensors": lambda: editor.get_backward_walk_ops([last.op], stop_at_ts=[left]),
        "backward_with_controls": lambda: editor.get_backward_walk_ops([last.op], control_inputs=True),
        "backward_of_nothing": lambda: editor.get_backward_walk_ops([]),
        "forward": lambda: editor.get_forward_walk_ops([first.op]),
        "forward_of_tensors": lambda: editor.get_forward_walk_ops([first]),
        "forward_exclusive": lambda: editor.get_forward_walk_ops([first], inclusive=False),
        "forward_to_tensors": lambda: editor.get_forward_walk_ops([first.op], stop_at_ts=[right]),
        "forward_within": lambda: editor.get_forward_walk_ops([first.op], within_ops=within),
        "forward_with_controls": lambda: editor.get_forward_walk_ops([second.op], control_outputs=outputs),
        "union": lambda: editor.get_walks_union_ops([right.op], [left.op]),
        "intersection": lambda: editor.get_walks_intersection_ops([first.op], [joined.op]),
        "intersection_with_controls": lambda: editor.get_walks_intersection_ops(
            [second.op], [last.op], control_ios=outputs
        ),
        "around": lambda: editor.get_ops_ios([joined.op]),
        "around_with_controls": lambda: editor.get_ops_ios([joined.op, left.op], control_ios=outputs),
        "consuming": lambda: editor.get_consuming_ops([first, right]),
        "generating": lambda: editor.get_generating_ops([joined, left]),
        "controls": lambda: outputs.get(side.op),
        "tensors": lambda: editor.get_tensors(graph),
        "ops_of_graph": lambda: editor.make_list_of_op(graph),
        "tensors_without_ops": lambda: editor.make_list_of_t([first, left.op], ignore_ops=True),
        "ops_without_tensors": lambda: editor.make_list_of_op([first, left.op], ignore_ts=True),
        "in_scope": lambda: editor.get_name_scope_ops(graph, "scope"),
        "in_scope_with_slash": lambda: editor.get_name_scope_ops(graph, "scope/"),
        "in_no_scope": lambda: editor.get_name_scope_ops(graph, ""),
        "by_regex": lambda: editor.filter_ops_from_regex(graph, "^scope.*t$"),
        "by_filter": lambda: editor.filter_ops(graph, lambda op: op.type == "Neg"),
        "by_no_filter": lambda: editor.filter_ops([left.op, first.op], True),
        "tensors_by_regex": lambda: editor.filter_ts_from_regex([joined.op], "t:0$"),
        "tensors_by_filter": lambda: editor.filter_ts([left.op, right.op], True),
        "by_module": lambda: editor.select.get_backward_walk_ops([left.op]),
        "list_by_module": lambda: editor.util.make_list_of_op([left.op]),
    }


@gold
def walks_over_graphs_reach_what_they_reached(tf: Any) -> Result:
    with tf.Graph().as_default():
        return {name: words(sorted(node.name for node in walk())) for name, walk in _walks(tf).items()}


@gold
def walks_over_graphs_refuse_what_they_refused(tf: Any) -> Result:
    editor = tf.contrib.graph_editor
    with tf.Graph().as_default() as graph:
        number = tf.constant(1.0, name="number")
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    calls: Dict[str, Callable[[], Any]] = {
        "walk_of_a_graph": lambda: editor.get_backward_walk_ops(graph),
        "walk_of_names": lambda: editor.get_backward_walk_ops(["number"]),
        "two_graphs": lambda: editor.make_list_of_op([number.op, other.op]),
        "two_graphs_of_tensors": lambda: editor.make_list_of_t([number, other]),
        "tensors_as_ops": lambda: editor.make_list_of_op([number]),
        "ops_as_tensors": lambda: editor.make_list_of_t([number.op]),
        "graph_as_ops": lambda: editor.make_list_of_op(graph, allow_graph=False),
        "graph_as_tensors": lambda: editor.make_list_of_t(graph, allow_graph=False),
        "no_graph": lambda: editor.get_tensors([number]),
        "controls_of_no_graph": lambda: editor.ControlOutputs(number),
        "filter_of_nothing": lambda: editor.filter_ops(3, True),
    }
    result = {name: error_at_call(tf, call) for name, call in calls.items()}
    result["two_graphs_unchecked"] = np.int64(len(editor.make_list_of_op([number.op, other.op], check_graph=False)))
    return result

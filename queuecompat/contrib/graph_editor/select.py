"""Selects ops by their connections in a graph, and ops and tensors by name.

Rule: a walk returns ops in the order of their distance from the seeds, each once. A seed outside of the walk's bounds
      is left out.

Source: TF 1.15.5 ``contrib/graph_editor/select.py``.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, List, Optional, Tuple, Union

import tensorflow.compat.v1 as tf

from queuecompat.contrib.graph_editor.util import (
    ControlOutputs,
    get_consuming_ops,
    get_generating_ops,
    make_list_of_op,
    make_list_of_t,
)

__all__ = [
    "filter_ops",
    "filter_ops_from_regex",
    "filter_ts",
    "filter_ts_from_regex",
    "get_backward_walk_ops",
    "get_forward_walk_ops",
    "get_name_scope_ops",
    "get_ops_ios",
    "get_walks_intersection_ops",
    "get_walks_union_ops",
]

Filter = Union[bool, Callable[[Any], bool]]
Within = Optional[Callable[[tf.Operation], bool]]


def filter_ops(ops: Any, positive_filter: Filter) -> List[tf.Operation]:
    """Returns those of *ops* for which *positive_filter* returns true; all of them if it is True."""
    listed = make_list_of_op(ops)
    return [op for op in listed if positive_filter is True or positive_filter(op)]  # type: ignore[operator]


def filter_ops_from_regex(ops: Any, regex: Any) -> List[tf.Operation]:
    """Returns those of *ops* whose names match *regex*, a text or a compiled pattern, anywhere in the name."""
    pattern = re.compile(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name) is not None)


def filter_ts(ops: Any, positive_filter: Filter) -> List[tf.Tensor]:
    """Returns those inputs and outputs of *ops* for which *positive_filter* returns true (all if it is True), each
    once."""
    tensors = dict.fromkeys(tensor for op in make_list_of_op(ops) for tensor in [*op.inputs, *op.outputs])
    return [tensor for tensor in tensors if positive_filter is True or positive_filter(tensor)]  # type: ignore[operator]


def filter_ts_from_regex(ops: Any, regex: Any) -> List[tf.Tensor]:
    """Returns the inputs and outputs of *ops* whose names match *regex*, a text or a compiled pattern, anywhere."""
    pattern = re.compile(regex)
    return filter_ts(ops, lambda tensor: pattern.search(tensor.name) is not None)


def get_name_scope_ops(ops: Any, scope: str) -> List[tf.Operation]:
    """Returns those of *ops* that are in the name scope *scope*, or whose name is *scope*."""
    return filter_ops_from_regex(ops, f"^{re.escape(scope.rstrip('/'))}(/.*)?$")


def get_ops_ios(
    ops: Any,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[tf.Operation]:
    """Returns the ops that produce the inputs of *ops*, and the ops that consume their outputs, each once."""
    control_inputs, control_outputs = _controls(control_inputs, control_outputs, control_ios)
    listed = make_list_of_op(ops)
    around = [*_before(listed, (), control_inputs), *_after(listed, (), control_outputs)]
    return list(dict.fromkeys(around))


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> List[tf.Operation]:
    """Returns all ops that *seed_ops* depend on.

    Args:
      seed_ops: ops; or tensors, which stand for the ops that produce them.
      inclusive: whether the result includes the seeds.
      within_ops: the walk stays within these ops; None: all ops.
      within_ops_fn: the walk stays within the ops for which it returns true; None: all ops.
      stop_at_ts: the walk does not go past these tensors.
      control_inputs: whether the walk follows control inputs.
    Raises:
      TypeError: *seed_ops* or *within_ops* are not ops.
    """
    stops = set(make_list_of_t(stop_at_ts))
    return _walk(
        _seeds(seed_ops, get_generating_ops),
        inclusive,
        _within(within_ops, within_ops_fn),
        lambda wave: _before(wave, stops, control_inputs),
    )


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within = None,
    stop_at_ts: Any = (),
    control_outputs: Optional[ControlOutputs] = None,
) -> List[tf.Operation]:
    """Returns all ops that depend on *seed_ops*: like ``get_backward_walk_ops``, in the other direction.

    Args:
      seed_ops: ops; or tensors, which stand for the ops that consume them.
      control_outputs: the ``ControlOutputs`` of the graph, if the walk follows them; otherwise None.
    """
    stops = set(make_list_of_t(stop_at_ts))
    return _walk(
        _seeds(seed_ops, get_consuming_ops),
        inclusive,
        _within(within_ops, within_ops_fn),
        lambda wave: _after(wave, stops, control_outputs),
    )


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within = None,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[tf.Operation]:
    """Returns the ops of the walk forward from *forward_seed_ops* and of the walk backward from *backward_seed_ops*.

    Args:
      control_ios: the ``ControlOutputs`` of the graph, if both walks follow control edges; used instead of
        *control_inputs* and *control_outputs*.
    """
    forward, backward = _both_walks(
        (forward_seed_ops, forward_inclusive),
        (backward_seed_ops, backward_inclusive),
        (within_ops, within_ops_fn),
        _controls(control_inputs, control_outputs, control_ios),
    )
    return list(dict.fromkeys([*forward, *backward]))


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within = None,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[tf.Operation]:
    """Returns the ops that both walks of ``get_walks_union_ops`` reach: the ops between the two sets of seeds."""
    forward, backward = _both_walks(
        (forward_seed_ops, forward_inclusive),
        (backward_seed_ops, backward_inclusive),
        (within_ops, within_ops_fn),
        _controls(control_inputs, control_outputs, control_ios),
    )
    both = set(backward)
    return [op for op in forward if op in both]


def _both_walks(
    forward: Tuple[Any, bool],
    backward: Tuple[Any, bool],
    within: Tuple[Any, Within],
    controls: Tuple[bool, Optional[ControlOutputs]],
) -> Tuple[List[tf.Operation], List[tf.Operation]]:
    control_inputs, control_outputs = controls
    return (
        get_forward_walk_ops(*forward, *within, control_outputs=control_outputs),
        get_backward_walk_ops(*backward, *within, control_inputs=control_inputs),
    )


def _walk(
    seeds: List[tf.Operation],
    inclusive: bool,
    is_within: Callable[[tf.Operation], bool],
    following: Callable[[List[tf.Operation]], Iterable[tf.Operation]],
) -> List[tf.Operation]:
    reached = dict.fromkeys(filter(is_within, seeds))
    wave = list(reached)
    while wave:
        wave = list(dict.fromkeys(op for op in following(wave) if op not in reached and is_within(op)))
        reached.update(dict.fromkeys(wave))
    return list(reached) if inclusive else [op for op in reached if op not in set(seeds)]


def _before(ops: List[tf.Operation], stops: Iterable[tf.Tensor], control_inputs: bool) -> Iterable[tf.Operation]:
    for op in ops:
        yield from (tensor.op for tensor in op.inputs if tensor not in stops)
        if control_inputs:
            yield from op.control_inputs


def _after(
    ops: List[tf.Operation], stops: Iterable[tf.Tensor], control_outputs: Optional[ControlOutputs]
) -> Iterable[tf.Operation]:
    for op in ops:
        yield from (consumer for tensor in op.outputs if tensor not in stops for consumer in tensor.consumers())
        if control_outputs is not None:
            yield from control_outputs.get(op)


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], List[tf.Operation]]) -> List[tf.Operation]:
    seeds = list(seed_ops) if isinstance(seed_ops, Iterable) and not isinstance(seed_ops, tf.Tensor) else [seed_ops]
    if seeds and isinstance(seeds[0], tf.Tensor):
        return of_tensors(seeds)
    return make_list_of_op(seeds, allow_graph=False)


def _within(within_ops: Any, within_ops_fn: Within) -> Callable[[tf.Operation], bool]:
    among = None if within_ops is None else set(make_list_of_op(within_ops, allow_graph=False))
    return lambda op: (among is None or op in among) and (within_ops_fn is None or within_ops_fn(op))


def _controls(
    control_inputs: bool, control_outputs: Optional[ControlOutputs], control_ios: Optional[ControlOutputs]
) -> Tuple[bool, Optional[ControlOutputs]]:
    return (control_inputs, control_outputs) if control_ios is None else (True, control_ios)

"""Bidirectional layers on top of each other. Source: TF 1.15.5 ``contrib/rnn/python/ops/rnn.py``."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn", "transpose_batch_time"]

States = Tuple[Any, ...]
# A function of the two cells, the inputs, both initial states and the scope; returns the outputs and both states.
Layer = Callable[[Any, Any, Any, Any, Any, Any], Tuple[Any, Any, Any]]


def stack_bidirectional_rnn(
    cells_fw: List[Any],
    cells_bw: List[Any],
    inputs: Sequence[Any],
    initial_states_fw: Optional[List[Any]] = None,
    initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[List[Any], States, States]:
    """Several ``static_bidirectional_rnn``, each on the outputs of the one below.

    Args:
      cells_fw, cells_bw: a cell for each layer.
      inputs: list of ``[n, size]``, one for each step.
      initial_states_fw, initial_states_bw: a state for each layer; zeros if None.
      dtype: dtype of initial states that are None.
      sequence_length: ``[n]``, number of steps of each example; None: all.
      scope: variable scope; "stack_bidirectional_rnn" if None.
    Returns:
      The outputs of the last layer, a list of ``[n, forward + backward]``, and the last states of each layer.
    Raises:
      ValueError: no cells, not lists, or lists of different lengths.
    Differs from TF1: None known.
    """

    def layer(forward: Any, backward: Any, below: Any, start: Any, back: Any, here: Any) -> Tuple[Any, Any, Any]:
        return tf.nn.static_bidirectional_rnn(
            forward,
            backward,
            below,
            initial_state_fw=start,
            initial_state_bw=back,
            sequence_length=sequence_length,
            dtype=dtype,
            scope=here,
        )

    return _stacked(layer, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope)


def stack_bidirectional_dynamic_rnn(
    cells_fw: List[Any],
    cells_bw: List[Any],
    inputs: Any,
    initial_states_fw: Optional[List[Any]] = None,
    initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: Optional[int] = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Tuple[Any, States, States]:
    """Several ``bidirectional_dynamic_rnn``, each on the outputs of the one below.

    Args:
      inputs: ``[n, steps, size]``, or ``[steps, n, size]`` with *time_major*.
      parallel_iterations, swap_memory: arguments of the loops.
      cells_fw, cells_bw, initial_states_fw, initial_states_bw, dtype, sequence_length, scope: as
        ``stack_bidirectional_rnn``.
    Returns:
      The outputs of the last layer, forward and backward concatenated, and the last states of each layer.
    Raises:
      As ``stack_bidirectional_rnn``.
    Differs from TF1: None known.
    """

    def layer(forward: Any, backward: Any, below: Any, start: Any, back: Any, here: Any) -> Tuple[Any, Any, Any]:
        outputs, (ahead, behind) = tf.nn.bidirectional_dynamic_rnn(
            forward,
            backward,
            below,
            initial_state_fw=start,
            initial_state_bw=back,
            sequence_length=sequence_length,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=time_major,
        )
        return tf.concat(outputs, 2), ahead, behind

    return _stacked(layer, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope)


def transpose_batch_time(x: Any) -> Any:
    """``[n, steps, ...]`` to ``[steps, n, ...]`` and back; a vector or scalar is returned unchanged."""
    tensor = tf.convert_to_tensor(x)
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        return tensor
    order = tf.concat([[1, 0], tf.range(2, tf.rank(tensor))], axis=0)
    turned = tf.transpose(tensor, order)
    if tensor.shape.rank is not None:
        sides = tensor.shape.as_list()
        turned.set_shape([sides[1], sides[0], *sides[2:]])
    return turned


def _stacked(
    layer: Layer, forward: List[Any], backward: List[Any], inputs: Any, starts: Any, backs: Any, scope: Any
) -> Tuple[Any, States, States]:
    for cells in (forward, backward):
        if not cells or not isinstance(cells, list):
            raise ValueError("pass a list of cells for each direction, one cell for each layer")
    if len(forward) != len(backward):
        raise ValueError(f"{len(forward)} layers forward and {len(backward)} backward; the numbers must be equal")
    for states in (starts, backs):
        if states is not None and (not isinstance(states, list) or len(states) != len(forward)):
            raise ValueError("initial states must be a list, one state for each layer")
    outputs, ends_ahead, ends_behind = inputs, [], []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (ahead, behind) in enumerate(zip(forward, backward)):
            with tf.variable_scope(f"cell_{number}") as here:
                start, back = (states[number] if states else None for states in (starts, backs))
                outputs, end_ahead, end_behind = layer(ahead, behind, outputs, start, back, here)
            ends_ahead.append(end_ahead)
            ends_behind.append(end_behind)
    return outputs, tuple(ends_ahead), tuple(ends_behind)

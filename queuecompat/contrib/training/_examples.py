"""Checks of an example of ``SequenceQueueingStateSaver``: at the call, or if necessary at run time."""

from __future__ import annotations

from typing import Any, Dict, Iterable

import tensorflow as tf

from queuecompat._native.segments import Example
from queuecompat.plurals import type_of

__all__ = ["checked_example", "require_states"]


def require_states(states: Any) -> None:
    """Raises TypeError or ValueError unless *states* is a non-empty dict with names without colons."""
    if not isinstance(states, dict):
        raise TypeError(f"initial_states must be a dict, not {type_of(states)}")
    if not states:
        raise ValueError("initial_states must have a state: it makes a segment wait for the previous one")
    _require_names("state", states)


def checked_example(length: Any, key: Any, sequences: Any, context: Any, states: Any, num_unroll: int) -> Example:
    """Returns these tensors as an ``Example``, checked.

    Raises:
      TypeError, ValueError: see ``SequenceQueueingStateSaver``.
      tf.errors.InvalidArgumentError: at run time, wrong lengths.
    """
    length = tf.convert_to_tensor(length, name="length")
    key = tf.convert_to_tensor(key, name="key")
    for kind, values in (("sequences", sequences), ("context", context)):
        if not isinstance(values, dict):
            raise TypeError(f"{kind} must be a dict, not {type_of(values)}")
    if not sequences:
        raise ValueError("there must be at least one sequence")
    _require_names("sequence", sequences)
    _require_names("context", context)
    sequences, context, states = (
        {name: tf.convert_to_tensor(values[name], name=f"{kind}_{name}") for name in sorted(values)}
        for kind, values in (("sequence", sequences), ("context", context), ("state", states))
    )
    _require_shapes("state", states, 0)
    _require_shapes("context", context, 0)
    _require_shapes("sequence", sequences, 1)
    length, key = _scalar(length), _scalar(key)
    if length.dtype != tf.int32:
        raise TypeError(f"input_length must be int32, not {length.dtype.name}")
    if key.dtype != tf.string:
        raise TypeError(f"input_key must be a string, not {key.dtype.name}")
    lengths = {name: tf.shape(value)[0] for name, value in sequences.items()}
    padded_length = next(iter(lengths.values()))
    with tf.control_dependencies(list(_fitting(length, padded_length, lengths, num_unroll))):
        checked = {name: tf.identity(value) for name, value in sequences.items()}
        return Example(tf.identity(length), tf.identity(padded_length), key, checked, context, states)


def _require_names(kind: str, values: Dict[Any, Any]) -> None:
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"the name of a {kind} must be a string, not {name!r}")
        if ":" in name:
            raise ValueError(f"the name of a {kind} must have no colon: '{name}'")


def _require_shapes(kind: str, values: Dict[str, tf.Tensor], first: int) -> None:
    for name, value in values.items():
        is_known = value.shape.rank is not None and value.shape[first:].is_fully_defined()
        if not is_known:
            raise ValueError(
                f"the shape of {kind} '{name}' must be known{', except for its length' * first}: {value.shape}"
            )


def _scalar(value: tf.Tensor) -> tf.Tensor:
    value.shape.assert_has_rank(0)
    return tf.ensure_shape(value, [])


def _fitting(
    length: tf.Tensor, padded_length: tf.Tensor, lengths: Dict[str, tf.Tensor], num_unroll: int
) -> Iterable[tf.Operation]:
    whole = tf.equal(padded_length % num_unroll, 0) & tf.not_equal(padded_length, 0)
    told = f"sequences must have a multiple of {num_unroll} steps (pad=True pads them), but have:"
    yield tf.compat.v1.Assert(whole, [told, padded_length])
    for name, other in lengths.items():
        told = f"sequence '{name}' must be as long as the others; its length and that of the others:"
        yield tf.compat.v1.Assert(tf.equal(other, padded_length), [told, other, padded_length])
    told = "input_length must be at most the length of the sequences:"
    yield tf.compat.v1.Assert(length <= padded_length, [told, length, padded_length])

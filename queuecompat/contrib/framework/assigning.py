"""Values for variables, from arrays and checkpoints.

Source: TF 1.15.5 ``contrib/framework/python/ops/variables.py``.
"""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import tensorflow.compat.v1 as tf

from queuecompat.contrib.framework.variables import get_unique_variable, get_variable_full_name

__all__ = ["assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn"]

Assignment = Tuple[tf.Operation, Dict[tf.Tensor, np.ndarray]]
Variables = Union[Sequence[tf.Variable], Mapping[str, Any]]


def assign_from_values(var_names_to_values: Mapping[str, np.ndarray]) -> Assignment:
    """An op that assigns values to global variables, and its feed dict.

    Args:
      var_names_to_values: dict from names without ``:0`` to arrays, which are reshaped.
    Raises:
      ValueError: no variable of that name; an array of a different size.
    Differs from TF1: The name must be the variable's whole name; TF1 accepted the beginning of a unique name.
    """
    variables = {name: get_unique_variable(name) for name in var_names_to_values}
    pairs = [(one, var_names_to_values[name].reshape(one.shape.as_list())) for name, one in variables.items()]
    return _assignment(pairs)


def assign_from_values_fn(var_names_to_values: Mapping[str, np.ndarray]) -> Callable[[tf.Session], Any]:
    """``assign_from_values`` as a function of a session."""
    op, feed = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feed)


def assign_from_checkpoint(model_path: str, var_list: Variables, ignore_missing_vars: bool = False) -> Assignment:
    """An op that assigns the values in a checkpoint to variables, and its feed dict.

    Args:
      model_path: path of the checkpoint.
      var_list: variables, or a dict from names in the checkpoint to variables or lists of a variable's parts.
      ignore_missing_vars: whether to skip, with a warning, variables that are not in the checkpoint.
    Raises:
      ValueError: a variable is missing in the checkpoint, or has a different shape.
    Differs from TF1: None known.
    """
    reader = tf.train.load_checkpoint(model_path)
    pairs: List[Tuple[tf.Variable, np.ndarray]] = []
    for name, variables in _by_name(var_list).items():
        if not reader.has_tensor(name):
            _missing(name, model_path, ignore_missing_vars)
            continue
        value = reader.get_tensor(name)
        pairs += [(one, _part_for(one, value, name)) for one in variables]
    return _assignment(pairs)


def assign_from_checkpoint_fn(
    model_path: str, var_list: Variables, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Optional[Callable[[tf.Session], None]]:
    """A function of a session that restores variables from a checkpoint.

    Args:
      model_path, var_list, ignore_missing_vars: as ``assign_from_checkpoint``.
      reshape_variables: whether to accept values of a different shape and the same size.
    Returns:
      The function; None if there is nothing to restore.
    Raises:
      ValueError: *var_list* is empty.
    Differs from TF1: None known.
    """
    if not var_list:
        raise ValueError("assign_from_checkpoint_fn: var_list is empty")
    wanted: Any = var_list
    if ignore_missing_vars:
        reader = tf.train.load_checkpoint(model_path)
        named = var_list if isinstance(var_list, Mapping) else {one.op.name: one for one in var_list}
        for name in [name for name in named if not reader.has_tensor(name)]:
            _missing(name, model_path, is_fine=True)
        wanted = {name: one for name, one in named.items() if reader.has_tensor(name)}
    if not wanted:
        logging.getLogger("queuecompat").warning("%s has nothing to restore", model_path)
        return None
    saver = tf.train.Saver(wanted, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _by_name(var_list: Variables) -> Dict[str, List[tf.Variable]]:
    named: Dict[str, List[tf.Variable]] = {}
    if isinstance(var_list, Mapping):
        return {name: list(one) if isinstance(one, (list, tuple)) else [one] for name, one in var_list.items()}
    for one in var_list:
        named.setdefault(get_variable_full_name(one), []).append(one)
    return named


def _missing(name: str, model_path: str, is_fine: bool) -> None:
    if not is_fine:
        raise ValueError(f"the checkpoint {model_path} has no {name}")
    logging.getLogger("queuecompat").warning("the checkpoint %s has no %s", model_path, name)


def _part_for(one: tf.Variable, value: np.ndarray, name: str) -> np.ndarray:
    part = getattr(one, "_save_slice_info", None)
    if part is not None:
        return value[tuple(slice(start, start + size) for start, size in zip(part.var_offset, part.var_shape))]
    if tuple(one.shape.as_list()) != value.shape:
        raise ValueError(f"{name} has shape {value.shape} in the checkpoint, and {one.shape} here")
    return value


def _assignment(pairs: Sequence[Tuple[tf.Variable, np.ndarray]]) -> Assignment:
    feed: Dict[tf.Tensor, np.ndarray] = {}
    ops = []
    for one, value in pairs:
        # Fed, not constants: the values must not be copied into the graph.
        fed = tf.placeholder(one.dtype.base_dtype, one.shape, name=f"placeholder/{one.op.name}")
        ops.append(one.assign(fed))
        feed[fed] = value
    return tf.group(*ops), feed

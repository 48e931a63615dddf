"""Variables, created and found by scope and name. Source: TF 1.15.5 ``contrib/framework/python/ops/variables.py``."""

from __future__ import annotations

import functools
import re
from typing import Any, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from queuecompat.contrib.framework.arg_scopes import add_arg_scope

__all__ = [
    "VariableDeviceChooser",
    "add_model_variable",
    "assert_or_get_global_step",
    "filter_variables",
    "get_local_variables",
    "get_model_variables",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "local_variable",
    "model_variable",
    "variable",
]


class VariableDeviceChooser:
    """A device function that places variables on parameter servers, one after the other.

    Args:
      num_tasks: number of servers; 0: no job.
      job_name, device_type, device_index, replica: parts of the device names.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: Optional[int] = None,
    ) -> None:
        self._tasks, self._job = num_tasks, job_name
        self._device = {"device_type": device_type, "device_index": device_index, "replica": replica}
        self._next = 0

    def __call__(self, op: Any) -> str:
        if self._tasks <= 0:
            return tf.DeviceSpec(**self._device).to_string()
        task, self._next = self._next, (self._next + 1) % self._tasks
        return tf.DeviceSpec(job=self._job, task=task, **self._device).to_string()


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: Optional[str] = None, use_resource: Optional[bool] = None
) -> tf.Variable:
    """A variable of the collection LOCAL_VARIABLES, not trainable."""
    return _variable_of(tf.GraphKeys.LOCAL_VARIABLES, initial_value, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: Optional[str] = None, use_resource: Optional[bool] = None
) -> tf.Variable:
    """A variable of the collection GLOBAL_VARIABLES, not trainable."""
    return _variable_of(tf.GraphKeys.GLOBAL_VARIABLES, initial_value, validate_shape, name, use_resource)


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Optional[Sequence[str]] = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: Optional[bool] = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
) -> tf.Variable:
    """``tf.get_variable`` with a *device*; by default in GLOBAL_VARIABLES. Works with ``arg_scope``."""
    getter = tf.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=tf.get_variable_scope().reuse)
    wanted = [tf.GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with tf.device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(wanted)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Optional[Sequence[str]] = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: Optional[bool] = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
) -> tf.Variable:
    """``variable``, also added to MODEL_VARIABLES and GLOBAL_VARIABLES."""
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or []), tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def add_model_variable(var: tf.Variable) -> None:
    """Adds *var* to MODEL_VARIABLES, once."""
    if not any(var is known for known in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)):
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: Optional[str] = None, collection: str = tf.GraphKeys.GLOBAL_VARIABLES
) -> List[tf.Variable]:
    """The variables of *collection* whose names begin with *scope* (a regular expression) and end in *suffix*."""
    prefix = getattr(scope, "name", scope)
    if suffix is not None:
        prefix = f"{prefix or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return tf.get_collection(collection, prefix)


def get_model_variables(scope: Any = None, suffix: Optional[str] = None) -> List[tf.Variable]:
    """``get_variables`` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: Optional[str] = None) -> List[tf.Variable]:
    """``get_variables`` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: Optional[str] = None) -> List[tf.Variable]:
    """``get_variables`` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> List[tf.Variable]:
    """The global variables of *scope* whose names end in *suffix*."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> List[tf.Variable]:
    """The global variables of *scope* of this name in *scope* and the scopes below it."""
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_variables_to_restore(
    include: Optional[Sequence[str]] = None, exclude: Optional[Sequence[str]] = None
) -> List[tf.Variable]:
    """The global variables of the scopes *include* (all if None) that are not in any of *exclude*.

    Raises:
      TypeError: neither lists nor tuples.
    """
    for what, given in (("include", include), ("exclude", exclude)):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError(f"get_variables_to_restore: {what} must be a list or tuple, not {given!r}")
    found = [one for scope in ([None] if include is None else include) for one in get_variables(scope)]
    left_out = {id(one) for scope in exclude or [] for one in get_variables(scope)}
    return [one for one in found if id(one) not in left_out]


def get_unique_variable(var_op_name: str) -> tf.Variable:
    """The global variable with exactly this name. ValueError: there is none."""
    for one in get_variables(var_op_name):
        if one.op.name == var_op_name:
            return one
    raise ValueError(f"there is no variable {var_op_name}")


def get_variable_full_name(var: tf.Variable) -> str:
    """The name of *var* without ``:0``; for a part of a partitioned variable, the name of the whole."""
    part = getattr(var, "_save_slice_info", None)
    return part.full_name if part else var.op.name


def filter_variables(
    var_list: Sequence[tf.Variable],
    include_patterns: Optional[Sequence[str]] = None,
    exclude_patterns: Optional[Sequence[str]] = None,
    reg_search: bool = True,
) -> List[tf.Variable]:
    """The variables whose names match an include pattern (all if None) and no exclude pattern.

    Args:
      reg_search: whether a pattern may match anywhere in the name; False: only at its beginning.
    """
    fits = re.search if reg_search else re.match

    def is_among(one: tf.Variable, patterns: Sequence[str]) -> bool:
        return any(fits(pattern, one.name) for pattern in patterns)

    kept = [one for one in var_list if include_patterns is None or is_among(one, include_patterns)]
    return [one for one in kept if exclude_patterns is None or not is_among(one, exclude_patterns)]


def assert_or_get_global_step(graph: Optional[tf.Graph] = None, global_step_tensor: Any = None) -> Any:
    """*global_step_tensor*, after a check (TypeError, ValueError); None: the global step of the graph."""
    if global_step_tensor is None:
        return tf.train.get_global_step(graph)
    tf.train.assert_global_step(global_step_tensor)
    return global_step_tensor


def _variable_of(collection: str, value: Any, validate_shape: bool, name: Any, use_resource: Any) -> tf.Variable:
    return tf.Variable(
        value,
        trainable=False,
        collections=[collection],
        validate_shape=validate_shape,
        use_resource=use_resource,
        name=name,
    )

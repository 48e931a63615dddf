"""Checks and changes of shapes. Source: TF 1.15.5 ``contrib/framework/python/framework/tensor_util.py``."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = ["assert_scalar_int", "reduce_sum_n", "remove_squeezable_dimensions", "with_same_shape", "with_shape"]


def assert_scalar_int(tensor: Any, name: Optional[str] = None) -> Any:
    """Checks that *tensor* is an integer scalar. ValueError otherwise."""
    with tf.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = tf.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"{tensor.name} is {tensor.dtype.name}; it must be an integer")
        return tf.debugging.assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors: Sequence[tf.Tensor], name: Optional[str] = None) -> tf.Tensor:
    """The sum of all numbers in *tensors*: a scalar. ValueError: there are none."""
    if not tensors:
        raise ValueError("reduce_sum_n: pass at least one tensor")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(tensor) for tensor in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def remove_squeezable_dimensions(
    predictions: Any, labels: Any, name: Optional[str] = None
) -> Tuple[tf.Tensor, tf.Tensor]:
    """*predictions* and *labels*; if one has one dimension more, its last dimension, which must be 1, is removed.

    Raises:
      ValueError: that dimension is not 1; tf.errors.InvalidArgumentError if it is known only at run time.
    """
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
        if predictions.shape.rank is not None and labels.shape.rank is not None:
            more = predictions.shape.rank - labels.shape.rank
            return _without_last(predictions, more == 1), _without_last(labels, more == -1)
        difference = tf.rank(predictions) - tf.rank(labels)
        return _maybe_without_last(predictions, difference, 1), _maybe_without_last(labels, difference, -1)


def with_same_shape(expected_tensor: tf.Tensor, tensor: tf.Tensor) -> tf.Tensor:
    """Like ``with_shape``, with the shape of *expected_tensor*."""
    shape = expected_tensor.shape
    return with_shape(shape.as_list() if shape.is_fully_defined() else tf.shape(expected_tensor), tensor)


def with_shape(expected_shape: Any, tensor: Any) -> tf.Tensor:
    """*tensor*, with a run-time check of its shape if the graph does not know it.

    Args:
      expected_shape: a list, array or TensorShape (-1 or None: any size), or an int32 tensor.
      tensor: a tensor; a vector of one number is accepted if a scalar is expected.
    Raises:
      ValueError: a different shape; *expected_shape* of a wrong type or rank; a SparseTensor.
      tf.errors.InvalidArgumentError: at run time, a different shape.
    """
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError("with_shape: a SparseTensor is not supported")
    if tf.is_tensor(expected_shape):
        return _checked_by(expected_shape, tensor)
    expected = _static(expected_shape, tensor)
    if expected.rank == 0 and tensor.shape.is_compatible_with([1]) and tensor.shape.rank != 0:
        return tf.reshape(tensor, [])
    if not tensor.shape.is_compatible_with(expected):
        raise ValueError(f"{tensor.name} has shape {tensor.shape}, but {expected} was expected")
    return tensor if tensor.shape.is_fully_defined() else tf.ensure_shape(tensor, expected)


def _static(shape: Any, tensor: tf.Tensor) -> tf.TensorShape:
    if isinstance(shape, tf.TensorShape):
        return shape
    wanted = (np.int32,) if isinstance(shape, np.ndarray) else (np.int32, np.int64)
    array = np.asarray(shape if len(shape) else np.zeros([0], np.int32))
    if array.ndim > 1 or array.dtype not in wanted:
        raise ValueError(f"{shape!r} is not a shape for {tensor.name}")
    return tf.TensorShape([None if side < 0 else side for side in array.tolist()])


def _checked_by(shape: tf.Tensor, tensor: tf.Tensor) -> tf.Tensor:
    if shape.dtype.base_dtype != tf.int32:
        raise ValueError(f"the shape {shape.name} for {tensor.name} is {shape.dtype.name}; it must be int32")
    actual = tf.shape(tensor)
    fits = tf.cond(
        tf.equal(tf.size(shape), tf.size(actual)),
        lambda: tf.reduce_all(tf.equal(shape, -1) | tf.equal(shape, actual)),
        lambda: tf.constant(False),
    )
    with tf.control_dependencies([tf.Assert(fits, [f"wrong shape of {tensor.name}: [wanted] [is]", shape, actual])]):
        return tf.identity(tensor)


def _without_last(tensor: tf.Tensor, has_more: bool) -> tf.Tensor:
    return tf.squeeze(tensor, [-1]) if has_more else tensor


def _maybe_without_last(tensor: tf.Tensor, difference: tf.Tensor, more: int) -> tf.Tensor:
    if tensor.shape.rank is not None and not (tensor.shape.rank and tensor.shape[-1:].is_compatible_with([1])):
        return tensor
    return tf.cond(tf.equal(difference, more), lambda: tf.squeeze(tensor, [-1]), lambda: tensor)

"""Penalties for large weights. Source: TF 1.15.5 ``contrib/layers/python/layers/regularizers.py``."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Optional, Sequence

import tensorflow.compat.v1 as tf

__all__ = ["apply_regularization", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "sum_regularizer"]

# From weights to a scalar; None is no penalty.
Regularizer = Callable[..., Any]


def l1_regularizer(scale: Any, scope: Optional[str] = None) -> Regularizer:
    """A function of weights that returns ``scale * sum(abs(weights))``.

    Args:
      scale: a float; 0.0: the function returns None.
      scope: name scope.
    Raises:
      ValueError: *scale* is an integer, or negative.
    Differs from TF1: None known.
    """
    return _scaled(scale, scope, "l1_regularizer", lambda weights: tf.reduce_sum(tf.abs(weights)))


def l2_regularizer(scale: Any, scope: Optional[str] = None) -> Regularizer:
    """A function of weights that returns ``scale * sum(weights ** 2) / 2``. Otherwise as ``l1_regularizer``."""
    return _scaled(scale, scope, "l2_regularizer", tf.nn.l2_loss)


def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: Optional[str] = None) -> Regularizer:
    """Returns a function of weights that returns the sum of the L1 and the L2 penalty. Raises as ``l1_regularizer``."""
    for what, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        _check_float(what, scale)
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    both = sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)
    assert both is not None
    return both


def sum_regularizer(
    regularizer_list: Sequence[Optional[Regularizer]], scope: Optional[str] = None
) -> Optional[Regularizer]:
    """A function that returns the sum of several penalties; None if all of them are None."""
    regularizers = [one for one in regularizer_list if one is not None]
    if not regularizers:
        return None

    def total(weights: Any) -> Any:
        with tf.name_scope(scope, "sum_regularizer", [weights]) as name:
            penalties = [penalty for penalty in (one(weights) for one in regularizers) if penalty is not None]
            return tf.add_n(penalties, name=name) if penalties else None

    return total


def apply_regularization(regularizer: Regularizer, weights_list: Optional[Sequence[Any]] = None) -> tf.Tensor:
    """The sum of the penalties of several weights, which is added to REGULARIZATION_LOSSES.

    Args:
      regularizer: see ``l1_regularizer``.
      weights_list: those of the collection WEIGHTS if None.
    Raises:
      ValueError: there are no weights; a penalty is not a scalar.
    Differs from TF1: None known.
    """
    weights_list = weights_list or tf.get_collection(tf.GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("apply_regularization: there are no weights")
    with tf.name_scope("get_regularization_penalty", values=weights_list) as scope:
        given = [regularizer(weights) for weights in weights_list]
        penalties = [tf.constant(0.0) if penalty is None else penalty for penalty in given]
        for penalty in penalties:
            if penalty.shape.rank != 0:
                raise ValueError(f"apply_regularization: the regularizer returned shape {penalty.shape}, not a scalar")
        total = tf.add_n(penalties, name=scope)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def _scaled(scale: Any, scope: Optional[str], default: str, measure: Callable[[Any], Any]) -> Regularizer:
    _check_float("scale", scale)
    if isinstance(scale, numbers.Real):
        if scale < 0:
            raise ValueError(f"{default}: scale is {scale}; it must not be negative")
        if scale == 0:
            return lambda _: None

    def penalty(weights: Any, name: Optional[str] = None) -> tf.Tensor:
        with tf.name_scope(scope, default, [weights]) as name:
            factor = tf.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, measure(weights), name=name)

    return penalty


def _check_float(what: str, scale: Any) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{what} is the integer {scale}; it must be a float")

"""``LARSOptimizer``: a learning rate for each variable."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["LARSOptimizer"]


class LARSOptimizer(tf.train.Optimizer):
    """Momentum with layer-wise adaptive rates, for large batches (You, Gitman and Ginsburg, 2017).

    The rate of a variable is ``learning_rate * eeta * |w| / (|g| + weight_decay * |w| + epsilon)``, and the decay
    ``weight_decay * w`` is added to its gradient. Variables with a sparse gradient get the plain momentum update.

    Args:
      learning_rate: a float or a scalar tensor.
      momentum: of the momentum update.
      weight_decay, eeta, epsilon: see above.
      name: of the slots, and of the update.
      skip_list: parts of names; a variable whose name contains one of them gets the plain momentum update.
      use_nesterov: whether the momentum is Nesterov's.
    Raises:
      ValueError: the momentum is negative.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/lars_optimizer.py``.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Optional[Sequence[str]] = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Any) -> None:
        for one in var_list:
            self._zeros_slot(one, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._learning_rate
        self._rate = tf.convert_to_tensor(rate() if callable(rate) else rate, name="learning_rate")
        self._momentum_tensor = tf.convert_to_tensor(self._momentum, name="momentum")

    def _apply_dense(self, grad: Any, var: Any) -> tf.Operation:
        rate, grad = self._scaled(grad, var)
        given = self._updating(var, lr=rate, grad=grad)
        return tf.raw_ops.ApplyMomentum(var=var, accum=self.get_slot(var, "momentum"), **given).op

    def _resource_apply_dense(self, grad: Any, handle: Any) -> tf.Operation:
        rate, grad = self._scaled(grad, handle)
        accum, given = self.get_slot(handle, "momentum").handle, self._updating(handle, lr=rate, grad=grad)
        return tf.raw_ops.ResourceApplyMomentum(var=handle.handle, accum=accum, **given)

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        given = self._updating(var, lr=self._rate, grad=grad.values, indices=grad.indices)
        return tf.raw_ops.SparseApplyMomentum(var=var, accum=self.get_slot(var, "momentum"), **given).op

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> tf.Operation:
        accum, given = self.get_slot(handle, "momentum").handle, self._updating(handle, lr=self._rate, grad=grad)
        return tf.raw_ops.ResourceSparseApplyMomentum(var=handle.handle, accum=accum, indices=indices, **given)

    def _updating(self, var: Any, **given: Any) -> Any:
        dtype = var.dtype.base_dtype
        momentum, rate = tf.cast(self._momentum_tensor, dtype), tf.cast(given.pop("lr"), dtype)
        return dict(given, lr=rate, momentum=momentum, use_locking=False, use_nesterov=self._use_nesterov)

    def _scaled(self, grad: Any, var: Any) -> Tuple[Any, tf.Tensor]:
        """The learning rate and the gradient of *var* for the momentum update.

        The rate of a variable changes from step to step, and the momentum is that of what was subtracted: the gradient
        contains the rate.
        """
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._rate, grad
        weights, gradients = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        ratio = self._eeta * weights / (gradients + self._weight_decay * weights + self._epsilon)
        has_both = tf.logical_and(tf.greater(weights, 0), tf.greater(gradients, 0))
        rate = self._rate * tf.where(has_both, ratio, 1.0)
        return 1.0, rate * (grad + self._weight_decay * var)

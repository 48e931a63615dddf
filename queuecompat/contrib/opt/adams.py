"""Variants of Adam. They derive from ``tf.train.AdamOptimizer`` and use what it keeps for a step: its powers of the
betas, and the tensors of its arguments."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["AdaMaxOptimizer", "LazyAdamOptimizer", "NadamOptimizer"]


class _Adam(tf.train.AdamOptimizer):
    """Adam whose sparse updates are the same for both kinds of variables."""

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        return self._updated_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> tf.Operation:
        return self._updated_rows(grad, handle, indices)

    def _updated_rows(self, rows: Any, var: Any, indices: Any) -> tf.Operation:
        """The update of *var* by *rows*, the gradients of its rows at *indices*, which are unique."""
        raise NotImplementedError

    def _with_rows(self, var: Any, indices: Any, change: Any, first: Any, second: Any) -> tf.Operation:
        """The update of *var*, by minus *change*, and of its moments, to *first* and *second*, at *indices* alone."""
        return tf.group(
            tf.scatter_update(self.get_slot(var, "m"), indices, first),
            tf.scatter_update(self.get_slot(var, "v"), indices, second),
            tf.scatter_sub(var, indices, change, use_locking=self._use_locking),
        )

    def _as(self, tensor: Any, var: Any) -> tf.Tensor:
        return tf.cast(tensor, var.dtype.base_dtype)

    def _arguments(self, var: Any) -> Tuple[tf.Tensor, ...]:
        """The learning rate, the betas and epsilon, in the type of *var*."""
        return tuple(self._as(one, var) for one in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t))

    def _powers(self, var: Any) -> Tuple[tf.Tensor, tf.Tensor]:
        beta1_power, beta2_power = self._get_beta_accumulators()
        return self._as(beta1_power, var), self._as(beta2_power, var)

    def _corrected_rate(self, var: Any) -> tf.Tensor:
        """The learning rate, corrected for moments that begin at 0."""
        (rate, *_), (beta1_power, beta2_power) = self._arguments(var), self._powers(var)
        return rate * tf.sqrt(1 - beta2_power) / (1 - beta1_power)


class LazyAdamOptimizer(_Adam):
    """Adam that, for a sparse gradient, updates only the rows that have one, and only their moments.

    ``tf.train.AdamOptimizer`` updates all rows, since all their moments decay.

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking, name: as in ``tf.train.AdamOptimizer``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/lazy_adam_optimizer.py``.
    """

    def _updated_rows(self, rows: Any, var: Any, indices: Any) -> tf.Operation:
        _, beta1, beta2, epsilon = self._arguments(var)
        first, second = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = beta1 * tf.gather(first, indices) + (1 - beta1) * rows
        square = beta2 * tf.gather(second, indices) + (1 - beta2) * tf.square(rows)
        change = self._corrected_rate(var) * mean / (tf.sqrt(square) + epsilon)
        return self._with_rows(var, indices, change, mean, square)


class _OfKernel(_Adam):
    """Dense updates by kernels of their own, ``Apply...`` and ``ResourceApply...`` of ``tf.raw_ops``."""

    _kernel: str

    def _apply_dense(self, grad: Any, var: Any) -> tf.Operation:
        kernel = getattr(tf.raw_ops, f"Apply{self._kernel}")
        return kernel(var=var, m=self.get_slot(var, "m"), v=self.get_slot(var, "v"), **self._given(grad, var)).op

    def _resource_apply_dense(self, grad: Any, handle: Any) -> tf.Operation:
        kernel = getattr(tf.raw_ops, f"ResourceApply{self._kernel}")
        moments = {name: self.get_slot(handle, name).handle for name in ("m", "v")}
        return kernel(var=handle.handle, **moments, **self._given(grad, handle))

    def _given(self, grad: Any, var: Any) -> Dict[str, Any]:
        """The kernel's arguments, besides the variable and its moments."""
        rate, beta1, beta2, epsilon = self._arguments(var)
        return dict(
            lr=rate, beta1=beta1, beta2=beta2, epsilon=epsilon, grad=grad, use_locking=self._use_locking,
        )  # fmt: skip


class NadamOptimizer(_OfKernel):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking, name: as in ``tf.train.AdamOptimizer``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/nadam_optimizer.py``.
    """

    _kernel = "Adam"

    def _given(self, grad: Any, var: Any) -> Dict[str, Any]:
        beta1_power, beta2_power = self._powers(var)
        return dict(super()._given(grad, var), beta1_power=beta1_power, beta2_power=beta2_power, use_nesterov=True)

    def _updated_rows(self, rows: Any, var: Any, indices: Any) -> tf.Operation:
        _, beta1, beta2, epsilon = self._arguments(var)
        first, second = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled = (1 - beta1) * rows
        mean = _added(first * beta1, indices, scaled)
        ahead = _added(mean * beta1, indices, scaled)
        square = _added(second * beta2, indices, (1 - beta2) * tf.square(rows))
        change = self._corrected_rate(var) * ahead / (tf.sqrt(square) + epsilon)
        update = var.assign_sub(change, use_locking=self._use_locking)
        return tf.group(update, first.assign(mean), second.assign(square))


class AdaMaxOptimizer(_OfKernel):
    """Adam with the decaying maximum of the gradients in place of their mean square (Kingma and Ba, 2014).

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking: as in ``tf.train.AdamOptimizer``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/adamax.py``.
    """

    _kernel = "AdaMax"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda one: one.name)  # the same in every run, as the variable is placed beside it
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for one in var_list:
            self._zeros_slot(one, "m", self._name)
            self._zeros_slot(one, "v", self._name)

    def _power(self) -> Any:
        return self._get_non_slot_variable("beta1_power", graph=tf.get_default_graph())

    def _given(self, grad: Any, var: Any) -> Dict[str, Any]:
        return dict(super()._given(grad, var), beta1_power=self._as(self._power(), var))

    def _updated_rows(self, rows: Any, var: Any, indices: Any) -> tf.Operation:
        rate, beta1, beta2, epsilon = self._arguments(var)
        first, second = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = beta1 * tf.gather(first, indices) + (1 - beta1) * rows
        largest = tf.maximum(beta2 * tf.gather(second, indices), tf.abs(rows))
        change = rate / (1 - self._as(self._power(), var)) * (mean / (largest + epsilon))
        return self._with_rows(var, indices, change, mean, largest)

    def _finish(self, update_ops: Any, name_scope: str) -> tf.Operation:
        power = self._power()
        with tf.control_dependencies(update_ops), tf.colocate_with(power):
            update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, update, name=name_scope)


def _added(to: Any, indices: Any, rows: Any) -> tf.Tensor:
    """The tensor *to* with *rows* added at *indices*."""
    return tf.tensor_scatter_nd_add(to, tf.expand_dims(indices, 1), rows)

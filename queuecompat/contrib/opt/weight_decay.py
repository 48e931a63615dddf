"""Weight decay apart from the gradients (Loshchilov and Hutter, 2017), for Adam, momentum, and any optimizer."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Type

import tensorflow.compat.v1 as tf

__all__ = [
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "MomentumWOptimizer",
    "extend_with_decoupled_weight_decay",
]


class DecoupledWeightDecayExtension:
    """Makes an optimizer subtract ``weight_decay * w`` from each variable *w* before its own update.

    To be put before the optimizer in the bases of a class. With a sparse gradient, only the rows that have one decay.
    The decay is not multiplied by the learning rate: where that follows a schedule, so should the decay.

    Args:
      weight_decay: a float or a scalar tensor.
      **kwargs: the arguments of the optimizer.
    Differs from TF1: The weights decay after their gradients have been computed; TF1 let them decay at any time of a
      step, so that it depended on the scheduling of ops which weights the gradients were of.
    Source: TF 1.15.5 ``contrib/opt/python/training/weight_decay_optimizers.py``.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decay_var_list: Optional[Sequence[Any]] = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, *args: Any, decay_var_list: Optional[Sequence[Any]] = None, **kwargs: Any) -> tf.Operation:
        """As in ``tf.train.Optimizer``.

        Args:
          decay_var_list: without effect, as in TensorFlow 1.15.5: it was lost on the way to ``apply_gradients``. To let
            only some variables decay, call ``compute_gradients``, and pass the list to ``apply_gradients``.
        """
        return super().minimize(*args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: Optional[str] = None,
        decay_var_list: Optional[Sequence[Any]] = None,
    ) -> tf.Operation:
        """As in ``tf.train.Optimizer``; the variables of *decay_var_list* decay, all of them if it is None or empty."""
        self._decay_var_list = decay_var_list or None
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self) -> None:
        self._decay = tf.convert_to_tensor(self._weight_decay, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return self._decay_var_list is None or any(one is var for one in self._decay_var_list)

    def _decayed(self, var: Any, grad: Any) -> Sequence[Any]:
        """The op that lets *var* decay, if it should, after *grad* was computed from its value."""
        if not self._decays(var):
            return []
        with tf.control_dependencies([grad]):
            decay = tf.cast(self._decay, var.dtype.base_dtype) * tf.convert_to_tensor(var)
            return [var.assign_sub(decay, self._use_locking)]  # type: ignore[attr-defined]

    def _with_decayed_rows(self, var: Any, grad: Any, indices: Any) -> Sequence[Any]:
        """As ``_decayed``, for the rows at *indices*."""
        if not self._decays(var):
            return []
        with tf.control_dependencies([grad]):
            rows = tf.cast(self._decay, var.dtype.base_dtype) * tf.gather(var, indices)
            return [tf.scatter_sub(var, indices, rows, self._use_locking)]  # type: ignore[attr-defined]

    def _apply_dense(self, grad: Any, var: Any) -> tf.Operation:
        with tf.control_dependencies(self._decayed(var, grad)):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> tf.Operation:
        with tf.control_dependencies(self._decayed(var, grad)):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        with tf.control_dependencies(self._with_decayed_rows(var, grad.values, grad.indices)):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> tf.Operation:
        with tf.control_dependencies(self._with_decayed_rows(var, grad, indices)):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: Type[Any]) -> Type[Any]:
    """The class of optimizers that do what *base_optimizer* does after a decay of the weights.

    Its objects take *weight_decay* and, by name, the arguments of *base_optimizer*.

    Args:
      base_optimizer: a class derived from ``tf.train.Optimizer``.
    Differs from TF1: The weights decay after their gradients have been computed; TF1 let them decay at any time of a
      step, so that it depended on the scheduling of ops which weights the gradients were of.
    Source: TF 1.15.5 ``contrib/opt/python/training/weight_decay_optimizers.py``.
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        pass

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """``tf.train.MomentumOptimizer`` with a decay of the weights (``DecoupledWeightDecayExtension``).

    Args:
      weight_decay: a float or a scalar tensor.
      learning_rate, momentum, use_locking, name, use_nesterov: as in ``tf.train.MomentumOptimizer``.
    Differs from TF1: The weights decay after their gradients have been computed; TF1 let them decay at any time of a
      step, so that it depended on the scheduling of ops which weights the gradients were of.
    Source: TF 1.15.5 ``contrib/opt/python/training/weight_decay_optimizers.py``.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking, name=name,
            use_nesterov=use_nesterov,
        )  # fmt: skip


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
    """``tf.train.AdamOptimizer`` with a decay of the weights (``DecoupledWeightDecayExtension``).

    Args:
      weight_decay: a float or a scalar tensor.
      learning_rate, beta1, beta2, epsilon, use_locking, name: as in ``tf.train.AdamOptimizer``.
    Differs from TF1: The weights decay after their gradients have been computed; TF1 let them decay at any time of a
      step, so that it depended on the scheduling of ops which weights the gradients were of.
    Source: TF 1.15.5 ``contrib/opt/python/training/weight_decay_optimizers.py``.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon,
            use_locking=use_locking, name=name,
        )  # fmt: skip

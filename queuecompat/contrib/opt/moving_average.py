"""``MovingAverageOptimizer``: an optimizer that also keeps averages of the variables."""

from __future__ import annotations

from typing import Any, Dict, Optional

import tensorflow.compat.v1 as tf

__all__ = ["MovingAverageOptimizer"]


class MovingAverageOptimizer(tf.train.Optimizer):
    """Applies another optimizer, and updates moving averages of the variables in the same step.

    ``swapping_saver`` saves the averages under the names of the variables, so that a program that evaluates the model
    restores them without knowing of averages.

    Args:
      opt: the optimizer.
      average_decay: of ``tf.train.ExponentialMovingAverage``.
      num_updates: the number of updates so far, by which the decay is adapted; None: it is not.
      sequential_update: whether the averages are updated after the variables, and not at the same time.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/moving_average_optimizer.py``.
    """

    def __init__(
        self, opt: Any, average_decay: Any = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        super().__init__(use_locking=False, name="MovingAverageOptimizer")
        self._optimizer = opt
        self._ema = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._sequential_update = sequential_update
        self._swapped_names: Optional[Dict[str, str]] = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> tf.Operation:
        """The op that applies the gradients and updates the averages; a group named "train_with_avg"."""
        pairs = list(grads_and_vars)
        update = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for gradient, variable in pairs if gradient is not None]
        with tf.control_dependencies([update] if self._sequential_update else []):
            averaging = self._ema.apply(variables)
        self._swapped_names = {}
        for variable in variables:
            plain, average = variable.op.name, self._ema.average(variable).op.name
            self._swapped_names.update({plain: average, average: plain})
        return tf.group(update, averaging, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> tf.train.Saver:
        """A ``tf.train.Saver`` that saves each average under the name of its variable, and the reverse.

        Args:
          var_list: the variables, or a dict of variables by the names to save them under; those under other names than
            their own are not swapped. None: all global variables.
          name: of the saver's ops.
          **kwargs: further arguments of the saver.
        Raises:
          RuntimeError: it is called before ``minimize`` or ``apply_gradients``.
          ValueError: *var_list* has a variable and not its average, or the reverse.
        """
        if self._swapped_names is None:
            raise RuntimeError("swapping_saver: call minimize or apply_gradients first, which creates the averages")
        given = tf.global_variables() if var_list is None else var_list
        named = dict(given) if isinstance(given, dict) else {one.op.name: one for one in given}
        saved = {}
        for key in named:
            other = self._swapped_names.get(key, key)
            if other not in named:
                raise ValueError(
                    f"swapping_saver: var_list has '{key}' and not '{other}', with which it is swapped; pass both"
                )
            saved[key] = named[other]
        return tf.train.Saver(saved, name=name, **kwargs)

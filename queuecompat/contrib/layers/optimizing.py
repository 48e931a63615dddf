"""``optimize_loss``: a training step in one call. Source: TF 1.15.5 ``contrib/layers/python/layers/optimizers.py``."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "optimize_loss"]

OPTIMIZER_CLS_NAMES: Dict[str, Callable[..., Any]] = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]

Gradients = List[Tuple[Any, tf.Variable]]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: Optional[float] = None,
    gradient_multipliers: Optional[Dict[Any, Any]] = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Optional[Callable[[Any, Any], Any]] = None,
    update_ops: Optional[Sequence[tf.Operation]] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
    name: Optional[str] = None,
    summaries: Optional[Sequence[str]] = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> tf.Tensor:
    """Returns the loss as a tensor; every run of that tensor is a training step.

    Args:
      loss: scalar.
      global_step: the variable of the step; None: the graph's.
      learning_rate: a float (which becomes a variable), a scalar tensor, or None if *optimizer* has its own.
      optimizer: a name of OPTIMIZER_CLS_NAMES, a class, an optimizer, or a function of the learning rate.
      gradient_noise_scale: standard deviation of noise that is added to gradients.
      gradient_multipliers: dict from variables or their names to factors for their gradients.
      clip_gradients: the largest global norm (a float), or a function of pairs of gradients and variables.
      learning_rate_decay_fn: function of the learning rate and the step that returns the learning rate.
      update_ops: ops that are run first; None: those of the collection UPDATE_OPS.
      variables: None: the trainable variables.
      name: variable scope; "OptimizeLoss" if None.
      summaries: some of OPTIMIZER_SUMMARIES; "loss", "learning_rate" and "global_gradient_norm" if None.
      colocate_gradients_with_ops: as in ``Optimizer.compute_gradients``.
      increment_global_step: whether a run counts as a step.
    Raises:
      ValueError: the loss is not a scalar; a learning rate, optimizer, clipping or summary that is not listed here;
        *learning_rate_decay_fn* without a step.
    Differs from TF1: None known.
    """
    loss = tf.convert_to_tensor(loss)
    tf.debugging.assert_scalar(loss)
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        loss = _after(tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else update_ops, loss)
        rate = _rate(learning_rate)
        wanted = _wanted(summaries)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("optimize_loss: learning_rate_decay_fn needs a global_step")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in wanted:
                tf.summary.scalar("learning_rate", rate)
        chosen = _optimizer(optimizer, rate)
        gradients = chosen.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = [(_noisy(gradient, gradient_noise_scale), one) for gradient, one in gradients]
        if gradient_multipliers is not None:
            gradients = [(_multiplied(gradient, one, gradient_multipliers), one) for gradient, one in gradients]
        _summarise_norm("global_norm/gradient_norm", gradients, wanted)
        gradients = _clipped(gradients, clip_gradients)
        _summarise(loss, gradients, wanted)
        if clip_gradients is not None:
            _summarise_norm("global_norm/clipped_gradient_norm", gradients, wanted)
        step = global_step if increment_global_step else None
        return _after([chosen.apply_gradients(gradients, global_step=step, name="train")], loss)


def _after(ops: Sequence[Any], tensor: tf.Tensor) -> tf.Tensor:
    if not ops:
        return tensor
    with tf.control_dependencies(list(ops)):
        return tf.identity(tensor)


def _rate(learning_rate: Any) -> Any:
    if learning_rate is None or (tf.is_tensor(learning_rate) and learning_rate.shape.rank == 0):
        return learning_rate
    if not isinstance(learning_rate, float) or learning_rate < 0:
        raise ValueError(f"optimize_loss: learning_rate must be a float >= 0 or a scalar, not {learning_rate!r}")
    initial = tf.constant_initializer(learning_rate)
    return tf.get_variable("learning_rate", [], trainable=False, initializer=initial)


def _wanted(summaries: Optional[Sequence[str]]) -> Sequence[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for one in summaries:
        if one not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"optimize_loss: there is no summary {one!r}, only {', '.join(OPTIMIZER_SUMMARIES)}")
    return summaries


def _optimizer(optimizer: Any, rate: Any) -> tf.train.Optimizer:
    if isinstance(optimizer, tf.train.Optimizer):
        return optimizer
    is_class = isinstance(optimizer, type) and issubclass(optimizer, tf.train.Optimizer)
    if (isinstance(optimizer, str) or is_class) and rate is None:
        raise ValueError(f"optimize_loss: {optimizer!r} needs a learning_rate")
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"optimize_loss: {optimizer!r} is not one of {', '.join(OPTIMIZER_CLS_NAMES)}")
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if is_class:
        return optimizer(learning_rate=rate)
    made = (optimizer() if rate is None else optimizer(rate)) if callable(optimizer) else optimizer
    if not isinstance(made, tf.train.Optimizer):
        raise ValueError(f"optimize_loss: {made!r} is not an optimizer of tf.compat.v1.train")
    return made


def _noisy(gradient: Any, scale: float) -> Any:
    if gradient is None:
        return None
    shape = gradient.dense_shape if isinstance(gradient, tf.IndexedSlices) else gradient.shape
    return gradient + tf.truncated_normal(shape) * scale


def _multiplied(gradient: Any, variable: tf.Variable, factors: Dict[Any, Any]) -> Any:
    found = [factor for key, factor in factors.items() if key is variable or key == variable.name]
    if gradient is None or not found:
        return gradient
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * found[0], gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(found[0], gradient.dtype)


def _clipped(gradients: Gradients, clip: Any) -> Gradients:
    if clip is None:
        return gradients
    if isinstance(clip, float):
        clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in gradients], clip)
        return list(zip(clipped, [one for _, one in gradients]))
    if not callable(clip):
        raise ValueError(f"optimize_loss: clip_gradients must be a float or a function, not {clip!r}")
    return clip(gradients)


def _summarise_norm(tag: str, gradients: Gradients, wanted: Sequence[str]) -> None:
    if "global_gradient_norm" in wanted or "gradient_norm" in wanted:
        tf.summary.scalar(tag, tf.linalg.global_norm([gradient for gradient, _ in gradients]))


def _summarise(loss: tf.Tensor, gradients: Gradients, wanted: Sequence[str]) -> None:
    if "loss" in wanted:
        tf.summary.scalar("loss", loss)
    for gradient, variable in gradients:
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        name = variable.name.replace(":", "_")
        if values is not None and "gradients" in wanted:
            tf.summary.histogram(f"gradients/{name}", values)
        if values is not None and "gradient_norm" in wanted:
            tf.summary.scalar(f"gradient_norm/{name}", tf.linalg.global_norm([values]))

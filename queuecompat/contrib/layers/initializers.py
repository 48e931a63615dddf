"""Initializers scaled by the size of the layer.

Source: TF 1.15.5 ``contrib/layers/python/layers/initializers.py``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

__all__ = ["variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"]

# A normal distribution truncated at two standard deviations has a smaller variance; contrib's constant for that.
_CUT_OFF = 1.3


def xavier_initializer(uniform: bool = True, seed: Optional[int] = None, dtype: Any = tf.float32) -> Callable[..., Any]:
    """Values whose variance is 2 / (inputs + outputs): ``variance_scaling_initializer(1.0, "FAN_AVG", uniform)``."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: Optional[int] = None,
    dtype: Any = tf.float32,
) -> Callable[..., Any]:
    """Values whose variance is *factor* / n, where *mode* determines n, a number of connections.

    Args:
      mode: "FAN_IN", "FAN_OUT" or "FAN_AVG": inputs, outputs, or their mean.
      uniform: whether to use a uniform distribution; otherwise a normal one, truncated at two standard deviations.
      seed: random seed.
      dtype: a floating-point type.
    Returns:
      A function of a shape, a dtype and a partition info.
    Raises:
      TypeError: an unknown *mode*, or a wrong dtype; the latter also from the function.
    Differs from TF1: None known.
    """
    if mode not in _MODES:
        raise TypeError(f"variance_scaling_initializer: mode {mode!r} is not one of {', '.join(_MODES)}")
    _check(dtype)

    def initializer(shape: Sequence[int], dtype: Any = dtype, partition_info: Any = None) -> tf.Tensor:
        _check(dtype)
        count = _MODES[mode](*_fans([float(side) for side in shape]))
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return tf.random_uniform(shape, -limit, limit, dtype, seed=seed)
        return tf.truncated_normal(shape, 0.0, math.sqrt(_CUT_OFF * factor / count), dtype, seed=seed)

    return initializer


_MODES = {
    "FAN_IN": lambda fan_in, fan_out: fan_in,
    "FAN_OUT": lambda fan_in, fan_out: fan_out,
    "FAN_AVG": lambda fan_in, fan_out: (fan_in + fan_out) / 2.0,
}


def _fans(sides: Sequence[float]) -> Tuple[float, float]:
    """Inputs and outputs of one unit: those of the matrix, times the number of positions of a window."""
    if not sides:
        return 1.0, 1.0
    places = math.prod(sides[:-2])
    return (sides[-2] if len(sides) > 1 else sides[-1]) * places, sides[-1] * places


def _check(dtype: Any) -> None:
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError(f"a random initializer cannot return {tf.as_dtype(dtype).name}")

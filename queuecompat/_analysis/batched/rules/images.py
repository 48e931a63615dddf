"""Ops on images that take batches of images."""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError

__all__: List[str] = []


@rule("resize")
def _resize(call: Call) -> List[Any]:
    given = call.inputs[0]
    height, width = (int(n) for n in call.inputs[1].constant)
    count, *one = given.dimensions
    images = tf.reshape(given.tensor, [-1, *one])
    (resized,) = call.copied([images, call.inputs[1].tensor])
    return [tf.reshape(resized, [-1, count, height, width, one[-1]])]


@rule("adjust_contrast")
def _contrast(call: Call) -> List[Any]:
    images, factor = call.inputs
    if not factor.is_row:
        return call.copied()
    if call.attribute("T") != tf.float32 or images.rank < 3:
        raise NoRuleError("an input differs from element to element")
    tensor = call.stacked(0)
    # The op computes (x - mean) * factor + mean, in this order. So a factor of 0 makes it return the means, in its own
    # order of summation; only where a number is infinite, or nearly, is the result NaN.
    (means,) = call.copied([tensor, tf.constant(0, tf.float32)])
    factors = tf.reshape(factor.tensor, [-1, *[1] * images.rank])
    return [(tensor - means) * factors + means]


@rule("adjust_colours")
def _adjust(call: Call) -> List[Any]:
    # A different factor for each element would need other ops, whose results have different bits.
    call.require_fixed(1)
    return call.copied()

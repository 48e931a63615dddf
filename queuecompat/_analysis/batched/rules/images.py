"""Ops on images that take batches of images."""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call

__all__: List[str] = []


@rule("resize")
def _resize(call: Call) -> List[Any]:
    given = call.inputs[0]
    height, width = (int(n) for n in call.inputs[1].constant)
    count, *one = given.dimensions
    images = tf.reshape(given.tensor, [-1, *one])
    (resized,) = call.copied([images, call.inputs[1].tensor])
    return [tf.reshape(resized, [-1, count, height, width, one[-1]])]


@rule("adjust_colours")
def _adjust(call: Call) -> List[Any]:
    # A different factor for each element would need other ops, whose results have different bits.
    call.require_fixed(1)
    return call.copied()

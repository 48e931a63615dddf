"""Random numbers without a seed: drawn for the whole batch at once.

The numbers of a seeded op belong to its elements, bit for bit, so a seeded op runs for each element.
"""

from __future__ import annotations

from typing import Any, List

import tensorflow as tf

from queuecompat._analysis.batched.rules.table import rule
from queuecompat._analysis.batched.values import Call, NoRuleError

__all__: List[str] = []


def _may_have_no_range(call: Call) -> bool:
    return any(tf.get_static_value(value.tensor) is None for value in call.inputs)


@rule("draw", may_fail=_may_have_no_range)
def _draw(call: Call) -> List[Any]:
    if call.attribute("seed") or call.attribute("seed2"):
        raise NoRuleError("it is seeded")
    call.require_fixed(*range(len(call.inputs)))
    known = tf.get_static_value(call.inputs[0].tensor)
    if known is not None and call.size is not None:
        shape = tf.constant([call.size, *(int(n) for n in known)], tf.int32)
    else:
        shape = tf.concat([tf.reshape(call.rows, [1]), tf.cast(call.inputs[0].tensor, tf.int32)], 0)
    (drawn,) = call.copied([shape, *(value.tensor for value in call.inputs[1:])])
    drawn.set_shape(tf.TensorShape([call.size]).concatenate(call.op.outputs[0].shape))
    return [drawn]

"""drop_keys: a record's key is not made when nobody looks at it.

A key costs a function call for every record, since tf.data does not give a record's place in its
file. Most programs read ``_, value = reader.read(queue)`` and never use it.
"""

from __future__ import annotations

import dataclasses

from queuecompat._compiler import ir

__all__ = ["drop_keys"]


def drop_keys(plan: ir.Plan) -> ir.Plan:
    """Holds back where the step after the read is not a ``Run``, or is one that uses the key."""
    steps = list(plan.steps)
    for number in range(len(steps) - 1):
        read, run = steps[number], steps[number + 1]
        if not (isinstance(read, ir.Read) and read.with_key and isinstance(run, ir.Run)):
            continue
        if 0 in run.uses:
            continue
        steps[number] = dataclasses.replace(read, components=read.components[1:], with_key=False)
        steps[number + 1] = dataclasses.replace(run, uses=tuple(use - 1 for use in run.uses))
        if run.body.is_empty and run.components == steps[number].components:
            del steps[number + 1]
        break
    return plan.with_steps(tuple(steps))

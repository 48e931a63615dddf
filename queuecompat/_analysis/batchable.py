"""Which slices may run once on a whole batch: those that give, row by row, what they give one by one.

``op_facts`` says which ops have the same bits on a whole batch, and which rule here says when. ``exp``
and its like have not: their vectorised and their scalar code differ in the last bit.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Set

import tensorflow as tf

from queuecompat._analysis.op_facts import FACTS

__all__ = ["before_widening_casts", "is_batchable"]


def is_batchable(ops: Sequence[Any], sources: Sequence[Any], outputs: Sequence[Any]) -> bool:
    """Whether every way from *sources* to *outputs* leads through ops of the table only.

    Args:
      ops: the slice's operations, in any order.
      sources: tensors that enter it; each gets one more dimension, in front.
      outputs: tensors that leave it; all of them must come from a source.
    """
    with_rows = {tensor.name for tensor in sources}
    grew = True
    while grew:
        grew = False
        for op in ops:
            is_new = not any(tensor.name in with_rows for tensor in op.outputs)
            if is_new and any(tensor.name in with_rows for tensor in op.inputs):
                if op.type not in _ROW_BY_ROW or not _ROW_BY_ROW[op.type](op, with_rows):
                    return False
                with_rows.update(tensor.name for tensor in op.outputs)
                grew = True
    return bool(ops) and all(tensor.name in with_rows for tensor in outputs)


def before_widening_casts(output: Any) -> Any:
    """The tensor before the casts and constant arithmetic that end in *output*, if it takes fewer bytes.

    ``tf.cast(image, tf.float32) / 255`` at the end of a slice makes four bytes out of each: batching
    before it copies a quarter. Returns *output* itself where there is nothing to gain.
    """
    tensor = smallest = output
    while tensor.op.type in _GROWING:
        varying = [given for given in tensor.op.inputs if given.op.type != "Const"]
        known = {t.name for t in varying}
        if len(varying) != 1 or not _ROW_BY_ROW[tensor.op.type](tensor.op, known) or tensor.op.control_inputs:
            break
        tensor = varying[0]
        if tensor.shape.rank is None or tensor.shape.as_list() != output.shape.as_list():
            break
        if tensor.dtype.size < smallest.dtype.size:
            smallest = tensor
    return smallest if output.shape.is_fully_defined() and output.shape.rank else output


def _always(op: Any, with_rows: Set[str]) -> bool:
    return True


def _is_defined_for_all_values(op: Any, with_rows: Set[str]) -> bool:
    """Not from floating point to integers: the result for too large a value depends on the processor."""
    return not op.inputs[0].dtype.is_floating or not op.outputs[0].dtype.is_integer


def _looks_up_rows(op: Any, with_rows: Set[str]) -> bool:
    """A gather of scalar indices along the first dimension: of many indices, it outputs their rows."""
    table, indices = op.inputs[0], op.inputs[1]
    is_first = op.type == "ResourceGather" or tf.get_static_value(op.inputs[2]) == 0
    return is_first and not op.get_attr("batch_dims") and table.name not in with_rows and indices.name in with_rows


def _broadcasts_within_a_row(op: Any, with_rows: Set[str]) -> bool:
    """Both operands have rows and the same rank, or the other one is no larger than a row."""
    ranks = [tensor.shape.rank for tensor in op.inputs]
    if None in ranks:
        return False
    if all(tensor.name in with_rows for tensor in op.inputs):
        return len(set(ranks)) == 1
    row = next(tensor for tensor in op.inputs if tensor.name in with_rows)
    return all(rank <= row.shape.rank for rank in ranks)


_RULES: Dict[str, Callable[[Any, Set[str]], bool]] = {
    "always": _always,
    "broadcast": _broadcasts_within_a_row,
    "cast": _is_defined_for_all_values,
    "gather": _looks_up_rows,
}
_ROW_BY_ROW = {kind: _RULES[facts.rule] for kind, facts in FACTS.items() if facts.same_bits and facts.rule}

_GROWING = ("Cast", "AddV2", "Mul", "RealDiv", "Sub")

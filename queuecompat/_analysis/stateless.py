"""Replaces random ops without a seed by TensorFlow's stateless ops, whose numbers are a function of a seed input.

A stateless op has the seed as an additional input, and some of its attributes have other names. Ops without a stateless
version are left unchanged, and so are ops in a loop, where one seed would produce the same numbers in each iteration.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Sequence, Tuple

import tensorflow as tf

__all__ = ["can_be_stateless", "draws", "make_stateless", "only_draws_few"]


class _Stateless(NamedTuple):
    """The stateless version of an op type.

    Attributes:
      kind: its op type.
      place: the position of the seed among its inputs.
      renamed: pairs of an attribute's old and new name.
    """

    kind: str
    place: int
    renamed: Tuple[Tuple[str, str], ...] = ()


_STATELESS: Dict[str, _Stateless] = {
    "Multinomial": _Stateless("StatelessMultinomial", 2),
    "RandomStandardNormal": _Stateless("StatelessRandomNormal", 1),
    "RandomUniform": _Stateless("StatelessRandomUniform", 1),
    "RandomUniformInt": _Stateless("StatelessRandomUniformInt", 1, (("Tout", "dtype"),)),
    "SampleDistortedBoundingBoxV2": _Stateless("StatelessSampleDistortedBoundingBox", 3),
    "TruncatedNormal": _Stateless("StatelessTruncatedNormal", 1),
}


# Op types that scale random numbers to a range.
_SCALING = ("Add", "AddV2", "Cast", "Const", "Identity", "Less", "Mul", "Pack", "Sub")
_FEW = 16


def draws(op: tf.Operation) -> bool:
    """Whether *op* draws random numbers."""
    return "seed" in op.node_def.attr and "seed2" in op.node_def.attr


def can_be_stateless(ops: Sequence[tf.Operation]) -> bool:
    """Whether all random ops among *ops* (not those in functions that these call) have a stateless version."""
    is_in_loop = any(op.type in ("Enter", "RefEnter") for op in ops)
    return not is_in_loop and all(op.type in _STATELESS for op in ops if draws(op))


def only_draws_few(ops: Sequence[tf.Operation]) -> bool:
    """Whether *ops* only draw and scale a few numbers, such as the corner of a crop and whether to flip it."""
    kinds_fit = all(op.type in _STATELESS or op.type in _SCALING for op in ops)
    sizes = [tensor.shape.num_elements() for op in ops for tensor in op.outputs]
    return kinds_fit and all(size is not None and size <= _FEW for size in sizes)


def make_stateless(graph_def: Any, seed: str, by_name: bool = False) -> int:
    """Makes the random ops of *graph_def* stateless; op number n takes its seed from the tensor ``{seed}_{n}``.

    Args:
      by_name: number the ops in the order of their names, which is the same in a slice and in a part of it.
    Returns:
      The number of such ops.
    """
    nodes = [node for node in graph_def.node if node.op in _STATELESS]
    if by_name:
        nodes.sort(key=lambda node: node.name)
    for number, node in enumerate(nodes):
        stateless = _STATELESS[node.op]
        node.op = stateless.kind
        for name in ("seed", "seed2"):
            node.attr.pop(name)
        for old, new in stateless.renamed:
            node.attr[new].CopyFrom(node.attr[old])
            node.attr.pop(old)
        node.attr["Tseed"].type = tf.int64.as_datatype_enum
        inputs = list(node.input)
        del node.input[:]
        node.input.extend([*inputs[: stateless.place], f"{seed}_{number}", *inputs[stateless.place :]])
    return len(nodes)

"""Random ops without a seed, as ops whose numbers are a function of a seed that comes in.

TensorFlow's stateless ops take the seed as one input more, and have the attributes of the others under some other
names. What has none, and what draws in a loop, where one seed would give the same numbers every time, is left as it is.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Sequence, Tuple

import tensorflow as tf

__all__ = ["can_be_stateless", "draws", "make_stateless", "only_draws_few"]


class _Stateless(NamedTuple):
    """*place*: of the seed among the inputs; *renamed*: pairs of an attribute's names."""

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


# What stands beside draws for their range.
_SCALING = ("Add", "AddV2", "Cast", "Const", "Identity", "Less", "Mul", "Pack", "Sub")
_FEW = 16


def draws(op: tf.Operation) -> bool:
    """Whether *op* draws random numbers."""
    return "seed" in op.node_def.attr and "seed2" in op.node_def.attr


def can_be_stateless(ops: Sequence[tf.Operation]) -> bool:
    """Whether all random numbers that *ops* draw themselves can be those of stateless ops."""
    is_in_loop = any(op.type in ("Enter", "RefEnter") for op in ops)
    return not is_in_loop and all(op.type in _STATELESS for op in ops if draws(op))


def only_draws_few(ops: Sequence[tf.Operation]) -> bool:
    """Whether *ops* draw a few numbers, and scale them: a crop's corner, say, and whether it is flipped."""
    kinds_fit = all(op.type in _STATELESS or op.type in _SCALING for op in ops)
    sizes = [tensor.shape.num_elements() for op in ops for tensor in op.outputs]
    return kinds_fit and all(size is not None and size <= _FEW for size in sizes)


def make_stateless(graph_def: Any, seed: str, by_name: bool = False) -> int:
    """Makes the random ops of *graph_def* stateless; the *n*th takes its seed from what is called *seed* and n.

    Args:
      by_name: they are counted in the order of their names, which is the same in a slice and in a part of it.
    Returns:
      How many there are.
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

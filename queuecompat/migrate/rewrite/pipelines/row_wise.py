"""Whether statements on a block of records work row by row, so that their result does not depend on the block's size.

After ``read_up_to`` a program decodes blocks of records, which the queue splits into rows again. If each record becomes
one row, and nothing is computed across rows, whole batches of records may be decoded instead, which is faster. Only
ops whose bits do not depend on the batch size, according to ``op_facts``, are decoded in this way; all others stay in
their blocks.
"""

from __future__ import annotations

from typing import Iterator, Sequence

import libcst as cst

from queuecompat._analysis.op_facts import has_same_bits
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.source.nodes import argument, children
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_row_wise"]

# Descriptions of features, which are not ops.
_FEATURES = {"tf.FixedLenFeature", "tf.io.FixedLenFeature"}
# They join tensors, row by row if axis is 1.
_JOINING = {"tf.concat", "tf.stack"}
_OPERATORS = (cst.Add, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Multiply, cst.Subtract)
# Nodes that a statement may contain besides calls, operators and subscripts.
_PLAIN = (
    cst.Arg, cst.Assign, cst.AssignTarget, cst.Attribute, cst.Dict, cst.DictElement, cst.Element, cst.Float,
    cst.Integer, cst.List, cst.Name, cst.SimpleStatementLine, cst.SimpleString, cst.Tuple,
)  # fmt: skip
# Features of these kinds produce values that depend on the other records of the block.
_OF_BLOCKS = ("FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature")


def is_row_wise(source: Source, nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether each record of a block becomes one row, whatever else is in the block.

    Args:
      nodes: the statements, and the expression that is batched.
    """
    if any(name.value in _OF_BLOCKS for name in source.every(cst.Name)):
        return False
    return all(_is_row_wise(source, node) for one in nodes for node in _expressions(one))


def _expressions(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes in *root* that compute something: not spaces, comments or punctuation."""
    if isinstance(root, (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseCompoundStatement)):
        yield root
    for child in children(root):
        yield from _expressions(child)


def _is_row_wise(source: Source, node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        symbol = source.names.symbol(node.func)
        axis = argument(node, "axis")
        joins = symbol in _JOINING and isinstance(axis, cst.Integer) and axis.value == "1"
        parses = symbol.endswith("parse_example")
        return joins or (
            (symbol in _FEATURES or has_same_bits(symbol)) and not (parses and not _has_dense_features(source, node))
        )
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, _OPERATORS)
    if isinstance(node, cst.Subscript):
        first = node.slice[0].slice
        return isinstance(first, cst.Index) and isinstance(first.value, cst.SimpleString)
    return isinstance(node, _PLAIN)


def _has_dense_features(source: Source, call: cst.Call) -> bool:
    """Whether the parser's features are written out in this file, so that none is of ``_OF_BLOCKS``."""
    return isinstance(InputCall(source, call, positions("serialized", "features")).written_out("features"), cst.Dict)

"""Which statements do the same to a block of records, whatever its size: row by row.

After ``read_up_to`` a program decodes blocks of records, which the queue cuts into rows again. Where each record is
one row, and nothing is done across rows, batches of records may be decoded instead, once a batch: that is the fast way.
Only what ``op_facts`` knows to have the same bits in a batch of any size is moved; all else is decoded in its blocks.
"""

from __future__ import annotations

from typing import Iterator, Sequence

import libcst as cst

from queuecompat._analysis.op_facts import has_same_bits
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.source.nodes import argument, children
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_row_wise"]

# Descriptions of features, which are no ops.
_FEATURES = {"tf.FixedLenFeature", "tf.io.FixedLenFeature"}
# They join tensors: side by side if told so.
_JOINING = {"tf.concat", "tf.stack"}
_OPERATORS = (cst.Add, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Multiply, cst.Subtract)
# What may stand in a statement, besides calls, operators and subscripts.
_PLAIN = (
    cst.Arg, cst.Assign, cst.AssignTarget, cst.Attribute, cst.Dict, cst.DictElement, cst.Element, cst.Float,
    cst.Integer, cst.List, cst.Name, cst.SimpleStatementLine, cst.SimpleString, cst.Tuple,
)  # fmt: skip
# What features of other kinds become depends on the rest of their block.
_OF_BLOCKS = ("FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature")


def is_row_wise(source: Source, nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether each record of a block becomes one row, whatever else is in the block.

    Args:
      nodes: statements, and the expression of what is batched.
    """
    if any(name.value in _OF_BLOCKS for name in source.every(cst.Name)):
        return False
    return all(_is_row_wise(source, node) for one in nodes for node in _expressions(one))


def _expressions(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What calculates in *root*: everything but spaces, comments and punctuation."""
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
    """Whether the features of a parser are written in this file; then they are none of ``_OF_BLOCKS``."""
    return isinstance(InputCall(source, call, positions("serialized", "features")).written_out("features"), cst.Dict)

"""Rewrites TensorFlow 1's reference variables in a GraphDef to resource variables, which functions can capture.

Each op that takes the value gets a read of its own, with the same control inputs, because a reference was read when the
op ran. A variable that is changed through its reference, other than by the usual assignments, stays unchanged.
"""

from __future__ import annotations

import collections
from typing import Any, DefaultDict, List

from queuecompat._raising.saved_graphs import op_of

__all__ = ["with_resource_variables"]

_VARIABLES = ("Variable", "VariableV2")
# Ops on references, and the same ops on handles.
_ON_HANDLES = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
    "CountUpTo": "ResourceCountUpTo",
    "IsVariableInitialized": "VarIsInitializedOp",
}
_ASSIGNMENTS = ("Assign", "AssignAdd", "AssignSub")
# Prefixes of ops that take a reference; those without a row above are not supported.
_ON_REFERENCES = ("Apply", "Assign", "Ref", "Scatter", "SparseApply", "StridedSliceAssign")


def with_resource_variables(graph_def: Any) -> List[str]:
    """Changes *graph_def* in place, and returns the names of the variables that it has changed."""
    consumers: DefaultDict[str, List[Any]] = collections.defaultdict(list)
    for node in graph_def.node:
        for name in {op_of(given) for given in node.input if not given.startswith("^")}:
            consumers[name].append(node)
    changed = []
    for variable in [node for node in graph_def.node if node.op in _VARIABLES]:
        if all(_is_known(node, consumers) for node in consumers[variable.name]):
            for number, node in enumerate(consumers[variable.name]):
                _change_consumer(graph_def, variable, node, f"{variable.name}/queuecompat_read_{number}")
            _change(variable)
            changed.append(variable.name)
    return changed


def _is_known(node: Any, consumers: DefaultDict[str, List[Any]]) -> bool:
    """Whether *node*, which takes a reference, could take a handle or a value instead."""
    if node.op in _ASSIGNMENTS:
        # Its output is a reference as well.
        return not consumers[node.name]
    return node.op in _ON_HANDLES or not node.op.startswith(_ON_REFERENCES)


def _change(variable: Any) -> None:
    kept = {key: variable.attr[key] for key in ("dtype", "shape", "container", "shared_name")}
    attrs = {key: type(attr).FromString(attr.SerializeToString()) for key, attr in kept.items()}
    variable.op = "VarHandleOp"
    variable.attr.clear()
    for key, attr in attrs.items():
        variable.attr[key].CopyFrom(attr)
    # All handles without a name would be the same variable.
    variable.attr["shared_name"].s = variable.attr["shared_name"].s or variable.name.encode()


def _change_consumer(graph_def: Any, variable: Any, node: Any, name: str) -> None:
    if node.op in _ON_HANDLES:
        dtype = variable.attr["dtype"].type
        number = node.attr["limit"].i
        is_count = node.op == "CountUpTo"
        node.op = _ON_HANDLES[node.op]
        node.attr.clear()
        if is_count:
            node.attr["limit"].i = number
            node.attr["T"].type = dtype
        elif node.op != "VarIsInitializedOp":
            node.attr["dtype"].type = dtype
        return
    read = graph_def.node.add()
    read.name, read.op = name, "ReadVariableOp"
    read.attr["dtype"].type = variable.attr["dtype"].type
    read.input.extend([variable.name, *(given for given in node.input if given.startswith("^"))])
    names = [name if _is_output(given, variable.name) else given for given in node.input]
    del node.input[:]
    node.input.extend(names)


def _is_output(given: str, name: str) -> bool:
    return given in (name, f"{name}:0")

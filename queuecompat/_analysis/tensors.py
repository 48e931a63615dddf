"""Questions about single tensors and ops of a graph."""

from __future__ import annotations

from typing import Any

__all__ = ["before_identities", "is_reference", "is_value"]


def is_value(tensor: Any) -> bool:
    """Whether *tensor* is a value that may be copied or stacked.

    A reference names a variable; a handle or a variant names an object outside of the graph.
    """
    return tensor.dtype == tensor.dtype.base_dtype and tensor.dtype.name not in ("resource", "variant")


def is_reference(op: Any) -> bool:
    """Whether *op* is a reference variable, which its copy finds by its name."""
    return not op.inputs and any(tensor.dtype != tensor.dtype.base_dtype for tensor in op.outputs)


def before_identities(tensor: Any) -> Any:
    """Returns the tensor that *tensor* passes on, going back through ``Identity`` ops."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor

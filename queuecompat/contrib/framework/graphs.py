"""Names, graphs, constant conditions, and Python functions of structures."""

from __future__ import annotations

import re
from typing import Any, Callable, List, Optional, Sequence

import tensorflow.compat.v1 as tf

__all__ = [
    "get_graph_from_inputs",
    "get_name_scope",
    "get_placeholders",
    "prepend_name_scope",
    "py_func",
    "smart_cond",
    "smart_constant_value",
    "strip_name_scope",
]


def get_name_scope() -> str:
    """The current name scope; empty if there is none."""
    return tf.get_default_graph().get_name_scope()


def get_placeholders(graph: tf.Graph) -> List[tf.Tensor]:
    """The placeholders of *graph*, in the order of their creation. TypeError: *graph* is not a graph."""
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"get_placeholders: {graph!r} is not a graph")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def get_graph_from_inputs(op_input_list: Sequence[Any], graph: Optional[tf.Graph] = None) -> tf.Graph:
    """The graph of the tensors and ops among the inputs; if there are none, *graph* or the default graph.

    Raises:
      ValueError: they are in different graphs.
    """
    for one in op_input_list:
        home = getattr(one, "graph", None)
        if not isinstance(home, tf.Graph):
            continue
        if graph is not None and home is not graph:
            raise ValueError(f"{one} is not in the same graph as the others")
        graph = home
    return graph or tf.get_default_graph()


def prepend_name_scope(name: str, import_scope: Optional[str]) -> str:
    """*name* with *import_scope* as a prefix, after ``loc:@`` or ``^``."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"^(loc:@|\^)?", rf"\g<0>{scope}/", name, count=1)


def strip_name_scope(name: str, export_scope: Optional[str]) -> str:
    """*name* without the prefix *export_scope*: the inverse of ``prepend_name_scope``."""
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"^(loc:@|\^)?{scope}/", lambda found: found.group(1) or "", name, count=1)


def smart_constant_value(pred: Any) -> Optional[bool]:
    """The value of *pred* if it is a bool, 0, 1 or a constant tensor; None for any other tensor.

    Raises:
      TypeError: anything else.
    """
    if isinstance(pred, bool) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    if tf.is_tensor(pred):
        value = tf.get_static_value(pred)
        return None if value is None else bool(value)
    raise TypeError(f"{pred!r} must be a tensor, a bool, 0 or 1")


def smart_cond(
    pred: Any,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """``tf.cond``, or only one of the functions if *pred* is a constant.

    Raises:
      TypeError: *pred* is neither a tensor nor a bool, or a function is not callable.
    """
    for function in (true_fn, false_fn):
        if not callable(function):
            raise TypeError(f"smart_cond: {function!r} is not a function")
    known = smart_constant_value(pred)
    if known is None:
        return tf.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()  # type: ignore[misc]


def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Any = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: Optional[str] = None,
) -> Any:
    """``tf.py_func`` with structures of tensors, keyword arguments and known shapes.

    Args:
      func: a function of NumPy arrays, in the structure of *args* and *kwargs*.
      output_types: structure of dtypes, or a function of the arguments that returns one.
      output_shapes: the same structure, of shapes; or a function that returns it; None: unknown.
      stateful: whether two calls with the same arguments may differ.
    Returns:
      The structure of *output_types*.
    Raises:
      TypeError: *args* is not a list or tuple, or *kwargs* not a dict.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/framework/python/ops/script_ops.py``.
    """
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"py_func: args must be a list or tuple, not {args!r}")
    if not isinstance(kwargs, dict):
        raise TypeError(f"py_func: kwargs must be a dict, not {kwargs!r}")
    types = output_types(*args, **kwargs) if callable(output_types) else output_types
    shapes = output_shapes(*args, **kwargs) if callable(output_shapes) else output_shapes
    given = (args, kwargs)

    def call(*flat: Any) -> List[Any]:
        positional, named = tf.nest.pack_sequence_as(given, flat)
        result = func(*positional, **named)
        tf.nest.assert_same_structure(types, tf.nest.map_structure(lambda _: 0, result), check_types=False)
        return tf.nest.flatten(result)

    tensors = tf.py_func(call, tf.nest.flatten(given), tf.nest.flatten(types), stateful=stateful, name=name)
    packed = tf.nest.pack_sequence_as(types, tensors)
    if shapes is not None:
        for tensor, shape in zip(tensors, _shapes(types, shapes)):
            tensor.set_shape(shape)
    return packed


def _shapes(types: Any, shapes: Any) -> List[Any]:
    """Returns the leaves of *shapes*, which has the structure of *types*: a list for a single type is a shape."""
    if isinstance(types, dict):
        return [leaf for key in sorted(types) for leaf in _shapes(types[key], shapes[key])]
    if isinstance(types, (list, tuple)):
        return [leaf for one, shape in zip(types, shapes) for leaf in _shapes(one, shape)]
    return [shapes]

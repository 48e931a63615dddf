"""Ops as people write them: with TensorFlow's public functions and Python's operators.

Rule 1: the written call makes the same op with the same inputs, so the bits are the same. An op that no public function
        can express (a seed of two numbers, an attribute without an argument) has no entry here, or its entry returns
        None.
Rule 2: sizes, axes and paddings with known values are written as plain lists.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import numpy as np
import tensorflow as tf

from queuecompat._backends.program.python import dtype_name, literal, shape_text

__all__ = ["public_form", "public_places"]


class _Call:
    """An op to be written.

    Attributes:
      given: the expressions of its inputs.
      known: the values of its inputs; None where they are not known.
    """

    def __init__(self, op: Any, given: List[str], known: List[Optional[np.ndarray]]) -> None:
        self.op = op
        self.given = given
        self.known = known

    def plain(self, number: int) -> str:
        """Input *number*, as a plain number or list if its value is known."""
        value = self.known[number]
        return self.given[number] if value is None or not value.size else literal(value)

    def as_list(self, number: int) -> str:
        """Input *number*, as a list if the list alone determines the dtype."""
        is_plain = self.op.inputs[number].dtype in (tf.float32, tf.int32, tf.string)
        return self.plain(number) if is_plain else self.given[number]

    def has_defaults(self, *besides: str) -> bool:
        """Whether all attributes, except *besides* and those that its inputs determine, have their default values."""
        return all(
            attr.name in besides or self.is_default(attr.name)
            for attr in self.op.op_def.attr
            if attr.HasField("default_value") and attr.name in self.op.node_def.attr
        )

    def is_default(self, name: str) -> bool:
        (default,) = [attr.default_value for attr in self.op.op_def.attr if attr.name == name]
        return bool(self.op.node_def.attr[name] == default)

    def attr(self, name: str) -> Any:
        return self.op.get_attr(name)

    def type_of(self, name: str) -> str:
        return dtype_name(self.attr(name))


_Form = Callable[[_Call], Optional[str]]


def public_form(op: Any, given: List[str], known: List[Optional[np.ndarray]]) -> Optional[str]:
    """The expression for *op*; None: it can only be written as its raw op.

    Args:
      given: the expressions of its inputs.
      known: the values of its inputs; None where they are not known.
    """
    form = _FORMS.get(op.type)
    return None if form is None else form(_Call(op, given, known))


def public_places(op: Any, name: str, known: List[Optional[np.ndarray]]) -> Optional[List[str]]:
    """An expression for each output of *op*, where the result of its public form is called *name*.

    None: the outputs are at the same places as in the result of the raw op.
    """
    features = _features(op, known) if op.type == "ParseExampleV2" else None
    return None if features is None else [f"{name}[{key!r}]" for key in features]


def _features(op: Any, known: List[Optional[np.ndarray]]) -> Optional[Dict[str, str]]:
    """The features that make ``tf.io.parse_example`` build *op*, in the order of its outputs; None if none do."""
    names, sparse, dense, ragged = known[1:5]
    if (
        any(one is None or one.size for one in (names, sparse, ragged))
        or dense is None
        or op.inputs[0].shape.rank is None
    ):
        return None
    found: Dict[str, str] = {}
    shapes, types, defaults = op.get_attr("dense_shapes"), op.get_attr("Tdense"), known[5:]
    for key, shape, dtype, default in zip(dense.tolist(), map(tf.TensorShape, shapes), types, defaults):
        if default is None or not shape.is_fully_defined() or key.decode("utf-8", "replace").encode() != key:
            return None
        said = f", {literal(default)}" if default.size else ""
        found[key.decode()] = f"tf.io.FixedLenFeature({shape_text(shape)}, {dtype_name(dtype)}{said})"
    return found


def _parse_example(call: _Call) -> Optional[str]:
    features = _features(call.op, call.known)
    if features is None:
        return None
    function = "parse_example" if call.op.inputs[0].shape.rank else "parse_single_example"
    return f"tf.io.{function}({call.given[0]}, {{{', '.join(f'{key!r}: {one}' for key, one in features.items())}}})"


def _infix(sign: str) -> _Form:
    def write(call: _Call) -> Optional[str]:
        # Not as plain numbers: if both operands were constants, neither would be a tensor, and Python would compute the
        # result.
        return f"({call.given[0]} {sign} {call.given[1]})"

    return write


def _function(name: str) -> _Form:
    return lambda call: f"{name}({', '.join(call.given)})" if call.has_defaults() else None


def _with_lists(name: str, *numbers: int) -> _Form:
    """A call in which the inputs *numbers* may be written as plain lists."""

    def write(call: _Call) -> Optional[str]:
        texts = [call.plain(n) if n in numbers else text for n, text in enumerate(call.given)]
        return f"{name}({', '.join(texts)})" if call.has_defaults() else None

    return write


def _reduced(name: str) -> _Form:
    def write(call: _Call) -> str:
        keeps = ", keepdims=True" if call.attr("keep_dims") else ""
        return f"tf.{name}({call.given[0]}, {call.plain(1)}{keeps})"

    return write


def _gather(call: _Call) -> Optional[str]:
    axis = call.known[2]
    is_plain = axis is not None and axis == 0 and not call.attr("batch_dims")
    return f"tf.gather({call.given[0]}, {call.given[1]})" if is_plain else None


def _stack(call: _Call) -> str:
    axis = call.attr("axis")
    return f"tf.stack([{', '.join(call.given)}]{f', axis={axis}' if axis else ''})"


def _concat(call: _Call) -> str:
    *parts, _ = call.given
    return f"tf.concat([{', '.join(parts)}], {call.plain(len(parts))})"


def _squeeze(call: _Call) -> str:
    axes = call.attr("squeeze_dims")
    return f"tf.squeeze({call.given[0]}{f', {list(axes)}' if axes else ''})"


def _random_uniform(call: _Call) -> Optional[str]:
    shape = call.known[0]
    if call.attr("seed") or call.attr("seed2") or shape is None:
        return None
    dtype = call.type_of("dtype")
    return f"tf.random.uniform({literal(shape)}{'' if dtype == 'tf.float32' else f', dtype={dtype}'})"


def _random_integers(call: _Call) -> Optional[str]:
    if call.attr("seed") or call.attr("seed2") or call.known[0] is None:
        return None
    shape, dtype = literal(call.known[0]), call.type_of("Tout")
    return f"tf.random.uniform({shape}, {call.plain(1)}, {call.plain(2)}, {dtype})"


def _cropped_and_resized(call: _Call) -> Optional[str]:
    if not call.has_defaults("method"):
        return None
    method = call.attr("method").decode()
    return f"tf.image.crop_and_resize({', '.join(call.given[:3])}, {call.plain(3)}, method={method!r})"


def _decoded_image(function: str) -> _Form:
    def write(call: _Call) -> Optional[str]:
        channels = f", channels={call.attr('channels')}" if call.attr("channels") else ""
        return f"tf.io.{function}({call.given[0]}{channels})" if call.has_defaults("channels") else None

    return write


def _decode_raw(call: _Call) -> Optional[str]:
    return f"tf.io.decode_raw({call.given[0]}, {call.type_of('out_type')})" if call.has_defaults() else None


def _decode_csv(call: _Call) -> str:
    defaults = ", ".join(call.as_list(number) for number in range(1, len(call.given)))
    said = "".join(
        f", {name}={(value.decode() if isinstance(value, bytes) else value)!r}"
        for name, value in ((name, call.attr(name)) for name in _OF_CSV if not call.is_default(name))
    )
    return f"tf.io.decode_csv({call.given[0]}, [{defaults}]{said})"


def _split(call: _Call) -> str:
    return f"tf.split({call.given[1]}, {call.attr('num_split')}{_axis(call, 0)})"


def _split_by_sizes(call: _Call) -> Optional[str]:
    # tf.split has to know the number of parts, which it cannot take from sizes that are not known.
    return None if call.known[1] is None else f"tf.split({call.given[0]}, {call.plain(1)}{_axis(call, 2)})"


def _axis(call: _Call, number: int) -> str:
    """The argument for the axis, which is input *number*."""
    axis = call.known[number]
    return "" if axis is not None and axis == 0 else f", axis={call.plain(number)}"


def _unstack(call: _Call) -> str:
    # The number is written out, since the shape may only have been known in the original graph.
    axis = f", axis={call.attr('axis')}" if call.attr("axis") else ""
    return f"tf.unstack({call.given[0]}, {call.attr('num')}{axis})"


def _strided_slice(call: _Call) -> Optional[str]:
    """``x[0, 1:3, tf.newaxis]``, if begins, ends and strides are known."""
    *_, begins, ends, strides = call.known
    if begins is None or ends is None or strides is None or call.attr("ellipsis_mask"):
        return None
    masks = [call.attr(f"{name}_mask") for name in ("begin", "end", "new_axis", "shrink_axis")]
    items = []
    for place, (begin, end, stride) in enumerate(zip(begins.tolist(), ends.tolist(), strides.tolist())):
        no_begin, no_end, is_new, is_item = (bool(mask >> place & 1) for mask in masks)
        if is_new:
            items.append("tf.newaxis")
        elif is_item:
            items.append(str(begin))
        else:
            step = f":{stride}" if stride != 1 else ""
            items.append(f"{'' if no_begin else begin}:{'' if no_end else end}{step}")
    return f"{call.given[0]}[{', '.join(items)}]"


# Attributes of DecodeCSV that are arguments of the same names.
_OF_CSV = ("field_delim", "use_quote_delim", "na_value", "select_cols")
_OPERATORS = {
    "Add": "+",
    "AddV2": "+",
    "FloorDiv": "//",
    "FloorMod": "%",
    "Greater": ">",
    "GreaterEqual": ">=",
    "Less": "<",
    "LessEqual": "<=",
    "Mul": "*",
    "RealDiv": "/",
    "Sub": "-",
}
_FUNCTIONS = {
    "Abs": "tf.abs",
    "DivNoNan": "tf.math.divide_no_nan",
    "Exp": "tf.exp",
    "Floor": "tf.floor",
    "Log": "tf.math.log",
    "LogicalAnd": "tf.logical_and",
    "LogicalNot": "tf.logical_not",
    "LogicalOr": "tf.logical_or",
    "Maximum": "tf.maximum",
    "Minimum": "tf.minimum",
    "Neg": "tf.negative",
    "OnesLike": "tf.ones_like",
    "Pow": "tf.pow",
    "ReadFile": "tf.io.read_file",
    "Sigmoid": "tf.sigmoid",
    "Sqrt": "tf.sqrt",
    "Square": "tf.square",
    "StringLength": "tf.strings.length",
    "Tanh": "tf.tanh",
    "ZerosLike": "tf.zeros_like",
}
_REDUCTIONS = {
    "All": "reduce_all",
    "Any": "reduce_any",
    "Max": "reduce_max",
    "Mean": "reduce_mean",
    "Min": "reduce_min",
    "Prod": "reduce_prod",
    "Sum": "reduce_sum",
}

_FORMS: Dict[str, _Form] = {
    **{kind: _infix(sign) for kind, sign in _OPERATORS.items()},
    **{kind: _function(name) for kind, name in _FUNCTIONS.items()},
    **{kind: _reduced(name) for kind, name in _REDUCTIONS.items()},
    "Cast": lambda call: f"tf.cast({call.given[0]}, {call.type_of('DstT')})" if call.has_defaults() else None,
    "ConcatV2": _concat,
    "CropAndResize": _cropped_and_resized,
    "DecodeCSV": _decode_csv,
    "DecodeJpeg": _decoded_image("decode_jpeg"),
    "DecodePng": _decoded_image("decode_png"),
    "DecodeRaw": _decode_raw,
    "EnsureShape": lambda call: f"tf.ensure_shape({call.given[0]}, {shape_text(call.op.outputs[0].shape)})",
    "ExpandDims": _with_lists("tf.expand_dims", 1),
    "GatherV2": _gather,
    "Pack": _stack,
    "ParseExampleV2": _parse_example,
    "Pad": _with_lists("tf.pad", 1),
    "RandomUniform": _random_uniform,
    "RandomUniformInt": _random_integers,
    "Reshape": _with_lists("tf.reshape", 1),
    "ReverseV2": _with_lists("tf.reverse", 1),
    "Shape": lambda call: f"tf.shape({call.given[0]}, {call.type_of('out_type')})",
    "SelectV2": _function("tf.where"),
    "Slice": _with_lists("tf.slice", 1, 2),
    "Split": _split,
    "SplitV": _split_by_sizes,
    "Squeeze": _squeeze,
    "StridedSlice": _strided_slice,
    "StringToNumber": lambda call: f"tf.strings.to_number({call.given[0]}, {call.type_of('out_type')})",
    "Tile": _with_lists("tf.tile", 1),
    "Transpose": _with_lists("tf.transpose", 1),
    "Unpack": _unstack,
}

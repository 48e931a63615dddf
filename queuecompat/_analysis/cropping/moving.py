"""Builds a slice with its crops moved, in a graph of its own.

The existing ops keep their names and types and only get other inputs, so this module works on their NodeDefs. New ops
are built in a separate graph, whose nodes are then added to the others.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import tensorflow as tf

from queuecompat._analysis.batched.branches import Guards, in_order
from queuecompat._analysis.cropping import decoding
from queuecompat._analysis.cropping.crops import Crop, crops_of, static_item
from queuecompat._analysis.known_calls import KnownWindow, remember_windows
from queuecompat._analysis.origins import IN_WINDOW, remember_origins

__all__ = ["Moved", "moved"]

_NO_ARITHMETIC = ("ExpandDims", "Identity")


@dataclasses.dataclass(frozen=True)
class Moved:
    """A slice after its crops were moved.

    Attributes:
      given, outputs: its sources and its results, in the new graph.
      stand_ins: from the name of a tensor of the new graph to the captured tensor that it stands for.
      ops: the ops between these, in order of creation.
      words: what was moved, for ``explain``.
    """

    given: Tuple[Any, ...]
    outputs: Tuple[Any, ...]
    stand_ins: Dict[str, Any]
    ops: Tuple[Any, ...]
    words: str


def moved(
    ops: Sequence[Any],
    sources: Sequence[Any],
    outputs: Sequence[Any],
    captured: Sequence[Any],
    copied: Callable[[], Any],
) -> Optional[Moved]:
    """Returns the slice from *sources* to *outputs* with its crops moved; None if no crop can move.

    Args:
      captured: tensors that the slice takes by reference.
      copied: returns the ``OpCopy`` of *ops* that would run.
    """
    crops = crops_of(ops, outputs)
    waited_for = {before.name for op in ops for before in op.control_inputs}
    decoded = [one for one in crops if _can_decode_window(one, ops, waited_for)]
    passing = [one for one in crops if one.moves_before]
    if not decoded and not passing:
        return None
    nodes = _Nodes(copied().graph_def())
    for crop in crops:
        nodes.move(crop)
        if crop in decoded:
            nodes.decode_window(crop)
    shapes = {t.name: t.shape for op in ops for t in op.outputs}
    for crop in passing:
        shapes.update(_shapes_of_cropped(crop))
    before = [op.type for crop in passing for op in crop.moves_before if op.type not in _NO_ARITHMETIC]
    kinds = list(dict.fromkeys(before))
    words = ["decodes only the window of a crop"] if decoded else []
    words += [f"crops before {', '.join(kinds)}"] if kinds else []
    return _imported(nodes, sources, outputs, captured, ops, shapes, "; ".join(words))


def _can_decode_window(crop: Crop, ops: Sequence[Any], waited_for: Set[str]) -> bool:
    """Whether the decoder can decode only the window of *crop*, once the crop has moved."""
    decode, op = crop.start.op, crop.op
    if not decoding.may_decode_window(decode) or {decode.name, op.name} & waited_for:
        return False
    # Only if the crop takes the decoded image itself: then the window depends on nothing of the image but its shape.
    is_mine = decode.name in {one.name for one in ops} and not Guards(in_order(ops)).of(decode)
    if not is_mine or not crop.is_alone:
        return False
    rows, columns, channels = _sizes(crop)
    is_slice = op.type == "Slice"
    begins = [static_item(op.inputs[1], n) if is_slice else None for n in range(op.outputs[0].shape.rank)][-3:]
    is_whole = begins[:2] == [0, 0] and (rows, columns) == (-1, -1)
    all_channels = (None, -1, decode.get_attr("channels") or channels)
    return not is_whole and channels in all_channels and begins[2] in (None, 0)


def _sizes(crop: Crop) -> List[Optional[int]]:
    """Returns the rows, columns and channels of the window; -1: all after the first; None: not known."""
    op = crop.op
    if op.type == "Slice":
        rank = op.outputs[0].shape.rank
        return [static_item(op.inputs[2], number) for number in range(rank - 3, rank)]
    return op.outputs[0].shape.as_list()[-3:] if op.outputs[0].shape.rank else [None] * 3


def _shapes_of_cropped(crop: Crop) -> Dict[str, tf.TensorShape]:
    """Returns the new static shapes of the tensors whose shape changes when *crop* moves."""
    shape = crop.op.outputs[0].shape
    first_of_batch = len(crop.moves_before) if crop.expand_index is None else crop.expand_index
    before = shape if crop.expand_index is None else shape[1:]
    shapes = {op.outputs[0].name: before if n < first_of_batch else shape for n, op in enumerate(crop.moves_before)}
    return {crop.op.outputs[0].name: before, **shapes}


def _ref(tensor: Any) -> str:
    """Returns the name of *tensor* as an input of a NodeDef."""
    return tensor.op.name if not tensor.value_index else f"{tensor.op.name}:{tensor.value_index}"


class _Nodes:
    """The NodeDefs of a slice, which are edited in place."""

    def __init__(self, graph_def: Any) -> None:
        self.graph_def = graph_def
        self.by_name = {node.name: node for node in graph_def.node}
        self.windows: List[KnownWindow] = []
        # From a tensor to the one that now has its value; both as NodeDefs name them.
        self.replacements: Dict[str, str] = {}

    def current_name(self, tensor: Any) -> str:
        """Returns the name of the tensor that now has the value of *tensor*."""
        found = _ref(tensor)
        while found in self.replacements:
            found = self.replacements[found]
        return found if ":" in found else f"{found}:0"

    def move(self, crop: Crop) -> None:
        if not crop.moves_before:
            return
        node = self.by_name[crop.op.name]
        first, last = self.by_name[crop.moves_before[0].name], crop.moves_before[-1].outputs[0]
        self._reroute(_ref(crop.op.outputs[0]), _ref(last))
        self.replacements[_ref(crop.op.outputs[0])] = _ref(last)
        image = first.input[crop.image_inputs[0]]
        self._move_shape_ops(crop, image)
        first.input[crop.image_inputs[0]] = crop.op.name
        node.input[0] = image
        node.attr["T"].type = crop.start.dtype.as_datatype_enum
        if crop.expand_index is not None:
            self._drop_batch_dimension(crop.op, node)

    def decode_window(self, crop: Crop) -> None:
        """Puts the ops of ``decoding`` in place of *crop*, which takes a decoder's output, and of that decoder."""
        decode, node = self.by_name[crop.start.op.name], self.by_name[crop.op.name]
        contents, waits = _split(decode.input)
        (_, start, size, *_), more = _split(node.input)
        looking = [one for one in self.by_name.values() if one.op == "Shape" and decode.name in one.input]
        del self.by_name[decode.name], self.by_name[node.name]
        # After the move, the crop takes an image, not a batch of one image.
        bounds = [
            tf.TensorSpec(one.shape if crop.expand_index is None else [3], one.dtype) for one in crop.op.inputs[1:3]
        ]
        window = decoding.nodes_of_window(crop.start.op, crop.op, _sizes(crop), bounds)
        given = {decoding.CONTENTS: contents[0], decoding.START: start, decoding.SIZES: size}
        outside = f"{node.name}/{IN_WINDOW}/{decoding.OUTSIDE}"  # named so that an error is reported as the crop's
        names = {decoding.DECODED: decode.name, decoding.CROPPED: node.name, decoding.OUTSIDE: outside}
        place = f"{decode.name}/{IN_WINDOW}"
        self._reroute(node.name, f"{place}/{decoding.OUTPUT}")
        self.replacements.setdefault(node.name, f"{place}/{decoding.OUTPUT}")
        for one in looking:
            _replace_output(one, f"{place}/{decoding.SHAPE}")
        self._put(window, given, names, place, [*waits, *more])
        self.windows.append(
            KnownWindow(
                contents[0] if ":" in contents[0] else f"{contents[0]}:0",
                begin=f"{place}/{decoding.BEGIN}:0",
                size=f"{place}/{decoding.SIZE}:0",
                output=f"{place}/{decoding.OUTPUT}:0",
                shape=f"{place}/{decoding.SHAPE}:0",
                attributes=decoding.attributes_of(crop.start.op),
            )
        )

    def _move_shape_ops(self, crop: Crop, image: str) -> None:
        """Makes the ops that read the shape of a tensor that *crop* has moved before read the shape of *image*."""
        first_of_batch = len(crop.moves_before) if crop.expand_index is None else crop.expand_index
        batches = {_ref(op.outputs[0]) for op in crop.moves_before[first_of_batch:]}
        for shape in crop.shapes:
            node = self.by_name[shape.name]
            is_of_batch = node.input[0] in batches
            node.input[0] = image
            node.attr["T"].type = crop.start.dtype.as_datatype_enum
            if is_of_batch:
                self._with_batch_dimension(node, crop.start.shape)

    def _with_batch_dimension(self, node: Any, shape: tf.TensorShape) -> None:
        """Makes *node*, which outputs the shape of an image, output the shape of a batch of one such image.

        Args:
          shape: the image's static shape.
        """
        graph = tf.Graph()
        dtype = tf.dtypes.as_dtype(node.attr["out_type"].type or tf.int32)
        with graph.as_default():
            image = tf.compat.v1.placeholder(tf.dtypes.as_dtype(node.attr["T"].type), shape, "image")
            if shape.is_fully_defined():
                tf.constant([1, *shape.as_list()], dtype, name="of_batch")
            else:
                tf.concat([tf.constant([1], dtype), tf.shape(image, dtype)], 0, name="of_batch")
        (image_name,), waits = _split(node.input)
        del self.by_name[node.name]
        names = {"of_batch": node.name}
        self._put(graph.as_graph_def(), {"image": image_name}, names, f"{node.name}/{IN_WINDOW}", waits)

    def _drop_batch_dimension(self, op: Any, node: Any) -> None:
        """Makes *node*, a crop of a batch of one image, a crop of the image."""
        for place in (1, 2):
            whole = op.inputs[place]
            known = [static_item(whole, number) for number in range(1, 4)]
            graph = tf.Graph()
            with graph.as_default():
                # Known numbers become constants, so that later passes know them, too.
                given = tf.compat.v1.placeholder(whole.dtype, [4], "whole")
                if None in known:
                    tf.slice(given, [1], [3], name="part")
                else:
                    tf.constant(known, whole.dtype, name="part")
            scope = f"{node.name}/{IN_WINDOW}/{place}"
            self._put(graph.as_graph_def(), {"whole": node.input[place]}, {}, scope, ())
            node.input[place] = f"{scope}/part"

    def _put(
        self, graph_def: Any, given: Mapping[str, str], names: Mapping[str, str], scope: str, waits: Sequence[str]
    ) -> None:
        """Adds copies of the nodes of *graph_def* below *scope*, except those for which *names* has another name.

        Args:
          given: from the names of its placeholders to the inputs that replace them.
          waits: control inputs for the nodes that take a placeholder.
        """
        names_in_slice = {node.name: names.get(node.name, f"{scope}/{node.name}") for node in graph_def.node}
        names_in_slice.update(given)
        for original in graph_def.node:
            if original.name in given:
                continue
            node = type(original)()
            node.CopyFrom(original)
            inputs = list(node.input)
            is_first = bool(waits) and any(name.partition(":")[0] in given for name in inputs)
            node.name = names_in_slice[node.name]
            del node.input[:]
            node.input.extend(_renamed(name, names_in_slice) for name in inputs)
            node.input.extend(waits if is_first else ())
            self.by_name[node.name] = node

    def _reroute(self, old: str, new: str) -> None:
        for node in self.by_name.values():
            for place, name in enumerate(node.input):
                if name == old:
                    node.input[place] = new


def _split(inputs: Sequence[str]) -> Tuple[List[str], List[str]]:
    """Splits *inputs* into data inputs and control inputs."""
    return [one for one in inputs if one[0] != "^"], [one for one in inputs if one[0] == "^"]


def _renamed(name: str, new_names: Mapping[str, str]) -> str:
    """Returns *name*, an input of a node, with the node's name replaced by the one in *new_names*."""
    mark = "^" if name.startswith("^") else ""
    node, colon, number = name[len(mark) :].partition(":")
    return f"{mark}{new_names[node]}{colon}{number}"


def _replace_output(node: Any, shape: str) -> None:
    """Makes *node*, a Shape op, output *shape*, an int32 vector, instead."""
    dtype = node.attr["out_type"].type or tf.int32.as_datatype_enum
    _, waits = _split(node.input)
    for name in list(node.attr):
        del node.attr[name]
    del node.input[:]
    node.input.extend([shape, *waits])
    if dtype == tf.int32.as_datatype_enum:
        node.op = "Identity"
        node.attr["T"].type = dtype
    else:
        node.op = "Cast"
        node.attr["SrcT"].type, node.attr["DstT"].type = tf.int32.as_datatype_enum, dtype


def _graph_of(nodes: _Nodes, inputs: Sequence[Any]) -> Tuple[tf.Graph, Dict[str, Any]]:
    """A new graph of *nodes*, and the placeholders in it that stand for *inputs*, by the names of these."""
    graph_def = tf.compat.v1.GraphDef(versions=nodes.graph_def.versions, library=nodes.graph_def.library)
    graph_def.node.extend(nodes.by_name.values())
    asked_for = {name if ":" in name else f"{name}:0" for node in graph_def.node for name in node.input}
    with tf.Graph().as_default() as graph:
        stand_in = {
            one.name: tf.compat.v1.placeholder(one.dtype, one.shape, name="queuecompat/given") for one in inputs
        }
        given = {name: one for name, one in stand_in.items() if name in asked_for}
        tf.graph_util.import_graph_def(graph_def, input_map=given, name="")
    return graph, stand_in


def _imported(
    nodes: _Nodes,
    sources: Sequence[Any],
    outputs: Sequence[Any],
    captured: Sequence[Any],
    ops: Sequence[Any],
    shapes: Mapping[str, tf.TensorShape],
    words: str,
) -> Moved:
    """The moved slice, whose *nodes* compute *outputs*, in a graph of its own."""
    graph, stand_in = _graph_of(nodes, [*sources, *captured])
    made = [op for op in graph.get_operations() if op.name in nodes.by_name]
    for op in made:
        for tensor in op.outputs:
            if tensor.name in shapes:
                tensor.set_shape(shapes[tensor.name])
    results = [
        stand_in[t.name] if t.name in stand_in else graph.get_tensor_by_name(nodes.current_name(t)) for t in outputs
    ]
    for result, tensor in zip(results, outputs):
        result.set_shape(tensor.shape)
    remember_origins(graph, ops)
    known = {one.name: stand_in[one.name].name for one in sources}
    remember_windows(
        graph, [dataclasses.replace(one, contents=known.get(one.contents, one.contents)) for one in nodes.windows]
    )
    return Moved(
        tuple(stand_in[one.name] for one in sources),
        tuple(results),
        {stand_in[one.name].name: one for one in captured},
        tuple(made),
        words,
    )

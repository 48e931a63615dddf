"""Finds the crops in a slice, and how far each can move toward the source of its image.

Rule 1: A crop moves before an op that computes each number of the image only from the number at its place
        (``OpFacts.each_number``) and from numbers that are the same at all places. The cropped result then has the same
        bits.
Rule 2: The output of that op must have no other use. Exempt are ops that only read its shape; they then read the shape
        of the op's input.
Rule 3: A crop never moves into or out of a branch, nor in a slice with loops, nor before an op that another op waits
        for, since the crop's own inputs might need that other op.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from queuecompat._analysis.batched.branches import LOOPS, in_order
from queuecompat._analysis.batched.folding import static_value
from queuecompat._analysis.op_facts import FACTS

__all__ = ["CROPS", "Crop", "crops_of", "static_item"]

CROPS = ("Slice", "StridedSlice")
# The ranks of images, and of batches of one image, which some of TensorFlow's image functions make in between.
_RANKS = (3, 4)


@dataclasses.dataclass(frozen=True)
class Crop:
    """One crop, and where it can move.

    Attributes:
      op: the crop op.
      start: the tensor that it takes once it has moved.
      moves_before: the ops that it moves before, in graph order.
      image_inputs: for each op in *moves_before*, the number of the input that is the image.
      is_alone: whether *start* has no other use, except for its shape.
      shapes: the ops that read the shape of *start* (if it is alone) or of an intermediate result of *moves_before*.
    """

    op: Any
    start: Any
    moves_before: Tuple[Any, ...]
    image_inputs: Tuple[int, ...]
    is_alone: bool
    shapes: Tuple[Any, ...]

    @property
    def expand_index(self) -> Optional[int]:
        """The index of the op in *moves_before* that makes a batch of one image; None if there is none."""
        return next((number for number, op in enumerate(self.moves_before) if op.type == "ExpandDims"), None)


def crops_of(ops: Sequence[Any], outputs: Sequence[Any]) -> List[Crop]:
    """Returns the crops among *ops* in topological order; *outputs* are the results of *ops*."""
    if not any(op.type in CROPS for op in ops) or any(op.type in LOOPS for op in ops):
        return []
    users: Dict[str, List[Any]] = {}
    for op in ops:
        for tensor in op.inputs:
            users.setdefault(tensor.name, []).append(op)
    waited_for = {before.name for op in ops for before in op.control_inputs}
    free = {op.name for op in ops} - waited_for
    taken = {tensor.name for tensor in outputs}
    return [_moved(op, users, free, taken) for op in in_order(ops) if _is_crop(op)]


def static_item(tensor: Any, number: int) -> Optional[int]:
    """Returns item *number* of *tensor*, a vector of integers; None if it is not statically known."""
    whole = static_value(tensor)
    if whole is not None:
        return int(whole[number])
    if tensor.op.type != "Pack":
        return None
    part = tensor.op.inputs[number]
    known = static_value(part)
    return _static_dimension(part.op) if known is None else int(known)


def _static_dimension(op: Any) -> Optional[int]:
    """Returns the static value of *op* if it reads one known dimension of a shape; otherwise None."""
    if op.type != "StridedSlice" or op.inputs[0].op.type != "Shape" or not op.get_attr("shrink_axis_mask"):
        return None
    shape, place = op.inputs[0].op.inputs[0].shape, static_value(op.inputs[1])
    return None if shape.rank is None or place is None else shape.as_list()[int(place[0])]


def _is_crop(op: Any) -> bool:
    if op.type not in CROPS or op.inputs[0].shape.rank not in _RANKS:
        return False
    before, after = op.inputs[0].shape, op.outputs[0].shape
    if after.rank != before.rank or (before.is_fully_defined() and before.as_list() == after.as_list()):
        return False
    if op.type == "Slice":
        return True
    steps = static_value(op.inputs[3])
    masks = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    return steps is not None and bool(np.all(steps == 1)) and not any(op.get_attr(mask) for mask in masks)


def _moved(op: Any, users: Mapping[str, List[Any]], free: Set[str], taken: Set[str]) -> Crop:
    moves_before: List[Any] = []
    image_inputs: List[int] = []
    shapes: List[Any] = []
    user, start = op, op.inputs[0]
    while True:
        looks = [one for one in users[start.name] if one.type == "Shape"]
        others = [one for one in users[start.name] if one.type != "Shape"]
        is_alone = start.name not in taken and others == [user]
        if is_alone:
            shapes += looks
        before = start.op
        is_expanded = any(one.type == "ExpandDims" for one in moves_before)
        place = _image_of(before, op, is_expanded) if is_alone and before.name in free else None
        if place is None:
            return Crop(op, start, tuple(moves_before), tuple(image_inputs), is_alone, tuple(shapes))
        user, start = before, before.inputs[place]
        moves_before.insert(0, before)
        image_inputs.insert(0, place)


def _image_of(before: Any, crop: Any, is_expanded: bool) -> Optional[int]:
    """Returns the number of the image among the inputs of *before*, if *crop* may move before that op; else None."""
    if before.type == "ExpandDims":
        return None if is_expanded or not _takes_all_of_batch(before, crop) else 0
    facts = FACTS.get(before.type)
    if facts is None or not facts.each_number or len(before.outputs) != 1:
        return None
    images = [number for number, tensor in enumerate(before.inputs) if not _is_same_everywhere(tensor, crop)]
    is_whole = len(images) == 1 and before.inputs[images[0]].shape.rank == before.outputs[0].shape.rank
    return images[0] if is_whole and before.outputs[0].shape.rank in _RANKS else None


def _is_same_everywhere(tensor: Any, crop: Any) -> bool:
    """Whether *tensor* has the same numbers at all places; if *crop* takes all channels, each may have its own."""
    if not tensor.shape.is_fully_defined():
        return False
    known: List[int] = [1, *tensor.shape.as_list()]
    others, channels = known[:-1], known[-1]
    sides = [one.shape.as_list()[-1] for one in (crop.inputs[0], crop.outputs[0])]
    is_one_a_channel = sides == [channels, channels] and tensor.shape.rank < 4
    return all(side == 1 for side in others) and (channels == 1 or is_one_a_channel)


def _takes_all_of_batch(expand: Any, crop: Any) -> bool:
    """Whether *expand* makes a batch of one image, and *crop* takes a window of that image."""
    axis = static_value(expand.inputs[1])
    if crop.type != "Slice" or axis is None or int(axis) != 0 or expand.inputs[0].shape.rank != 3:
        return False
    return static_item(crop.inputs[1], 0) == 0 and static_item(crop.inputs[2], 0) in (1, -1)

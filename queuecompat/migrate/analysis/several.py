"""Whether a value may be a dict or a list of tensors instead of one: ``features`` in ``features, label = inputs()``.

Functions of the program are followed to what they return, and names to everything they are assigned. A value that
cannot be traced, such as a parameter, counts as a tensor.
"""

from __future__ import annotations

from typing import FrozenSet, Iterator, List, Optional, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.queue_statements import name_elsewhere
from queuecompat.migrate.source.parsing import Source

__all__ = ["PLACES", "followed", "given_to", "may_be_several", "several_places"]

# A result with more tensors than this is assumed to be one list.
PLACES = 16
_DISPLAYS = (cst.Dict, cst.DictComp, cst.List, cst.ListComp, cst.Tuple)
_COLLECTING = {"dict", "list", "OrderedDict", "collections.OrderedDict"}
# They return a dict, or the structure that they are given.
_OF_TENSORFLOW = {
    "tf.io.parse_example", "tf.io.parse_single_example", "tf.parse_example", "tf.parse_single_example",
    "tf.train.batch", "tf.train.batch_join", "tf.train.maybe_batch", "tf.train.maybe_batch_join",
    "tf.train.maybe_shuffle_batch", "tf.train.maybe_shuffle_batch_join", "tf.train.shuffle_batch",
    "tf.train.shuffle_batch_join",
}  # fmt: skip


def may_be_several(
    source: Source, value: cst.BaseExpression, place: Optional[int], seen: FrozenSet[cst.CSTNode] = frozenset()
) -> bool:
    """Whether *value* may be several tensors under one name.

    Args:
      place: the index of the part of *value* that is asked about; None: *value* itself.
      seen: the values that are already being followed.
    """
    if value in seen:
        return False
    seen |= {value}
    ways = followed(source, value, place)
    if ways is not None:
        return any(may_be_several(source, one, part, seen) for one, part in ways)
    if isinstance(value, _DISPLAYS):
        return True
    if not isinstance(value, cst.Call):
        return False
    if source.code(value.func) in _COLLECTING:
        return place is None
    function = definition(source, value.func)
    if isinstance(function, cst.FunctionDef):
        return any(may_be_several(source, one, place, seen) for one in _returned(source, function))
    if place is not None and (name_elsewhere(source, value), place) in source.several_elsewhere:
        return True
    return place is None and source.names.symbol(value.func) in _OF_TENSORFLOW and not _is_of_one(value)


def several_places(source: Source, function: cst.FunctionDef) -> Iterator[int]:
    """The indices of the parts of *function*'s result that may hold several tensors."""
    returned = _returned(source, function)
    for place in range(PLACES):
        if any(may_be_several(source, one, place) for one in returned):
            yield place


def _returned(source: Source, function: cst.FunctionDef) -> List[cst.BaseExpression]:
    """The values that *function* returns."""
    return [one.value for one in source.every(cst.Return, function) if one.value is not None]


def _is_of_one(call: cst.Call) -> bool:
    """Whether a batcher gets a list of one tensor."""
    given = call.args[0].value if call.args else None
    return isinstance(given, (cst.List, cst.Tuple)) and len(given.elements) == 1


def followed(
    source: Source, value: cst.BaseExpression, place: Optional[int]
) -> Optional[List[Tuple[cst.BaseExpression, Optional[int]]]]:
    """The values that *value* may come from, each with the index of the part in question (None: all of it).

    Returns None if *value* is not a conditional expression, a list or tuple, or a name.
    """
    if isinstance(value, cst.IfExp):
        return [(one, place) for one in (value.body, value.orelse)]
    if isinstance(value, (cst.List, cst.Tuple)) and place is not None:
        return [(one.value, None) for one in value.elements[place : place + 1]]
    return list(given_to(source, value, place)) if isinstance(value, cst.Name) else None


def _is_named(element: cst.BaseElement, name: cst.Name) -> bool:
    return isinstance(element.value, cst.Name) and element.value.value == name.value


def given_to(
    source: Source, name: cst.Name, place: Optional[int]
) -> Iterator[Tuple[cst.BaseExpression, Optional[int]]]:
    """The values that *name* is assigned, each with the index of the part in question; None: the whole value."""
    function = source.around(name, cst.FunctionDef)
    for line in source.every(cst.Assign, function if function is not None else source.tree):
        for target in (one.target for one in line.targets):
            if isinstance(target, cst.Name) and target.value == name.value:
                yield line.value, place
            elif isinstance(target, (cst.List, cst.Tuple)) and place is None:
                yield from ((line.value, part) for part, one in enumerate(target.elements) if _is_named(one, name))

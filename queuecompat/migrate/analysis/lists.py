"""Which parts of a batch are lists: a dataset turns them into tuples, but a program may append to a fetched list.

Functions of the program are followed to what they return, and names to everything they are assigned; functions of other
files are looked up in ``lists_elsewhere``. A value that cannot be traced, such as a parameter, counts as a tensor.
"""

from __future__ import annotations

from typing import FrozenSet, Iterable, Iterator, List, Optional, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callee, may_mean
from queuecompat.migrate.analysis.queue_statements import name_elsewhere
from queuecompat.migrate.analysis.results import LISTS
from queuecompat.migrate.analysis.several import followed, given_to
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["depth_of_lists", "depth_of_lists_in", "is_list", "is_list_of", "used_as_list"]

_BATCHERS = ("batch", "batch_join", "shuffle_batch", "shuffle_batch_join")
_TENSORS = ("tensors", "tensors_list", "tensor_list")
# They return as many tensors as they are given, and a dict for a dict.
_AS_GIVEN = {"tf.train.batch", "tf.train.shuffle_batch", "tf.train.slice_input_producer"}
_PARSERS = (".parse_example", ".parse_single_example")
# These treat a tuple like a list.
_READING = {"enumerate", "len", "max", "min", "sorted", "sum", "tuple", "zip"}


def is_list_of(source: Source, function: cst.FunctionDef, place: Optional[int]) -> Optional[bool]:
    """As ``is_list``, for the value that *function* returns."""
    return _is_list_returned(source, function, place, frozenset())


def is_list(
    source: Source, value: cst.BaseExpression, place: Optional[int], seen: FrozenSet[cst.CSTNode] = frozenset()
) -> Optional[bool]:
    """Whether *value* is a list; None if it may be one.

    Args:
      place: the index of the part of *value* that is asked about; None: *value* itself.
      seen: the values that are already being followed.
    """
    if value in seen:
        return False
    seen |= {value}
    ways = followed(source, value, place)
    if ways is not None:
        return _any_of(is_list(source, one, part, seen) for one, part in ways)
    if isinstance(value, (cst.List, cst.ListComp)):
        return True
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add) and place is None:
        sides = [is_list(source, one, None, seen) for one in (value.left, value.right)]
        return True if True in sides else None if None in sides else False
    return _is_list_of_call(source, value, place, seen) if isinstance(value, cst.Call) else False


def depth_of_lists_in(source: Source, function: cst.FunctionDef, place: Optional[int]) -> int:
    """As ``depth_of_lists``, for the value that *function* returns."""
    return max((depth_of_lists(source, one, place) for one in _returned(source, function)), default=0)


def depth_of_lists(
    source: Source, value: cst.BaseExpression, place: Optional[int], seen: FrozenSet[cst.CSTNode] = frozenset()
) -> int:
    """The number of indices that lead to the elements of nested lists in *value*: 2 for ``{"x": [image, mask]}``.

    Returns 0 if there are no lists inside *value*. The arguments are those of ``is_list``; a value that may be a list
    counts as one here.
    """
    if value in seen:
        return 0
    seen |= {value}
    depths = [0]
    for one in _parts(source, value) if place is None else []:
        within = depth_of_lists(source, one, None, seen) or int(is_list(source, one, None) is not False)
        depths += [within + 1] if within else []
    depths += [depth_of_lists(source, one, part, seen) for one, part in followed(source, value, place) or ()]
    if isinstance(value, cst.Call):
        function = callee(source, value)
        if isinstance(function, cst.FunctionDef):
            depths += [depth_of_lists(source, one, place, seen) for one in _returned(source, function)]
        else:
            depths.append(source.depths_elsewhere.get((name_elsewhere(source, value), place), 0))
    return max(depths)


def _parts(source: Source, value: cst.BaseExpression) -> List[cst.BaseExpression]:
    """The values that are put into *value*, a dict, list or tuple, in its display or by ``value["x"] = ...``."""
    if isinstance(value, (cst.Dict, cst.List, cst.Tuple)):
        return [one.value for one in value.elements]
    if isinstance(value, cst.Call) and source.code(value.func) == "dict":
        return [one.value for one in value.args if one.keyword is not None]
    if not isinstance(value, cst.Name):
        return []
    lines = source.every(cst.Assign, source.around(value, cst.FunctionDef) or source.tree)
    targets = ((line.value, one.target) for line in lines for one in line.targets)
    return [
        one for one, target in targets if isinstance(target, cst.Subscript) and source.code(target.value) == value.value
    ]


def _is_list_of_call(
    source: Source, call: cst.Call, place: Optional[int], seen: FrozenSet[cst.CSTNode]
) -> Optional[bool]:
    function = callee(source, call)
    if isinstance(function, cst.FunctionDef):
        return _is_list_returned(source, function, place, seen)
    key = (name_elsewhere(source, call), place)
    if key in source.lists_elsewhere:
        return source.lists_elsewhere[key]
    if place is not None:
        return False
    symbol = source.names.symbol(call.func)
    if symbol.startswith("tf.train.") and symbol.endswith(_BATCHERS):
        return _is_of_several(source, call, is_join=symbol.endswith("_join"))
    return symbol in LISTS or source.code(call.func) == "list"


def _is_list_returned(
    source: Source, function: cst.FunctionDef, place: Optional[int], seen: FrozenSet[cst.CSTNode]
) -> Optional[bool]:
    return _any_of(is_list(source, one, place, seen) for one in _returned(source, function))


def _returned(source: Source, function: cst.FunctionDef) -> List[cst.BaseExpression]:
    """The values that *function* returns, not counting those that functions inside it return."""
    own = (one for one in source.every(cst.Return, function) if source.around(one, cst.FunctionDef) is function)
    return [one.value for one in own if one.value is not None]


def _is_of_several(source: Source, call: cst.Call, *, is_join: bool) -> Optional[bool]:
    """Whether a batcher gets several tensors, which it then returns as a list; None if that is unknown."""
    given = _given(call)
    if is_join:
        given = _first(source, given)
    count = None if given is None else _count(source, given)
    return None if count is None else count > 1


def _given(call: cst.Call) -> Optional[cst.BaseExpression]:
    """The tensors argument of a producer or batcher."""
    return next((one for name in _TENSORS if (one := argument(call, name, 0)) is not None), None)


def _count(source: Source, value: cst.BaseExpression) -> Optional[int]:
    """The number of tensors in a list or tuple; 0 for a dict, None if it is unknown."""
    counts = _counts(source, value, frozenset())
    return counts.pop() if len(counts) == 1 else None


def _counts(source: Source, value: cst.BaseExpression, seen: FrozenSet[cst.CSTNode]) -> Set[Optional[int]]:
    """The possible results of ``_count``, one for each origin of *value*; cycles through *seen* contribute nothing."""
    if value in seen:
        return set()
    seen |= {value}
    if isinstance(value, (cst.List, cst.Tuple)):
        starred = any(isinstance(one, cst.StarredElement) for one in value.elements)
        return {None if starred else len(value.elements)}
    if isinstance(value, (cst.Dict, cst.DictComp)):
        return {0}
    values: List[cst.BaseExpression] = []
    if isinstance(value, cst.Name):
        values = [one for one, place in given_to(source, value, None) if place is None]
    elif isinstance(value, cst.Call):
        symbol = source.names.symbol(value.func)
        if source.code(value.func) == "dict" or symbol.endswith(_PARSERS):
            return {0}
        if symbol in _AS_GIVEN:
            given = _given(value)
            values = [] if given is None else [given]
        else:
            functions = [one for one in may_mean(source, value.func) if isinstance(one, cst.FunctionDef)]
            values = [one for function in functions for one in _returned(source, function)]
    return {count for one in values for count in _counts(source, one, seen)} if values else {None}


def _first(source: Source, given: Optional[cst.BaseExpression]) -> Optional[cst.BaseExpression]:
    """The first of the lists that a join is given."""
    shown = None if given is None else _display(source, given)
    if isinstance(shown, cst.BinaryOperation) and isinstance(shown.operator, cst.Multiply):
        shown = shown.left  # of [[image, label]] * 4 the first operand
    if isinstance(shown, cst.ListComp):
        return shown.elt
    if isinstance(shown, (cst.List, cst.Tuple)) and shown.elements:
        return shown.elements[0].value
    if not isinstance(given, cst.Name):
        return None
    around = source.around(given, cst.FunctionDef) or source.tree
    for call in source.every(cst.Call, around):
        if source.code(call.func) == f"{given.value}.append" and call.args:
            return call.args[0].value
    return None


def _display(source: Source, value: cst.BaseExpression) -> cst.BaseExpression:
    """The value that a name is assigned, if there is exactly one; else *value* itself."""
    found = list(given_to(source, value, None)) if isinstance(value, cst.Name) else []
    return found[0][0] if len(found) == 1 and found[0][1] is None else value


def used_as_list(
    source: Source,
    name: str,
    around: cst.CSTNode,
    pipeline: Iterable[cst.CSTNode],
    seen: FrozenSet[str] = frozenset(),
    *,
    depth: int = 1,
) -> bool:
    """Whether *around* uses *name* in a way that only a list allows: other than by reading its elements.

    Uses inside *pipeline* do not count.

    Args:
      seen: names of the same value that are already being checked.
      depth: how many indices lead to the elements of the list: 1 if *name* is the list itself, else as
        ``depth_of_lists`` returns it.
    """
    own = {one for line in pipeline for one in every(line, cst.Name)}
    block = around if isinstance(around, cst.FunctionDef) else None
    uses = (
        one
        for one in source.every(cst.Name, around)
        if one.value == name
        and one not in own
        # An inner function may have a variable of the same name.
        and any(source.around(place, cst.FunctionDef) is block for place in source.names.definitions(one))
    )
    return not all(_takes_parts(source, one, around, seen | {name}, depth) for one in uses)


def _takes_parts(
    source: Source, node: cst.BaseExpression, around: cst.CSTNode, seen: FrozenSet[str], depth: int
) -> bool:
    """Whether the use at *node* only reads elements; with *depth* 2, only elements of elements."""
    parent = source.parents.get(node)
    if isinstance(parent, (cst.AssignTarget, cst.Param)):
        return True
    if isinstance(parent, cst.Attribute):
        return parent.value is not node  # else it is an attribute of this name
    if isinstance(parent, cst.Assign):
        return all(_are_parts(source, one.target, around, seen, depth) for one in parent.targets)
    if isinstance(parent, cst.Subscript):
        index = parent.slice[0].slice
        if parent.value is not node or not isinstance(index, cst.Index) or not _is_read(source, parent):
            return False
        return depth == 1 or _takes_parts(source, parent, around, seen, depth - 1)
    if isinstance(parent, (cst.CompFor, cst.For)):
        return parent.iter is node and depth == 1
    if isinstance(parent, cst.Expr):
        return True
    if not isinstance(parent, cst.Arg):
        return False
    call = source.parents.get(parent)
    if parent.star or parent.keyword is node or not isinstance(call, cst.Call):
        return bool(parent.star) or parent.keyword is node
    if isinstance(call.func, cst.Name):
        return call.func.value in _READING
    # What a session returns for it is such a list too.
    is_run = isinstance(call.func, cst.Attribute) and call.func.attr.value == "run"
    return is_run and call.args[0] is parent and _takes_parts(source, call, around, seen, depth)


def _are_parts(
    source: Source, target: cst.BaseExpression, around: cst.CSTNode, seen: FrozenSet[str], depth: int
) -> bool:
    """Whether the value assigned to *target* is only unpacked or read by element, wherever its name is used."""
    if isinstance(target, (cst.List, cst.Tuple)):
        return depth == 1 or all(_are_parts(source, one.value, around, seen, depth - 1) for one in target.elements)
    if not isinstance(target, cst.Name):
        return False
    return target.value in seen or not used_as_list(source, target.value, around, (), seen, depth=depth)


def _is_read(source: Source, part: cst.CSTNode) -> bool:
    around = source.parents.get(part)
    return not isinstance(around, cst.AssignTarget) and not (
        isinstance(around, (cst.AugAssign, cst.Del)) and around.target is part
    )


def _any_of(found: Iterator[Optional[bool]]) -> Optional[bool]:
    """The common answer of *found*; None if the answers differ, False if there are none."""
    answers = set(found)
    return answers.pop() if len(answers) == 1 else None if answers else False

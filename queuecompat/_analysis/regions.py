"""Conditions and loops of TensorFlow 1's graphs as regions: the ops of each branch, loop test and loop body.

In these graphs a condition is not a single op: values enter a branch through ``Switch`` ops and leave it through
``Merge`` ops. A loop lies between ``Enter`` and ``Exit`` ops, and ``NextIteration`` leads back to its start.
``structured`` replaces each whole condition or loop by one node that lists the ops of its branches or bodies. These may
contain conditions and loops in turn.

Rule 1: Two results belong to one condition if their branches share an op, so that no op runs twice; and if they come
        from the same call of ``tf.cond``, which is recognised by its name scope.
Rule 2: A structure that TensorFlow 1's own functions would not build is left as ``Switch`` or ``Enter`` ops.
"""

from __future__ import annotations

import dataclasses
from typing import (
    Any,
    Callable,
    Container,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from queuecompat._analysis.batched.branches import in_order
from queuecompat._analysis.tensors import before_identities

__all__ = ["Condition", "Loop", "Region", "is_pivot", "structured"]

# Pairs of a predicate's name and a branch (1: the predicate is true) that an op or tensor is inside of.
_Branches = FrozenSet[Tuple[str, int]]


@dataclasses.dataclass(frozen=True)
class Region:
    """A branch of a condition, or the test or the body of a loop.

    Attributes:
      given: tensors from outside that the region takes.
      inside: pairs of a tensor inside the region and the number in *given* of its value (for a loop variable, of its
        initial value); for a loop, these include all loop variables.
      ops: the ops between those tensors and the *results*.
      results: the tensors that the region returns.
    """

    given: Tuple[Any, ...]
    inside: Tuple[Tuple[Any, int], ...]
    ops: Tuple[Any, ...]
    results: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class _Node:
    """A node that stands for a whole condition or loop and looks like an op.

    Attributes:
      replaces: the ops that other ops refer to when they use this node's outputs.
    """

    name: str
    replaces: Tuple[Any, ...]
    inputs: Tuple[Any, ...]
    outputs: Tuple[Any, ...]
    control_inputs: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Condition(_Node):
    """A condition. Its outputs are those of its ``Merge`` ops."""

    type = "Condition"
    predicate: Any
    if_true: Region
    if_false: Region


@dataclasses.dataclass(frozen=True)
class Loop(_Node):
    """A loop. Its outputs are those of its ``Exit`` ops.

    Attributes:
      first: the initial values of the loop variables. Any further input of a region is loop-invariant.
      shapes: the loop variables' static shapes, the same in all iterations.
      exits: for each output, the number of its loop variable.
    """

    type = "Loop"
    first: Tuple[Any, ...]
    shapes: Tuple[Any, ...]
    exits: Tuple[int, ...]
    parallel_iterations: int
    test: Region
    body: Region


def structured(ops: Sequence[Any], results: Sequence[Any]) -> Optional[List[Any]]:
    """Returns those of *ops* that *results* need, with one node in place of each outermost condition and loop.

    Args:
      results: tensors and ops.
    Returns:
      The ops and nodes in topological order; None if there is no such order because of a cycle.
    """
    ordered = _in_order(_with_loops(ops))
    if ordered is None:
        return None
    if any(op.type == "Merge" for op in ordered):
        ordered = _Conditions(ordered).replaced()
    return _in_order(list(_needed_by(results, _by_name(ordered), follows=_is_no_pivot)))


def _in_order(ops: Sequence[Any]) -> Optional[List[Any]]:
    """Returns *ops* in topological order; None if they contain a cycle."""
    inside = _by_name(ops)
    ordered = in_order(ops, inside)
    places = {op.name: place for place, op in enumerate(ordered)}
    is_possible = all(places[one.name] < places[op.name] for op in ordered for one in _before(op, inside))
    return ordered if is_possible else None


def is_pivot(op: Any) -> bool:
    """Whether ops have *op* as a control input only to be placed in its branch or loop body."""
    first = _without_identities(op)
    is_turn = first.type == "Merge" and any(one.op.type == "NextIteration" for one in first.inputs)
    return first.type == "Switch" or is_turn


def _without_identities(op: Any) -> Any:
    while op.type == "Identity" and not op.control_inputs:
        op = op.inputs[0].op
    return op


def _is_no_pivot(op: Any) -> bool:
    return not is_pivot(op)


def _by_name(ops: Iterable[Any]) -> Dict[str, Any]:
    return {one.name: op for op in ops for one in _replaced_by(op)}


def _replaced_by(op: Any) -> Sequence[Any]:
    return op.replaces if isinstance(op, _Node) else (op,)


def _before(op: Any, inside: Dict[str, Any]) -> List[Any]:
    names = [given.op.name for given in op.inputs] + [one.name for one in op.control_inputs]
    return [inside[name] for name in names if name in inside]


def _needed_by(
    results: Sequence[Any], inside: Dict[str, Any], stops: Container[str] = (), follows: Callable[[Any], bool] = bool
) -> Iterator[Any]:
    """Yields the ops of *inside* that *results* need, going back until an op named in *stops*.

    Args:
      follows: whether a given control input counts as needed, too.
    """
    found: Set[str] = set()
    waiting = [getattr(one, "op", one).name for one in results]
    while waiting:
        op = inside.get(waiting.pop())
        if op is None or op.name in found or op.name in stops:
            continue
        found.add(op.name)
        waiting += [given.op.name for given in op.inputs]
        waiting += [one.name for one in op.control_inputs if follows(one)]
        yield op


def _waits(ops: Iterable[Any], inside: Container[str]) -> Tuple[Any, ...]:
    """Returns the control inputs of *ops* that are neither *inside* nor pivots."""
    waits = {one.name: one for op in ops for one in op.control_inputs if not is_pivot(one)}
    return tuple(one for name, one in waits.items() if name not in inside)


# Loops.


def _with_loops(ops: Sequence[Any]) -> List[Any]:
    enters: Dict[str, List[Any]] = {}
    for op in ops:
        if op.type == "Enter":
            enters.setdefault(_text(op.get_attr("frame_name")), []).append(op)
    if not enters:
        return list(ops)
    followers = _followers(ops)
    within = {frame: _within(frame, starts, followers) for frame, starts in enters.items()}
    outermost = [
        frame
        for frame, starts in enters.items()
        if not any(starts[0].name in names for other, names in within.items() if other != frame)
    ]
    found = [_loop(frame, enters[frame], within[frame]) for frame in outermost]
    loops = [loop for loop in found if loop is not None]
    gone = {name for loop in loops for name in within[loop.name]}
    return [*(op for op in ops if op.name not in gone), *loops]


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _followers(ops: Sequence[Any]) -> Dict[str, List[Any]]:
    followers: Dict[str, List[Any]] = {}
    for op in ops:
        for name in {given.op.name for given in op.inputs} | {one.name for one in op.control_inputs}:
            followers.setdefault(name, []).append(op)
    return followers


def _within(frame: str, enters: Sequence[Any], followers: Dict[str, List[Any]]) -> Dict[str, Any]:
    """Returns the ops from *enters* to the exits of their loop, by name."""
    found: Dict[str, Any] = {}
    waiting = list(enters)
    while waiting:
        op = waiting.pop()
        if op.name in found:
            continue
        found[op.name] = op
        if not (op.type == "Exit" and _frame_of(op) == frame):
            waiting += followers.get(op.name, [])
    return found


def _frame_of(exit_op: Any) -> str:
    """Returns the frame name of the loop that ends in *exit_op*, an ``Exit`` op; empty if it is not built as usual."""
    op = exit_op
    for kind in ("Switch", "Merge", "Enter"):
        op = op.inputs[0].op
        if op.type != kind:
            return ""
    return _text(op.get_attr("frame_name"))


def _loop(frame: str, enters: Sequence[Any], within: Dict[str, Any]) -> Optional[Loop]:
    """Returns the loop of the ops *within*, which *enters* begin; None if it is not built as ``tf.while_loop`` does."""
    starts = {op.name for op in enters}
    merges = [op for op in within.values() if op.type == "Merge" and op.inputs[0].op.name in starts]
    merges.sort(key=lambda op: (len(op.name), op.name))  # in order of creation: Merge, Merge_1, ...
    tested = [op for op in within.values() if op.type == "Switch" and op.inputs[1].op.type == "LoopCond"]
    switches = {op.inputs[0].op.name: op for op in tested}
    if not merges or not all(one.name in switches and one.inputs[1].op.type == "NextIteration" for one in merges):
        return None
    exits = {op.inputs[0].op.name: op for op in within.values() if op.type == "Exit" and _frame_of(op) == frame}
    left = [(number, exits.get(switches[one.name].name)) for number, one in enumerate(merges)]
    leaving = [(number, op) for number, op in left if op is not None]
    first = tuple(one.inputs[0].op.inputs[0] for one in merges)
    fixed = [op for op in enters if op.get_attr("is_constant")]
    given = (*first, *(op.inputs[0] for op in fixed))
    unchanged = [(op.outputs[0], len(first) + number) for number, op in enumerate(fixed)]

    def region(variables: Sequence[Any], results: Sequence[Any]) -> Region:
        stops = {tensor.op.name for tensor in (*variables, *(tensor for tensor, _ in unchanged))}
        ops = list(_needed_by(results, within, stops))
        read = {tensor.name for tensor in (*results, *(given for op in ops for given in op.inputs))}
        inside = [(tensor, number) for number, tensor in enumerate(variables)]
        inside += [(tensor, number) for tensor, number in unchanged if tensor.name in read]
        return Region(given, tuple(inside), tuple(ops), tuple(results))

    test = switches[merges[0].name].inputs[1].op.inputs[0]
    return Loop(
        name=frame,
        replaces=tuple(op for _, op in leaving),
        inputs=given,
        outputs=tuple(op.outputs[0] for _, op in leaving),
        control_inputs=_waits(within.values(), within),
        first=first,
        shapes=tuple(one.outputs[0].shape for one in merges),
        exits=tuple(number for number, _ in leaving),
        parallel_iterations=enters[0].get_attr("parallel_iterations"),
        test=region([one.outputs[0] for one in merges], [test]),
        body=region([switches[one.name].outputs[1] for one in merges], [one.inputs[1].op.inputs[0] for one in merges]),
    )


# Conditions.


@dataclasses.dataclass(frozen=True)
class _Merged:
    """One result of a condition.

    Attributes:
      op: its Merge op.
      predicate: the name of the condition's predicate.
      results: the result of each branch; index 0 is the branch for false.
      ops: the ops of each branch, by name; same index.
    """

    op: Any
    predicate: str
    results: Tuple[Any, Any]
    ops: Tuple[Dict[str, Any], Dict[str, Any]]

    def belongs_to(self, others: Sequence[_Merged]) -> bool:
        """Whether this result belongs to the same condition as *others*."""
        names = self.ops[0].keys() | self.ops[1].keys()
        return any(self._is_in_same_scope(one) or names & (one.ops[0].keys() | one.ops[1].keys()) for one in others)

    def _is_in_same_scope(self, other: _Merged) -> bool:
        scope, other_scope = (one.op.name.rpartition("/")[0] for one in (self, other))
        return self.predicate == other.predicate and scope == other_scope != ""


class _Conditions:
    """Finds the conditions among *ordered*: ops in topological order, with loops replaced already."""

    def __init__(self, ordered: Sequence[Any]) -> None:
        self._ops = ordered
        self._inside = _by_name(ordered)
        switches = [op for op in ordered if op.type == "Switch"]
        self._predicates = {before_identities(op.inputs[1]).name: before_identities(op.inputs[1]) for op in switches}
        self._branches: Dict[str, _Branches] = {}
        for op in ordered:
            branches = self._branches_of(op)
            self._branches.update((one.name, branches) for one in _replaced_by(op))

    def replaced(self) -> List[Any]:
        """Returns the ops with one node in place of each outermost condition."""
        outermost = [op for op in self._ops if op.type == "Merge" and not self._branches[op.name]]
        groups: List[List[_Merged]] = []
        for one in filter(None, map(self._merged, outermost)):
            others = [group for group in groups if not one.belongs_to(group)]
            together = [other for group in groups if one.belongs_to(group) for other in group]
            groups = [*others, [*together, one]]
        nodes = [self._condition(group) for group in groups]
        gone = {name for group in groups for one in group for name in (one.op.name, *one.ops[0], *one.ops[1])}
        return [*(op for op in self._ops if op.name not in gone), *nodes]

    def _branches_of(self, op: Any) -> _Branches:
        parts = [self._branches_of_tensor(tensor) for tensor in op.inputs]
        if op.type == "Merge":
            merged = {name for name, branch in parts[0] if (name, 1 - branch) in parts[1]}
            if len(merged) == 1:
                parts = [frozenset(one for one in part if one[0] not in merged) for part in parts]
        parts += [self._branches.get(one.name, frozenset()) for one in op.control_inputs]
        return frozenset().union(*parts)

    def _branches_of_tensor(self, tensor: Any) -> _Branches:
        known = self._branches.get(tensor.op.name, frozenset())
        if tensor.op.type == "Switch" and tensor.op.name in self._inside:
            return known | {(before_identities(tensor.op.inputs[1]).name, tensor.value_index)}
        return known

    def _merged(self, op: Any) -> Optional[_Merged]:
        parts = [self._branches_of_tensor(tensor) for tensor in op.inputs]
        merged = [one for one in parts[0] if (one[0], 1 - one[1]) in parts[1]] if len(parts) == 2 else []
        if len(merged) != 1:
            return None
        predicate, first = merged[0]
        results = (op.inputs[first], op.inputs[1 - first])
        return _Merged(
            op, predicate, results, (self._ops_of(predicate, 0, results), self._ops_of(predicate, 1, results))
        )

    def _ops_of(self, predicate: str, branch: int, results: Sequence[Any]) -> Dict[str, Any]:
        """Returns the ops that run only in that *branch*."""
        inside = {
            name: op
            for name, op in self._inside.items()
            if (predicate, branch) in self._branches[name] and not self._is_switch_of(op, predicate)
        }
        return {op.name: op for op in _needed_by([results[branch]], inside)}

    def _is_switch_of(self, op: Any, predicate: str) -> bool:
        return op.type == "Switch" and before_identities(op.inputs[1]).name == predicate

    def _condition(self, group: Sequence[_Merged]) -> Condition:
        predicate = self._predicates[group[0].predicate]
        if_false, if_true = (self._region(group, branch) for branch in (0, 1))
        ops = [*if_true.ops, *if_false.ops]
        return Condition(
            name=group[0].op.name,
            replaces=tuple(one.op for one in group),
            inputs=(predicate, *if_true.given, *if_false.given),
            outputs=tuple(one.op.outputs[0] for one in group),
            control_inputs=_waits(ops, {one.name for op in ops for one in _replaced_by(op)}),
            predicate=predicate,
            if_true=if_true,
            if_false=if_false,
        )

    def _region(self, group: Sequence[_Merged], branch: int) -> Region:
        predicate = group[0].predicate
        results = tuple(one.results[branch] for one in group)
        ops = self._without_pivots(
            {name: op for one in group for name, op in one.ops[branch].items()}, results, predicate
        )
        made = {one.name for op in ops.values() for one in _replaced_by(op)}
        taken = [*(given for op in ops.values() for given in op.inputs), *results]
        coming = {tensor.name: tensor for tensor in taken if tensor.op.name not in made}
        outside = {name: self._before_the_switch(tensor, predicate) for name, tensor in coming.items()}
        given = list({tensor.name: tensor for tensor in outside.values()}.values())
        numbers = {tensor.name: number for number, tensor in enumerate(given)}
        inside = tuple((tensor, numbers[outside[name].name]) for name, tensor in coming.items())
        return Region(tuple(given), inside, tuple(ops.values()), results)

    def _without_pivots(self, ops: Dict[str, Any], results: Sequence[Any], predicate: str) -> Dict[str, Any]:
        """Returns *ops* of a branch without its pivots: ops that are only control inputs for that branch."""
        pivots = {
            name for name, op in ops.items() if is_pivot(op) and self._is_switch_of(_without_identities(op), predicate)
        }
        others = [op for name, op in ops.items() if name not in pivots]
        return {op.name: op for op in _needed_by((*results, *others), ops, follows=_is_no_pivot)}

    def _before_the_switch(self, tensor: Any, predicate: str) -> Any:
        return tensor.op.inputs[0] if self._is_switch_of(tensor.op, predicate) else tensor

"""Conditions and loops of TensorFlow 1's graphs as regions: what runs in each branch, and in each turn.

There a condition is no op: what goes into a branch passes a ``Switch``, what comes out a ``Merge``; a loop lies
between ``Enter`` and ``Exit``, and ``NextIteration`` leads back. ``structured`` puts one node in place of each whole
condition and loop, and says of its branches and bodies what ops they are. Those may have conditions and loops in turn.

Rule 1: two results that share an op of a branch are of one condition, so that nothing runs twice; and so are those of
        one call of ``tf.cond``, which is known by its name.
Rule 2: what is not as TensorFlow 1's functions make it stays as it is, a ``Switch`` or ``Enter`` among the ops.
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

__all__ = ["Condition", "Loop", "Region", "is_pivot", "structured"]

# Predicates, each with the branch (1: it is true) that something is in.
_Branches = FrozenSet[Tuple[str, int]]


@dataclasses.dataclass(frozen=True)
class Region:
    """A branch of a condition, or the test or the body of a loop.

    Attributes:
      given: tensors of outside that it takes.
      inside: what these are inside: tensors, each with its number in *given*; of a loop all variables.
      ops: what lies between these and the *results*.
    """

    given: Tuple[Any, ...]
    inside: Tuple[Tuple[Any, int], ...]
    ops: Tuple[Any, ...]
    results: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class _Node:
    """What stands in place of a condition or a loop, like an op; *replaces*: the ops by which others name it."""

    name: str
    replaces: Tuple[Any, ...]
    inputs: Tuple[Any, ...]
    outputs: Tuple[Any, ...]
    control_inputs: Tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Condition(_Node):
    """Its outputs are those of Merge ops."""

    type = "Condition"
    predicate: Any
    if_true: Region
    if_false: Region


@dataclasses.dataclass(frozen=True)
class Loop(_Node):
    """Its outputs are those of Exit ops.

    Attributes:
      first: the variables' values before the first turn; what a region is given beyond them is the same in all turns.
      shapes: of the variables, in all turns.
      exits: the number of the variable that each output is.
    """

    type = "Loop"
    first: Tuple[Any, ...]
    shapes: Tuple[Any, ...]
    exits: Tuple[int, ...]
    parallel_iterations: int
    test: Region
    body: Region


def structured(ops: Sequence[Any], results: Sequence[Any]) -> Optional[List[Any]]:
    """What *results*, tensors and ops, need of *ops*, with a node for each condition and loop that is inside no other.

    Returns:
      Each after those that it depends on; None where that goes round in a circle.
    """
    ordered = _in_order(_with_loops(ops))
    if ordered is None:
        return None
    if any(op.type == "Merge" for op in ordered):
        ordered = _Conditions(ordered).replaced()
    return _in_order(list(_back(results, _by_name(ordered), follows=_is_no_pivot)))


def _in_order(ops: Sequence[Any]) -> Optional[List[Any]]:
    """*ops*, each after those that it depends on; None where that goes round in a circle."""
    inside = _by_name(ops)
    ordered = in_order(ops, inside)
    places = {op.name: place for place, op in enumerate(ordered)}
    is_possible = all(places[one.name] < places[op.name] for op in ordered for one in _before(op, inside))
    return ordered if is_possible else None


def is_pivot(op: Any) -> bool:
    """Whether an op that waits for *op* does so only to be in its branch or turn."""
    first = _way_in(op)
    is_turn = first.type == "Merge" and any(one.op.type == "NextIteration" for one in first.inputs)
    return first.type == "Switch" or is_turn


def _way_in(op: Any) -> Any:
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


def _back(
    results: Sequence[Any], inside: Dict[str, Any], stops: Container[str] = (), follows: Callable[[Any], bool] = bool
) -> Iterator[Any]:
    """The ops of *inside* that *results* need, as far back as those called *stops*.

    Args:
      follows: whether what an op waits for is needed, too.
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
    """What *ops* wait for that is not *inside*."""
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
    """The ops from *enters* to the exits of their loop."""
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


def _frame_of(way_out: Any) -> str:
    """The loop of which *way_out*, an Exit, has a variable."""
    op = way_out
    for kind in ("Switch", "Merge", "Enter"):
        op = op.inputs[0].op
        if op.type != kind:
            return ""
    return _text(op.get_attr("frame_name"))


def _loop(frame: str, enters: Sequence[Any], within: Dict[str, Any]) -> Optional[Loop]:
    starts = {op.name for op in enters}
    merges = [op for op in within.values() if op.type == "Merge" and op.inputs[0].op.name in starts]
    merges.sort(key=lambda op: (len(op.name), op.name))  # as they were made: Merge, Merge_1, ...
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
        ops = list(_back(results, within, stops))
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
    """One result of a condition: the Merge *op*, the name of the predicate, each branch's result and ops; 0: false."""

    op: Any
    predicate: str
    results: Tuple[Any, Any]
    ops: Tuple[Dict[str, Any], Dict[str, Any]]

    def belongs_to(self, others: Sequence[_Merged]) -> bool:
        """Whether it is of the condition that *others* are of."""
        names = self.ops[0].keys() | self.ops[1].keys()
        return any(self._is_beside(one) or names & (one.ops[0].keys() | one.ops[1].keys()) for one in others)

    def _is_beside(self, other: _Merged) -> bool:
        scope, other_scope = (one.op.name.rpartition("/")[0] for one in (self, other))
        return self.predicate == other.predicate and scope == other_scope != ""


class _Conditions:
    """The conditions among *ordered*, ops without loops, each after those that it depends on."""

    def __init__(self, ordered: Sequence[Any]) -> None:
        self._ops = ordered
        self._inside = _by_name(ordered)
        switches = [op for op in ordered if op.type == "Switch"]
        self._predicates = {_root(op.inputs[1]).name: _root(op.inputs[1]) for op in switches}
        self._branches: Dict[str, _Branches] = {}
        for op in ordered:
            branches = self._branches_of(op)
            self._branches.update((one.name, branches) for one in _replaced_by(op))

    def replaced(self) -> List[Any]:
        """The ops, with a node in place of each condition."""
        outermost = [op for op in self._ops if op.type == "Merge" and not self._branches[op.name]]
        groups: List[List[_Merged]] = []
        for one in filter(None, map(self._merged, outermost)):
            apart = [group for group in groups if not one.belongs_to(group)]
            together = [other for group in groups if one.belongs_to(group) for other in group]
            groups = [*apart, [*together, one]]
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
            return known | {(_root(tensor.op.inputs[1]).name, tensor.value_index)}
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
        """What runs in that *branch* alone."""
        inside = {
            name: op
            for name, op in self._inside.items()
            if (predicate, branch) in self._branches[name] and not self._is_way_in(op, predicate)
        }
        return {op.name: op for op in _back([results[branch]], inside)}

    def _is_way_in(self, op: Any, predicate: str) -> bool:
        return op.type == "Switch" and _root(op.inputs[1]).name == predicate

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
        """*ops*, of the condition of that *predicate*, without those that others wait for only to be in it."""
        pivots = {name for name, op in ops.items() if is_pivot(op) and self._is_way_in(_way_in(op), predicate)}
        others = [op for name, op in ops.items() if name not in pivots]
        return {op.name: op for op in _back((*results, *others), ops, follows=_is_no_pivot)}

    def _before_the_switch(self, tensor: Any, predicate: str) -> Any:
        return tensor.op.inputs[0] if self._is_way_in(tensor.op, predicate) else tensor


def _root(tensor: Any) -> Any:
    """The tensor that *tensor*, a predicate, is by another name."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor

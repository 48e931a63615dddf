"""Finds the ops of a slice that always compute the same results from the same file, so that a cache may keep these.

Each op is *constant* (it depends on no input of the slice), *of the file* (everything that it depends on is), or
*other*: it draws random numbers, calls Python, reads a state that may change, or depends on an op that does.

Rule 1: An op that is not known to be a function of the file is *other*. That includes every op that TensorFlow calls
        stateful, unless the table of facts says that it only checks its input.
Rule 2: The cached part ends outside of branches and loops, and passes on no handles.
Rule 3: A check stays in the same part as the ops that wait for it.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

from queuecompat._analysis.batched.branches import LOOPS, Guards, in_order
from queuecompat._analysis.batched.form import NO_WORK, WIDENING
from queuecompat._analysis.effects import called_kinds, effects_of
from queuecompat._analysis.library import calls_functions
from queuecompat._analysis.op_facts import FACTS, PYTHON, READS
from queuecompat._analysis.origins import made_at

__all__ = ["READ_FILE", "FilePart", "file_part", "uses_of"]

READ_FILE = "ReadFile"
_CHECKS = ("Assert", "CheckNumerics")
_OF_ONE_RUN = "TensorArray"
_CONSTANT, _OF_FILE, _OTHER = range(3)


class FilePart:
    """The part of a slice that is of the file.

    Attributes:
      ops: the names of its ops.
      crossing: the tensors that it passes to the rest of the slice or that are outputs of the slice, in order.
      reads: the op that reads the file, if that op is in the slice.
    """

    def __init__(self, ops: Set[str], crossing: Sequence[Any], reads: Optional[Any]) -> None:
        self.ops = ops
        self.crossing = list(crossing)
        self.reads = reads


def file_part(
    ops: Sequence[Any], sources: Sequence[Any], outputs: Sequence[Any], library: Optional[Any], *, after_read: bool
) -> Union[FilePart, str]:
    """Returns the part of the slice from *sources* to *outputs* that can be cached; a text if there is none.

    Args:
      ops: the slice's operations, in any order.
      library: the functions that *ops* call; None: they call none.
      after_read: whether the sources were read from the file already; otherwise one of *ops* must read it.
    """
    search = _Search(ops, sources, outputs, library, after_read)
    if not after_read and search.reads is None:
        return "its elements come neither from a reader nor from tf.read_file of a single file"
    search.run()
    work = [op for op in search.ops if search.is_of_file(op) and op.type not in (*NO_WORK, READ_FILE)]
    if not work:
        return search.first_other()
    crossing = search.crossing()
    if not crossing:
        return "its results depend on no file"
    return FilePart({op.name for op in search.ops if search.is_of_file(op)}, crossing, search.reads)


class _Search:
    def __init__(
        self, ops: Sequence[Any], sources: Sequence[Any], outputs: Sequence[Any], library: Any, after_read: bool
    ) -> None:
        self.ops = in_order(ops)
        self._outputs = outputs
        self._inside = {op.name: op for op in self.ops}
        self._of_sources = {tensor.name: _OF_FILE if after_read else _OTHER for tensor in sources}
        self._guards = Guards(self.ops)
        files = [op for op in self.ops if op.type == READ_FILE]
        self.reads = files[0] if len(files) == 1 and not after_read and self._is_alone(files[0]) else None
        self._why = {op.name: _why_not(op, library) for op in self.ops if op is not self.reads}
        self._states: Dict[str, int] = dict.fromkeys(self._inside, _CONSTANT)
        self._excluded: Set[str] = set()  # excluded from the part, though it is of the file

    def _is_alone(self, op: Any) -> bool:
        return not self._guards.of(op) and not any(one.type in LOOPS for one in self.ops)

    def is_of_file(self, op: Any) -> bool:
        return self._states.get(op.name) == _OF_FILE

    def run(self) -> None:
        """Computes all states; excludes ops whose results may not leave the part, until there are none."""
        while True:
            self._spread()
            more = self._not_to_cross() | self._split_loops() | self._split_arrays() or self._widening()
            if not more - self._excluded:
                return
            self._excluded |= more

    def first_other(self) -> str:
        """Returns the reason that the first op with one is not of the file, in words."""
        for op in self.ops:
            why = self._why.get(op.name)
            if why:
                return f"{op.type} ({made_at(op)}) {why}, and only reading comes before it"
        return "only reading comes before the shuffling"

    def crossing(self) -> List[Any]:
        taken = [tensor for op in self.ops if not self.is_of_file(op) for tensor in op.inputs] + list(self._outputs)
        found = [tensor for tensor in taken if self.is_of_file(tensor.op)]
        return list({tensor.name: tensor for tensor in found}.values())

    def _spread(self) -> None:
        is_changed = True
        while is_changed:  # loops need several rounds
            is_changed = False
            for op in self.ops:
                state = self._state(op)
                if state > self._states[op.name]:
                    self._states[op.name] = state
                    is_changed = True

    def _state(self, op: Any) -> int:
        if op.name in self._excluded or self._why.get(op.name):
            return _OTHER
        if op is self.reads:
            return _OF_FILE
        before = [self._of(tensor) for tensor in op.inputs]
        before += [self._states[one.name] for one in op.control_inputs if one.name in self._states]
        return max(before, default=_CONSTANT)

    def _of(self, tensor: Any) -> int:
        if tensor.name in self._of_sources:
            return self._of_sources[tensor.name]
        if tensor.op.name in self._states:
            return self._states[tensor.op.name]
        return _CONSTANT if tensor.op.type == "Const" else _OTHER  # captured

    def _not_to_cross(self) -> Set[str]:
        found = {tensor.op.name for tensor in self.crossing() if not self._may_cross(tensor)}
        for op in self.ops:
            if not self.is_of_file(op):
                found |= {one.name for one in op.control_inputs if self.is_of_file(one)}
        return found

    def _may_cross(self, tensor: Any) -> bool:
        is_value = tensor.dtype == tensor.dtype.base_dtype and tensor.dtype.name not in ("resource", "variant")
        return is_value and not self._guards.of_tensor(tensor) and tensor.op.type not in set(LOOPS) - {"Exit"}

    def _split_loops(self) -> Set[str]:
        """Returns ops of the file inside loops if another op in a loop is *other*: loops are cached as a whole."""
        inside: Set[str] = set()
        for op in self.ops + self.ops:  # twice, because a loop leads back
            before = {tensor.op.name for tensor in op.inputs} | {one.name for one in op.control_inputs}
            if op.type == "Enter" or (op.type != "Exit" and before & inside):
                inside.add(op.name)
        is_split = any(self._states[name] == _OTHER for name in inside)
        return {name for name in inside if self._states[name] == _OF_FILE} if is_split else set()

    def _split_arrays(self) -> Set[str]:
        """Returns ops of the file that share a TensorArray with other ops: all its ops must be in the same part."""
        users: Dict[str, List[Any]] = {}
        for op in self.ops:
            for tensor in op.inputs:
                if tensor.dtype.base_dtype.name == "resource":
                    users.setdefault(self._made_by(tensor), []).append(op)
        split = [ops for ops in users.values() if not all(map(self.is_of_file, ops))]
        return {op.name for ops in split for op in ops if self.is_of_file(op)}

    def _made_by(self, tensor: Any) -> str:
        """Returns the name of the op that made the handle *tensor*."""
        while tensor.op.inputs and tensor.op.inputs[0].dtype.base_dtype.name == "resource":
            tensor = tensor.op.inputs[0]
        return str(tensor.op.name)

    def _widening(self) -> Set[str]:
        """Returns the casts and constant arithmetic at the end of the part that make its results larger (in bytes).

        They are computed again after the cache, which then holds the smaller values.
        """
        found: Set[str] = set()
        for tensor in self.crossing():
            smallest = tensor.dtype.size
            chain: List[str] = []
            best: List[str] = []
            while tensor.op.type in WIDENING and self.is_of_file(tensor.op) and not tensor.op.control_inputs:
                given = [one for one in tensor.op.inputs if self._of(one) != _CONSTANT]
                if len(given) != 1 or given[0].shape.rank != tensor.shape.rank or not self._is_taken_by(tensor, chain):
                    break
                chain.append(tensor.op.name)
                tensor = given[0]
                if tensor.dtype.size < smallest and self.is_of_file(tensor.op):
                    smallest, best = tensor.dtype.size, list(chain)
            found.update(best)
        return found

    def _is_taken_by(self, tensor: Any, chain: Iterable[str]) -> bool:
        """Whether *chain* contains every op of the part that uses *tensor*."""
        takers = {
            op.name for op in self.ops if self.is_of_file(op) and any(one.name == tensor.name for one in op.inputs)
        }
        return takers <= set(chain)


def _why_not(op: Any, library: Optional[Any]) -> str:
    """Says why the results of *op* may differ from run to run; empty: they do not."""
    effects = effects_of([op], library)
    kinds = called_kinds([op], library)
    facts = [FACTS[kind].effect for kind in kinds if kind in FACTS and kind not in _CHECKS]
    if effects.is_random:
        return "draws random numbers"
    if effects.calls_python or PYTHON in facts:
        return "calls a Python function"
    if effects.has_effects or effects.may_end:
        return "has side effects"
    if any(kind in kinds for kind in (READ_FILE, "MatchingFiles")):
        return "reads other files"
    # An op that only calls functions is stateful by definition, but the functions themselves have been checked above.
    is_known = op.type in _CHECKS or op.type.startswith(_OF_ONE_RUN) or calls_functions(op.node_def)
    if READS in facts or (op.op_def.is_stateful and not is_known):
        return "reads a variable, a table or other state"
    return ""


def uses_of(tensors: Sequence[Any], known: Sequence[Any]) -> Tuple[int, ...]:
    """Returns the index of each of *tensors* among *known*."""
    numbers = {tensor.name: number for number, tensor in enumerate(known)}
    return tuple(numbers[tensor.name] for tensor in tensors)

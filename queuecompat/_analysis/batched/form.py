"""The batched form of a slice: which ops run for each element, which once for each batch, and why some cannot.

Large elements are processed one by one: a batch of them does not fit into a processor's cache from one op to the next,
and only some ops use several threads. An exception, for any size, are casts and arithmetic at the end of a slice that
make elements larger (in bytes): run on batches, they let the smaller elements be copied into the batch.
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import tensorflow as tf

from queuecompat._analysis.batched.branches import Guards, in_order
from queuecompat._analysis.batched.cutting import head_of
from queuecompat._analysis.batched.rewriting import Rewriting, why_not
from queuecompat._analysis.batched.values import NoRuleError
from queuecompat._analysis.batched.varying import varying
from queuecompat._analysis.op_facts import FACTS
from queuecompat._analysis.origins import is_of_window, made_at
from queuecompat.codes import CODES

__all__ = ["LARGEST_ELEMENT_BYTES", "NO_WORK", "WIDENING", "Form", "batched_form", "remark"]

# Elements larger than this (in bytes), at any place of the tail, are processed one by one. Measured on 2 processors, TF
# 2.21, with batches of 32, a random flip, a cast and scaling. Processor time relative to processing one by one, by the
# size of the largest tensor: 9 kB 0.43 to 0.54, 38 kB 0.68 to 0.75, 77 kB 0.61 to 1.01, float images of 600 kB about 4.
LARGEST_ELEMENT_BYTES = 64 * 1024
# A head and a tail are worth the cost of two functions if the tail has at least this share of the ops.
SMALLEST_SHARE = 0.5
# The assumed size of each string, in bytes.
_STRING_BYTES = 256
WIDENING = ("Add", "AddV2", "Cast", "Mul", "RealDiv", "Sub")
# The number of ops that cannot be batched that messages name.
_MOST_NAMED = 2
# A slice that contains only these looks at each number once or twice: measured 0.5 to 0.9 of the time one by one, at
# any size up to 600 kB.
_AT_ANY_SIZE = {kind for kind, facts in FACTS.items() if facts.at_any_size}
NO_WORK = ("Const", "Identity", "NoOp")


@dataclasses.dataclass(frozen=True)
class Form:
    """The batched form of a slice.

    Attributes:
      between: the tensors of the user's graph that are batched, in order.
      given, outputs: the same tensors, and the results, in the new graph.
      stand_ins: from the name of a tensor of the new graph to the captured tensor that it stands for.
      has_head: whether some ops run for each element.
      batched, total: the number of ops that run on batches, and of all ops whose results differ between elements.
    """

    between: Tuple[Any, ...]
    given: Tuple[Any, ...]
    outputs: Tuple[Any, ...]
    stand_ins: Dict[str, Any]
    has_head: bool
    batched: int
    total: int

    @property
    def graph(self) -> tf.Graph:
        return self.outputs[0].graph


Refused = Tuple[Tuple[Any, str], ...]


class _Part:
    """The facts about a slice that are the same in all attempts to cut it."""

    def __init__(
        self,
        ops: Sequence[Any],
        sources: Sequence[Any],
        outputs: Sequence[Any],
        captured: Sequence[Any],
        lengths: Dict[str, int],
        size: Optional[int],
        library: Optional[Any],
        pads: bool,
    ) -> None:
        self.ops = in_order(ops)
        self.sources = list(sources)
        self.outputs = list(outputs)
        self.guards = Guards(self.ops)
        self.varies = varying(self.ops, sources, self.guards)
        self.inside = [op for op in self.ops if op.name in self.varies]
        self._captured = captured
        self._lengths = lengths
        self._size = size
        self._library = library
        self._pads = pads

    def rewritten(self, inputs: Sequence[Any], tail: Sequence[Any]) -> Rewriting:
        known = (self._captured, self._lengths, self._size, self._library)
        rewriting = Rewriting(self.ops, self.varies, self.guards, *known, pads=self._pads)
        rewriting.run(inputs, tail)
        return rewriting

    def head(self, refused: Mapping[str, str]) -> Set[str]:
        """Returns the names of the ops that must run for each element if those in *refused* do."""
        return head_of(self.inside, self.outputs, set(refused), self._bytes_between)

    def _bytes_between(self, tensor: Any) -> int:
        """Returns the bytes of an element of *tensor*; negative if it cannot be batched (in a branch, or sizes
        differ).
        """
        size = _bytes(tensor.shape, tensor.dtype)
        is_value = tensor.dtype == tensor.dtype.base_dtype and tensor.dtype.name not in ("resource", "variant")
        is_output = any(tensor.name == output.name for output in self.outputs)
        if not is_value or self.guards.of_tensor(tensor) or (size is None and not is_output):
            return -1
        return size or 0


def batched_form(
    ops: Sequence[Any],
    sources: Sequence[Any],
    outputs: Sequence[Any],
    captured: Sequence[Any],
    lengths: Dict[str, int],
    size: Optional[int] = None,
    library: Optional[Any] = None,
    pads: bool = False,
    keeps: bool = False,
    stay: Mapping[str, str] = MappingProxyType({}),
) -> Tuple[Optional[Form], Refused]:
    """Returns the batched form of the slice from *sources* to *outputs*.

    Args:
      ops: the slice's operations, in any order.
      captured: tensors that the slice takes by reference.
      lengths: the number of bytes of each string of a source, by the source's name, where that is known.
      size: the number of elements in every batch; None: it differs.
      library: the functions that *ops* call; None: they call none.
      pads: whether outputs may differ in length, padded to the longest of the batch.
      keeps: the last output says which elements to keep, and is not an output of the form.
      stay: from the names of ops that must run for each element to the reason.
    Returns:
      (form, refused). *form* is None if no op runs on batches. *refused* has a pair of op and reason for each op
      without a batched form that does not depend on another such op.
    """
    part = _Part(ops, sources, outputs, captured, lengths, size, library, pads)
    refused = {**_refused_at_sight(part), **{name: why for name, why in stay.items() if name in part.varies}}
    while True:
        head = part.head(refused) if refused else set()
        if not head >= set(refused):  # the output of such an op can neither be batched nor computed on batches
            return None, _first_refused(part, refused)
        tail = _tail(part, head)
        between = _between(part, tail, head) if head else part.sources
        if not _is_worth_it(part, tail, between, head):
            return None, _first_refused(part, refused)
        rewriting = part.rewritten(between, tail)
        found = {**rewriting.refused, **_too_large(part, rewriting.shape)}
        in_tail = {op.name for op in tail}
        more = {name: why for name, why in found.items() if name in in_tail}
        if not more:
            break
        refused.update(more)
    try:
        results = rewriting.results(part.outputs, keeps)
    except NoRuleError as error:
        return None, (*_first_refused(part, refused), (part.outputs[0].op, str(error)))
    form = Form(
        tuple(between),
        tuple(rewriting.given),
        tuple(results),
        rewriting.stand_ins,
        bool(head),
        _count(tail),
        _count(part.inside),
    )
    return form, _first_refused(part, refused)


def remark(form: Optional[Form], refused: Refused) -> str:
    """Says how much of a slice runs on batches, and why the rest does not; empty if all of it does."""
    if form is not None and not form.has_head:
        return ""
    share = "not batched" if form is None else f"batched: {form.batched} of {form.total} ops"
    what = CODES["QC309"].what
    held = [what.format(kind=op.type, place=made_at(op), why=why) for op, why in refused[:_MOST_NAMED]]
    return "; ".join([share, *(f"QC309 {one}" for one in held)])


def _tail(part: _Part, head: Set[str]) -> List[Any]:
    """Returns the ops of the tail, in order: the ops that vary, are needed by the outputs, and are not in *head*."""
    by_name = {op.name: op for op in part.ops if op.name in part.varies and op.name not in head}
    needed: Set[str] = set()
    waiting = [tensor.op for tensor in part.outputs]
    while waiting:
        op = waiting.pop()
        if op.name not in by_name or op.name in needed:
            continue
        needed.add(op.name)
        waiting += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
        guards = [part.guards.of(op), *(part.guards.of_tensor(tensor) for tensor in op.inputs)]
        decides = {name.rpartition(":")[0] for guard in guards for name, _ in guard}
        waiting += [by_name[name] for name in decides if name in by_name]
    return [op for op in part.ops if op.name in needed]


def _count(ops: Sequence[Any]) -> int:
    return sum(op.type not in NO_WORK and not is_of_window(op) for op in ops)


def _refused_at_sight(part: _Part) -> Dict[str, str]:
    """Returns the ops that are known, before any is rewritten, to have no batched form, with the reasons.

    This is done first because rewriting an op takes as long as running it on a thousand elements.
    """
    refused = _too_large(part, lambda tensor: tensor.shape)
    open_ended = {tensor.name for tensor in part.sources if not tensor.shape.is_fully_defined()}
    for op in part.inside:
        why = None if op.name in part.varies.fixed else why_not(op)
        if why is None and any(tensor.name in open_ended for tensor in op.inputs):
            why = "its elements have different shapes"
        if why is not None:
            refused[op.name] = why
        if op.name in refused:
            open_ended.update(tensor.name for tensor in op.outputs if not tensor.shape.is_fully_defined())
    return refused


def _is_worth_it(part: _Part, tail: Sequence[Any], between: Sequence[Any], head: Set[str]) -> bool:
    """Whether running *tail* on batches saves more than a second function for the head costs.

    That is so if the tail is the larger part, or if the cut reduces the bytes that are copied into the batch.
    """
    if not _count(tail):
        return False
    if not head or SMALLEST_SHARE * _count(part.inside) <= _count(tail):
        return True
    copied, whole = (_bytes_of_all(tensors) for tensors in (between, part.outputs))
    return copied is not None and whole is not None and copied < whole


def _bytes_of_all(tensors: Sequence[Any]) -> Optional[int]:
    sizes = [_bytes(tensor.shape, tensor.dtype) for tensor in tensors]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _too_large(part: _Part, shape: Callable[[Any], tf.TensorShape]) -> Dict[str, str]:
    """Returns the ops whose elements are too large for a batch, with the reasons.

    Args:
      shape: returns the static shape of a tensor's element.
    """
    is_brief = all(op.type in _AT_ANY_SIZE or op.type in NO_WORK for op in part.inside)
    if is_brief:
        return {}
    exempt = _widening(part.outputs)
    comes_in = {tensor.name for tensor in part.sources}
    found = {}
    for op in part.inside:
        if op.name in exempt or op.type in NO_WORK:
            continue
        # A table that elements are looked up in is not counted: it exists only once.
        own = [tensor for tensor in op.inputs if tensor.name in comes_in or tensor.op.name in part.varies]
        sizes = [_bytes(shape(tensor), tensor.dtype) for tensor in (*own, *op.outputs)]
        largest = max((size for size in sizes if size is not None), default=0)
        if largest > LARGEST_ELEMENT_BYTES:
            found[op.name] = f"elements of {largest} bytes are faster one by one"
    return found


def _first_refused(part: _Part, refused: Mapping[str, str]) -> Refused:
    """Returns the *refused* ops that do not depend on other refused ops."""
    spoilt: Set[str] = set()
    first = []
    for op in part.ops:
        before = [tensor.op.name for tensor in op.inputs] + [one.name for one in op.control_inputs]
        is_spoilt = any(name in spoilt for name in before)
        if op.name in refused and not is_spoilt:
            first.append((op, refused[op.name]))
        if is_spoilt or op.name in refused:
            spoilt.add(op.name)
    return tuple(first)


def _widening(outputs: Sequence[Any]) -> Set[str]:
    """Returns the names of the casts and constant arithmetic at the end that make *outputs* larger (in bytes)."""
    names: Set[str] = set()
    for output in outputs:
        tensor, chain, smallest = output, [], output.dtype.size
        while tensor.op.type in WIDENING and not tensor.op.control_inputs:
            varying_inputs = [given for given in tensor.op.inputs if given.op.type != "Const"]
            if len(varying_inputs) != 1 or varying_inputs[0].shape.as_list() != output.shape.as_list():
                break
            chain.append(tensor.op.name)
            (tensor,) = varying_inputs
            if tensor.dtype.size < smallest:
                smallest = tensor.dtype.size
                names.update(chain)
    return names


def _bytes(shape: tf.TensorShape, dtype: Any) -> Optional[int]:
    count = shape.num_elements() if shape.rank is not None else None
    if count is None:
        return None
    return int(count) * (_STRING_BYTES if dtype == tf.string else dtype.size)


def _between(part: _Part, tail: Sequence[Any], head: Set[str]) -> List[Any]:
    """Returns the inputs of *tail*, from *head* or from the sources, and outputs that bypass the tail."""
    comes_in = {tensor.name for tensor in part.sources}
    needed = [tensor for op in tail for tensor in op.inputs] + part.outputs
    crossing = [tensor for tensor in needed if tensor.name in comes_in or tensor.op.name in head]
    return list({tensor.name: tensor for tensor in crossing}.values())

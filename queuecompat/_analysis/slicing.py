"""A slice of the user's graph: the ops between two stages, as a function that a dataset can run.

Rule 1: ``reach`` finds the ops of a slice. What runs is a copy of them (``op_copy``).
Rule 2: Whatever is derived from a slice (its form for whole batches, the part that runs once per file, a version with
        an earlier crop) is itself a ``Slice``, so that it can be run, printed as code and compared like any other.
"""

from __future__ import annotations

import copy
import functools
import hashlib
from typing import AbstractSet, Any, Callable, Dict, Hashable, List, Optional, Sequence, Set, Tuple, Union

import tensorflow as tf

from queuecompat._analysis.batched.form import Form, batched_form, remark
from queuecompat._analysis.cacheable import READ_FILE, file_part, uses_of
from queuecompat._analysis.cropping.moving import moved
from queuecompat._analysis.draw_step import can_be_cut, ops_of_draw_step
from queuecompat._analysis.effects import Effects, effects_of
from queuecompat._analysis.frontier import Frontier, Given
from queuecompat._analysis.library import library_of
from queuecompat._analysis.locality import may_change, what_belongs_here
from queuecompat._analysis.op_copy import EXTERNAL_ARRAY_OP, OpCopy, Seed, is_among
from queuecompat._analysis.origins import is_of_window, users_name
from queuecompat._analysis.reach import reached_from
from queuecompat._analysis.stateless import can_be_stateless, draws, only_draws_few
from queuecompat._analysis.statements import SourceNotes, notes_of, notes_of_rewritten
from queuecompat._analysis.structural_hash import structural_hash
from queuecompat._analysis.tensors import is_reference
from queuecompat._plan.bodies import Around, Body, CacheSplit, ConcreteFunction, InBatches, Split, Writer, alone
from queuecompat.errors import CannotCompileError

__all__ = ["Slice", "cut"]

_OWN_NUMBERS = "each record has random numbers of its own"
# A number of rows that differs from every dimension that the ops may have in mind.
_ROWS = 104729
_REFERENCE_VARIABLES = ("Variable", "VariableV2")


class Slice(Body):
    """A part of the user's graph as a function from *sources* to *outputs*.

    Args:
      outputs: the tensors to compute, in order; a source may be among them.
      sources: the stage outputs that they are computed from.
      ops: the operations between sources and outputs, in any order.
      captured: tensors of the user's graph that the copy takes by reference.
      first: those of *ops* that the program ran before it drew the sources (their control inputs).
      frontier: where the slice ends; used to cut smaller slices out of it.
    """

    def __init__(
        self,
        outputs: Sequence[tf.Tensor],
        sources: Sequence[tf.Tensor],
        ops: Sequence[tf.Operation],
        captured: Sequence[tf.Tensor],
        first: Sequence[tf.Operation] = (),
        *,
        frontier: Frontier,
    ) -> None:
        self._frontier = frontier
        self.outputs = tuple(outputs)
        self.sources = tuple(sources)
        self._ops = tuple(ops)
        self._captured = tuple(captured)
        self._first = tuple(first)
        self._bind: Callable[[tf.Tensor], Any] = lambda tensor: tensor
        self._library = library_of(self._ops)
        effects: Effects = effects_of(self._ops, self._library)
        self.is_empty = not self._ops and all(is_among(t, self.sources) for t in outputs)
        self.is_random = effects.is_random
        self.is_seeded = effects.is_seeded
        self.has_effects = effects.has_effects
        self.may_end = effects.may_end
        self.runs_alone = effects.runs_alone
        self.calls_python = effects.calls_python
        self.only_reads_file = {op.type for op in self._ops} == {READ_FILE}
        # For a slice in one of our own graphs: maps each captured tensor's name to the tensor of the user's graph that
        # it stands for.
        self._stands_for: Dict[str, tf.Tensor] = {}
        self._made_from: Optional[Slice] = None  # the slice that this one was derived from
        self._in_batches: Dict[Tuple[Optional[int], ...], InBatches] = {}
        self._cache_splits: Dict[bool, Union[CacheSplit, str]] = {}
        self._seed: Optional[Seed] = None
        self._by_number: Dict[Optional[int], Optional[Slice]] = {}
        self._cropped: Optional[Tuple[Optional[Slice], str]] = None

    def cropped_early(self) -> Tuple[Optional[Slice], str]:
        if self._cropped is None:  # a plan is built several times; the result must be the same object each time
            self._cropped = self._made_to_crop_early()
        return self._cropped

    def _made_to_crop_early(self) -> Tuple[Optional[Slice], str]:
        has_own_copies = any(tensor.op.type == EXTERNAL_ARRAY_OP for tensor in self._captured)
        if self._first or has_own_copies or any(map(is_reference, self._ops)):
            return None, ""
        found = moved(self._ops, self.sources, self.outputs, self._captured, self._copy)
        if found is None:
            return None, ""
        captured = [found.outputs[0].graph.get_tensor_by_name(name) for name in found.stand_ins]
        frontier = Given(found.given, captured)
        cropped = Slice(found.outputs, found.given, found.ops, captured, frontier=frontier)
        cropped._stands_for = self._of_user(found.stand_ins)
        cropped._made_from, cropped._seed = self, self._seed
        return cropped, found.words

    def by_number(self, key: Optional[int] = None) -> Optional[Slice]:
        if key not in self._by_number:  # a plan is built several times; the result must be the same object each time
            self._by_number[key] = self._made_by_number(key)
        return self._by_number[key]

    def _made_by_number(self, key: Optional[int]) -> Optional[Slice]:
        is_free = self.is_random and not self.is_seeded and self._library is None
        if not is_free or not can_be_stateless(self._ops):
            return None
        copied = copy.copy(self)
        copied._seed, copied._in_batches, copied._cache_splits, copied._cropped = Seed(key), {}, {}, None
        return copied

    def bound(self, bind: Callable[[tf.Tensor], Any]) -> Slice:
        """Returns this slice with ``bind(tensor)`` in place of each captured tensor.

        For an op that stands for an array outside of the graph (``EXTERNAL_ARRAY_OP``), *bind* must return an object
        with the methods ``rows(indices)`` and ``whole()``.

        Raises:
          CannotCompileError: QC202, the slice reads a reference variable. Such a variable cannot be captured: it lives
            in a session only.
        """
        for op in self._ops:
            if op.type in _REFERENCE_VARIABLES:
                raise CannotCompileError("QC202", tensor=op.name, kind=op.type)
        copied = copy.copy(self)
        copied._bind = bind
        return copied

    def in_batches(
        self,
        lengths: Sequence[Optional[int]] = (),
        size: Optional[int] = None,
        *,
        pads: bool = False,
        keeps: bool = False,
    ) -> Optional[InBatches]:
        known = (size, pads, keeps, *lengths)
        if known not in self._in_batches:  # a plan is built several times; the result must be the same object each time
            self._in_batches[known] = self._made_for_batches(lengths, size, pads, keeps)
        return self._in_batches[known]

    def _made_for_batches(
        self, lengths: Sequence[Optional[int]], size: Optional[int], pads: bool, keeps: bool
    ) -> InBatches:
        by_source = {t.name: length for t, length in zip(self.sources, lengths) if length is not None}
        ends = (self.sources, self.outputs, self._captured)
        stay = {} if self._seed is None else {op.name: _OWN_NUMBERS for op in self._ops if draws(op)}
        form, refused = batched_form(self._ops, *ends, by_source, size, self._library, pads, keeps, stay)
        nothing = InBatches(None, (), (), None, remark(None, refused))
        if form is None or (self._first and not form.has_head):
            return nothing
        numbers = {t.name: number for number, t in enumerate(self.sources)}
        specs = tuple(tf.TensorSpec(t.shape, t.dtype) for t in form.between)
        tail = self._tail(form)
        if not form.has_head:
            return InBatches(None, tuple(numbers[t.name] for t in form.between), specs, tail, remark(form, refused))
        head = self._part(form.between)
        if not {t.name for t in head.sources} <= set(numbers):
            return nothing
        uses = tuple(numbers[t.name] for t in head.sources)
        if self._seed is not None:  # the head contains all random ops, and takes their seed as its last input
            return self._with_seed_in_head(head, uses, specs, tail, remark(form, refused))
        return InBatches(head, uses, specs, tail, remark(form, refused))

    def _with_seed_in_head(
        self, head: Slice, uses: Tuple[int, ...], specs: Tuple[tf.TensorSpec, ...], tail: Slice, words: str
    ) -> InBatches:
        assert self._seed is not None
        by_number = head.by_number(self._seed.key)
        assert by_number is not None
        return InBatches(by_number, (*uses, len(self.sources)), specs, tail, words)

    def _tail(self, form: Form) -> Slice:
        """Returns the part of *form* that runs on whole batches, as a slice in a graph of its own."""
        captured = [form.graph.get_tensor_by_name(name) for name in form.stand_ins]
        frontier = Given([*form.given, *captured])
        tail = Slice(form.outputs, form.given, _between(form.outputs, frontier), captured, frontier=frontier)
        tail._stands_for = self._of_user(form.stand_ins)
        tail._made_from = self
        return tail

    def _part(self, outputs: Sequence[tf.Tensor]) -> Slice:
        """Returns the part of this slice that computes *outputs*, which are tensors of this slice's graph."""
        part = cut(outputs, self._frontier)
        part._stands_for, part._made_from = self._stands_for, self._made_from
        return part

    def _of_user(self, stand_ins: Dict[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Maps the names of stand-ins for captured tensors to tensors of the user's graph."""
        return {name: self._stands_for.get(tensor.name, tensor) for name, tensor in stand_ins.items()}

    def cache_split(self, after_read: bool) -> Union[CacheSplit, str]:
        if after_read not in self._cache_splits:  # a plan is built several times, with the same objects
            self._cache_splits[after_read] = self._find_cache_split(after_read)
        return self._cache_splits[after_read]

    def _find_cache_split(self, after_read: bool) -> Union[CacheSplit, str]:
        if self._first:
            return "its ops wait for others that are not its own"
        part = file_part(self._ops, self.sources, self.outputs, self._library, after_read=after_read)
        if isinstance(part, str):
            return part
        tail = cut(self.outputs, Given([*part.crossing, *self.sources]))
        if part.reads is None:  # the sources were read from the file as well
            head = cut(tail.sources, self._frontier)
            tail_uses = tuple(range(len(tail.sources)))
            uses = uses_of(head.sources, self.sources)
            name: Optional[Slice] = None
            name_uses: Tuple[int, ...] = ()
        else:
            path = part.reads.inputs[0]
            crossing = [tensor for tensor in tail.sources if not is_among(tensor, self.sources)]
            head = cut(crossing, Given([path]))
            of_whole = {t.name: -1 - number for number, t in enumerate(self.sources)}
            of_head = {t.name: number for number, t in enumerate(crossing)}
            tail_uses = tuple({**of_whole, **of_head}[t.name] for t in tail.sources)
            is_given = is_among(path, self.sources)
            name = None if is_given else cut([path, *self.sources], self._frontier)
            name_uses = () if name is None else uses_of(name.sources, self.sources)
            uses = uses_of([path], self.sources) if is_given else ()
        specs = tuple(tf.TensorSpec(t.shape, t.dtype) for t in head.outputs)
        is_whole = part.reads is None and [t.name for t in tail.sources] == [t.name for t in self.outputs]
        return CacheSplit(head, uses, specs, head.fingerprint(), tail, tail_uses, is_whole, name, name_uses)

    def fingerprint(self) -> str:
        """Returns a digest of the computation that is equal in all processes.

        Valid only for slices that capture nothing but constants.
        """
        digest = hashlib.sha256()
        for node in [*self._copy().graph_def().node, *(t.op.node_def for t in self._captured)]:
            digest.update(node.SerializeToString(deterministic=True))
        if self._library is not None:
            digest.update(self._library.SerializeToString(deterministic=True))
        ends = [(t.name, t.dtype.name, str(t.shape)) for t in (*self.sources, *self.outputs)]
        digest.update(repr((len(self.sources), ends)).encode())
        return digest.hexdigest()

    def with_draws(self, own: Sequence[int]) -> Optional[Split]:
        draws = list({self.sources[number].op.name: self.sources[number].op for number in own}.values())
        whole = cut(self.outputs, self._frontier, draws=draws)
        in_draw_step = ops_of_draw_step(whole._ops, draws, whole._library)
        if not in_draw_step and len(draws) == 1 and len(own) == len(self.sources):
            return None
        head_ops = in_draw_step.union(draw.name for draw in draws)
        if self.keeps_its_order or not can_be_cut(whole._ops, head_ops):
            return self._split(whole, None)
        tail = cut(self.outputs, Given(_leaving(whole, head_ops)))
        head = cut(tail.sources, self._frontier, draws=draws)
        if tail.is_empty or not head_ops <= {op.name for op in head._ops}:
            return self._split(whole, None)
        return self._split(head, tail)

    def _split(self, head: Slice, tail: Optional[Slice]) -> Split:
        numbers = {t.name: number for number, t in enumerate(self.sources)}
        specs = tuple(tf.TensorSpec(t.shape, t.dtype) for t in head.outputs)
        return Split(head, tuple(numbers[t.name] for t in head.sources), specs, tail)

    def structural_hash(self) -> Optional[Hashable]:
        known: Dict[str, Hashable] = {t.name: ("source", number) for number, t in enumerate(self.sources)}
        known.update((t.name, ("captured", t.name)) for t in self._captured)
        return structural_hash(self._ops, self.outputs, known=known, first=self._first, library=self._library)

    @functools.cached_property
    def keeps_rows(self) -> bool:
        shapes = self._copy().output_shapes([tf.TensorShape([_ROWS]).concatenate(t.shape[1:]) for t in self.sources])
        return shapes is not None and all(shape.rank and shape[0] == _ROWS for shape in shapes)

    @property
    def belongs_here(self) -> str:
        return what_belongs_here(self._ops, self._users_captured, self._library, EXTERNAL_ARRAY_OP)

    @property
    def may_change(self) -> bool:
        return may_change(self._ops, self._users_captured)

    @property
    def only_draws_few(self) -> bool:
        return only_draws_few(self._ops)

    @property
    def large_constants(self) -> Sequence[tf.Tensor]:
        return [self._bind(tensor) for tensor in self._users_captured if tensor.op.type == "Const"]

    @property
    def _users_captured(self) -> Sequence[tf.Tensor]:
        return [self._stands_for.get(tensor.name, tensor) for tensor in self._captured]

    @property
    def op_names(self) -> AbstractSet[str]:
        return {users_name(op.name) for op in self._ops}

    def describe(self) -> str:
        ops = [op for op in self._ops if not is_of_window(op)]
        kinds = sorted({op.type for op in ops if op.type not in ("Const", "Identity", "NoOp")})
        shown = ", ".join(kinds[:4]) + (", ..." if len(kinds) > 4 else "")
        count = "1 op" if len(ops) == 1 else f"{len(ops)} ops"
        return f"{count} ({shown})" if kinds else count

    def written(self, name: str, parameters: Sequence[str], writer: Writer) -> List[str]:
        return writer.function(
            name,
            list(zip(self.sources, parameters)),
            self._ops,
            self.outputs,
            shapes=[tensor.shape for tensor in self.outputs],
            first=self._first,
            notes=self._notes(),
            stands_for=self._stands_for,
        )

    def _notes(self) -> SourceNotes:
        if self._made_from is None:
            return notes_of(self._ops, self.outputs)
        return notes_of_rewritten(self._made_from._notes(), self._ops, self.outputs)

    def function(
        self,
        given: Optional[Sequence[tf.TensorSpec]] = None,
        uses: Sequence[int] = (),
        around: Around = alone,
        carries: bool = False,
    ) -> ConcreteFunction:
        """Returns a concrete function of an element's components.

        Args:
          given: the specs of the components. None: the specs of the slice's own inputs, and the function takes all of
            them.
          uses: the numbers of the components that the slice takes: its sources, in order, then the seed of its random
            ops if it has one.
          around: wraps the computation; the ops that it adds have names that cannot clash with the program's.
          carries: whether the function also returns the last component unchanged.
        """
        if given is None:
            given = [tf.TensorSpec(t.shape, t.dtype) for t in self.sources] + (
                [] if self._seed is None else [self._seed.spec]
            )
            uses = range(len(given))
        # The arguments are named explicitly, because an op of the slice may have the name that TensorFlow would choose
        # for them.
        signature = [tf.TensorSpec(spec.shape, spec.dtype, f"queuecompat_given_{n}") for n, spec in enumerate(given)]
        body = self._copy().body()

        def computed(*components: tf.Tensor) -> List[tf.Tensor]:
            results = around(lambda: body([components[use] for use in uses]))
            return [*results, tf.identity(components[-1])] if carries else results

        return tf.compat.v1.wrap_function(computed, signature, name="queuecompat")

    def _copy(self) -> OpCopy:
        ends = (self.sources, self.outputs)
        return OpCopy(*ends, self._ops, self._first, self._captured, self._bound_to, self._library, self._seed)

    def _bound_to(self, captured: tf.Tensor) -> Any:
        return self._bind(self._stands_for.get(captured.name, captured))


def _leaving(whole: Slice, inside: Set[str]) -> List[tf.Tensor]:
    """Returns the tensors that leave the ops named *inside*: each is used by another op, or is an output, of *whole*.

    Sources of *whole* that these use are included; constants are not.
    """
    taken = [t for op in whole._ops if op.name not in inside for t in op.inputs] + list(whole.outputs)
    leaving = [t for t in taken if t.op.name in inside or is_among(t, whole.sources)]
    return list({t.name: t for t in leaving if t.op.type != "Const"}.values())


def cut(outputs: Sequence[tf.Tensor], frontier: Frontier, draws: Sequence[tf.Operation] = ()) -> Slice:
    """Returns the slice that computes *outputs* from the nearest sources.

    Args:
      outputs, draws: see ``reached_from``, also for the errors raised.
    """
    found = reached_from(outputs, frontier, draws)
    parts = (found.sources, found.ops, found.captured, found.first)
    return Slice(outputs, *(list(part.values()) for part in parts), frontier=frontier)


def _between(outputs: Sequence[tf.Tensor], frontier: Given) -> List[tf.Operation]:
    """Returns the ops that *outputs* need, back to *frontier*, in a graph that contains only one slice."""
    found: Dict[str, tf.Operation] = {}
    waiting = [tensor.op for tensor in outputs if not frontier.is_source(tensor)]
    while waiting:
        op = waiting.pop()
        if op.name not in found:
            found[op.name] = op
            waiting += [tensor.op for tensor in op.inputs if not frontier.is_source(tensor)]
            waiting += op.control_inputs
    return list(found.values())

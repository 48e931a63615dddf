"""Rewrites the ops of a slice, one by one, into a new graph that takes whole batches.

Rule 1: Whatever is the same for all elements (constants, variables, tables) exists once for all of them.
Rule 2: A value that varies has a row for each element. It has the static shape that the user's graph knew, checked at
        run time where the new graph cannot infer it.
Rule 3: Of a ``tf.cond``, both branches run on all elements, and each element takes its row from the branch that it
        would have run. An assert in a branch checks only the elements that take this branch; any other op in a branch
        that may fail has no batched form. If the branches are functions (TensorFlow 2's ``tf.cond``), the ops of both
        are rewritten into the same graph, by a nested ``Rewriting`` that knows which branches it is in.
Rule 4: An op keeps its name, so that an error names the user's op.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._analysis.batched.branches import LOOPS, Guard, Guards
from queuecompat._analysis.batched.folding import static_value
from queuecompat._analysis.batched.function_branches import FunctionBranch
from queuecompat._analysis.batched.mirrors import mirrored
from queuecompat._analysis.batched.rules import RULES, of_ragged
from queuecompat._analysis.batched.values import Call, NoRuleError, Ragged, Value, made, name_of
from queuecompat._analysis.batched.varying import Removable, Varying, varying
from queuecompat._analysis.batched.windows import Windows
from queuecompat._analysis.effects import effects_of
from queuecompat._analysis.library import calls_functions
from queuecompat._analysis.op_facts import FACTS, OpFacts
from queuecompat._analysis.origins import IN_BATCHES
from queuecompat._analysis.tensors import is_value

__all__ = ["Rewriting", "why_not"]

# Ops that this module rewrites itself, since a rule sees only values and not guards and control inputs.
_FUNCTION_BRANCHES = ("If", "StatelessIf")
_CONTROL = ("Assert", "Merge", "NoOp", "Switch", *_FUNCTION_BRANCHES)
# A predicate in the new graph, and the value that it has for the rows of a branch.
_Taken = Tuple[Any, bool]
# Errors that TensorFlow raises for ops that it cannot make. KeyError is a bug in how TensorFlow formats such an error.
_GRAPH_ERRORS = (NoRuleError, ValueError, TypeError, KeyError, tf.errors.OpError)


class Rewriting:
    """One attempt at rewriting; all new ops are in ``graph``.

    Args:
      ops: the ops of the slice, in order.
      varies: those of them that have to be rewritten.
      guards: the guards of *ops*.
      captured: tensors that the slice takes by reference.
      lengths: the number of bytes of each string of a tensor, by the tensor's name, where that is known.
      size: the number of elements in every batch; None: it differs.
      library: the functions that *ops* call; None: they call none.
      outer: if *ops* are those of a function, the ``Rewriting`` of its caller.
      taken: the function branches that *ops* are in, in addition to their guards.
      pads: whether results that differ in length are padded to the longest of the batch.
    Attributes:
      graph: the new graph.
      given: a placeholder for each tensor that comes in, in order.
      stand_ins: from the name of a tensor of the new graph to the captured tensor that it stands for.
      refused: from the name of an op to the reason why it has no batched form.
    """

    def __init__(
        self,
        ops: Sequence[Any],
        varies: Varying,
        guards: Guards,
        captured: Sequence[Any],
        lengths: Dict[str, int],
        size: Optional[int] = None,
        library: Optional[Any] = None,
        outer: Optional[Rewriting] = None,
        taken: Tuple[_Taken, ...] = (),
        pads: bool = False,
    ) -> None:
        self.graph: tf.Graph = tf.Graph() if outer is None else outer.graph
        self.given: List[Any] = []
        self.stand_ins: Dict[str, Any] = {}
        self.refused: Dict[str, str] = {}
        self._ops = ops
        self._by_name = {op.name: op for op in ops}
        self._varies = varies
        self._guards = guards
        self._captured = {tensor.name for tensor in captured}
        self._lengths = lengths
        self._size = size
        self._library = library
        self._outer = outer
        self._taken = taken
        self._pads = pads
        self._values: Dict[str, Optional[Value]] = {}
        self._done: Dict[str, List[Any]] = {}
        self._rows: Optional[Any] = None
        self._removable = Removable(ops, varies.names)

    def run(self, inputs: Sequence[Any], ops: Sequence[Any]) -> None:
        """Rewrites *ops*, which vary and are in order; *inputs* are the tensors that come in."""
        with self.graph.as_default():
            for tensor in inputs:
                self._enter(tensor)
            for op in ops:
                self._rewrite(op)

    def run_branch(self, arguments: Dict[str, Value]) -> None:
        """Rewrites all ops, those of a branch.

        Args:
          arguments: the inputs of the branch, by the names of the function's tensors.
        Raises:
          NoRuleError: one of the ops has no batched form.
        """
        self._values.update(arguments)
        for op in self._ops:
            if op.name in self._varies:
                self._rewrite(op)
                if op.name in self.refused:
                    raise NoRuleError(f"{op.type} in a branch: {self.refused[op.name]}")
            elif not self._removable.is_removable(op):
                raise NoRuleError(f"{op.type} in a branch has side effects")

    def checks(self) -> List[Any]:
        """Returns the batched forms of the asserts among the ops."""
        names = [op.name for op in self._ops if op.type == "Assert" and op.name in self._varies]
        return [one for name in names for one in self._done[name]]

    def results(self, outputs: Sequence[Any], keeps: bool = False) -> List[Any]:
        """Returns *outputs* in the new graph, with a row for each element.

        Args:
          keeps: return only the rows for which the last of *outputs* is true, and omit that last output.
        Raises:
          NoRuleError: an output has no batched form.
        """
        # Always below a scope of ours: TensorFlow does not know which names the user's ops will take in this graph.
        with self.graph.as_default(), tf.name_scope(IN_BATCHES):
            results = [self._stacked(self.value(tensor)) for tensor in outputs]
            if keeps:
                *results, is_kept = results
                rows = tf.where(is_kept)[:, 0]
                results = [tf.gather(result, rows) for result in results]
        for result in results:
            if result.shape.rank is not None:
                result.set_shape([None if keeps else self._size, *result.shape.as_list()[1:]])
        return results

    def shape(self, tensor: Any) -> tf.TensorShape:
        """Returns the static shape of an element of *tensor*, as far as either graph knows it."""
        value = self._values.get(tensor.name)
        return tensor.shape if value is None else value.shape

    def _enter(self, tensor: Any) -> None:
        shape = tf.TensorShape([self._size]).concatenate(tensor.shape)
        placeholder = tf.compat.v1.placeholder(tensor.dtype, shape, name="queuecompat/rows")
        self.given.append(placeholder)
        self._values[tensor.name] = Value(placeholder, True)

    def _rewrite(self, op: Any) -> None:
        try:
            outputs = list(self._outputs(op))
        except _GRAPH_ERRORS as error:
            self.refused[op.name] = str(error).splitlines()[0] if str(error) else type(error).__name__
            outputs = [self._unknown(tensor) for tensor in op.outputs]
        for tensor, value in zip(op.outputs, outputs):
            self._values.setdefault(tensor.name, value)

    def _unknown(self, tensor: Any) -> Optional[Value]:
        """Returns a placeholder for the output of an op without a rule, so that the ops after it can be tried."""
        if not tensor.shape.is_fully_defined() or not is_value(tensor):
            return None
        return Value(tf.compat.v1.placeholder(tensor.dtype, [None, *tensor.shape.as_list()], f"{IN_BATCHES}/row"), True)

    def _outputs(self, op: Any) -> Iterator[Optional[Value]]:
        alike = self._waiting(op) if op.name in self._varies.fixed and op.type not in _CONTROL else None
        if alike is not None:
            return iter(alike)
        why = why_not(op)
        if why is not None:
            raise NoRuleError(why)
        inputs = [self.value(tensor) for tensor in op.inputs]
        length = self._lengths.get(op.inputs[0].name) if len(op.inputs) else None
        call = Call(op, inputs, self._number_of_rows, length, self._size, self._pads)
        waits = self._waits(op)
        guard = self._guards.of(op)
        with tf.control_dependencies(waits), tf.name_scope(f"{op.name}/{IN_BATCHES}/"):
            if op.type == "Assert":
                waits = [self._assert(call, guard)]
            made_here = self._made_here(call, guard, waits)
            values = [self._as_value(tensor, one) for tensor, one in zip(op.outputs, made_here)]
        # An input that is passed on unchanged is not an op of the form; nothing can wait for it.
        makers = [value.made_by for value in values if value is not None]
        own = [one for one in makers if one.type != "Placeholder"]
        self._done[op.name] = own or waits
        return iter(values)

    def _made_here(self, call: Call, guard: Guard, waits: Sequence[Any]) -> Sequence[Any]:
        """Returns the outputs of the op of *call* in the new graph."""
        op, inputs = call.op, call.inputs
        if op.type in ("Assert", "NoOp"):
            return []
        if op.type == "Switch":
            return [inputs[0], inputs[0]]
        if op.type == "Merge":
            return [self._after(waits, self._merged(op, inputs), inputs), None]
        made = self._chosen(op, inputs, guard) if op.type in _FUNCTION_BRANCHES else self._by_rule(call, guard)
        return [self._after(waits, one, inputs) for one in made]

    def _by_rule(self, call: Call, guard: Guard) -> Sequence[Any]:
        name = _facts(call.op).rule
        if (guard or self._taken) and RULES[name].may_fail(call):
            raise NoRuleError("it may fail in a branch that is not taken")
        is_ragged = any(isinstance(value, Ragged) for value in call.inputs)
        return of_ragged(name, call) if is_ragged else RULES[name].rewrite(call)

    def _waiting(self, op: Any) -> Optional[List[Value]]:
        """Returns the outputs of *op*, which are the same for all elements, made to wait for what *op* waits for.

        Returns None if an input has rows. That is so if the input comes from an op that is equal for all elements but
        waits for one that runs for each element.
        """
        waits = self._waits(op)
        known = [static_value(tensor) for tensor in op.outputs]
        with tf.control_dependencies(waits), tf.name_scope(f"{op.name}/{IN_BATCHES}/"):
            if all(value is not None for value in known):
                copies = [tf.constant(value, tensor.dtype) for value, tensor in zip(known, op.outputs)]
            else:
                self._check_may_be_copied(op)
                inputs = [self.value(tensor) for tensor in op.inputs]
                if any(value.is_row for value in inputs):
                    return None
                copies = _copies(op, [value.tensor for value in inputs])
        # A constant cannot wait; ops that wait for it wait for its own control inputs instead.
        self._done[op.name] = waits if all(copy.op.type == "Const" for copy in copies) else [copy.op for copy in copies]
        return [Value(copy, False) for copy in copies]

    @staticmethod
    def _after(waits: Sequence[Any], made_here: Any, inputs: Sequence[Value]) -> Any:
        """Returns *made_here*, an output of a rule, so that it waits even if it is an unchanged input."""
        if isinstance(made_here, Ragged):
            return type(made_here)(tf.identity(made_here.flat), made_here.splits) if waits else made_here
        if isinstance(made_here, Windows):
            return made_here.waiting() if waits else made_here
        tensor = made_here.tensor if isinstance(made_here, Value) else made_here
        same = [value for value in inputs if not isinstance(value, Ragged) and value.tensor is tensor]
        if not waits or not same:
            return made_here
        is_row = same[0].is_row
        return Value(tf.identity(tensor), is_row)

    def _as_value(self, tensor: Any, given: Any) -> Optional[Value]:
        """Returns *given*, an output of a rule, as the value of *tensor*, with all that is known about its shape."""
        if given is None:
            return None
        value = given if isinstance(given, Value) else Value(given, True)
        if not is_value(tensor) or not value.is_row:
            return value
        known = tensor.shape
        if tensor.op.type == "DecodeRaw" and tensor.op.inputs[0].name in self._lengths:
            size = tensor.dtype.size
            known = known.merge_with([self._lengths[tensor.op.inputs[0].name] // size])
        wanted = value.shape.merge_with(known)
        if isinstance(value, Ragged):
            if wanted.as_list() != value.shape.as_list():
                raise NoRuleError("it needs elements of equal length")
            return value
        if wanted.rank is not None and (value.shape.rank is None or value.shape.as_list() != wanted.as_list()):
            value = Value(tf.ensure_shape(value.tensor, tf.TensorShape([None]).concatenate(wanted)), True)
        return value

    def value(self, tensor: Any) -> Value:
        """Returns the value of *tensor* in the new graph; raises ``NoRuleError`` if it has none."""
        if tensor.name not in self._values:
            if tensor.op.name in self._varies:
                raise NoRuleError("it needs what has no batched form")
            self._values[tensor.name] = self._fixed(tensor)
        value = self._values[tensor.name]
        if value is None:
            raise NoRuleError("it uses an op that has no batched form, or whose elements differ in shape")
        return value

    def _fixed(self, tensor: Any) -> Optional[Value]:
        """Returns the value of *tensor*, which is the same for all elements, in the new graph."""
        op = tensor.op
        with tf.control_dependencies(None):
            if tensor.name in self._captured:
                return Value(self._stand_in(tensor), False)
            known = static_value(tensor)
            if known is not None:
                return Value(tf.constant(known, tensor.dtype), False)
            self._check_may_be_copied(op)
            for output, copy in zip(op.outputs, _copies(op, [self.value(given).tensor for given in op.inputs])):
                self._values[output.name] = Value(copy, False)
        return self._values[tensor.name]

    def _check_may_be_copied(self, op: Any) -> None:
        """Raises ``NoRuleError`` if *op*, which is equal for all elements, cannot run once for all of them."""
        if op.type.startswith(LOOPS) or op.type in ("Switch", "Merge") or op.name not in self._by_name:
            raise NoRuleError("it uses a loop or a branch that is the same for all elements")
        if self._guards.of(op) or self._taken or calls_functions(op.node_def):
            raise NoRuleError("it uses a function, or a value that a branch computes for all elements")
        effects = effects_of([op], None)
        if effects.has_effects or effects.may_end:
            raise NoRuleError("it uses an op with side effects")

    def _stand_in(self, tensor: Any) -> Any:
        if tensor.op.type == "ImmutableConst":
            # An array outside of the graph: a slice recognises it by the type of its op.
            (copy,) = made(tensor.op, [])
        else:
            copy = tf.compat.v1.placeholder(tensor.dtype, tensor.shape, name=name_of(tensor.op))
        self.stand_ins[copy.name] = tensor
        return copy

    def _stacked(self, value: Value) -> Any:
        if isinstance(value, Ragged) and self._pads:
            return value.padded()
        return Call(None, [value], self._number_of_rows).stacked(0)

    def _number_of_rows(self) -> Any:
        if self._outer is not None:
            return self._outer._number_of_rows()
        if self._rows is None:
            with tf.control_dependencies(None), tf.name_scope(IN_BATCHES):
                if self._size is not None:
                    self._rows = tf.constant(self._size, name="rows")
                elif not self.given:
                    raise NoRuleError("no input tells how many elements there are")
                else:
                    self._rows = tf.shape(self.given[0], name="rows")[0]
        return self._rows

    # Branches and asserts.

    def _waits(self, op: Any) -> List[Any]:
        """Returns the ops that the batched form of *op* must wait for; raises ``NoRuleError`` if it has none."""
        waits: List[Any] = []
        for before in op.control_inputs:
            if before.name in self._varies:
                if before.name in self.refused:
                    raise NoRuleError("it waits for an op that has no batched form")
                waits += self._done.get(before.name, [])
            elif not self._removable.is_removable(before):
                raise NoRuleError("it waits for an op with side effects")
        # Of such an input, a rule may use only the static value, and so would not wait for it.
        alike = [tensor.op.name for tensor in op.inputs if tensor.op.name in self._varies.fixed]
        return waits + [one for name in alike for one in self._done.get(name, [])]

    def _assert(self, call: Call, guard: Guard) -> Any:
        """Returns an assert that fails for the first bad element, with the message of the user's assert."""
        condition, *data = call.inputs
        if condition.rank:
            raise NoRuleError("its condition is no scalar")
        holds = call.stacked(0)
        for decides, side in (*((self._decides(name), side) for name, side in guard), *self._taken):
            holds = tf.logical_or(holds, tf.not_equal(decides, side))
        row = tf.argmin(tf.cast(holds, tf.int32))
        shown = [tf.gather(value.tensor, row) if value.is_row else value.tensor for value in data]
        return tf.raw_ops.Assert(
            condition=tf.reduce_all(holds), data=shown, summarize=call.attribute("summarize"), name=name_of(call.op)
        )

    def _decides(self, name: str) -> Any:
        op_name, _, number = name.rpartition(":")
        if op_name in self._by_name:
            return self._stacked(self.value(self._by_name[op_name].outputs[int(number)]))
        found = self._values.get(name)
        if found is None:
            raise NoRuleError("its branch is chosen by an op that has no batched form")
        return self._stacked(found)

    def _merged(self, op: Any, inputs: List[Value]) -> Any:
        """Returns, for each element, the row of the branch that it takes."""
        decides, sides = self._sides(op)
        otherwise, chosen = (inputs[sides[side]] for side in (False, True))
        if op.outputs[1].consumers():
            raise NoRuleError("the program uses which branch was taken")
        op_name, _, number = decides.rpartition(":")
        condition = self._values.get(decides) or self.value(self._by_name[op_name].outputs[int(number)])
        partly = self._changed_rows(op, sides, condition.tensor) if condition.is_row else None
        return self._picked(op, condition, chosen, otherwise) if partly is None else partly

    def _picked(self, op: Any, condition: Value, chosen: Value, otherwise: Value) -> Any:
        """Returns, for each row, that of *chosen* where *condition* is true, else that of *otherwise*."""
        shapes = [chosen.shape, otherwise.shape]
        if not all(shape.is_fully_defined() for shape in shapes) or shapes[0].as_list() != shapes[1].as_list():
            raise NoRuleError("its branches have different shapes, or unknown ones")
        chosen, otherwise = (Value(self._stacked(one), True) for one in (chosen, otherwise))
        if not condition.is_row:
            return tf.raw_ops.SelectV2(condition=condition.tensor, t=chosen.tensor, e=otherwise.tensor)
        return tf.raw_ops.Select(condition=condition.tensor, x=chosen.tensor, y=otherwise.tensor, name=name_of(op))

    def _chosen(self, op: Any, inputs: List[Value], guard: Guard) -> List[Any]:
        """Returns the outputs of a condition whose branches are functions."""
        condition, *arguments = inputs
        if condition.rank or condition.tensor.dtype != tf.bool:
            raise NoRuleError("its condition is not a scalar bool")
        if guard:
            raise NoRuleError("it is itself in a branch")
        then, otherwise = (self._branch(op, side, self._stacked(condition), arguments) for side in (True, False))
        return [self._chosen_output(op, condition, number, then, otherwise) for number in range(len(op.outputs))]

    def _branch(self, op: Any, side: bool, decides: Any, arguments: Sequence[Value]) -> FunctionBranch:
        taken = (*self._taken, (decides, side))

        def inner(ops: Sequence[Any], rows: Sequence[Any]) -> Rewriting:
            guards = Guards(ops)
            return Rewriting(ops, varying(ops, rows, guards), guards, [], {}, self._size, self._library, self, taken)

        return FunctionBranch(op, side, arguments, self._library, inner)

    def _chosen_output(
        self, op: Any, condition: Value, number: int, then: FunctionBranch, otherwise: FunctionBranch
    ) -> Any:
        for changed, same in ((then, otherwise), (otherwise, then)):
            move, start = changed.mirrored(number), same.unchanged(number)
            if move is None or start is None or changed.argument_of(move) is not start:
                continue
            if condition.is_row and start.is_row:
                return self._mirrored(start, move, changed.value(move.inputs[1]), condition.tensor, changed.side)
        return self._picked(op, condition, then.result(number), otherwise.result(number))

    def _sides(self, op: Any) -> Tuple[str, Dict[bool, int]]:
        """Returns the predicate of a ``Merge``, and the number of the input for each of the predicate's values."""
        if len(op.inputs) != 2:
            raise NoRuleError("it is no branch")
        first, second = (self._guards.of_tensor(tensor) for tensor in op.inputs)
        own = [(one, (one[0], not one[1])) for one in first if (one[0], not one[1]) in second]
        if len(own) != 1:
            raise NoRuleError("it is no branch")
        ((decides, side), _) = own[0]
        return decides, {side: 0, not side: 1}

    def _changed_rows(self, op: Any, sides: Dict[bool, int], condition: Any) -> Optional[Any]:
        """Handles a condition one branch of which mirrors what the other returns unchanged: mirrors only some rows.

        Returns None for any other condition.
        """
        for side in (True, False):
            changed, same = op.inputs[sides[side]], op.inputs[sides[not side]]
            moves = []
            while changed.op.type in ("Identity", "ReverseV2") and changed.op.name in self._by_name:
                moves += [changed.op] if changed.op.type == "ReverseV2" else []
                changed = changed.op.inputs[0]
            start = self._guards.without_detours(same)
            if (
                len(moves) == 1
                and self._guards.without_detours(changed).name == start.name
                and self.value(start).is_row
            ):
                return self._mirrored(self.value(start), moves[0], self.value(moves[0].inputs[1]), condition, side)
        return None

    def _mirrored(self, whole: Value, move: Any, axes: Value, condition: Any, side: bool) -> Any:
        """Returns the rows of *whole*, of which *move* mirrors those for which *condition* is *side*."""
        changed = condition if side else tf.logical_not(condition)
        along = [int(axis) % whole.rank for axis in axes.constant]
        if isinstance(whole, Windows):
            return whole.mirrored(along, changed)
        numbers = Call(move, [whole], self._number_of_rows, size=self._size).numbers(tf.int32)
        return mirrored(whole.tensor, along, changed, numbers)


def why_not(op: Any) -> Optional[str]:
    """Says why ops of the type of *op* have no form for whole batches; None: they may have one."""
    facts = _facts(op)
    if facts.same_bits is False:
        return "its last bits would depend on the elements beside it"
    if not facts.rule and op.type not in _CONTROL:
        return "it has no form for whole batches"
    return None


def _copies(op: Any, inputs: Sequence[Any]) -> List[Any]:
    """Returns the outputs of a copy of *op* on *inputs* in the new graph."""
    copies: List[Any] = made(op, inputs)
    for output, copy in zip(op.outputs, copies):
        copy.set_shape(output.shape)
    return copies


def _facts(op: Any) -> OpFacts:
    return FACTS.get(op.type, OpFacts())

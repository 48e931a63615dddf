"""A branch of ``tf.cond`` that is a function, as TensorFlow 2 makes them, rewritten for whole batches."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Protocol, Sequence

import tensorflow as tf

from queuecompat._analysis.batched.branches import in_order
from queuecompat._analysis.batched.values import Value
from queuecompat._analysis.library import graph_of_function

__all__ = ["FunctionBranch", "Inner"]

# The attributes of a condition that name the functions of its branches, by what it has to be.
_BRANCHES = {True: "then_branch", False: "else_branch"}


class Inner(Protocol):
    """What rewrites the ops of a function into the graph that its condition is rewritten into (``Rewriting``)."""

    def run_branch(self, arguments: Any) -> None: ...

    def checks(self) -> List[Any]: ...

    def value(self, tensor: Any) -> Value: ...


class FunctionBranch:
    """The batched form of one branch of *op*.

    Args:
      side: which one: what the condition has to be.
      arguments: what goes into it.
      library: of the functions that the slice calls.
      inner: makes what rewrites ops of the function, of the ops in order and of the tensors that have rows.
    Raises:
      NoRuleError: it has none.
    """

    def __init__(
        self,
        op: Any,
        side: bool,
        arguments: Sequence[Value],
        library: Any,
        inner: Callable[[Sequence[Any], Sequence[Any]], Inner],
    ) -> None:
        self.side = side
        name = op.get_attr(_BRANCHES[side]).name
        shapes = [value.shape for value in arguments]
        graph, given, self._results = graph_of_function(library, name, shapes, f"{op.name}/{_BRANCHES[side]}")
        self._arguments = {tensor.name: value for tensor, value in zip(given, arguments)}
        # Besides the arguments, placeholders are what an op was imported with in place of its inputs.
        ops = in_order([one for one in graph.get_operations() if one.type != "Placeholder"])
        self._inner = inner(ops, [tensor for tensor, value in zip(given, arguments) if value.is_row])
        self._inner.run_branch(self._arguments)
        self._checks = self._inner.checks()

    def result(self, number: int) -> Value:
        """Output *number*, after the checks of the branch."""
        value = self.value(self._results[number])
        if not self._checks:
            return value
        with tf.control_dependencies(self._checks):
            return Value(tf.identity(value.tensor), value.is_row)

    def value(self, tensor: Any) -> Value:
        """*tensor*, of the function, in the new graph."""
        return self._inner.value(tensor)

    def mirrored(self, number: int) -> Optional[Any]:
        """The op that mirrors an argument, if output *number* is what comes out of it and there are no checks."""
        op = _before_identities(self._results[number]).op
        is_mirrored = op.type == "ReverseV2" and self.argument_of(op) is not None
        return op if is_mirrored and not self._checks else None

    def argument_of(self, op: Any) -> Optional[Value]:
        """The argument that is the first input of *op*."""
        return self._arguments.get(_before_identities(op.inputs[0]).name)

    def unchanged(self, number: int) -> Optional[Value]:
        """The argument that output *number* is, if it is one and there are no checks."""
        return None if self._checks else self._arguments.get(_before_identities(self._results[number]).name)


def _before_identities(tensor: Any) -> Any:
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor

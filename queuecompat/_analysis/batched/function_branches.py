"""Rewrites a branch of TensorFlow 2's ``tf.cond``, which is a function, for whole batches."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Protocol, Sequence

import tensorflow as tf

from queuecompat._analysis.batched.branches import in_order
from queuecompat._analysis.batched.values import Value
from queuecompat._analysis.library import graph_of_function
from queuecompat._analysis.tensors import before_identities

__all__ = ["FunctionBranch", "Inner"]

# The attribute that names a branch's function, by the condition's value for that branch.
_BRANCHES = {True: "then_branch", False: "else_branch"}


class Inner(Protocol):
    """Rewrites the ops of a function into the graph that its condition is rewritten into; see ``Rewriting``."""

    def run_branch(self, arguments: Any) -> None: ...

    def checks(self) -> List[Any]: ...

    def value(self, tensor: Any) -> Value: ...


class FunctionBranch:
    """The batched form of one branch of *op*.

    Args:
      side: the value of the condition for this branch.
      arguments: the inputs of the branch.
      library: the functions that the slice calls.
      inner: makes an ``Inner``, given the function's ops in order and those of its tensors that have rows.
    Raises:
      NoRuleError: the branch has no batched form.
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
        # The placeholders are the arguments, and those that stood in for an op's inputs while it was imported.
        ops = in_order([one for one in graph.get_operations() if one.type != "Placeholder"])
        self._inner = inner(ops, [tensor for tensor, value in zip(given, arguments) if value.is_row])
        self._inner.run_branch(self._arguments)
        self._checks = self._inner.checks()

    def result(self, number: int) -> Value:
        """Returns output *number*, which waits for the checks of the branch."""
        value = self.value(self._results[number])
        if not self._checks:
            return value
        with tf.control_dependencies(self._checks):
            return Value(tf.identity(value.tensor), value.is_row)

    def value(self, tensor: Any) -> Value:
        """Returns the value in the new graph of *tensor*, which is in the function."""
        return self._inner.value(tensor)

    def mirrored(self, number: int) -> Optional[Any]:
        """Returns the ReverseV2 op if output *number* just mirrors an argument, and there are no checks; else None."""
        op = before_identities(self._results[number]).op
        is_mirrored = op.type == "ReverseV2" and self.argument_of(op) is not None
        return op if is_mirrored and not self._checks else None

    def argument_of(self, op: Any) -> Optional[Value]:
        """Returns the argument that is the first input of *op*; None if that input is not an argument."""
        return self._arguments.get(before_identities(op.inputs[0]).name)

    def unchanged(self, number: int) -> Optional[Value]:
        """Returns the argument if output *number* passes one on unchanged, and there are no checks; else None."""
        return None if self._checks else self._arguments.get(before_identities(self._results[number]).name)

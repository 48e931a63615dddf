"""Functions of a file that get variables: ``def inference(images): weights = tf.get_variable(...)``.

In eager mode each call would make new ones. Behind ``tf.make_template`` the first call makes them, and the others find
them again, as a graph's variable scopes do. A template keeps its variables to itself: nothing else of the file may get
any.
"""

from __future__ import annotations

from typing import Any, List, Sequence

import libcst as cst

from queuecompat.migrate.analysis.pipelines import definition
from queuecompat.migrate.analysis.statements import UnsupportedPatternError
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["OF_TEMPLATES", "calls_of", "renamed", "require_own_variables", "template_in"]

OF_TEMPLATES = {
    "tf.get_variable", "tf.random_normal_initializer", "tf.random_uniform_initializer",
    "tf.truncated_normal_initializer", "tf.variable_scope",
}  # fmt: skip


def template_in(source: Source, call: cst.Call) -> bool:
    """Whether *call* is one of a function that gets variables."""
    function = definition(source, call.func)
    if not isinstance(function, cst.FunctionDef) or function.decorators:
        return False
    return any(source.names.symbol(one.func) == "tf.get_variable" for one in calls_of(source, function))


def calls_of(source: Source, function: cst.CSTNode) -> List[cst.Call]:
    """The calls in *function*, and in the functions of the file that it calls."""
    seen = [function]
    calls: List[cst.Call] = []
    for one in seen:
        for call in every(one, cst.Call):
            calls.append(call)
            called = definition(source, call.func)
            if called is not None and called not in seen:
                seen.append(called)
    return calls


def require_own_variables(source: Source, lines: Sequence[cst.SimpleStatementLine]) -> str:
    """The name of the function that *lines* get variables from, or "".

    Raises:
      UnsupportedPatternError: they are not the only ones who get them.
    """
    calls = [call for line in lines for call in every(line, cst.Call) if template_in(source, call)]
    if not calls:
        return ""
    inside = calls_of(source, definition(source, calls[0].func))  # type: ignore[arg-type]
    for one in source.every(cst.Call):
        if source.names.symbol(one.func) == "tf.get_variable" and one not in inside:
            raise UnsupportedPatternError(
                one, "variables are got here, and in a function that is called for each batch"
            )
    names = {call.func.value for call in calls if isinstance(call.func, cst.Name)}
    if len(names) != 1:
        raise UnsupportedPatternError(calls[-1], "several functions get variables for each batch")
    return names.pop()


def renamed(node: Any, old: str, new: str) -> Any:
    """*node*, where the function *old* is called *new*."""
    return node.visit(_Renaming(old, new))


class _Renaming(cst.CSTTransformer):
    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self._old, self._new = old, new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if not isinstance(updated_node, cst.Call) or not isinstance(updated_node.func, cst.Name):
            return updated_node
        return (
            updated_node.with_changes(func=cst.Name(self._new))
            if updated_node.func.value == self._old
            else updated_node
        )

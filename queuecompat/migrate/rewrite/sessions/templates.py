"""Functions of a file that create variables by name: ``def inference(images): weights = tf.get_variable(...)``.

In eager mode each call would create new variables. With ``tf.make_template`` the first call creates them, and later
calls find them again, as a graph's variable scopes do. A template's variables are private to it, so no other code of
the file may use ``tf.get_variable``.
"""

from __future__ import annotations

from typing import Any, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, definition
from queuecompat.migrate.analysis.templates import template_in
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["renamed", "require_unshared_variables"]


def require_unshared_variables(source: Source, lines: Sequence[cst.SimpleStatementLine]) -> str:
    """The name of the function by which *lines* create variables, or "".

    Raises:
      UnsupportedPatternError: other code creates variables in this way too.
    """
    calls = [call for line in lines for call in every(line, cst.Call) if template_in(source, call)]
    if not calls:
        return ""
    inside = calls_of(source, definition(source, calls[0].func))  # type: ignore[arg-type]
    for one in source.every(cst.Call):
        if source.names.symbol(one.func) == "tf.get_variable" and one not in inside:
            raise refused("variables-twice", one)
    names = {call.func.value for call in calls if isinstance(call.func, cst.Name)}
    if len(names) != 1:
        raise refused("several-templates", calls[-1])
    return names.pop()


def renamed(node: Any, old: str, new: str) -> Any:
    """*node* with calls of the function *old* renamed to *new*."""
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

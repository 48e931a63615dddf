"""Recognises functions that create variables by name, with ``tf.get_variable``.

A graph finds such variables again by their scopes; eager mode needs ``tf.make_template`` for that.
"""

from __future__ import annotations

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, definition
from queuecompat.migrate.source.parsing import Source

__all__ = ["OF_TEMPLATES", "template_in"]

OF_TEMPLATES = {
    "tf.get_variable", "tf.random_normal_initializer", "tf.random_uniform_initializer",
    "tf.truncated_normal_initializer", "tf.variable_scope",
}  # fmt: skip


def template_in(source: Source, call: cst.Call) -> bool:
    """Whether *call* calls a function of this file that uses ``tf.get_variable``."""
    function = definition(source, call.func)
    if not isinstance(function, cst.FunctionDef) or function.decorators:
        return False
    return any(source.names.symbol(one.func) == "tf.get_variable" for one in calls_of(source, function))

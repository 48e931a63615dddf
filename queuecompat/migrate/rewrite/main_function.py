"""Moves the statements under ``if __name__ == "__main__":`` into a function, where a session can be rewritten.

    if __name__ == "__main__":                                 def main():
        images = inputs(files)                                     images = inputs(files)
        with tf.Session() as sess:                ->               with tf.Session() as sess:
            ...                                                        ...


                                                               if __name__ == "__main__":
                                                                   main()

Rule 1: the names that the statements bind become local to the function. Therefore no other code of the file uses them,
        and none looks up names by their text (``globals()``).
Rule 2: the statements mean the same in a function: they define no functions or classes, which must be picklable for
        other processes, and contain no ``import *``.
Rule 3: in doubt nothing moves.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any, List, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.lookups import OF_VARIABLES
from queuecompat.migrate.analysis.needed_names import needed_names
from queuecompat.migrate.analysis.statements import declared_names, defs, parts_of
from queuecompat.migrate.rewrite.input_functions import runs_session
from queuecompat.migrate.source.main_guard import is_main_guard
from queuecompat.migrate.source.parsing import Source

__all__ = ["with_main_function"]

# The names for the function, the best one first.
_NAMES = ("main", "run", "run_program")
# Functions that list the names of their caller, or, with an argument, those of an object.
_OF_CALLER = {"dir", "vars"}


def with_main_function(source: Source) -> Optional[Source]:
    """A copy of *source* in which ``if __name__ == "__main__":`` only calls a function; None if nothing moves."""
    guards = [one for one in source.tree.body if isinstance(one, cst.If) and _is_guard(source, one)]
    if len(guards) != 1 or not isinstance(guards[0].body, cst.IndentedBlock):
        return None
    guard, block = guards[0], guards[0].body
    name = _unused_name(source)
    if name is None or not runs_session(source, block.body) or not _may_move(source, guard, block.body):
        return None
    function = cst.FunctionDef(cst.Name(name), cst.Parameters(), block, leading_lines=guard.leading_lines)
    call = cst.SimpleStatementLine([cst.Expr(cst.Call(cst.Name(name)))])
    blank = [cst.EmptyLine(indent=False)] * 2
    new: Any = guard.with_changes(body=cst.IndentedBlock([call], indent=block.indent), leading_lines=blank)
    return source.again(source.replaced({guard: cst.FlattenSentinel([function, new])}))


def _is_guard(source: Source, one: cst.If) -> bool:
    """Whether *one* is ``if __name__ == "__main__":`` without an ``else``."""
    return one.orelse is None and is_main_guard(ast.parse(source.code(one.test), mode="eval").body)


def _unused_name(source: Source) -> Optional[str]:
    attributes = {one.attr for one in source.every(cst.Attribute)}
    used = {one.value for one in source.every(cst.Name) if one not in attributes}
    return next((name for name in _NAMES if name not in used), None)


def _may_move(source: Source, guard: cst.If, lines: Sequence[Any]) -> bool:
    """Whether *lines*, the statements of *guard*, mean the same in a function, and no other code needs their names."""
    inside = set(parts_of(guard))
    if any(isinstance(part, (cst.ClassDef, cst.FunctionDef, cst.ImportStar)) for part in inside):
        return False
    if any(_looks_up(call) for call in source.every(cst.Call)):
        return False
    bound = set().union(*map(defs, lines))
    others: List[Any] = [one for one in source.tree.body if one is not guard]
    if bound & set().union(*map(_bound_at_top, others), *map(declared_names, others)):
        return False  # they are assigned elsewhere too
    if bound & needed_names(lines) & set(dir(builtins)):
        return False  # read before they are assigned, they have another meaning
    readers = (one for one in source.every(cst.Name) if one.value in bound and one not in inside)
    return not any(inside.intersection(source.names.definitions(one)) for one in readers)


def _looks_up(call: cst.Call) -> bool:
    """Whether *call* looks up names of the file by their text."""
    called = call.func.value if isinstance(call.func, cst.Name) else ""
    return not call.args if called in _OF_CALLER else called in OF_VARIABLES


def _bound_at_top(line: Any) -> Any:
    """The names that *line*, a statement of the module, binds in the module."""
    return {line.name.value} if isinstance(line, (cst.ClassDef, cst.FunctionDef)) else defs(line)

"""Lists and dicts that are created before the statements on a record that fill them.

    features = []                                            def decode(record):
    for name in NAMES:                                 ->        features = []
        features.append(tf.cast(parsed[name], ...))              for name in NAMES: ...

The line that creates one moves with the statements that fill it, if no line between them prevents that.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.effects import changed_by_calls, drawn_from
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.needed_names import mutates
from queuecompat.migrate.analysis.statements import (
    Statement,
    appended_to,
    lines_of,
    may_write,
    names_of,
    parts_of,
    target_of,
    uses,
    value_of,
)
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["begun_lines", "filled_length", "may_go"]

_LEAVING = (cst.Break, cst.Continue, cst.Return)


def begun_lines(source: Source, one: cst.CSTNode, front: Sequence[Statement], needed: Set[str]) -> List[Statement]:
    """The lines of *front* that may move with *one*, because they create a list or dict that it fills.

    Args:
      needed: names that other parts of the pipeline need.
    """
    found: List[Statement] = []
    for name in sorted(mutates(source, one) - needed):
        lines = [line for line in front if name in uses(line)]
        if lines and _begins(lines[0], name) and may_go(source, lines, front, needed):
            found += lines
    return [line for line in front if line in found]


def _begins(line: Statement, name: str) -> bool:
    """Whether a line is ``features = []``, or similar."""
    value, target = value_of(line), target_of(line)
    if not isinstance(target, cst.Name) or target.value != name:
        return False
    if isinstance(value, (cst.Dict, cst.List)):
        return not value.elements
    if not isinstance(value, cst.Call) or value.args:
        return False
    return dotted_name(value.func).rpartition(".")[2] in ("OrderedDict", "dict", "list")


def may_go(source: Source, lines: Sequence[Statement], front: Sequence[Statement], staged: Set[str]) -> bool:
    """Whether *lines* may run after the rest of *front* without changing any value."""
    needed: Set[str] = set()
    changed: Set[str] = set()
    for line in front:
        effects = may_write(source, line) | changed_by_calls(source, line, possibly=True)
        effects |= drawn_from(source, line)
        if line in lines:
            if effects & staged:
                return False
            needed |= uses(line) | drawn_from(source, line)
            changed |= effects
        elif needed & effects or changed & uses(line):
            return False
    return True


def filled_length(source: Source, name: str, statements: Sequence[Statement]) -> Optional[int]:
    """The number of elements that *statements* append to the list *name*, also in loops; None if unknown."""
    found = 0
    for one in statements:
        if _shares(one, name):
            return None
        if name not in mutates(source, one) | changed_by_calls(source, one, possibly=True):
            continue
        times = _times(source, one) if isinstance(one, cst.For) else 1
        appending = [line for line in lines_of(one) if name in mutates(source, line)]
        if times is None or not appending or not all(_appends(line, name) for line in appending):
            return None
        found += times * len(appending)
    return found


def _shares(one: Statement, name: str) -> bool:
    """Whether a statement adds to the list by ``+=``, or assigns it to a second name."""
    added = (assign.target for assign in every(one, cst.AugAssign))
    given = (assign.value for assign in every(one, cst.Assign))
    return any(isinstance(node, cst.Name) and node.value == name for node in (*added, *given))


def _appends(line: cst.CSTNode, name: str) -> bool:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1 or appended_to(line) != name:
        return False
    call = next(every(line, cst.Call))
    return len(list(every(call, cst.Call))) == 1 or name not in set().union(*map(uses, call.args))


def _times(source: Source, loop: cst.For) -> Optional[int]:
    """The number of iterations of a loop; None if unknown."""
    if loop.orelse is not None or any(isinstance(node, _LEAVING) for node in parts_of(loop)):
        return None
    steps = loop.iter
    if isinstance(steps, cst.Call) and source.code(steps.func) in ("range", "xrange") and len(steps.args) == 1:
        last = steps.args[0].value
        return int(last.value) if isinstance(last, cst.Integer) and last.value.isdigit() else None
    return _length(source, steps)


def _length(source: Source, node: cst.CSTNode) -> Optional[int]:
    """The length of a list or tuple display, or of a name whose only value is one; None if unknown."""
    if isinstance(node, (cst.List, cst.Tuple)):
        return None if any(isinstance(one, cst.StarredElement) for one in node.elements) else len(node.elements)
    if not isinstance(node, cst.Name):
        return None
    given = [line for line in source.every(cst.SimpleStatementLine) if node.value in names_of(line)]
    value = value_of(given[0]) if len(given) == len(source.names.definitions(node)) == 1 else None
    changes = changed_by_calls(source, source.tree, possibly=False)
    is_changed = node.value in changes or any(
        source.code(one.value) == node.value for one in source.every(cst.Attribute)
    )
    return None if is_changed or not isinstance(value, (cst.List, cst.Tuple)) else _length(source, value)

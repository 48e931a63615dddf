"""Replaces names that Python, NumPy and SciPy have removed by their current equivalents.

``run`` and ``queuecompat.v1`` bring the old names back. A program that is rewritten to work without these gets the new
names in all its files; each has the same meaning. If a name has no equivalent, the program is held back
(``together.holds``).
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, Iterator, Mapping, Optional, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.older_calls import older_calls
from queuecompat.migrate.analysis.older_names import OlderName, may_have_older_names, older_names
from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference.older_names import BY_HAND, IN_CALLS, METHODS, MODES, OLDER

__all__ = ["name_by_hand", "named_as_today", "with_newer_names"]


def named_as_today(program: Program, results: Mapping[Source, Rewritten]) -> Dict[Source, Rewritten]:
    """The rewritten files of a program, and the files that they import, with their older names replaced."""
    running = {one for one, result in results.items() if result.refusal is None and result.text != one.text}
    running |= {other for one in list(running) for other in program.reached(one) if results[other].refusal is None}
    found: Dict[Source, Rewritten] = {}
    for source in running:
        result = results[source]
        # Files of TensorFlow 2 are not changed.
        if may_have_older_names(result.text) and (source in program.tf1 or "tensorflow" not in source.text):
            found[source] = dataclasses.replace(result, text=with_newer_names(source.again(result.text)))
    return found


def with_newer_names(source: Source) -> str:
    """The text of *source* with each replaceable older name replaced, and estimator modes written as strings.

    Calls that NumPy now rejects are rewritten in the form that it accepts.
    """
    while True:
        found = [one for one in older_names(source) if _can_be_named(source, one)]
        new = dict([*_modes(source), *(_replacement(source, one) for one in found)])
        text = source.replaced(new or {one.call: one.new for one in older_calls(source)})
        if text == source.text:
            return text
        source = source.again(text)  # names inside a replaced call come next


def name_by_hand(source: Source) -> Optional[OlderName]:
    """The first older name of *source* that has to be replaced by hand, or None."""
    if not may_have_older_names(source.text):
        return None
    return next((one for one in older_names(source) if not _can_be_named(source, one)), None)


def _can_be_named(source: Source, one: OlderName) -> bool:
    """Whether the new name can be used there: its module has a name in the file, and nothing else is called so."""
    if not one.name:
        return False
    if not one.module:
        return METHODS[one.name].isidentifier()
    now = OLDER[one.module].get(one.name, "")
    if one.full in BY_HAND:
        return False
    if isinstance(one.node, cst.ImportAlias):
        is_name = "." in now and not now.startswith("-") and one.full not in IN_CALLS
        return is_name or isinstance(source.parents[one.node], cst.Import)
    if one.is_called or one.full in IN_CALLS:
        return one.is_called  # only calls have an equivalent, not the function itself
    if "." not in now:
        return now not in _bound(source)
    return _owner(one, now) is not None


def _owner(one: OlderName, now: str) -> Optional[Tuple[str, str]]:
    """A package that contains *now*, and the file's name for it: ``numpy`` and ``np`` for ``np.lib.pad``."""
    now = now.lstrip("-")
    module, written = one.module, one.written.rpartition(".")[0]
    while module and written:
        if f"{now}.".startswith(f"{module}."):
            return module, written
        if module.rpartition(".")[2] != written.rpartition(".")[2]:
            break
        module, written = module.rpartition(".")[0], written.rpartition(".")[0]
    top = now.partition(".")[0]
    return (top, top) if one.written.startswith(f"{top}.") else None


def _bound(source: Source) -> Set[str]:
    """The names that the file assigns or defines."""
    functions = {one.name.value for one in source.every(cst.FunctionDef)}
    classes = {one.name.value for one in source.every(cst.ClassDef)}
    parameters = {one.name.value for one in source.every(cst.Param)}
    targets = (one.target for one in source.every(cst.AssignTarget))
    return functions | classes | parameters | {one.value for one in targets if isinstance(one, cst.Name)}


def _modes(source: Source) -> Iterator[Tuple[cst.CSTNode, Any]]:
    """Each ``tf.estimator.ModeKeys.TRAIN``, with the string that replaces it."""
    for node in source.every(cst.Attribute):
        mode = MODES.get(source.names.symbol(node))
        if mode:
            yield node, cst.SimpleString(f'"{mode}"')


def _replacement(source: Source, one: OlderName) -> Tuple[cst.CSTNode, Any]:
    """The node to replace, and its replacement."""
    if not one.module:
        return one.node, cst.Name(METHODS[one.name])
    if isinstance(one.node, cst.ImportAlias):
        return _import(source, one.node, one)
    if one.is_called:
        call = source.parents[one.node]
        return call, _call(source, one, call)
    now = OLDER[one.module][one.name]
    if "." not in now:
        return one.node, cst.Name(now)
    package, owner = _owner(one, now) or ("", "")
    named = re.sub(rf"^(-?){re.escape(package)}\b", rf"\g<1>{owner}", now)
    return one.node, cst.parse_expression(f"({named})" if named.startswith("-") else named)


def _call(source: Source, one: OlderName, call: Any) -> cst.BaseExpression:
    arguments = cst.Module([]).code_for_node(call.with_changes(func=cst.Name("_")))[1:].strip()[1:-1]
    form = IN_CALLS[one.full]
    owner = source.code(one.node).rpartition(".")[0] or one.module
    return cst.parse_expression(form.replace(f"{one.module}.", f"{owner}.", 1).format(arguments))


def _import(source: Source, alias: cst.ImportAlias, one: OlderName) -> Tuple[cst.CSTNode, Any]:
    """The import without the old name, preceded by an import of the new name."""
    line: Any = source.parents[alias]
    now = OLDER[one.module][one.name]
    if isinstance(line, cst.Import):
        return alias, alias.with_changes(name=_dotted(now))
    module, _, name = now.rpartition(".")
    known_as = alias.asname or (None if name == one.name else cst.AsName(cst.Name(one.name)))
    new = cst.ImportFrom(_dotted(module), [cst.ImportAlias(cst.Name(name), known_as)])
    rest = [other for other in line.names if other is not alias]
    if not rest:
        return line, new.with_changes(semicolon=line.semicolon)
    if line.lpar is None:
        rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    old = line.with_changes(names=rest)
    around: Any = source.parents[line]
    if len(around.body) > 1:
        return line, cst.FlattenSentinel([new, old])
    above = around.with_changes(body=[new], trailing_whitespace=cst.TrailingWhitespace())
    return around, cst.FlattenSentinel([above, around.with_changes(body=[old], leading_lines=[])])


def _dotted(name: str) -> Any:
    return cst.parse_expression(name)

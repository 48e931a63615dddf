"""Today's names of Python and NumPy in place of those that they have no longer.

``run`` and ``queuecompat.v1`` bring the old names back. A program that is rewritten without them gets the new ones, in
all its files: each means the same.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, Mapping, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.older_names import OlderName, older_names
from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference.older_names import IN_CALLS, OF_ARRAYS, OLDER

__all__ = ["may_have_older_names", "named_as_today", "with_newer_names"]

_NAMES = {name for names in OLDER.values() for name in names} | set(OF_ARRAYS) | {"fromstring"}
_ANY = re.compile(rf"\b({'|'.join(sorted(_NAMES))})\b")
_MODULES = re.compile(rf"\b({'|'.join(sorted(re.escape(one) for one in OLDER))})\b|\.tostring\b")


def may_have_older_names(text: str) -> bool:
    """Whether a look at the syntax tree of *text* is worth its time."""
    return bool(_MODULES.search(text) and _ANY.search(text))


def named_as_today(program: Program, results: Mapping[Source, Rewritten]) -> Dict[Source, Rewritten]:
    """The files of a program that are rewritten, and those that they import, which have older names."""
    running = {one for one, result in results.items() if result.refusal is None and result.text != one.text}
    running |= {other for one in list(running) for other in program.reached(one) if results[other].refusal is None}
    found: Dict[Source, Rewritten] = {}
    for source in running:
        result = results[source]
        # A file of TensorFlow 2 is not ours to change.
        if may_have_older_names(result.text) and (source in program.tf1 or "tensorflow" not in source.text):
            found[source] = dataclasses.replace(result, text=with_newer_names(source.again(result.text)))
    return found


def with_newer_names(source: Source) -> str:
    """The text of *source*, in which each older name that can be replaced is."""
    while True:
        found = [one for one in older_names(source) if _can_be_named(source, one)]
        text = source.replaced(dict(_replacement(source, one) for one in found))
        if text == source.text:
            return text
        source = source.again(text)  # names inside of a call that was replaced come next


def _can_be_named(source: Source, one: OlderName) -> bool:
    """Whether the new name can stand there: its module is known, and the name means nothing else in the file."""
    if not one.module or one.is_called or isinstance(one.node, cst.ImportAlias):
        return True
    now = OLDER[one.module].get(one.name, "")
    if one.full in IN_CALLS:
        return False  # the function itself, which is not called here
    if "." not in now:
        return now not in _bound(source)
    return now.lstrip("-").startswith(f"{one.module.partition('.')[0]}.")


def _bound(source: Source) -> Set[str]:
    """The names that the file assigns to, or defines."""
    functions = {one.name.value for one in source.every(cst.FunctionDef)}
    classes = {one.name.value for one in source.every(cst.ClassDef)}
    parameters = {one.name.value for one in source.every(cst.Param)}
    targets = (one.target for one in source.every(cst.AssignTarget))
    return functions | classes | parameters | {one.value for one in targets if isinstance(one, cst.Name)}


def _replacement(source: Source, one: OlderName) -> Tuple[cst.CSTNode, Any]:
    """The node that goes, and what stands in its place."""
    if not one.module:
        return one.node, cst.Name(OF_ARRAYS[one.name])
    if isinstance(one.node, cst.ImportAlias):
        return _import(source, one.node, one)
    if one.is_called:
        call = source.parents[one.node]
        return call, _call(source, one, call)
    owner = source.code(one.node.value)  # type: ignore[attr-defined]
    now = OLDER[one.module][one.name]
    if "." not in now:
        return one.node, cst.Name(now)
    named = re.sub(rf"^(-?){re.escape(one.module)}\b", rf"\g<1>{owner}", now)
    return one.node, cst.parse_expression(f"({named})" if named.startswith("-") else named)


def _call(source: Source, one: OlderName, call: Any) -> cst.BaseExpression:
    arguments = cst.Module([]).code_for_node(call.with_changes(func=cst.Name("_")))[1:].strip()[1:-1]
    form = IN_CALLS[one.full]
    owner = source.code(one.node).rpartition(".")[0] or one.module
    return cst.parse_expression(form.replace(f"{one.module}.", f"{owner}.", 1).format(arguments))


def _import(source: Source, alias: cst.ImportAlias, one: OlderName) -> Tuple[cst.CSTNode, Any]:
    """The import without the old name, and one of the new name in front of it."""
    line: Any = source.parents[alias]
    now = OLDER[one.module][one.name]
    if isinstance(line, cst.Import):
        return alias, alias.with_changes(name=_dotted(now))
    module, _, name = now.lstrip("-").rpartition(".")
    if not module or now.startswith("-") or one.full in IN_CALLS:
        return alias, alias
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

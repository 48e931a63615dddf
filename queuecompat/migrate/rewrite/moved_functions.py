"""Moves a function that reads from a queue into the file that builds the queue, if only that file calls it.

    reader.py                                                  inputs.py
    def read_image(queue):                                     def read_image(queue):
        _, record = tf.TFRecordReader().read(queue)                _, record = tf.TFRecordReader().read(queue)
        return decode(record)                                      return reader.decode(record)
                                                       ->
    inputs.py                                                  def inputs(files):
    def inputs(files):                                             queue = tf.train.string_input_producer(files)
        queue = tf.train.string_input_producer(files)              image = read_image(queue)
        image = reader.read_image(queue)

Rule 1: each use of the function is a call in one other file, and no file looks it up. It is not in a class.
Rule 2: the names that it reads mean the same in the new file, or are names of its old file that are bound only once,
        and are then read from there.
Rule 3: an import that is then unused is removed only if its file just defines functions, classes and constants.
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import callers
from queuecompat.migrate.analysis.lookups import is_value, may_look_up
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.analysis.statements import declared_names, defs, free_names, uses
from queuecompat.migrate.rewrite.input_functions import batch_functions, require_no_records_from_caller
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.source.edits import renamed
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Move", "moves"]

# The file that builds the queue and the file that defined the function, each with its changed copy.
Move = Dict[Source, Source]

_TWO = [cst.EmptyLine(indent=False)] * 2


def moves(program: Program, source: Source) -> Iterator[Move]:
    """The changes that each move one such function into *source*."""
    seen: List[cst.CSTNode] = []
    for use in program.uses(source):
        place = use.place
        if use.full not in source.parts_elsewhere or place.node in seen:
            continue
        seen.append(place.node)
        if isinstance(place.node, cst.FunctionDef) and place.node in place.source.tree.body and _is_part(place):
            move = _Move(program, source, place.source, place.node).move()
            if move is not None:
                yield move


def _is_part(place: Place) -> bool:
    """Whether a function is a part of a pipeline, and not a whole pipeline that returns its batches."""
    source, function = place
    if function not in batch_functions(source):
        return True
    try:
        require_no_records_from_caller(source, function)  # type: ignore[arg-type]
    except UnsupportedPatternError:
        return True
    return False


class _Move:
    """A *function* of the file *old* that may move into the file *new*."""

    def __init__(self, program: Program, new: Source, old: Source, function: cst.FunctionDef) -> None:
        self._program, self._new, self._old, self._function = program, new, old, function
        self._name = function.name.value
        self._users = program.users(Place(old, function))
        self._uses: Set[cst.CSTNode] = {use.node for user, use in self._users if user is new}

    def move(self) -> Optional[Move]:
        """The changed copies of both files; None if the function has to stay."""
        if not self._is_only_called():
            return None
        line, owner = self._import(), self._owner()
        needed = None if line is None and owner is None else self._needed(owner)
        if needed is None:
            return None
        if line is None:
            changes: Dict[cst.CSTNode, Any] = dict.fromkeys(self._uses, cst.Name(self._name))
        else:
            changes = self._imported(line, sorted(needed))
            if cst.RemoveFromParent() in changes.values() and not self._has_no_effect():
                return None
        function = renamed(self._function, needed)
        without = self._old.again(self._old.replaced({self._function: cst.RemoveFromParent()}))
        copy = _with_function(self._new.again(self._new.replaced(changes)), function)
        if owner is not None and self._has_no_effect():
            copy = _without_unused_import(copy, self._new.code(owner))
        return {self._new: copy, self._old: without}

    def _is_only_called(self) -> bool:
        """Whether all uses of the function are calls in the new file."""
        calls = {one: self._new.parents.get(one) for one in self._uses}
        if not all(isinstance(call, cst.Call) and call.func is one for one, call in calls.items()):
            return False
        is_alone = all(user is self._new for user, _ in self._users) and self._uses
        if not is_alone or self._function.decorators or is_value(self._old, self._function):
            return False
        if any(True for _ in callers(self._old, self._function)) or self._old in self._program.in_tensorflow_2:
            return False
        if any(may_look_up(one, self._name) for one in self._program.sources):
            return False
        others = (one for one in self._program.sources if one is not self._new)
        imported = {alias.evaluated_name for one in others for alias in one.every(cst.ImportAlias)}
        listed = {one.raw_value for one in self._old.every(cst.SimpleString)}  # __all__
        return self._name not in imported | listed

    def _owner(self) -> Optional[cst.BaseExpression]:
        """The ``reader`` of all uses ``reader.read_image``, if it is the old file, and the plain name is free."""
        owners = [one.value for one in self._uses if isinstance(one, cst.Attribute)]
        modules = {self._new.names.full(one) for one in owners}
        is_same = len(modules) == 1 and self._program.file(self._new, modules.pop() or "") is self._old
        is_free = self._name not in _named(self._new, self._new.tree)
        return owners[0] if is_same and is_free and len(owners) == len(self._uses) else None

    def _import(self) -> Optional[cst.ImportFrom]:
        """The line ``from reader import read_image`` at the top level of the new file, if all uses are of that name."""
        if not all(isinstance(one, cst.Name) and one.value == self._name for one in self._uses):
            return None
        bound = {line for one in self._uses for line in self._new.names.definitions(one)}  # type: ignore[arg-type]
        line = bound.pop() if len(bound) == 1 else None
        if not isinstance(line, cst.ImportFrom) or self._new.parents.get(line) not in self._new.tree.body:
            return None
        module = "." * len(line.relative) + dotted_name(line.module)
        return line if self._program.file(self._new, module) is self._old else None

    def _needed(self, owner: Optional[cst.BaseExpression]) -> Optional[Dict[str, cst.BaseExpression]]:
        """The names of the old file that the function reads, each with what it is called in the new file.

        Args:
          owner: the new file's expression for the old file; None if it imports names one by one.

        Returns:
          None if one of these names, or another name that the function reads, has no certain meaning in the new file.
        """
        found: Dict[str, cst.BaseExpression] = {}
        own = declared_names(self._function).union(*(declared_names(one) for one in self._old.every(cst.FunctionDef)))
        own |= defs(self._function) | {one.name.value for one in every(self._function, cst.Param)}
        inner, outer = _named(self._old, self._function), _named(self._new, self._new.tree)
        for name in sorted(free_names(self._function)):
            if name in own:
                return None
            full, bound = self._old.names.full(inner[name][0]), self._old.names.definitions(inner[name][0])
            there = outer.get(name, [])
            if full is not None or not bound:
                # The same import, or one of Python's own names.
                is_same = {(self._new.names.full(one), not self._new.names.definitions(one)) for one in there}
                if is_same != {(full, not bound)} and (full is not None or there):
                    return None
            elif len(bound) == 1 and (owner is not None or not there):
                found[name] = cst.Name(name) if owner is None else cst.Attribute(owner, cst.Name(name))
            else:
                return None
        is_hidden = owner is not None and not own.isdisjoint(uses(owner))
        return None if found and is_hidden else found

    def _has_no_effect(self) -> bool:
        """Whether an import of the old file does nothing but define names."""
        return _only_defines(self._old) and not self._program.imported(self._old)

    def _imported(self, line: cst.ImportFrom, names: Sequence[str]) -> Dict[cst.CSTNode, Any]:
        """The import *line* with *names* in place of the function."""
        kept: List[Any] = [one for one in line.names if one.evaluated_name != self._name]  # type: ignore[union-attr]
        kept += [cst.ImportAlias(cst.Name(one)) for one in names]
        if not kept:
            return {self._new.parents[line]: cst.RemoveFromParent()}
        return {line: line.with_changes(names=[one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in kept])}


def _named(source: Source, root: cst.CSTNode) -> Dict[str, List[cst.Name]]:
    """The names below *root* that are read or bound, without parts of longer names and keywords."""
    found: Dict[str, List[cst.Name]] = {}
    for one in source.every(cst.Name, root):
        around = source.parents.get(one)
        is_part = isinstance(around, (cst.AsName, cst.ImportAlias, cst.ImportFrom))
        is_part = is_part or (isinstance(around, cst.Attribute) and around.attr is one)
        if not is_part and not (isinstance(around, cst.Arg) and around.keyword is one):
            found.setdefault(one.value, []).append(one)
    return found


def _with_function(source: Source, function: cst.FunctionDef) -> Source:
    """A copy of *source* with *function* above the first statement at the top level that names it."""
    first: Any = next(one for one in source.tree.body if function.name.value in uses(one) and not _is_import(one))
    above = list(itertools.takewhile(lambda line: line.comment is None, first.leading_lines))
    comments = list(itertools.dropwhile(lambda line: line.comment is None, function.leading_lines))
    made = function.with_changes(leading_lines=[*(above or _TWO), *comments])
    below = first.with_changes(leading_lines=[*_TWO, *first.leading_lines[len(above) :]])
    return source.again(source.replaced({first: cst.FlattenSentinel([made, below])}))


def _is_import(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], (cst.Import, cst.ImportFrom))


def _only_defines(source: Source) -> bool:
    """Whether an import of *source* does nothing but define functions, classes and constants."""
    lines = [one for one in source.tree.body if not isinstance(one, cst.FunctionDef)]
    is_plain = all(isinstance(one, (cst.ClassDef, cst.SimpleStatementLine)) for one in lines)
    return is_plain and not any(True for line in lines for _ in source.every(cst.Call, line))


def _without_unused_import(source: Source, module: str) -> Source:
    """*source* without a line ``import module``, if nothing uses it."""
    lines: List[Any] = list(filter(_is_import, source.tree.body))
    for line in lines:
        if source.code(line).strip() in (f"import {module}", f"from . import {module}"):
            bound = (source.names.definitions(one) for one in source.every(cst.Name))
            if not any(line.body[0] in one for one in bound):
                return source.again(source.replaced({line: cst.RemoveFromParent()}))
    return source

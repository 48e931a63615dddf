"""Moves the parts of a pipeline that ``__init__`` creates into the method that ends the pipeline.

    def __init__(self, files):                                 def __init__(self, files):
        self.queue = string_input_producer(files)                  self.files = files
                                                      ->
    def batch(self, n):                                        def batch(self, n):
        _, line = Reader().read(self.queue)                        self.queue = string_input_producer(self.files)
                                                                   _, line = Reader().read(self.queue)

A dataset is built in the graph of the method that returns it, so whatever ``__init__`` adds to a graph must move there.

Rule 1: queues, readers and the lines that need them move; all other lines stay. The order of lines is kept.
Rule 2: their inputs must have the same value in the method: attributes that only one line assigns, and arguments that
        nothing changes after the object is created.
Rule 3: an object had one queue for all calls of the method, but each dataset has its own. The program must therefore
        call the method at most once for each object (``single_calls``). Readers are an exception if the
        method takes no arguments, and each call of it creates the same readers and a queue of its own for them.
Rule 4: in doubt nothing moves.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.attributes import assigned, attribute_names, is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import callee, class_of, reachable
from queuecompat.migrate.analysis.statements import defs, uses
from queuecompat.migrate.rewrite.pipelines.producers import PRODUCERS
from queuecompat.migrate.rewrite.pipelines.readers import READERS
from queuecompat.migrate.rewrite.single_calls import is_called_once, is_seeded, writes
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["with_whole_methods"]


def with_whole_methods(source: Source) -> Optional[Source]:
    """A copy of *source* in which methods create the parts of a pipeline that they need; None if nothing moves."""
    new: Dict[cst.CSTNode, Any] = {}
    for kind in source.tree.body:
        if isinstance(kind, cst.ClassDef):
            new.update(_Class(source, kind).changes())
    if not new:
        return None
    copy = source.again(source.replaced(new))
    return copy


class _Class:
    """One class, whose ``__init__`` may begin a pipeline."""

    def __init__(self, source: Source, kind: cst.ClassDef) -> None:
        self._source, self._kind = source, kind
        self._methods = [one for one in source.every(cst.FunctionDef, kind) if class_of(source, one) is kind]
        found = [one for one in self._methods if one.name.value == "__init__"]
        self._init = found[0] if len(found) == 1 and isinstance(found[0].body, cst.IndentedBlock) else None
        self._own = ""
        self._lines: List[Any] = []
        self._made: Set[str] = set()

    def changes(self) -> Dict[cst.CSTNode, Any]:
        """The new forms of ``__init__`` and the method; empty if they have to stay unchanged."""
        if self._init is None or not self._init.params.params or not self._is_alone():
            return {}
        self._own = self._init.params.params[0].name.value
        self._find()
        method = self._method() if self._lines else None
        if method is None or not (self._creates_same_readers(self._init, method) or self._is_used_once(method)):
            return {}
        return self._moved(self._init, method)

    def _is_alone(self) -> bool:
        """Whether it has no base or derived class in the file."""
        bases = {self._source.code(one.value) for one in self._kind.bases}
        others = {self._source.code(base.value) for one in self._source.every(cst.ClassDef) for base in one.bases}
        return bases <= {"object"} and self._kind.name.value not in others

    def _creates_same_readers(self, init: cst.FunctionDef, method: cst.FunctionDef) -> bool:
        """Whether the lines only create readers, and the same ones for each object, which read for *method* alone."""
        local = {one.name.value for one in every(init.params, cst.Param)} | defs(init.body)
        for line in self._lines:
            calls = [self._source.names.symbol(call.func) for call in every(line, cst.Call)]
            if len(calls) != 1 or calls[0] not in READERS or uses(line) & local - {self._own}:
                return False
        if is_seeded(self._source):
            return False  # the number of ops before others would change, and with it their seeds
        is_read_elsewhere = any(is_named_elsewhere(self._source, name) for name in self._made)
        return not is_read_elsewhere and len(list(every(method.params, cst.Param))) == 1

    def _is_used_once(self, method: cst.FunctionDef) -> bool:
        """Whether the program calls *method* once for each object, whose arguments are still the same then."""
        names = (self._kind.name.value, method.name.value)
        is_elsewhere = any(is_named_elsewhere(self._source, name) for name in names)
        if is_elsewhere and names not in self._source.called_once_elsewhere:
            return False
        is_shared = any(is_named_elsewhere(self._source, name) for name in self._made)
        return not is_shared and is_called_once(self._source, self._kind, method)

    # What moves, and where to.

    def _find(self) -> None:
        """Collects the lines of ``__init__`` that move, and the attributes that they assign."""
        for line in self._init.body.body:  # type: ignore[union-attr]
            if self._makes_part(line) or self._needs_part(line):
                self._lines.append(line)
                self._made |= _stored(line)

    def _makes_part(self, line: cst.CSTNode) -> bool:
        calls = self._source.every(cst.Call, line)
        return any(self._source.names.symbol(call.func) in {*PRODUCERS, *READERS} for call in calls)

    def _needs_part(self, node: cst.CSTNode) -> bool:
        """Whether *node*, or code that it calls, uses attributes that move."""
        inside = (part for one in reachable(self._source, node) for part in self._source.every(cst.Attribute, one))
        return any(part.attr.value in self._made for part in inside)

    def _method(self) -> Optional[cst.FunctionDef]:
        """The method that ends the pipeline; None if there is not exactly one, or the lines cannot move there."""
        inner = {callee(self._source, call) for one in self._lines for call in self._source.every(cst.Call, one)}
        users = [one for one in self._methods if one is not self._init and self._needs_part(one)]
        called = {callee(self._source, call) for one in users for call in self._source.every(cst.Call, one)}
        outer = [one for one in users if one not in inner and one not in called]
        if len(outer) != 1 or outer[0].decorators or not isinstance(outer[0].body, cst.IndentedBlock):
            return None
        parameters = outer[0].params.params
        is_own = bool(parameters) and parameters[0].name.value == self._own
        return outer[0] if is_own and not any(_is_split(self._own, line) for line in self._lines) else None

    # The new methods.

    def _moved(self, init: cst.FunctionDef, method: cst.FunctionDef) -> Dict[cst.CSTNode, Any]:
        if not self._is_unchanged(init):
            return {}
        local = {one.name.value for one in every(init.params, cst.Param)} | defs(init.body)
        kept: Dict[str, str] = {}
        body: List[Any] = []
        new: List[Any] = []
        for line in init.body.body:
            if line not in self._lines:
                body.append(line)
                continue
            used = uses(line) & (local - {self._own})
            for name in (one.value for one in self._source.every(cst.Name, line)):
                if name in used and name not in kept:
                    kept[name] = self._kept(init, name)
                    if not kept[name]:
                        return {}
                    if kept[name] == name and name not in attribute_names(self._source):
                        body.append(self._source.statement(f"{self._own}.{name} = {name}"))
            new.append(self._with_attributes(line, kept))
        names: Set[str] = set().union(*map(uses, new))
        if (names - {self._own}) & (defs(method.body) | _parameters(method)):
            return {}
        first = _docstring(method.body.body)
        end = [*method.body.body[:first], *new, *method.body.body[first:]]
        return {
            init: init.with_changes(body=init.body.with_changes(body=body or [self._source.statement("pass")])),
            method: method.with_changes(body=method.body.with_changes(body=end)),
        }

    def _is_unchanged(self, init: cst.FunctionDef) -> bool:
        """Whether the inputs of the moving lines never change, and only these lines assign what they create."""
        if any(not isinstance(self._source.parents.get(one), cst.Attribute) for one in self._uses_of_own(init)):
            return False
        read = {one.attr.value for line in self._lines for one in self._attributes(line)} - self._made
        methods = {one.name.value for one in self._methods}
        makers = self._source.once(assigned)
        for name in read - methods:
            if len([one for one in makers if one.target.attr.value == name]) > 1 or is_named_elsewhere(
                self._source, name
            ):
                return False
        inside = {part for line in self._lines for part in self._source.every(cst.Attribute, line)}
        return all(one.target in inside for one in makers if one.target.attr.value in self._made)

    def _attributes(self, node: cst.CSTNode) -> Iterator[cst.Attribute]:
        """The attributes of the object itself in *node*."""
        for one in self._source.every(cst.Attribute, node):
            if isinstance(one.value, cst.Name) and one.value.value == self._own:
                yield one

    def _uses_of_own(self, init: cst.FunctionDef) -> List[cst.Name]:
        return [one for one in self._source.every(cst.Name, init.body) if one.value == self._own]

    def _kept(self, init: cst.FunctionDef, name: str) -> str:
        """An attribute, existing or new, that has the value of *name*; "" if none certainly has."""
        lines = init.body.body
        first = next(place for place, line in enumerate(lines) if line in self._lines and name in uses(line))
        if any(writes(self._source, line, {name}) for line in lines[first:]):
            return ""
        for one in self._source.once(assigned):
            is_same = isinstance(one.value, cst.Name) and one.value.value == name and one.method is init
            line = self._source.around(one.target, cst.SimpleStatementLine)
            if is_same and line in lines[:first] and self._is_assigned_once(one.target.attr.value):
                changed = [other for other in lines[lines.index(line) :] if name in defs(other)]
                return "" if changed else one.target.attr.value
        taken = name in attribute_names(self._source) or is_named_elsewhere(self._source, name)
        return "" if taken or any(one.name.value == name for one in self._methods) else name

    def _is_assigned_once(self, name: str) -> bool:
        found = [one for one in self._source.once(assigned) if one.target.attr.value == name]
        return len(found) == 1 and not is_named_elsewhere(self._source, name)

    def _with_attributes(self, line: Any, kept: Dict[str, str]) -> Any:
        """*line* with attributes in place of local names of ``__init__``."""
        left_out = {one.attr for one in every(line, cst.Attribute)}
        left_out |= {one.keyword for one in every(line, cst.Arg) if one.keyword is not None}
        names = [one for one in every(line, cst.Name) if one.value in kept and one not in left_out]
        return replaced(line, {one: cst.parse_expression(f"{self._own}.{kept[one.value]}") for one in names})


def _stored(line: Any) -> Set[str]:
    """The attributes that a line assigns to."""
    targets = [one.target for one in every(line, cst.AssignTarget)]
    return {part.attr.value for one in targets for part in every(one, cst.Attribute)}


def _is_split(own: str, line: Any) -> bool:
    """Whether a line is anything but one plain assignment to attributes of the object."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1 or not isinstance(line.body[0], cst.Assign):
        return True
    targets = [one.target for one in line.body[0].targets]
    parts = [part for one in targets for part in (_elements(one) if isinstance(one, (cst.List, cst.Tuple)) else [one])]
    return not all(
        isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name) and one.value.value == own for one in parts
    )


def _elements(target: Any) -> Sequence[cst.BaseExpression]:
    return [element.value for element in target.elements]


def _parameters(method: cst.FunctionDef) -> Set[str]:
    return {one.name.value for one in every(method.params, cst.Param)}


def _docstring(body: Sequence[Any]) -> int:
    """The number of lines of *body* that are a docstring: 1 or 0."""
    first = body[0].body[0] if isinstance(body[0], cst.SimpleStatementLine) else None
    return int(isinstance(first, cst.Expr) and isinstance(first.value, (cst.ConcatenatedString, cst.SimpleString)))

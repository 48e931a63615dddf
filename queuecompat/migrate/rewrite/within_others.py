"""Moves a pipeline that is among other lines of a function into a function of its own.

    def __init__(self, files, size):                           def __init__(self, files, size):
        self.size = size                                           self.size = size
        queue = string_input_producer(files)           ->          self.images = self.input_pipeline(files)
        image = decode(Reader().read(queue)[1])                    self.build()
        self.images = batch([image], self.size)
        self.build()                                           def input_pipeline(self, files):
                                                                   queue = string_input_producer(files)
                                                                   image = decode(Reader().read(queue)[1])
                                                                   return batch([image], self.size)

A function that initialises an object, builds a model or runs a session cannot return a dataset; its pipeline alone can.

Rule 1: the lines from the first one that makes a part of the pipeline to the one that batches move, if the batch
        depends on them. They keep their order. Lines that compute plain Python values stay, and the values are passed.
Rule 2: apart from the batch, only the moved lines use what they assign.
Rule 3: no op changes its place in its graph: the lines that stay among the moved ones create no ops. They also change
        nothing that the lines above them see, neither themselves nor through calls.
Rule 4: in doubt nothing moves.
Rule 5: a pipeline may be inside a ``with``, such as ``tf.Graph().as_default()``, if all of its lines are; the call of
        the new function is then inside it too.
Rule 6: a new method gets a name that no base class and no subclass uses.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import AbstractSet, Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_asked_for, is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import calls_of, class_of
from queuecompat.migrate.analysis.effects import calls_unknown, changed_by_calls, drawn_from, escaping_writes, names_in
from queuecompat.migrate.analysis.lookups import OF_VARIABLES
from queuecompat.migrate.analysis.needed_names import needed_names
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.statements import (
    WITH_TARGET,
    always_bound,
    assigned_names,
    bare,
    declared_names,
    defs,
    free_names,
    may_write,
    parts_of,
    target_of,
    uses,
    value_of,
)
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.sessions.eager import is_op
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.notebooks import begins_cell
from queuecompat.migrate.source.parsing import Source

__all__ = ["with_own_functions"]

_NAME = "input_pipeline"
# Blocks that may move with a pipeline; the block of a graph or a session has further effects.
_SCOPES = {"tf.device", "tf.name_scope", "tf.op_scope", "tf.variable_op_scope", "tf.variable_scope"}
# Functions that see all names of their caller.
_ALL_NAMES = OF_VARIABLES | {"dir"}
# Statements and expressions whose meaning depends on the enclosing function.
_OF_FUNCTIONS = (cst.Await, cst.Del, cst.Global, cst.Nonlocal, cst.Return, cst.Yield)


def with_own_functions(source: Source, whole: AbstractSet[cst.CSTNode], taken: Set[str]) -> Optional[Source]:
    """A copy of *source* in which such pipelines are functions of their own; None if there are none.

    Args:
      whole: functions that already are pipelines.
      taken: method names that classes of other files were given; those of this file are added.
    """
    copy = source
    for place in [one.place for one in _blocks(source, taken) if one.function not in whole]:
        while True:
            changed = next((one.changed() for one in _blocks(copy, taken) if one.place == place), None)
            if changed is None:
                break
            copy = copy.again(copy.replaced(changed))
    return None if copy is source else copy


def _blocks(source: Source, taken: Set[str]) -> Iterator[_Block]:
    yield _Block(source, None, None, taken)
    for one in source.every(cst.FunctionDef):
        kind = class_of(source, one)
        is_top = one in source.tree.body or (kind in source.tree.body and not one.decorators)
        if is_top and isinstance(one.body, cst.IndentedBlock):
            yield _Block(source, one, kind, taken)


@dataclasses.dataclass
class _Pipeline:
    """The lines of one pipeline.

    Attributes:
      lines: the lines that move; the last one contains the batcher.
      stay: the lines between them that do not move.
      line: the line with the batcher, which may be nested in a block of the last line.
      target: what that line assigns to.
    """

    lines: List[Any]
    stay: List[Any]
    line: Any
    target: cst.BaseExpression

    @property
    def parts(self) -> Iterator[cst.CSTNode]:
        return (part for line in self.lines for part in parts_of(line))


class _Block:
    """A function, a method of the class *kind*, or a module, that may have a pipeline among its lines.

    Attributes:
      function: the function; None for a module.
      place: the names of the class and the function, each "" if there is none.
    """

    def __init__(
        self, source: Source, function: Optional[cst.FunctionDef], kind: Optional[cst.ClassDef], taken: Set[str]
    ) -> None:
        self._source, self.function, self._kind, self._taken = source, function, kind, taken
        self._parameters = [] if function is None else [one.name.value for one in every(function.params, cst.Param)]
        self._own = self._parameters[0] if kind is not None and self._parameters else ""
        self._body: Sequence[Any] = list(self._opened(source.tree if function is None else function.body))
        self.place = ("" if kind is None else kind.name.value, "" if function is None else function.name.value)

    def changed(self) -> Optional[Dict[cst.CSTNode, Any]]:
        """The new form of the function or module; None if no pipeline in it can move."""
        if (self._kind is not None and not self._own) or (self.function and declared_names(self.function)):
            return None
        if any(one.value in _ALL_NAMES for line in self._body for one in every(line, cst.Name)):
            return None
        ends = (place for place, line in enumerate(self._body) if self._batch(line) is not None)
        return next(filter(None, map(self._without, ends)), None)

    def _without(self, end: int) -> Optional[Dict[cst.CSTNode, Any]]:
        """As ``changed``, for the pipeline that ends at line *end*."""
        found = self._pipeline(end)
        if found is None or self._is_all(found, end) or not self._is_apart(found, end):
            return None
        passed = self._passed(found, end)
        return self._moved(found, passed) if self._have_values(passed, found, end) else None

    # Which lines move.

    def _opened(self, block: Any) -> Iterator[cst.CSTNode]:
        """The lines of *block*; a ``with`` that contains the batch is flattened into its items and its lines."""
        for line in block.body:
            inner = line.body if isinstance(line, cst.With) and isinstance(line.body, cst.IndentedBlock) else None
            lines = [] if inner is None or self._batch(line) is not None else list(self._opened(inner))
            if any(self._batch(one) is not None for one in lines):
                yield from (*line.items, *lines)
            else:
                yield line

    def _batch(self, line: Any) -> Optional[Tuple[Any, cst.BaseExpression]]:
        """The line with the batcher, *line* or the last one inside a ``with``, and its target; None if none."""
        while isinstance(line, cst.With) and isinstance(line.body, cst.IndentedBlock):
            opened = [one.item for one in line.items]
            symbols = {self._source.names.symbol(one.func) if isinstance(one, cst.Call) else "" for one in opened}
            if symbols - _SCOPES:
                return None
            line = line.body.body[-1]
        target, value = target_of(line), value_of(line)
        is_batch = isinstance(value, cst.Call) and self._source.names.symbol(value.func) in BATCHERS
        return (line, target) if is_batch and target is not None and self._is_plain(target) else None

    def _is_plain(self, target: cst.BaseExpression) -> bool:
        """Whether a target consists of names and attributes of the object."""
        parts = [one.value for one in target.elements] if isinstance(target, (cst.List, cst.Tuple)) else [target]
        return all(isinstance(one, cst.Name) or bool(self._attribute(one)) for one in parts)

    def _attribute(self, node: cst.CSTNode) -> str:
        """The text ``self.x`` if *node* is such an attribute, else ""."""
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == self._own:
            return f"{self._own}.{node.attr.value}"
        return ""

    def _pipeline(self, end: int) -> Optional[_Pipeline]:
        of_tensors: List[Any] = []
        tensors: Set[str] = set()
        for line in self._body[:end]:
            if isinstance(line, cst.FunctionDef) or self._makes_ops(line) or self._read(line) & tensors:
                of_tensors.append(line)
                tensors |= self._written(line)
            elif _is_empty_list(line):
                of_tensors.append(line)
        last = self._body[end]
        lines, wanted = [last], self._read(last)
        for line in reversed(of_tensors):
            changes_one = not defs(line) and bool(self._read(line) & wanted & tensors)
            if self._written(line) & wanted or changes_one:
                lines.insert(0, line)
                wanted |= self._read(line)
        parts = [place for place, line in enumerate(lines) if is_queue_statement(self._source, line)]
        lines = lines[parts[0] :]
        if len(lines) == 1 and not isinstance(last, cst.With):
            return None  # what it batches is built elsewhere
        stay = [line for line in self._body[self._body.index(lines[0]) : end] if line not in lines]
        line, target = self._batch(last)  # type: ignore[misc]
        return _Pipeline(lines, stay, line, target)

    def _makes_ops(self, line: cst.CSTNode) -> bool:
        is_part = is_queue_statement(self._source, line)
        return is_part or any(is_op(self._source, call) for call in calls_of(self._source, line))

    def _read(self, node: cst.CSTNode) -> Set[str]:
        """The names that *node* reads; ``self.x`` counts as one name."""
        if _plain_names(node):
            node = value_of(node)  # type: ignore[arg-type, assignment]
        found = {name for one in every(node, cst.Attribute) if (name := self._attribute(one))}
        return (uses(node) - {self._own}) | found

    def _written(self, node: cst.CSTNode) -> Set[str]:
        """The names that *node* assigns or modifies in place; ``self.x`` counts as one name."""
        targets = [one.target for one in parts_of(node) if isinstance(one, WITH_TARGET)]
        parts = (part for one in targets for part in every(one, cst.Attribute))
        found = {name for part in parts if (name := self._attribute(part))}
        return (may_write(self._source, node) - {self._own}) | found

    # What they need, and what needs them.

    def _is_all(self, found: _Pipeline, end: int) -> bool:
        """Whether the pipeline is everything that the function does."""
        after = self._body[end + 1 :]
        returned = value_of(after[0]) if len(after) == 1 and target_of(after[0]) is None else None
        return returned is not None and bare(returned).deep_equals(bare(found.target))

    def _is_apart(self, found: _Pipeline, end: int) -> bool:
        """Whether only the batch is used elsewhere, and the lines that stay may run before the pipeline."""
        if any(isinstance(part, _OF_FUNCTIONS) and not self._is_inner(part) for part in found.parts):
            return False
        if not {*found.lines, *found.stay} <= set(self._source.parents[found.lines[-1]].body):  # type: ignore[attr-defined]
            return False  # it begins outside the ``with`` that it ends in
        begin = self._body.index(found.lines[0])
        if any(map(_begins_cell, self._body[begin + 1 : end + 1])):
            return False
        made = set().union(*map(self._written, found.lines))
        for line in found.stay:
            above = [one for one in found.lines if self._body.index(one) < self._body.index(line)]
            if self._makes_ops(line) or self._read(line) & made or self._changes_what_is_seen(line, above):
                return False
        # Attributes may be used by other methods; the rewrite of methods checks them.
        local = {name for name in made - uses(found.target) if "." not in name}
        others = [line for line in self._body if line not in found.lines]
        if any(self._has_inner(line) and local & self._read(line) for line in others):
            return False
        if self.function is None and any(map(self._is_of_other_files, local)):
            return False
        return not self._reads_after(local, self._body[end + 1 :])

    def _changes_what_is_seen(self, line: Any, above: Sequence[Any]) -> bool:
        """Whether *line* must not run before the lines *above*: one may see what the other changes."""
        source = self._source
        inner = filter(self._has_inner, self._body[: self._body.index(line) + 1])
        seen = names_in(source, *above).union(*map(self._read, [*above, *inner]))
        changed = self._changed(line)
        changed_above: Set[str] = set().union(*map(self._changed, above))
        sees = names_in(source, line) | self._read(line)
        draws = any(drawn_from(source, one) for one in above) and bool(drawn_from(source, line))
        return bool(changed & (seen | changed_above) or changed_above & sees) or draws or calls_unknown(source, line)

    def _changed(self, line: Any) -> Set[str]:
        """The names that *line* changes, itself or through calls; for ``self.x`` also ``x``, as methods know it."""
        source = self._source
        changed = self._written(line) | changed_by_calls(source, line, possibly=True) | escaping_writes(source, line)
        return changed | {name.rpartition(".")[2] for name in changed}

    def _has_inner(self, line: cst.CSTNode) -> bool:
        """Whether *line* contains functions, which may run later."""
        return any(isinstance(part, (cst.FunctionDef, cst.Lambda)) for part in parts_of(line))

    def _is_of_other_files(self, name: str) -> bool:
        """Whether other files may use the variable *name* of this module."""
        is_used = self._source.is_imported and name in self._source.named_elsewhere
        return is_used or name in self._source.looked_up_elsewhere or is_asked_for(self._source, name)

    def _reads_after(self, names: Set[str], lines: Sequence[Any]) -> bool:
        """Whether *lines* may read one of *names* before they assign it."""
        left = set(names)
        for line in lines:
            if left & needed_names([line]):
                return True
            left -= _plain_names(line)
        return False

    def _is_inner(self, part: cst.CSTNode) -> bool:
        """Whether *part* is inside a function that moves as a whole."""
        return self._source.around(part, cst.FunctionDef) is not self.function

    def _passed(self, found: _Pipeline, end: int) -> List[str]:
        """The names whose values are passed to the new function."""
        before = [line for line in self._body[:end] if line not in found.lines]
        bound = set(self._parameters).union(*map(defs, before)) - {self._own}
        names: List[str] = []
        made: Set[str] = set()
        for line in found.lines:
            used = free_names(line) if isinstance(line, cst.FunctionDef) else needed_names([line])
            needed = (used & bound) - made
            names += [one for one in dict.fromkeys(name.value for name in every(line, cst.Name)) if one in needed]
            if isinstance(line, (cst.FunctionDef, cst.SimpleStatementLine)):
                made |= defs(line)
        names = list(dict.fromkeys(names))
        if self.function is None:  # a function at the top level reads the module's other variables directly
            assigned = set().union(*map(defs, found.lines))
            names = [one for one in names if one in assigned]
        return names

    def _have_values(self, names: Sequence[str], found: _Pipeline, end: int) -> bool:
        """Whether each of *names* has a value where the new function is called, on every path."""
        before = [line for line in self._body[:end] if line not in found.lines]
        return set(names) <= always_bound(*before).union(self._parameters)

    # The new functions.

    def _moved(self, found: _Pipeline, passed: Sequence[str]) -> Dict[cst.CSTNode, Any]:
        name, own = self._unused(), [self._own] if self._own else []
        called = ".".join([*own, name])
        code = f"{self._source.code(bare(found.target))} = {called}({', '.join(passed)})"
        call = self._source.statement(code)
        block: Any = self._source.parents[found.lines[-1]]
        above, below = (
            block.body[: block.body.index(found.lines[0])],
            block.body[block.body.index(found.lines[-1]) + 1 :],
        )
        blanks = [line for line in found.lines[0].leading_lines if not line.comment]
        call = call.with_changes(leading_lines=blanks[:1])
        made = self._new(found, name, [*own, *passed])
        two = [cst.EmptyLine(indent=False)] * 2
        if block is self._source.tree:
            comments = itertools.dropwhile(lambda line: line.comment is None, found.lines[0].leading_lines)
            made = made.with_changes(leading_lines=[*two, *comments])
            call = call.with_changes(leading_lines=two)
            return {block: block.with_changes(body=[*above, *found.stay, made, call, *below])}
        inside = {block: block.with_changes(body=[*above, *found.stay, call, *below])}
        top: Any = self.function or next(line for line in self._source.tree.body if block in set(parts_of(line)))
        rest = replaced(top, inside, self._source.parents)
        if self._kind is not None:
            made = made.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
            return {top: cst.FlattenSentinel([rest, made])}
        # Comments on the function, or on the block around the pipeline, stay above it.
        blanks = list(itertools.takewhile(lambda line: line.comment is None, top.leading_lines))
        made = made.with_changes(leading_lines=two if self.function is None else blanks)
        rest = rest.with_changes(leading_lines=[*two, *top.leading_lines[len(blanks) :]])
        return {top: cst.FlattenSentinel([made, rest])}

    def _new(self, found: _Pipeline, name: str, parameters: Sequence[str]) -> cst.FunctionDef:
        returned = found.line.with_changes(body=[cst.Return(value_of(found.line))])
        last = found.lines[-1]
        lines = [*found.lines[:-1], returned if last is found.line else last.deep_replace(found.line, returned)]
        first = lines[0]
        is_inside = first not in self._source.tree.body
        above = [line for line in first.leading_lines if line.comment and is_inside]
        lines[0] = first.with_changes(leading_lines=above)
        return cst.FunctionDef(
            cst.Name(name), cst.Parameters([cst.Param(cst.Name(one)) for one in parameters]), cst.IndentedBlock(lines)
        )

    def _unused(self) -> str:
        names = {one.value for one in self._source.every(cst.Name)}
        name = _NAME
        if self._kind is not None and any(self._source.code(one.value) != "object" for one in self._kind.bases):
            # A base class in another file may have a method of this name.
            names |= self._taken
            name = f"{self._kind.name.value.lower()}_{_NAME}"
        while name in names or is_named_elsewhere(self._source, name):
            name += "_"
        self._taken.add(name)
        return name


def _is_empty_list(line: Any) -> bool:
    """Whether *line* creates an empty list, to which later lines may append tensors."""
    value = value_of(line)
    return isinstance(value, cst.List) and not value.elements and bool(_plain_names(line))


def _begins_cell(line: Any) -> bool:
    """Whether *line* is the first line of a notebook cell."""
    return any(one.comment is not None and begins_cell(one.comment.value) for one in line.leading_lines)


def _plain_names(line: Any) -> Set[str]:
    """The names that a single plain assignment binds."""
    target = target_of(line)
    return set() if target is None else set(assigned_names(target))

"""The pipelines of a block: which statements build each, and what its batch is called."""

from __future__ import annotations

import dataclasses
from typing import List, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.pipelines import definition
from queuecompat.migrate.analysis.queue_statements import gives_batches, is_queue_statement
from queuecompat.migrate.analysis.statements import (
    Statement,
    UnsupportedPatternError,
    assigned_names,
    bare,
    free_names,
    may_write,
    names_of,
    target_of,
    uses,
    value_of,
    why_not_plain,
)
from queuecompat.migrate.rewrite.sessions.batched import require_a_batch
from queuecompat.migrate.rewrite.sessions.plumbing import Plumbing
from queuecompat.migrate.rewrite.sessions.purity import require_pure
from queuecompat.migrate.rewrite.sessions.templates import calls_of, template_in
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Input", "inputs_of"]


@dataclasses.dataclass
class Input:
    """One pipeline.

    Attributes:
      statements: those that build it, or the one that calls a function which does.
      batch: what the last one assigns to: the name or names that a batch has.
      is_prepared: the last ones change the batch, under its own names.
    """

    statements: List[Statement]
    batch: cst.BaseExpression
    is_prepared: bool = False

    @property
    def names(self) -> List[str]:
        """The names of a batch."""
        return assigned_names(self.batch)

    def parameters(self, source: Source) -> List[str]:
        """The names that the statements read before they give them another value."""
        changed: Set[str] = set().union(*(may_write(source, line) for line in self.statements))
        found: List[str] = []
        given: Set[str] = set()
        for line in self.statements:
            for name in sorted((_read_by(line) & changed) - given - set(found)):
                if any(name in assigned_names(turns.target) for turns in every(line, cst.CompFor)):
                    raise UnsupportedPatternError(line, f"'{name}' is two things here")
                found.append(name)
            given |= may_write(source, line)
        return found


def inputs_of(source: Source, plumbing: Plumbing) -> List[Input]:
    """The pipelines, in the order of the text.

    Raises:
      UnsupportedPatternError: there is none, or one is not built by plain statements that end in a batcher.
    """
    flat = plumbing.statements
    places = [place for place, one in enumerate(flat) if _builds(source, one)]
    if not places:
        _require_no_methods(source, flat)
        raise UnsupportedPatternError(flat[0] if flat else cst.Pass(), "no statement here builds a pipeline")
    found, begin = [], None
    for place in places:
        begin = place if begin is None else begin
        if gives_batches(source, flat[place]):
            found.append(_prepared(source, flat, place, _input(source, flat, begin, place, plumbing)))
            begin = None
    if begin is not None:
        _require_no_methods(source, flat)
        raise UnsupportedPatternError(flat[places[-1]], _why_no_batch(source, flat[places[-1]]))
    _require_apart(source, flat, found)
    return found


def _require_no_methods(source: Source, flat: Sequence[Statement]) -> None:
    """Whether no method of a class of the file builds the pipeline for them."""
    methods = [one for kind in source.every(cst.ClassDef) for one in every(kind, cst.FunctionDef)]
    building = {one.name.value for one in methods if is_queue_statement(source, one)}
    for line in flat:
        for call in every(line, cst.Call):
            if method(call) in building:
                what = f"the pipeline is built by the method '{method(call)}'"
                raise UnsupportedPatternError(line, f"{what}: make a function of it, outside of the class")


def _why_no_batch(source: Source, line: Statement) -> str:
    called = (definition(source, call.func) for call in calls_of(source, line))
    hiding = next((one.name.value for one in called if isinstance(one, cst.ClassDef)), None)
    if hiding is not None:
        return f"the batch is hidden in an object of the class '{hiding}': let a function return it, and call that here"
    return "the pipeline does not end in a batcher, or in a function with one"


def _builds(source: Source, one: Statement) -> bool:
    return not isinstance(one, (cst.ClassDef, cst.FunctionDef)) and is_queue_statement(source, one)


def _input(source: Source, flat: Sequence[Statement], begin: int, end: int, plumbing: Plumbing) -> Input:
    statements = list(flat[begin : end + 1])
    for one in statements:
        if not isinstance(one, cst.SimpleStatementLine):
            raise UnsupportedPatternError(
                one, "the pipeline is built in a block of its own: put its statements outside of it, or into a function"
            )
        if uses(one) & plumbing.names:
            raise UnsupportedPatternError(one, "the pipeline uses the session, the graph or the coordinator")
    batch = _batch_of(source, statements[-1])
    for one in statements:
        _require_one_batch(source, one)
    require_a_batch(source, statements, assigned_names(batch))
    return Input(statements, batch)


def _batch_of(source: Source, line: Statement) -> cst.BaseExpression:
    """What *line* assigns a batch to."""
    batch = target_of(line)
    if batch is None:
        raise UnsupportedPatternError(line, why_not_plain(line) or "a batch has no plain names: assign it to such")
    if not assigned_names(batch):
        written = f"the batch goes to '{source.code(bare(batch))}', and a loop over batches needs plain names"
        raise UnsupportedPatternError(line, f"{written}: assign it to such first")
    return batch


def _prepared(source: Source, flat: Sequence[Statement], end: int, found: Input) -> Input:
    """*found* with the statements behind it that change the batch under its own names: ``images = images / 255.0``.

    They may as well go into the loop; but where the program asks what a batch is, it asks for what they made of it.
    """
    described = any(_describes(source, one, found) for one in flat[end + 1 :])
    bound = {name for one in flat for name in may_write(source, one)}
    for line in flat[end + 1 :] if described else []:
        names = names_of(line) if target_of(line) is not None else []
        if not names or not set(names) <= set(found.names) or uses(line) & bound - set(found.names):
            break
        try:
            require_pure(source, line, line, tensors=set(found.names))
        except UnsupportedPatternError:
            break
        if any(template_in(source, call) for call in every(line, cst.Call)):
            break
        found.statements.append(line)
        found.is_prepared = True
    return found


def _describes(source: Source, one: Statement, found: Input) -> bool:
    """Whether *one* asks for the type or shape of a batch."""
    names = (name for name in every(one, cst.Name) if name.value in found.names)
    around = (source.parents.get(name) for name in names)
    return any(
        isinstance(part, cst.Attribute) and part.attr.value in ("dtype", "get_shape", "shape") for part in around
    )


def _require_apart(source: Source, flat: Sequence[Statement], inputs: Sequence[Input]) -> None:
    """What is made between the queues of a pipeline belongs to it alone, and each batch has names of its own."""
    taken: List[str] = []
    for one in inputs:
        inner = set().union(*(may_write(source, line) for line in one.statements)) - set(one.names)
        last = flat.index(one.statements[-1])
        for other in flat[:last]:
            if isinstance(other, (cst.ClassDef, cst.FunctionDef)) and free_names(other) & inner:
                raise UnsupportedPatternError(other, "something between the queues is used outside of the pipeline")
        for other in flat[last + 1 :]:
            if uses(other) & inner:
                raise UnsupportedPatternError(other, "something between the queues is used outside of the pipeline")
        if any(uses(line) & set(taken) for line in one.statements):
            raise UnsupportedPatternError(one.statements[-1], "it uses the names of a batch of another pipeline")
        taken += one.names


def _read_by(line: Statement) -> Set[str]:
    """The names that a line reads, and does not only assign to."""
    value = value_of(line)
    found = uses(line if value is None else value)
    imported = any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in every(line, cst.CSTNode))  # type: ignore[type-abstract]
    annotated = [one for one in every(line, cst.AnnAssign) if one.value is not None]
    if annotated:
        found = set().union(*(uses(one.value) for one in annotated if one.value is not None))
    return set() if imported else found


def _require_one_batch(source: Source, statement: Statement) -> None:
    """What is drawn together must be one batch: of two, a graph would draw only the one that is fetched."""
    reached: List[cst.CSTNode] = [statement]
    for node in reached:
        for part in every(node, cst.CSTNode):  # type: ignore[type-abstract]
            several = isinstance(part, (cst.List, cst.Tuple)) and len(part.elements) > 1
            again = isinstance(part, (cst.BaseComp, cst.For, cst.While))
            if (several or again) and gives_batches(source, part):
                raise UnsupportedPatternError(statement, "it gives more than one batch")
            if isinstance(part, cst.IndentedBlock):
                lines = [one for one in part.body if value_of(one) is not None and gives_batches(source, one)]  # type: ignore[arg-type]
                for first, second in zip(lines, lines[1:]):
                    if not uses(second) & set(names_of(first)):  # type: ignore[arg-type]
                        raise UnsupportedPatternError(statement, "it gives more than one batch")
        called = (definition(source, call.func) for call in every(node, cst.Call))
        reached += [one for one in called if isinstance(one, cst.FunctionDef) and one not in reached]
